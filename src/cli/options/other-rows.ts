/** GNU sort's other options: rows of the option table, in the order of --help. */
import { type Check, HELP_TOPICS, type Values } from '../parse/option-values.js';
import { inGroup, OTHER, SEGMENTS } from './option.js';
import * as parsers from './parsers.js';

export const OTHER_ROWS = inGroup(OTHER, 'engines', [
  {
    long: 'key',
    short: 'k',
    argument: 'KEYDEF',
    parse: parsers.key,
    completes: 'column',
    topic: 'keys',
    common: true,
    help:
      'sort by KEYDEF, using its ordering letters; earlier keys take precedence; ' +
      'with --record-size, KEYDEF is OFFSET:LENGTH or OFFSET:TYPE, and OFFSET counts bytes from 0',
  },
  {
    long: 'check',
    short: 'c',
    argument: 'HOW',
    bare: 'diagnose-first',
    words: { choices: [['quiet', 'silent'], ['diagnose-first']], own: ['explain', 'orders'] },
    named: ({ letter }: Check) => `-${letter}`,
    alias: {
      short: 'C',
      value: 'quiet',
      help: 'like -c, but report nothing',
    },
    parse: parsers.check,
    conflicts: ['verify', 'top', 'bottom'],
    topic: 'output',
    common: true,
    help:
      'only check that the input is sorted; exit 1 at the first line out of order. HOW is diagnose-first (report ' +
      'that line; the default), quiet or silent (report nothing), explain (show both lines), or orders (genomics ' +
      'data: list the orders that the input is in)',
  },
  { long: 'merge', short: 'm', topic: 'output', conflicts: SEGMENTS, help: 'merge files that are already sorted' },
  {
    long: 'output',
    short: 'o',
    argument: 'FILE',
    parse: parsers.sameText('multiple output files specified'),
    completes: 'file',
    conflicts: ['check'],
    topic: 'output',
    common: true,
    help: 'write to FILE instead of standard output; FILE may be one of the inputs',
  },
  {
    long: 'stable',
    short: 's',
    topic: 'keys',
    help: 'keep the input order of records with equal keys (no last-resort comparison)',
  },
  {
    long: 'field-separator',
    short: 't',
    elsewhere: ['delimiter', 'delim', 'separator'],
    argument: 'SEP',
    parse: parsers.separator,
    topic: 'keys',
    common: true,
    help: 'separate fields by SEP (one to four bytes) instead of starting a field at each run of blanks; \\0 is NUL',
  },
  {
    long: 'buffer-size',
    short: 'S',
    elsewhere: ['memory', 'mem', 'max-memory'],
    argument: 'SIZE',
    preset: true,
    parse: parsers.bufferSize,
    common: true,
    help: 'use at most SIZE of memory for sorting',
  },
  {
    long: 'temporary-directory',
    short: 'T',
    elsewhere: ['tmpdir', 'temp-dir'],
    argument: 'DIR',
    preset: true,
    parse: parsers.texts,
    completes: 'directory',
    common: true,
    help: 'put temporary files in DIR; the default is $TMPDIR or /tmp; may be given several times',
  },
  {
    long: 'parallel',
    argument: 'N',
    elsewhere: ['threads', 'jobs'],
    preset: true,
    parse: parsers.threads,
    common: true,
    help: 'sort with N threads',
  },
  {
    long: 'batch-size',
    argument: 'N',
    parse: parsers.batchSize,
    help: 'merge at most N files at once with -m (default 256); more files are merged through temporary files',
  },
  {
    long: 'compress-program',
    argument: 'PROG',
    parse: parsers.sameText('multiple compress programs specified'),
    completes: 'program',
    help: 'compress temporary files with PROG and decompress them with PROG -d',
  },
  {
    long: 'debug',
    conflicts: ['check', 'output'],
    topic: 'keys',
    help: 'underline the part of each line that is compared, and warn about questionable options',
  },
  {
    long: 'files0-from',
    argument: 'F',
    parse: parsers.text,
    completes: 'file',
    topic: 'records',
    help: 'read the names of the input files, each ended by NUL, from file F; - is standard input',
  },
  {
    long: 'unique',
    short: 'u',
    elsewhere: ['distinct', 'dedup'],
    argument: 'WHICH',
    bare: 'first',
    isGnuSwitch: true,
    words: { choices: [['first'], ['last']] },
    named: (which: Values['unique']) => (which === 'last' ? '--unique=last' : '-u'),
    parse: parsers.word,
    conflicts: (which: Values['unique']) => (which === 'last' ? ['count', ...SEGMENTS] : []),
    topic: 'output',
    common: true,
    help:
      'write only the first of records with equal keys; WHICH is first (the default) or last, in the order of the ' +
      'input; with -c, check that no two keys are equal',
  },
  { long: 'zero-terminated', short: 'z', topic: 'records', help: 'end lines with NUL instead of a newline' },
  {
    long: 'help',
    argument: 'TOPIC',
    bare: 'common',
    isGnuSwitch: true,
    words: { choices: HELP_TOPICS.map((name) => [name]) },
    parse: parsers.word,
    actsAtOnce: true,
    topic: 'reports',
    common: true,
    help:
      'print help and exit; TOPIC is common (the default: the most used options), all, or one of the topics that ' +
      '--help lists; it may also be the next word',
  },
  {
    long: 'version',
    actsAtOnce: true,
    topic: 'reports',
    help: 'print the versions of gpusort, Node and webgpu, and exit',
  },
]);
