/**
 * The one table of options: parsing, --help and the manual page are made from it. Holds no code that parses.
 */
import { ALGORITHMS, CPU_ALGORITHMS, GPU_ALGORITHMS } from '../job.js';

export const GROUPS = ['Ordering options:', 'Other options:', 'Options of gpusort:'] as const;
export type Group = (typeof GROUPS)[number];

/** A word that an option accepts; the words of one list mean the same, and the first is its value. */
export type Choice = readonly string[];

export interface OptionRow {
  /** Without the dashes; the option's name everywhere in the program. */
  readonly long: string;
  readonly short?: string;
  /** Name of the option's argument; none for a switch. */
  readonly argument?: string;
  /** What a bare `--name` stands for; only `--name=VALUE` gives another value, so that it never takes an operand. */
  readonly bare?: string;
  readonly choices?: readonly Choice[];
  /** A further word, which GNU sort does not have: messages do not list it, and it is not cut short. */
  readonly own?: string;
  readonly group: Group;
  readonly help: string;
}

/** The words of --sort are names of orderings. */
const SORTS: readonly Choice[] = [['general-numeric'], ['human-numeric'], ['month'], ['numeric'], ['random'], ['version']];
const WHEN: readonly Choice[] = [['auto'], ['always'], ['never']];
export const FORM: readonly Choice[] = [['text'], ['json']];
export const [ORDERING, OTHER, OWN] = GROUPS;

export const OPTIONS: readonly OptionRow[] = [
  { long: 'ignore-leading-blanks', short: 'b', group: ORDERING, help: 'blanks at the beginning of a key do not count' },
  { long: 'dictionary-order', short: 'd', group: ORDERING, help: 'only blanks, letters and digits count' },
  { long: 'ignore-case', short: 'f', group: ORDERING, help: 'small letters are as large ones' },
  { long: 'general-numeric-sort', short: 'g', group: ORDERING, help: 'by the value of numbers of any notation: 1e3, 0x1f, -inf; first what is no number' },
  { long: 'human-numeric-sort', short: 'h', group: ORDERING, help: 'by the size of numbers with suffixes: 2K, 1G' },
  { long: 'ignore-nonprinting', short: 'i', group: ORDERING, help: 'only printing bytes count' },
  { long: 'month-sort', short: 'M', group: ORDERING, help: 'by the names of months, JAN to DEC; first what is none' },
  { long: 'numeric-sort', short: 'n', group: ORDERING, help: 'by the value of decimal numbers, however long' },
  { long: 'random-sort', short: 'R', group: ORDERING, help: 'in random order, equal keys together' },
  { long: 'random-source', argument: 'FILE', group: ORDERING, help: 'take the random bytes of -R from FILE: the same bytes, the same order' },
  { long: 'reverse', short: 'r', group: ORDERING, help: 'reverse the result of comparisons' },
  { long: 'sort', argument: 'WORD', choices: SORTS, group: ORDERING, help: 'as the letter does: general-numeric -g, human-numeric -h, month -M, numeric -n, random -R, version -V' },
  { long: 'version-sort', short: 'V', group: ORDERING, help: 'numbers inside text by their value, as in names of versions' },

  {
    long: 'key', short: 'k', argument: 'KEYDEF', group: OTHER,
    help: 'order by a part of each line, KEYDEF, and as it says; of several keys the first that differs decides; with --record-size KEYDEF is OFFSET:LENGTH in bytes, the first being 0',
  },
  {
    long: 'check', short: 'c', argument: 'HOW', bare: 'diagnose-first', group: OTHER,
    choices: [['quiet', 'silent'], ['diagnose-first']], own: 'explain',
    help: 'check for sorted input, do not sort; exit 1 at the first disorder, which diagnose-first reports (so does -c alone) and quiet or silent does not; explain shows both lines of it',
  },
  { long: 'merge', short: 'm', group: OTHER, help: 'merge files that are already sorted' },
  { long: 'output', short: 'o', argument: 'FILE', group: OTHER, help: 'write to FILE instead of standard output; FILE may be one of the inputs' },
  { long: 'stable', short: 's', group: OTHER, help: 'keep the input order of records with equal keys (no last-resort comparison)' },
  { long: 'field-separator', short: 't', argument: 'SEP', group: OTHER, help: 'fields end at SEP, one to four bytes, instead of where blanks begin; \\0 is NUL' },
  { long: 'buffer-size', short: 'S', argument: 'SIZE', group: OTHER, help: 'use at most SIZE of memory for sorting' },
  {
    long: 'temporary-directory', short: 'T', argument: 'DIR', group: OTHER,
    help: 'put temporary files in DIR, not in $TMPDIR or /tmp; may be given several times',
  },
  { long: 'parallel', argument: 'N', group: OTHER, help: 'sort with N threads' },
  { long: 'batch-size', argument: 'N', group: OTHER, help: 'merge at most N files at once with -m, more of them through temporary files' },
  { long: 'compress-program', argument: 'PROG', group: OTHER, help: 'compress temporary files with PROG, decompress them with PROG -d' },
  { long: 'debug', group: OTHER, help: 'underline what lines are ordered by, and warn of what is questionable' },
  { long: 'files0-from', argument: 'F', group: OTHER, help: 'read the names of the files to sort, each ended by NUL, from file F; - is standard input' },
  { long: 'unique', short: 'u', group: OTHER, help: 'write only the first of records with equal keys; with -c, check that no two are equal' },
  { long: 'zero-terminated', short: 'z', group: OTHER, help: 'lines end in a NUL byte, not in a newline' },
  { long: 'help', group: OTHER, help: 'print this help and exit' },
  { long: 'version', group: OTHER, help: 'print the versions of gpusort, Node and WebGPU and exit' },

  {
    long: 'engine', argument: 'ENGINE', choices: [['auto'], ['gpu'], ['cpu']], group: OWN,
    help: 'sort on the gpu or the cpu; auto takes a GPU where there is one and the input repays its start',
  },
  {
    long: 'algorithm', argument: 'NAME', choices: ALGORITHMS.map(name => [name]), group: OWN,
    help: `how to sort: auto chooses by a sample of the input; ${GPU_ALGORITHMS.join(', ')} run on a GPU, ${CPU_ALGORITHMS.join(', ')} on the CPU`,
  },
  {
    long: 'csv', group: OWN,
    help: 'the input is CSV: fields end at commas, or at SEP of -t, and may stand in quotes, which may hold newlines; -k may name a field as the header does, '
      + '-k NAME[:LETTERS]; the first record is that header and stays where it is, but for --header 0',
  },
  { long: 'tsv', group: OWN, help: 'like --csv, but fields end at tabs' },
  {
    long: 'json', argument: 'PATH[:LETTERS]', group: OWN,
    help: 'lines are JSON: order by the value at PATH, names joined by dots, and as LETTERS say; may be given several times',
  },
  { long: 'record-size', argument: 'N', group: OWN, help: 'the input is binary records of N bytes each, not lines' },
  {
    long: 'segment-by', argument: 'KEYDEF', group: OWN,
    help: 'neighbouring records with equal KEYDEF are a segment: segments stay where they are, each is sorted by itself; '
      + 'KEYDEF is as for -k, without letters but b',
  },
  { long: 'segments', argument: 'HOW', choices: [['blank']], group: OWN, help: 'blank: blank lines part segments and stay where they are; each segment is sorted by itself' },
  { long: 'locale', argument: 'TAG', group: OWN, help: 'order text as a language does, by the collation of ICU; TAG is like de, sv, en-US or de-u-co-phonebk' },
  {
    long: 'header', argument: 'N', group: OWN,
    help: 'the first N lines stay first in the output, unsorted; those of each further FILE must be the same and are left out',
  },
  { long: 'header-prefix', argument: 'STR', group: OWN, help: 'the same of all lines at the beginning that begin with STR' },
  { long: 'count', group: OWN, help: 'with -u, which this implies: put the number of lines with an equal key before each line, as uniq -c does' },
  { long: 'top', argument: 'N', group: OWN, help: 'write only the first N records, as head -n N would, without sorting all others' },
  { long: 'bottom', argument: 'N', group: OWN, help: 'write only the last N records, as tail -n N would, without sorting all others' },
  {
    long: 'verify', group: OWN,
    help: 'check while writing that the output is sorted and holds the records of the input: their number, bytes and an order-independent hash; exit 2 if not',
  },
  { long: 'sync', group: OWN, help: 'wait until the output is on disk (fsync) before the program ends' },
  { long: 'chunk-size', argument: 'SIZE', group: OWN, help: 'sort at most SIZE of text at once; bytes where SIZE has no suffix' },
  {
    long: 'gpu-memory', argument: 'SIZE', group: OWN,
    help: 'use at most about SIZE of GPU memory; sorted runs beyond it go to host memory and temporary files',
  },
  { long: 'explain', argument: 'FORM', bare: 'text', choices: FORM, group: OWN, help: 'print the plan and its reasons as text or json, the estimates for each algorithm among them, and do not sort' },
  {
    long: 'stats', argument: 'FORM', bare: 'text', group: OWN,
    help: 'print what was done and how fast on standard error, as text or json; a FORM that ends in .svg is a file to draw it in',
  },
  {
    long: 'progress', argument: 'WHEN', choices: WHEN, group: OWN,
    help: 'show progress on standard error: auto (on a terminal, after half a second), always, never',
  },
  { long: 'color', argument: 'WHEN', choices: WHEN, group: OWN, help: 'colour messages on standard error: auto (on a terminal), always, never' },
  { long: 'adapters', group: OWN, help: 'list the GPUs that WebGPU reaches and exit' },
];

/** -C is no option of its own: it stands for this. */
export const QUIET_CHECK = { short: 'C', long: 'check', value: 'quiet', help: 'like -c, but do not report the disorder' } as const;

/**
 * GNU sort's long names in its own order. A beginning of a name means what it means to GNU sort as long as any of these begins
 * so; gpusort's own names come after.
 */
export const GNU_NAMES: readonly string[] = [
  'ignore-leading-blanks', 'check', 'compress-program', 'debug', 'dictionary-order', 'ignore-case', 'files0-from',
  'general-numeric-sort', 'ignore-nonprinting', 'key', 'merge', 'month-sort', 'numeric-sort', 'human-numeric-sort', 'version-sort',
  'random-sort', 'random-source', 'sort', 'output', 'reverse', 'stable', 'batch-size', 'buffer-size', 'field-separator',
  'temporary-directory', 'unique', 'zero-terminated', 'parallel', 'help', 'version',
];
