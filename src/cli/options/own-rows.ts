/** The options that only gpusort has: rows of the option table, in the order of --help. */
import {
  ALGORITHMS,
  type AlgorithmRequest,
  algorithmsOn,
  LATER_ALGORITHMS,
  requestText,
  tuningsOf,
} from '../../job/algorithm-table.js';
import { SHELLS } from '../parse/option-values.js';
import { type ArrayType, TYPE_NAMES } from '../parse/record-key.js';
import { inGroup, OWN, SEGMENTS } from './option.js';
import { LETTER_ROWS } from './ordering-rows.js';
import * as parsers from './parsers.js';

const FORM = { choices: [['text'], ['json']] };
const WHEN = { choices: [['auto'], ['always'], ['never']] };
/** Options that give records another format, or that divide lines by their text. They are incompatible with --csv. */
const NOT_CSV = ['record-size', 'array', 'json', 'zero-terminated', ...SEGMENTS, 'header-prefix'];
/** The options of all ordering letters except -r, which are for lines only. */
const LINE_ORDERINGS = LETTER_ROWS.map(({ long }) => long).filter((long) => long !== 'reverse');
/** Options that are for lines only. */
const NOT_RECORDS = [
  ...LINE_ORDERINGS,
  'sort',
  'zero-terminated',
  'field-separator',
  'locale',
  'debug',
  'segments',
  'header-prefix',
];

/** Options that ask for an order or compare records, and formats whose records cannot get places in a random order. */
const NOT_SHUFFLED = [
  ...LINE_ORDERINGS,
  'reverse',
  'sort',
  'key',
  'json',
  'locale',
  'stable',
  'unique',
  'count',
  'dupes-output',
  'per',
  'check',
  'merge',
  'debug',
  'record-size',
  'array',
  ...SEGMENTS,
  'format',
  'by',
  'cluster',
];

function conflictsOfAlgorithm({ algorithm }: AlgorithmRequest): string[] {
  return [
    ...(algorithm === 'auto' ? [] : ['locale']),
    ...(algorithm === 'sample-sort' ? ['top', 'bottom', 'sample'] : []),
  ];
}

export const OWN_ROWS = inGroup(OWN, 'records', [
  {
    long: 'engine',
    argument: 'ENGINE',
    preset: true,
    words: { choices: [['auto'], ['gpu'], ['cpu']] },
    parse: parsers.word,
    topic: 'engines',
    common: true,
    help:
      'sort on the gpu or the cpu; auto (the default) uses a GPU if there is one and the input is large enough to ' +
      'outweigh its start-up time',
  },
  {
    long: 'algorithm',
    argument: 'NAME[:TUNING]',
    words: {
      choices: ALGORITHMS.map((name) => [name]),
      later: LATER_ALGORITHMS,
      longer: ALGORITHMS.flatMap((algorithm) =>
        tuningsOf(algorithm).map((tuning) => requestText({ algorithm, tunings: [tuning] })),
      ),
    },
    parse: parsers.algorithm,
    named: (request: AlgorithmRequest) => `--algorithm ${requestText(request)}`,
    conflicts: conflictsOfAlgorithm,
    topic: 'engines',
    help:
      'select the sorting algorithm; auto (the default) chooses one from a sample of the input; ' +
      `on a GPU: ${algorithmsOn('gpu').join(', ')}; on the CPU: ${algorithmsOn('cpu').join(', ')}; ` +
      'TUNING chooses how one of its steps is done on a GPU (see --help=engines), which changes no output; several ' +
      'are separated by commas',
  },
  {
    long: 'csv',
    conflicts: ['tsv', ...NOT_CSV],
    common: true,
    help:
      'read CSV: fields end at commas (or at the SEP of -t), and quoted fields may hold newlines; -k also takes ' +
      'names from the header, -k NAME[:LETTERS],...; the first record is the header and stays first, unless ' +
      '--header 0 is given',
  },
  { long: 'tsv', conflicts: ['field-separator', ...NOT_CSV], help: 'like --csv, but fields end at tabs' },
  {
    long: 'json',
    argument: 'PATH[:LETTERS]',
    parse: parsers.jsonKey,
    conflicts: ['key', 'record-size', 'array', 'debug'],
    common: true,
    help:
      'sort lines of JSON by the value at PATH; LETTERS are letters of ordering options; PATH is names joined ' +
      'by dots; may be given several times',
  },
  {
    long: 'record-size',
    argument: 'N',
    parse: parsers.positiveCount,
    conflicts: NOT_RECORDS,
    help:
      'read binary records of N bytes each instead of lines; -k is then OFFSET:LENGTH for bytes or OFFSET:TYPE for ' +
      `numbers, with :r after it to reverse that key; TYPE is one of ${TYPE_NAMES}, with le (little-endian, the ` +
      'default) or be (big-endian) after it',
  },
  {
    long: 'array',
    argument: 'TYPE[+TYPE]',
    words: { choices: TYPE_NAMES.split(' ').map((name) => [name]) },
    parse: parsers.array,
    named: ({ text }: ArrayType) => `--array ${text}`,
    conflicts: ['record-size', 'key', ...NOT_RECORDS],
    help:
      'read a packed array of numbers; with +TYPE, each number is followed by a value of that type, which moves ' +
      'with it; equal numbers keep their order',
  },
  {
    long: 'segment-by',
    argument: 'KEYDEF',
    parse: parsers.sameText('multiple segment keys specified'),
    conflicts: ['segments'],
    help:
      'sort each segment by itself; a segment is a group of adjacent records with equal keys; segments keep ' +
      'their places; KEYDEF is as for -k, but only the letter b is allowed',
  },
  {
    long: 'segments',
    argument: 'HOW',
    words: { choices: [['blank']] },
    parse: parsers.word,
    help:
      'sort each group of lines between blank lines by itself; blank lines keep their places; HOW must be the word ' +
      'blank',
  },
  {
    long: 'locale',
    argument: 'TAG',
    parse: parsers.locale,
    topic: 'keys',
    help:
      'sort text in the order of a language, by the collation of ICU; TAG is a language tag, for example de, sv, ' +
      'en-US or de-u-co-phonebk',
  },
  {
    long: 'header',
    argument: 'N',
    parse: parsers.count,
    conflicts: ['header-prefix'],
    common: true,
    help:
      'keep the first N lines (or binary records) at the top, unsorted; every other FILE must start with the same ' +
      'header, which is written once',
  },
  {
    long: 'header-prefix',
    argument: 'STR',
    parse: parsers.text,
    help: 'like --header, for all leading lines that start with STR',
  },
  {
    long: 'shuffle',
    elsewhere: ['random'],
    later: true,
    conflicts: NOT_SHUFFLED,
    topic: 'output',
    help:
      'write the records in random order; unlike -R, it does not keep equal records together; add --top N for a ' +
      'random sample in random order',
  },
  {
    long: 'sample',
    argument: 'N',
    parse: parsers.count,
    later: true,
    conflicts: ['shuffle', 'top', 'bottom', ...NOT_SHUFFLED],
    topic: 'output',
    help: 'write N records that are chosen at random, in the order of the input; all of them if there are no more',
  },
  {
    long: 'seed',
    argument: 'N',
    parse: parsers.seed,
    later: true,
    conflicts: ['random-source'],
    topic: 'output',
    help:
      'make --shuffle, --sample and -R repeatable: the same N gives the same order on each machine, for the same ' +
      'input',
  },
  {
    long: 'count',
    conflicts: ['check', 'debug', 'record-size', 'array', ...SEGMENTS],
    topic: 'output',
    common: true,
    help:
      'count lines with equal keys: write the first of them, preceded by the count, as uniq -c does; with --csv, the ' +
      'count is a field before the others, named count; implies -u',
  },
  {
    long: 'dupes-output',
    argument: 'FILE',
    parse: parsers.sameText('multiple files of duplicates specified'),
    completes: 'file',
    later: true,
    conflicts: ['check', 'debug', 'count', 'top', 'bottom', 'mate', ...SEGMENTS],
    topic: 'output',
    help:
      'write the records that -u leaves out to FILE, in the order of the output, with the header if there is one; ' +
      'implies -u',
  },
  {
    long: 'top',
    argument: 'N',
    elsewhere: ['limit'],
    parse: parsers.limit('last', '--bottom'),
    conflicts: ['bottom', ...SEGMENTS],
    topic: 'output',
    common: true,
    help: 'write only the first N records; like head -n N, but without sorting the rest',
  },
  {
    long: 'per',
    argument: 'KEY',
    elsewhere: ['group-by', 'groupby', 'partition-by'],
    parse: parsers.groupKey,
    later: true,
    completes: 'column',
    conflicts: ['bottom', 'count', 'record-size', 'array'],
    topic: 'output',
    help:
      'with --top: write the first N records of each group of records with equal KEY; they are sorted by KEY, then ' +
      'by the other keys; KEY is as for -k, or with --json a PATH; it takes no letters of other options; --per 1,1 ' +
      'is field 1 alone',
  },
  {
    long: 'bottom',
    argument: 'N',
    elsewhere: ['tail'],
    parse: parsers.limit('first', '--top'),
    conflicts: SEGMENTS,
    topic: 'output',
    help: 'write only the last N records; like tail -n N, but without sorting the rest',
  },
  {
    long: 'verify',
    topic: 'output',
    help:
      'check during output that it is sorted and has the records of the input (compares their number, bytes and an ' +
      'order-independent hash); exit 2 if not',
  },
  { long: 'sync', topic: 'output', help: 'wait until the output is on disk (fsync) before exiting' },
  {
    long: 'chunk-size',
    argument: 'SIZE',
    parse: parsers.size,
    topic: 'engines',
    help: 'sort at most SIZE of text at once; the default unit of SIZE is bytes',
  },
  {
    long: 'gpu-memory',
    argument: 'SIZE',
    parse: parsers.size,
    topic: 'engines',
    help: 'use at most about SIZE of GPU memory; sorted runs that do not fit go to host memory and temporary files',
  },
  {
    long: 'explain',
    argument: 'FORM',
    bare: 'text',
    words: FORM,
    parse: parsers.word,
    topic: 'reports',
    help: 'print the plan, its reasons and an estimate for each algorithm, as text or json, without sorting',
  },
  {
    long: 'stats',
    argument: 'FORM',
    bare: 'text',
    words: FORM,
    parse: parsers.stats,
    completes: 'file',
    topic: 'reports',
    common: true,
    help:
      'print the time and rate of each stage (to standard error), as text or json; if FORM ends in .svg, draw a ' +
      'timeline into that file',
  },
  {
    long: 'progress',
    argument: 'WHEN',
    preset: true,
    words: WHEN,
    parse: parsers.word,
    topic: 'reports',
    help: 'show progress on standard error: auto (on a terminal, after half a second), always or never',
  },
  {
    long: 'color',
    argument: 'WHEN',
    preset: true,
    words: WHEN,
    parse: parsers.word,
    topic: 'reports',
    help: 'color messages on standard error: auto (on a terminal), always or never',
  },
  {
    long: 'completions',
    argument: 'SHELL',
    words: { choices: SHELLS.map((name) => [name]) },
    parse: parsers.word,
    actsAtOnce: true,
    topic: 'reports',
    help: 'print a completion script for SHELL and exit; SHELL is bash, zsh or fish',
  },
  {
    long: 'adapters',
    argument: 'FORM',
    bare: 'text',
    words: FORM,
    parse: parsers.word,
    actsAtOnce: true,
    topic: 'engines',
    help:
      'list the GPUs that WebGPU can use, as text or json, and exit; after --engine gpu, exit 1 if no GPU can be ' +
      'used',
  },
]);
