/** Jobs and tasks made from arguments. refused.test.ts and own-errors.test.ts test the arguments that are refused. */
import { describe, expect, it } from 'vitest';
import type { OptionRow } from '../../src/cli/options/option.js';
import { rowOf } from '../../src/cli/options/table.js';
import { type JobRequest, parseArguments } from '../../src/cli/request.js';
import type { SortJob } from '../../src/job/job.js';
import {
  delimiterOf,
  type FieldPosition,
  type KeyPart,
  type Ordering,
  type SegmentRule,
  type SortKey,
} from '../../src/job/ordering.js';
import { changed, type JobSettings, job } from '../support/jobs.js';
import { type Arguments, errorOf, jobOf, SURROUNDINGS } from './arguments.js';

const names = (...list: string[]): Buffer[] => list.map((name) => Buffer.from(name, 'latin1'));
/** The job without any options. */
const PLAIN = job({ temporaryDirectories: names('/tmp'), progress: 'auto', color: 'auto' });
const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');

/** A place as FIELD.BYTE, both from 0, and `b` if leading blanks are skipped. */
const place = ({ field, byte, skipBlanks }: FieldPosition): string => `${field}.${byte}${skipBlanks ? 'b' : ''}`;

function partText({ span: { begin, end, separator, quoted }, ...part }: KeyPart): string {
  const { name, path, order, dictionary, printing, fold, reverse } = part;
  const flags = { dictionary, printing, fold, reverse, quoted };
  return [
    ...(name === undefined ? [] : [`name=${text(name)}`]),
    ...(path === undefined ? [] : [`path=${JSON.stringify(path.map(text))}`]),
    `${place(begin)}-${end === null ? '' : place(end)}`,
    ...(separator === null ? [] : [`by ${text(separator)}`]),
    ...(order === 'bytes' ? [] : [order]),
    ...Object.entries(flags).flatMap(([flag, isSet]) => (isSet ? [flag] : [])),
  ].join(' ');
}

function keyText(key: SortKey): string {
  if (key.kind === 'record') return 'record';
  return key.kind === 'bytes' ? `bytes ${key.offset}:${key.length}` : key.parts.map(partText).join(', ');
}

function segmentsText(segments: SegmentRule | undefined): string[] {
  if (segments === undefined) return [];
  if (segments.kind === 'blank') return ['segments: blank'];
  if (segments.kind === 'bytes') return [`segments: ${segments.offset}:${segments.length}`];
  return [`segments: ${partText({ span: segments.span, order: 'bytes' } as KeyPart)}`];
}

/** All of an ordering in words: the key, then what differs from lines in ascending order. */
function orderingText({ key, format, segments, reverse, unique, lastResort, ...others }: Ordering): string {
  return [
    keyText(key),
    ...(reverse ? ['reverse'] : []),
    ...(unique ? ['unique'] : []),
    ...(lastResort ? [] : ['no last resort']),
    ...(format.kind === 'fixed' ? [`records of ${format.size}`] : delimiterOf(format) === 0 ? ['NUL'] : []),
    ...segmentsText(segments),
    ...Object.keys(others),
  ].join('; ');
}

const ORDERINGS: Readonly<Record<string, readonly (readonly [Arguments, string])[]>> = {
  'the whole record': [
    ['', 'record'],
    ['-r', 'record; reverse'],
    ['-ru', 'record; reverse; unique; no last resort'],
    ['-s', 'record; no last resort'],
    ['-z', 'record; NUL'],
    ['--rev', 'record; reverse'],
    ['--re --st', 'record; reverse; no last resort'],
    ['--debug -r', 'record; reverse'],
    ['-t,', 'record'],
  ],
  segments: [
    ['--segments blank', 'record; segments: blank'],
    ['-u --segments=bl', 'record; unique; no last resort; segments: blank'],
    ['-t : --segment-by 2', 'record; segments: 1.0- by :'],
    ['--segment-by=3.2b,4.5b', 'record; segments: 2.1b-3.5b'],
    ['-t\\0 -t \\0 --segment-by 1,1', 'record; segments: 0.0-0.0 by \0'],
  ],
  'binary records': [
    ['--record-size=9 --segment-by 3:6', 'record; records of 9; segments: 3:6'],
    ['--record-size 100', 'record; records of 100'],
    ['--record-size=100 --key 90:10', 'bytes 90:10; records of 100'],
    ['--record-size=100 --key=0:100', 'record; records of 100'],
    ['--record-size=16 -k 4:u32be', 'bytes 4:4; records of 16'],
    ['--record-size=16 -k 4:u32be -k 8:u64be', 'bytes 4:12; records of 16'],
    ['--record-size=16 -s -k 0:4', 'bytes 0:4; no last resort; records of 16'],
    ['--record-size=16 -u -k 0:4', 'bytes 0:4; unique; no last resort; records of 16'],
    ['--record-size=4 -k 0:u32be', 'record; records of 4'],
    ['--record-size=16 --segment-by=8:4 -k 0:u32be', 'bytes 0:4; records of 16; segments: 8:4'],
    ['--array=u32be', 'record; no last resort; records of 4'],
    ['--array=u8 -r', 'record; reverse; no last resort; records of 1'],
    ['--array=u32be --array=u32be', 'record; no last resort; records of 4'],
  ],
  'positions of a key': [
    ['-k2', '1.0-'],
    ['-k2,2', '1.0-1.0'],
    ['-k2.3,4.5', '1.2-3.5'],
    ['-k 2.3b,4.5', '1.2b-3.5'],
    ['-k 2.3,4.5b', '1.2-3.5b'],
    ['-k 2,4.0b', '1.0-3.0b'],
    [['-k', ' +2. 3,\t4.+5'], '1.2-3.5'],
    ['-k 9999999999999,99999999999999999999999.2', '2147483646.0-2147483646.2'],
    ['-t: -k2,1', '1.0-0.0 by :'],
    ['-k2 -t \\0', '1.0- by \0'],
    ['-k2 -t \\', '1.0- by \\'],
    ['-k2 -t \xc3\xa9 --field-separator=\xc3\xa9', '1.0- by \xc3\xa9'],
    ['-k2 -t||--', '1.0- by ||--'],
  ],
  'keys that equal an earlier one': [
    ['-k2,2 -k1,1n -k2,2 -k1,1nr', '1.0-1.0, 0.0-0.0 numeric'],
    ['-k2,2 -k2,2b -k2,2f -k2', '1.0-1.0, 1.0-1.0b, 1.0-1.0 fold, 1.0-'],
    ['-n -k2,2 -k2,2n', '1.0-1.0 numeric'],
    ['-k1,1R -k1,1R', '0.0-0.0 random'],
    ['--debug -k1,1 -k1,1', '0.0-0.0, 0.0-0.0'],
  ],
  'letters of a key': [
    ['-k1n', '0.0- numeric'],
    ['-k1,1g', '0.0-0.0 general-numeric'],
    ['-k1h,1r', '0.0-0.0 human-numeric reverse'],
    ['-k1MbM,2', '0.0b-1.0 month'],
    ['-k1R', '0.0- random'],
    ['-k1Vdf', '0.0- version dictionary fold'],
    ['-k1VR', '0.0- random'],
    ['-k1fi', '0.0- printing fold'],
    ['-k1di', '0.0- dictionary'],
    ['-k1i,2d', '0.0-1.0 dictionary'],
  ],
  'letters of the command line': [
    ['-n', '0.0- numeric'],
    ['-b', '0.0b-'],
    ['-nr', '0.0- numeric reverse; reverse'],
    ['-idf -i', '0.0- dictionary fold'],
    ['--sort=gen', '0.0- general-numeric'],
    ['--sort=human -h', '0.0- human-numeric'],
    ['--sort v --random-sort', '0.0- random'],
    ['--month-sort --ignore-leading-blanks', '0.0b- month'],
    ['--version-sort --ignore-case --dictionary', '0.0- version dictionary fold'],
    ['--ignore-nonprinting --zero', '0.0- printing; NUL'],
  ],
  'keys that inherit the letters of the command line, if they have none': [
    ['-n -k2', '1.0- numeric'],
    ['-k2 -k3r -k4b,4 -k5,5 -nbr', '1.0b- numeric reverse, 2.0- reverse, 3.0b-3.0, 4.0b-4.0b numeric reverse; reverse'],
    ['-r -k2 -k3n', '1.0- reverse, 2.0- numeric; reverse'],
    ['-k2r', '1.0- reverse'],
    ['-gn -k2b', '1.0b-'],
    ['-u -k2', '1.0-; unique; no last resort'],
    ['-s -k2', '1.0-; no last resort'],
  ],
  'keys equivalent to the whole line': [
    ['-k1', 'record'],
    ['-k1.1', 'record'],
    ['-k1r', 'record; reverse'],
    ['-r -k1', 'record; reverse'],
    ['-k1 -k2n -t,', 'record'],
    ['-k1 -u', 'record; unique; no last resort'],
    ['-k1r -s', 'record; reverse; no last resort'],
    ['-k2,2 -k1 -k3', '1.0-1.0'],
    ['-k2,2 -k1 -s', '1.0-1.0'],
    ['-k2,2 -k1 -u', '1.0-1.0, 0.0-; unique; no last resort'],
    ['-k2,2n -k1r -k3', '1.0-1.0 numeric, 0.0- reverse'],
    ['-k2,2n -k1r -r -s', '1.0-1.0 numeric; reverse'],
    ['-k1 -k1R,1', '0.0-, 0.0-0.0 random'],
    ['--debug -k1 -k2,2', '0.0-, 1.0-1.0'],
  ],
  'obsolescent keys': [
    ['+1', '1.0-'],
    ['+0', 'record'],
    ['+1 -2', '1.0-1.0'],
    ['+1 -1', '1.0-0.0'],
    ['+1 -0', '1.0-0.0'],
    ['+1.2b -2.3b', '1.2b-2.3b'],
    ['+1.2n -0.3r', '1.2-0.3 numeric reverse'],
    [['+1', '-n', '+ 2'], '1.0- numeric, 2.0- numeric'],
  ],
  CSV: [
    ['--csv -r', 'record; reverse; NUL'],
    ['--csv -k price:n', 'name=price 0.0-0.0 by , numeric quoted; NUL'],
    [
      ['-k', 'price', '--csv', '-r', '-k', 'a b:f'],
      'name=price 0.0-0.0 by , reverse quoted, name=a b 0.0-0.0 by , fold quoted; reverse; NUL',
    ],
    ['--csv -k x:bV', 'name=x 0.0b-0.0 by , version quoted; NUL'],
    ['--csv -k time\\:utc:r', 'name=time:utc 0.0-0.0 by , reverse quoted; NUL'],
    ['--csv -k \\2,2 -k a\\\\b\\c', 'name=2,2 0.0-0.0 by , quoted, name=a\\bc 0.0-0.0 by , quoted; NUL'],
    [
      ['--csv', '-k', '', '-k', ':n', '-k', 'x:'],
      'name= 0.0-0.0 by , quoted, name= 0.0-0.0 by , numeric quoted, name=x 0.0-0.0 by , quoted; NUL',
    ],
    ['--csv -k 1st -k 2x:g', 'name=1st 0.0-0.0 by , quoted, name=2x 0.0-0.0 by , general-numeric quoted; NUL'],
    ['--csv -k \xc3\xa9 -k 2,x', 'name=\xc3\xa9 0.0-0.0 by , quoted, name=2,x 0.0-0.0 by , quoted; NUL'],
    ['--csv -k2n', '1.0- by , numeric quoted; NUL'],
    ['--tsv -k2.2b,3.4r +0', '1.1b-2.4 by \t reverse quoted, 0.0- by \t quoted; NUL'],
    ['--csv -k1', '0.0- by , quoted; NUL'],
    ['--csv -n', '0.0- by , numeric; NUL'],
  ],
  JSON: [
    ['--json a', 'path=["a"] 0.0-'],
    [
      '--json user.e\\.mail:fr --json=a\\:b.0:n',
      'path=["user","e.mail"] 0.0- fold reverse, path=["a:b","0"] 0.0- numeric',
    ],
    [['--json', '', '--json', ':g'], 'path=[] 0.0-, path=[] 0.0- general-numeric'],
    ['-Mr --json x:b --json y', 'path=["x"] 0.0b-, path=["y"] 0.0- month reverse; reverse'],
  ],
};

describe('the ordering', () => {
  it.each(Object.entries(ORDERINGS))('by %s', (topic, rows) => {
    for (const [args, expected] of rows) {
      const made = jobOf(args);
      const { framing, header } = made.input;
      expect(orderingText(made.ordering), String(args)).toBe(expected);
      if (topic === 'CSV') expect(header).toEqual({ kind: 'records', count: 1 });
      else expect({ framing, header }).toEqual({ framing: null, header: null });
      const { ordering } = PLAIN;
      expect(changed(made, { ordering, framing: null, header: null })).toEqual(
        changed(PLAIN, { underline: args.includes('--debug') }),
      );
    }
  });

  it.each<[string, number | null, number | null]>([
    ['', null, null],
    ['--csv', 44, 1],
    ['--tsv', 9, 1],
    ['--csv -t;', 59, 1],
    ['--csv --header 0', 44, null],
    ['--tsv --header=3', 9, 3],
    ['--json a', null, null],
    ['--json a -z --header=1 -t ,, --segment-by 1', null, 1],
  ])('of "%s" is for CSV with separator %j and %j header records', (args, separator, count) => {
    const { framing, header } = jobOf(args).input;
    expect(framing).toEqual(separator === null ? null : { kind: 'csv', separator });
    expect(header).toEqual(count === null ? null : { kind: 'records', count });
  });
});

const JOBS: [Arguments, JobSettings][] = [
  ['-', {}],
  ['a - b', { inputs: [Buffer.from('a'), null, Buffer.from('b')] }],
  [['a', ''], { inputs: names('a', '') }],
  ['caf\xc3\xa9 \xff', { inputs: names('caf\xc3\xa9', '\xff') }],
  ['a -s -b --', { inputs: names('a'), ordering: jobOf('-s -b').ordering }],
  ['-- -r -- -', { inputs: [Buffer.from('-r'), Buffer.from('--'), null] }],
  ['-mo out a', { mode: 'merge', output: Buffer.from('out'), inputs: names('a') }],
  ['-moout a', { mode: 'merge', output: Buffer.from('out'), inputs: names('a') }],
  ['a -o a', { output: Buffer.from('a'), inputs: names('a') }],
  ['-o -r', { output: Buffer.from('-r') }],
  ['-o -', { output: Buffer.from('-') }],
  ['-ox --out=x', { output: Buffer.from('x') }],
  ['--output \xff', { output: names('\xff')[0] }],
  ['-c a', { mode: 'check', inputs: names('a') }],
  ['-C a', { mode: 'check', quiet: true, inputs: names('a') }],
  ['--check a', { mode: 'check', inputs: names('a') }],
  ['--check=silent -C', { mode: 'check', quiet: true }],
  ['--check=explain', { mode: 'check', explains: true }],
  ['-c --check=explain -c', { mode: 'check', explains: true }],
  ['--ch=d -mr', { mode: 'check', ordering: jobOf('-r').ordering }],
  ['-S50M', { memoryBytes: 50 * 2 ** 20 }],
  ['-S 5', { memoryBytes: 5 * 1024 }],
  ['-S5b -S 1k -S7b', { memoryBytes: 1024 }],
  ['-S 50%', { memoryBytes: 500 }],
  [['-S', ' +010'], { memoryBytes: 10 * 1024 }],
  ['-SG', { memoryBytes: 2 ** 30 }],
  ['--buffer-size=1t', { memoryBytes: 2 ** 40 }],
  ['-S1E', { memoryBytes: Number.MAX_SAFE_INTEGER }],
  ['-T /a -T/b --temp=\xff', { temporaryDirectories: names('/a', '/b', '\xff') }],
  ['--parallel=3', { parallel: 3 }],
  ['--par 4', { parallel: 4 }],
  ['--parallel=99999999999999999999', { parallel: Number.MAX_SAFE_INTEGER }],
  ['--batch-size=2', { batchSize: 2 }],
  ['--batch=997', { batchSize: 997 }],
  [['--compress-program=x y', '--compress', 'x y'], { compressProgram: Buffer.from('x y') }],
  ['--random-source=\xff --random-source \xff', { randomSource: names('\xff')[0] }],
  ['--debug', { underline: true }],
  ['-y 5 a', { inputs: names('a') }],
  ['-ry a', { inputs: names('a'), ordering: jobOf('-r').ordering }],
  ['-yr a', { inputs: names('a') }],
  [['-y', '', 'a', '-y5x'], { inputs: names('a') }],
  // A longer name that was added later does not make these ambiguous.
  ['--algorithm=m', { algorithm: 'msd-radix' }],
  ['--algorithm=msd-radix', { algorithm: 'msd-radix' }],
  ['--algorithm=msd-radix-h', { algorithm: 'msd-radix-hybrid' }],
  ['--engine cpu --algorithm=radix', { engine: 'cpu', algorithm: 'radix' }],
  ['--algorithm=merge', { algorithm: 'merge' }],
  ['--algorithm=merge:search-wide --algorithm=quicksort', { algorithm: 'quicksort' }],
  [
    '--algorithm=string-m:ties-in-merges,prefix-4,prefix-4',
    { algorithm: 'string-merge', tunings: ['ties-in-merges', 'prefix-4'] },
  ],
  ['--chunk-size 64K', { chunkBytes: 65536 }],
  ['--chunk-size=4096', { chunkBytes: 4096 }],
  ['--explain a', { explain: 'text', inputs: names('a') }],
  ['--explain=json --stats --', { explain: 'json', stats: 'text' }],
  ['--stats=run.svg --gpu-memory 4G', { stats: { drawing: Buffer.from('run.svg') }, gpuMemoryBytes: 4 * 2 ** 30 }],
  ['--stats=j --progress never --color=always', { stats: 'json', progress: 'never', color: 'always' }],
];

describe('the job', () => {
  it.each(JOBS)('of %j', (args, change) => {
    expect(jobOf(args)).toEqual(changed(PLAIN, change));
  });

  it('uses TMPDIR only without -T', () => {
    expect(jobOf('', { temporaryDirectory: '/x' }).resources.temporaryDirectories).toEqual(names('/x'));
    expect(jobOf('-T /y', { temporaryDirectory: '/x' }).resources.temporaryDirectories).toEqual(names('/y'));
  });

  it('has no options after the first operand under POSIXLY_CORRECT, except -o', () => {
    const posix = { posixlyCorrect: true };
    expect(jobOf('-r a -u', posix).input.files).toEqual(names('a', '-u'));
    expect(jobOf('a -u -o x b -ox -o', posix)).toEqual(
      changed(PLAIN, { inputs: names('a', '-u', 'b', '-o'), output: Buffer.from('x') }),
    );
    expect(jobOf('a -o x', { ...posix, obsolescentKeys: false }).input.files).toEqual(names('a', '-o', 'x'));
    expect(errorOf('-c a -o x', posix).message).toBe("extra operand '-o' not allowed with -c");
  });

  it('accepts as many operands and keys as a command line can hold', () => {
    const names = Array.from({ length: 300_000 }, () => 'a');
    expect(jobOf(['--', ...names]).input.files).toHaveLength(300_000);
    // The list is extended in place: with a copy for each key, the last ones would take seconds.
    const row = rowOf('key') as Extract<OptionRow, { argument: string }>;
    const context = { row, spelling: '-k', keys: 'fields' as const, isJson: false, surroundings: SURROUNDINGS };
    const first = row.parse('1', { ...context, previous: undefined });
    expect(row.parse('2', { ...context, previous: first })).toBe(first);
    expect(first).toHaveLength(2);
  });

  it('is not made if --help, --version, --adapters or --completions precedes the rest', () => {
    for (const [option, topic] of [
      ['--help', 'common'],
      ['--help=keys', 'keys'],
    ])
      expect(parseArguments(['a', option, '--nonsense'], { ...SURROUNDINGS, programName: 'gpusort' })).toEqual({
        action: 'help',
        topic,
      });
    expect(parseArguments(['a', '--version', '--nonsense'], SURROUNDINGS)).toEqual({ action: 'version' });
    for (const [words, form, needsGpu] of [
      [['--adapters'], 'text', false],
      [['--ad'], 'text', false],
      [['--adapters=json'], 'json', false],
      [['--engine', 'gpu', '--adapters=j'], 'json', true],
      [['--engine=cpu', '--adapters=text'], 'text', false],
    ] as const)
      expect(parseArguments(['a', ...words, '--nonsense'], SURROUNDINGS)).toEqual({
        action: 'adapters',
        ...{ form, needsGpu },
      });
    expect(parseArguments(['--completions=fish', '--nonsense'], SURROUNDINGS)).toEqual({
      action: 'completions',
      shell: 'fish',
    });
    expect(errorOf('--nonsense --help').message).toBe("unrecognized option '--nonsense'");
  });
});

describe('+POS1', () => {
  it('is a file name if it is not a valid key', () => {
    for (const name of ['+x', '+', '+1x', '+1.', '+1.x', '+-1', '+1,2'])
      expect(jobOf([name])).toEqual(changed(PLAIN, { inputs: names(name) }));
    expect(jobOf('-- +1')).toEqual(changed(PLAIN, { inputs: names('+1') }));
    expect(jobOf('a +1 -n b').input.files).toEqual(names('a', 'b'));
  });

  it('alone is a file name under POSIX 2001, until a key with -POS2 precedes it', () => {
    const posix2001 = { obsolescentKeys: false };
    expect(jobOf('+1', posix2001)).toEqual(changed(PLAIN, { inputs: names('+1') }));
    expect(orderingText(jobOf('+1 -2 +1', posix2001).ordering)).toBe('1.0-1.0, 1.0-');
    expect(jobOf('+1 -2', { ...posix2001, posixlyCorrect: true })).toEqual(
      changed(PLAIN, { inputs: names('+1', '-2') }),
    );
  });

  it('is a key under POSIXLY_CORRECT if it precedes all file names', () => {
    const { ordering, input } = jobOf('+1 a +2 -r', { posixlyCorrect: true });
    expect([orderingText(ordering), input.files]).toEqual(['1.0-', names('a', '+2', '-r')]);
  });
});

const CLUSTER: NonNullable<SortJob['cluster']> = {
  scheduler: { kind: 'slurm', options: [] },
  tasks: null,
  workDirectory: null,
  parts: false,
  detach: false,
  nodeTemporary: true,
};

describe('a distributed job', () => {
  it.each<[Arguments, Partial<SortJob['cluster']>]>([
    ['--cluster=slurm', {}],
    ['--cluster sl --detach', { detach: true }],
    [
      ['--cluster=slurm', '--slurm-options', "-p long --comment='a b'", '--slurm-options=', '--slurm-options=-q x'],
      { scheduler: { kind: 'slurm', options: ['-p', 'long', '--comment=a b', '-q', 'x'] } },
    ],
    ['--cluster=local:3', { scheduler: { kind: 'local', processes: 3 } }],
    ['--cluster=slurm --cluster=local:012', { scheduler: { kind: 'local', processes: 12 } }],
    ['--cluster=local:999', { scheduler: { kind: 'local', processes: 999 } }],
    ['--cluster=prepare --tasks=7', { scheduler: { kind: 'prepare' }, tasks: 7 }],
    [
      '--cluster=prep --work-dir=\xff --output-parts',
      { scheduler: { kind: 'prepare' }, workDirectory: names('\xff')[0], parts: true },
    ],
  ])('is made from %j', (args, change) => {
    const words = typeof args === 'string' ? args.split(' ') : args;
    expect(jobOf([...words, '-o', 'out', 'in'])).toEqual(
      changed(PLAIN, {
        inputs: names('in'),
        output: Buffer.from('out'),
        cluster: { ...CLUSTER, ...change },
      }),
    );
  });

  it.each([
    ...['-m', '--verify', '--explain', '--top=3', '--bottom=3 --output-parts', '-R --random-source=x', '--sync'],
    ...['--compress-program=x', '--record-size=3', '--csv --header=2', '--segments=blank'],
    '--by=natural --interleaved --format=fastq --output-format=bgzf',
  ])('may have %s', (args) => {
    expect(jobOf(`${args} --cluster=local:2 -o out in`)).toEqual({
      ...jobOf(`${args.replace('--output-parts', '')} -o out in`),
      cluster: { ...CLUSTER, scheduler: { kind: 'local', processes: 2 }, parts: args.includes('--output-parts') },
    });
  });

  it('may have its inputs named in a file, but not be standard input', () => {
    const request = parseArguments(['--cluster=slurm', '-oout', '--files0-from=-'], SURROUNDINGS) as JobRequest;
    expect(request.completed(names('a', 'b'), null)).toMatchObject({
      input: { files: names('a', 'b') },
      cluster: CLUSTER,
    });
    expect(() => request.completed([Buffer.from('a'), null], null)).toThrow('--cluster cannot read standard input');
  });
});

it('a task has the options of its command that cannot change its output, and no others', () => {
  const task = { action: 'cluster-task', overrides: {}, stats: 'no', progress: 'auto', color: 'auto' };
  const surroundings = { ...SURROUNDINGS, temporaryDirectory: '/x' };
  const temporaryDirectory = names('/x')[0];
  expect(parseArguments(['--cluster-task', 'd\xff/share-0007'], surroundings)).toEqual({
    ...task,
    task: names('d\xff/share-0007')[0],
    temporaryDirectory,
  });
  const options =
    '-S 5K --parallel=3 -T /a -T /b --engine=cpu --gpu-memory=1G --algorithm=radix:two-sweeps --chunk-size=9';
  const shown = '--stats=json --progress=never --color=always --cluster-task=d/range-0001';
  expect(parseArguments([...options.split(' '), ...shown.split(' ')], surroundings)).toEqual({
    action: 'cluster-task',
    task: Buffer.from('d/range-0001'),
    overrides: {
      memoryBytes: 5120,
      parallel: 3,
      temporaryDirectories: names('/a', '/b'),
      engine: 'cpu',
      gpuMemoryBytes: 2 ** 30,
      algorithm: 'radix',
      tunings: ['two-sweeps'],
      chunkBytes: 9,
    },
    temporaryDirectory,
    stats: 'json',
    progress: 'never',
    color: 'always',
  });
});

it('takes the letter E in keys, but not under the name of GNU sort', () => {
  const refusal = "stray character in field spec: invalid field specification '2,2E'";
  expect(errorOf(['-k2,2E'])).toMatchObject({ message: refusal });
  expect(errorOf(['-E'], { programName: 'gpusort' })).toMatchObject({ message: "invalid option -- 'E'" });
  expect(jobOf(['-k2,2E'], { programName: 'gpusort' }).ordering.key).toMatchObject({
    parts: [{ order: 'empty' }, { order: 'bytes' }],
  });
});
