/** The table of all options: the parser, --help and the manual page are made from it. It does not parse. */
import { ALGORITHMS, CPU_ALGORITHMS, GPU_ALGORITHMS } from '../../job.js';

export const GROUPS = ['Ordering options:', 'Other options:', 'Options of gpusort:'] as const;
export type Group = (typeof GROUPS)[number];

/** The words that an option accepts for one value; the first of them is the value. */
export type Choice = readonly string[];

export interface OptionRow {
  /** The name without dashes; the option has this name in the whole program. */
  readonly long: string;
  readonly short?: string;
  /** What the help calls the argument; undefined for a switch. */
  readonly argument?: string;
  /** The value of a bare `--name`. The option takes another value only as `--name=VALUE`, never from the next word. */
  readonly bare?: string;
  readonly choices?: readonly Choice[];
  /** A value that GNU sort lacks. Messages do not list it, so that they stay GNU's; it has no abbreviation. */
  readonly own?: string;
  readonly group: Group;
  readonly help: string;
}

/** The first word is the name of an ordering. */
const SORTS: readonly Choice[] = [
  ['general-numeric'],
  ['human-numeric'],
  ['month'],
  ['numeric'],
  ['random'],
  ['version'],
];
const WHEN: readonly Choice[] = [['auto'], ['always'], ['never']];
export const FORM: readonly Choice[] = [['text'], ['json']];
export const [ORDERING, OTHER, OWN] = GROUPS;

export const OPTIONS: readonly OptionRow[] = [
  { long: 'ignore-leading-blanks', short: 'b', group: ORDERING, help: 'ignore leading blanks of keys' },
  { long: 'dictionary-order', short: 'd', group: ORDERING, help: 'compare only blanks, letters and digits' },
  { long: 'ignore-case', short: 'f', group: ORDERING, help: 'fold lowercase to uppercase' },
  {
    long: 'general-numeric-sort',
    short: 'g',
    group: ORDERING,
    help: 'compare numbers in any notation (1e3, 0x1f, -inf); non-numbers sort first',
  },
  { long: 'human-numeric-sort', short: 'h', group: ORDERING, help: 'compare numbers with size suffixes (2K, 1G)' },
  { long: 'ignore-nonprinting', short: 'i', group: ORDERING, help: 'compare only printing characters' },
  {
    long: 'month-sort',
    short: 'M',
    group: ORDERING,
    help: 'compare month names (JAN to DEC); text that is not a month sorts first',
  },
  { long: 'numeric-sort', short: 'n', group: ORDERING, help: 'compare decimal numbers of any length' },
  { long: 'random-sort', short: 'R', group: ORDERING, help: 'shuffle, but keep equal keys together' },
  {
    long: 'random-source',
    argument: 'FILE',
    group: ORDERING,
    help: 'take the random bytes of -R from FILE; the same bytes give the same order',
  },
  { long: 'reverse', short: 'r', group: ORDERING, help: 'reverse the result of comparisons' },
  {
    long: 'sort',
    argument: 'WORD',
    choices: SORTS,
    group: ORDERING,
    help: 'sort by WORD: general-numeric (-g), human-numeric (-h), month (-M), numeric (-n), random (-R), version (-V)',
  },
  {
    long: 'version-sort',
    short: 'V',
    group: ORDERING,
    help: 'compare numbers inside text by value, as in version numbers',
  },

  {
    long: 'key',
    short: 'k',
    argument: 'KEYDEF',
    group: OTHER,
    help:
      'sort by KEYDEF, using its ordering letters; earlier keys take precedence; ' +
      'with --record-size, KEYDEF is OFFSET:LENGTH in bytes, and offsets count from 0',
  },
  {
    long: 'check',
    short: 'c',
    argument: 'HOW',
    bare: 'diagnose-first',
    group: OTHER,
    choices: [['quiet', 'silent'], ['diagnose-first']],
    own: 'explain',
    help:
      'check that the input is sorted, do not sort; exit 1 at the first line out of order. HOW is diagnose-first ' +
      '(report that line; the default), quiet or silent (report nothing), or explain (show both lines)',
  },
  { long: 'merge', short: 'm', group: OTHER, help: 'merge files that are already sorted' },
  {
    long: 'output',
    short: 'o',
    argument: 'FILE',
    group: OTHER,
    help: 'write to FILE instead of standard output; FILE may be one of the inputs',
  },
  {
    long: 'stable',
    short: 's',
    group: OTHER,
    help: 'keep the input order of records with equal keys (no last-resort comparison)',
  },
  {
    long: 'field-separator',
    short: 't',
    argument: 'SEP',
    group: OTHER,
    help: 'separate fields by SEP, one to four bytes, instead of starting a field at each run of blanks; \\0 is NUL',
  },
  { long: 'buffer-size', short: 'S', argument: 'SIZE', group: OTHER, help: 'use at most SIZE of memory for sorting' },
  {
    long: 'temporary-directory',
    short: 'T',
    argument: 'DIR',
    group: OTHER,
    help: 'put temporary files in DIR instead of $TMPDIR or /tmp; may be given several times',
  },
  { long: 'parallel', argument: 'N', group: OTHER, help: 'sort with N threads' },
  {
    long: 'batch-size',
    argument: 'N',
    group: OTHER,
    help: 'merge at most N files at once with -m (default 256); more files are merged through temporary files',
  },
  {
    long: 'compress-program',
    argument: 'PROG',
    group: OTHER,
    help: 'compress temporary files with PROG and decompress them with PROG -d',
  },
  {
    long: 'debug',
    group: OTHER,
    help: 'underline the part of each line that is compared, and warn about questionable options',
  },
  {
    long: 'files0-from',
    argument: 'F',
    group: OTHER,
    help: 'read the names of the input files, each ended by NUL, from file F; - is standard input',
  },
  {
    long: 'unique',
    short: 'u',
    group: OTHER,
    help: 'write only the first of records with equal keys; with -c, check that no two keys are equal',
  },
  { long: 'zero-terminated', short: 'z', group: OTHER, help: 'end lines with NUL instead of a newline' },
  { long: 'help', group: OTHER, help: 'print this help and exit' },
  { long: 'version', group: OTHER, help: 'print the versions of gpusort, Node and webgpu, and exit' },

  {
    long: 'engine',
    argument: 'ENGINE',
    choices: [['auto'], ['gpu'], ['cpu']],
    group: OWN,
    help:
      'sort on the gpu or the cpu; auto (the default) uses a GPU if there is one and the input is large enough to ' +
      'pay for its start-up',
  },
  {
    long: 'algorithm',
    argument: 'NAME',
    choices: ALGORITHMS.map((name) => [name]),
    group: OWN,
    help: `select the sorting algorithm; auto (the default) chooses one from a sample of the input; on a GPU: ${GPU_ALGORITHMS.join(
      ', ',
    )}; on the CPU: ${CPU_ALGORITHMS.join(', ')}`,
  },
  {
    long: 'csv',
    group: OWN,
    help:
      'read CSV: fields end at commas (or at the SEP of -t), and quoted fields may hold newlines; -k also takes a ' +
      'name from the header, -k NAME[:LETTERS]; the first record is the header and stays first, unless --header 0 ' +
      'is given',
  },
  { long: 'tsv', group: OWN, help: 'like --csv, but fields end at tabs' },
  {
    long: 'json',
    argument: 'PATH[:LETTERS]',
    group: OWN,
    help:
      'read lines of JSON and sort by the value at PATH, names joined by dots, using the ordering LETTERS; ' +
      'may be given several times',
  },
  { long: 'record-size', argument: 'N', group: OWN, help: 'read binary records of N bytes each instead of lines' },
  {
    long: 'segment-by',
    argument: 'KEYDEF',
    group: OWN,
    help:
      'sort each segment, that is neighbouring records with equal KEYDEF, by itself; segments keep their places; ' +
      'KEYDEF is that of -k, with no letter but b',
  },
  {
    long: 'segments',
    argument: 'HOW',
    choices: [['blank']],
    group: OWN,
    help: 'blank: sort each group of lines between blank lines by itself; blank lines keep their places',
  },
  {
    long: 'locale',
    argument: 'TAG',
    group: OWN,
    help:
      'sort text in the order of a language, by the collation of ICU; TAG is a language tag, for example de, sv, ' +
      'en-US or de-u-co-phonebk',
  },
  {
    long: 'header',
    argument: 'N',
    group: OWN,
    help: 'keep the first N lines first, unsorted; each further FILE must start with the same lines, which are dropped',
  },
  {
    long: 'header-prefix',
    argument: 'STR',
    group: OWN,
    help: 'like --header, for all leading lines that start with STR',
  },
  {
    long: 'count',
    group: OWN,
    help: 'put the number of lines with an equal key before each line, as uniq -c does; implies -u',
  },
  {
    long: 'top',
    argument: 'N',
    group: OWN,
    help: 'write only the first N records, as head -n N would, without sorting the rest',
  },
  {
    long: 'bottom',
    argument: 'N',
    group: OWN,
    help: 'write only the last N records, as tail -n N would, without sorting the rest',
  },
  {
    long: 'verify',
    group: OWN,
    help:
      'check during output that it is sorted and holds the records of the input (by their number, bytes and an ' +
      'order-independent hash); exit 2 if not',
  },
  { long: 'sync', group: OWN, help: 'wait until the output is on disk (fsync) before exiting' },
  {
    long: 'chunk-size',
    argument: 'SIZE',
    group: OWN,
    help: 'sort at most SIZE of text at once; the default unit of SIZE is bytes',
  },
  {
    long: 'gpu-memory',
    argument: 'SIZE',
    group: OWN,
    help: 'use at most about SIZE of GPU memory; further sorted runs go to host memory and temporary files',
  },
  {
    long: 'explain',
    argument: 'FORM',
    bare: 'text',
    choices: FORM,
    group: OWN,
    help: 'print the plan, its reasons and the estimates for each algorithm, as text or json, and do not sort',
  },
  {
    long: 'stats',
    argument: 'FORM',
    bare: 'text',
    group: OWN,
    help:
      'print what was done and how fast to standard error, as text or json; a FORM that ends in .svg is a file to ' +
      'draw a timeline in',
  },
  {
    long: 'progress',
    argument: 'WHEN',
    choices: WHEN,
    group: OWN,
    help: 'show progress on standard error: auto (on a terminal, after half a second), always or never',
  },
  {
    long: 'color',
    argument: 'WHEN',
    choices: WHEN,
    group: OWN,
    help: 'colour messages on standard error: auto (on a terminal), always or never',
  },
  { long: 'adapters', group: OWN, help: 'list the GPUs that WebGPU can use, and exit' },
];

/** -C has no row of its own: it stands for this. */
export const QUIET_CHECK = { short: 'C', long: 'check', value: 'quiet', help: 'like -c, but report nothing' } as const;

/**
 * GNU sort's long names in its own order. An abbreviation that fits one of these means what it means to GNU sort.
 * gpusort's own names come after.
 */
export const GNU_NAMES: readonly string[] = [
  'ignore-leading-blanks',
  'check',
  'compress-program',
  'debug',
  'dictionary-order',
  'ignore-case',
  'files0-from',
  'general-numeric-sort',
  'ignore-nonprinting',
  'key',
  'merge',
  'month-sort',
  'numeric-sort',
  'human-numeric-sort',
  'version-sort',
  'random-sort',
  'random-source',
  'sort',
  'output',
  'reverse',
  'stable',
  'batch-size',
  'buffer-size',
  'field-separator',
  'temporary-directory',
  'unique',
  'zero-terminated',
  'parallel',
  'help',
  'version',
];
