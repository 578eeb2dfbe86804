/** Jobs made from arguments, and errors of options that only gpusort has. refused.test.ts tests GNU sort's errors. */
import { describe, expect, it } from 'vitest';
import type { Surroundings } from '../../src/cli/parse/environment.js';
import { parseArguments, type SortRequest } from '../../src/cli/request.js';
import type { FieldPosition, KeyPart, Ordering, SortJob } from '../../src/job.js';
import { GpusortError } from '../../src/report/errors.js';
import { SURROUNDINGS } from './arguments.js';

const PLAIN: SortJob = {
  mode: 'sort',
  quietCheck: false,
  explainsCheck: false,
  namesOrders: false,
  inputs: [null],
  output: null,
  sync: false,
  framing: null,
  genomics: null,
  decompress: false,
  warnsOfCompression: false,
  outputForm: null,
  index: false,
  mates: [],
  contigs: null,
  count: false,
  header: null,
  limit: null,
  verify: false,
  ordering: {
    format: { kind: 'lines', delimiter: 10 },
    key: { kind: 'record' },
    reverse: false,
    unique: false,
    lastResort: true,
  },
  engine: 'auto',
  algorithm: 'auto',
  memoryBytes: null,
  temporaryDirectories: [Buffer.from('/tmp')],
  parallel: null,
  batchSize: null,
  compressProgram: null,
  randomSource: null,
  debug: false,
  chunkBytes: null,
  explain: 'no',
  stats: 'no',
  gpuMemoryBytes: null,
  progress: 'auto',
  color: 'auto',
  presets: [],
  cluster: null,
};

function parse(args: readonly string[], surroundings: Partial<Surroundings> = {}): SortJob {
  const request = parseArguments(args, { ...SURROUNDINGS, ...surroundings });
  if (request.action !== 'sort') throw new Error(`asked for ${request.action}`);
  return request.job;
}

function errorOf(args: readonly string[], surroundings: Partial<Surroundings> = {}): GpusortError {
  try {
    parseArguments(args, { ...SURROUNDINGS, ...surroundings });
  } catch (error) {
    if (error instanceof GpusortError) return error;
    throw error;
  }
  throw new Error(`no error: ${args.join(' ')}`);
}

const names = (...list: string[]): Buffer[] => list.map((name) => Buffer.from(name, 'latin1'));
const ordering = (change: Partial<SortJob['ordering']>): Pick<SortJob, 'ordering'> => ({
  ordering: { ...PLAIN.ordering, ...change },
});

const JOBS: [string[], Partial<SortJob>][] = [
  [[], {}],
  [['-'], {}],
  [['a', '-', 'b'], { inputs: [Buffer.from('a'), null, Buffer.from('b')] }],
  [['a', ''], { inputs: names('a', '') }],
  [['caf\xc3\xa9', '\xff'], { inputs: names('caf\xc3\xa9', '\xff') }],
  [['-r'], ordering({ reverse: true })],
  [['-ru'], ordering({ reverse: true, unique: true, lastResort: false })],
  [['-s'], ordering({ lastResort: false })],
  [['-z'], ordering({ format: { kind: 'lines', delimiter: 0 } })],
  [['--rev'], ordering({ reverse: true })],
  [['--re', '--st'], ordering({ reverse: true, lastResort: false })],
  [['a', '-r', 'b'], { inputs: names('a', 'b'), ...ordering({ reverse: true }) }],
  [['--', '-r', '--', '-'], { inputs: [Buffer.from('-r'), Buffer.from('--'), null] }],
  [['--segments', 'blank'], ordering({ segments: { kind: 'blank' } })],
  [['-u', '--segments=bl'], ordering({ unique: true, lastResort: false, segments: { kind: 'blank' } })],
  [
    ['-t', ':', '--segment-by', '2'],
    ordering({
      segments: {
        kind: 'fields',
        span: { begin: { field: 1, byte: 0, skipBlanks: false }, end: null, separator: Buffer.from(':') },
      },
    }),
  ],
  [
    ['--segment-by=3.2b,4.5b'],
    ordering({
      segments: {
        kind: 'fields',
        span: {
          begin: { field: 2, byte: 1, skipBlanks: true },
          end: { field: 3, byte: 5, skipBlanks: true },
          separator: null,
        },
      },
    }),
  ],
  [
    ['-t\\0', '-t', '\\0', '--segment-by', '1,1'],
    ordering({
      segments: {
        kind: 'fields',
        span: {
          begin: { field: 0, byte: 0, skipBlanks: false },
          end: { field: 0, byte: 0, skipBlanks: false },
          separator: Buffer.of(0),
        },
      },
    }),
  ],
  [
    ['--record-size=9', '--segment-by', '3:6'],
    ordering({ format: { kind: 'fixed', size: 9 }, segments: { kind: 'bytes', offset: 3, length: 6 } }),
  ],
  [['-t,'], {}],
  [['-mo', 'out', 'a'], { mode: 'merge', output: Buffer.from('out'), inputs: names('a') }],
  [['-moout', 'a'], { mode: 'merge', output: Buffer.from('out'), inputs: names('a') }],
  [['a', '-o', 'a'], { output: Buffer.from('a'), inputs: names('a') }],
  [['-o', '-r'], { output: Buffer.from('-r') }],
  [['-o', '-'], { output: Buffer.from('-') }],
  [['-ox', '--out=x'], { output: Buffer.from('x') }],
  [['--output', '\xff'], { output: names('\xff')[0] }],
  [['-c', 'a'], { mode: 'check', inputs: names('a') }],
  [['-C', 'a'], { mode: 'check', quietCheck: true, inputs: names('a') }],
  [['--check', 'a'], { mode: 'check', inputs: names('a') }],
  [['--check=silent', '-C'], { mode: 'check', quietCheck: true }],
  [['--check=explain'], { mode: 'check', explainsCheck: true }],
  [['-c', '--check=explain', '-c'], { mode: 'check', explainsCheck: true }],
  [['--ch=d', '-mr'], { mode: 'check', ...ordering({ reverse: true }) }],
  [['-S50M'], { memoryBytes: 50 * 2 ** 20 }],
  [['-S', '5'], { memoryBytes: 5 * 1024 }],
  [['-S5b', '-S', '1k', '-S7b'], { memoryBytes: 1024 }],
  [['-S', '50%'], { memoryBytes: 500 }],
  [['-S', ' +010'], { memoryBytes: 10 * 1024 }],
  [['-SG'], { memoryBytes: 2 ** 30 }],
  [['--buffer-size=1t'], { memoryBytes: 2 ** 40 }],
  [['-S1E'], { memoryBytes: Number.MAX_SAFE_INTEGER }],
  [['-T', '/a', '-T/b', '--temp=\xff'], { temporaryDirectories: names('/a', '/b', '\xff') }],
  [['--parallel=3'], { parallel: 3 }],
  [['--par', '4'], { parallel: 4 }],
  [['--batch-size=2'], { batchSize: 2 }],
  [['--batch=997'], { batchSize: 997 }],
  [['--compress-program=x y', '--compress', 'x y'], { compressProgram: Buffer.from('x y') }],
  [['--random-source=\xff', '--random-source', '\xff'], { randomSource: names('\xff')[0] }],
  [['--debug'], { debug: true }],
  [['-y', '5', 'a'], { inputs: names('a') }],
  [['-ry', 'a'], { inputs: names('a'), ...ordering({ reverse: true }) }],
  [['-yr', 'a'], { inputs: names('a') }],
  [['-y', '', 'a', '-y5x'], { inputs: names('a') }],
  [['--parallel=99999999999999999999'], { parallel: Number.MAX_SAFE_INTEGER }],
  // A longer name that was added later does not make these ambiguous.
  [['--algorithm=m'], { algorithm: 'msd-radix' }],
  [['--algorithm=msd-radix'], { algorithm: 'msd-radix' }],
  [['--algorithm=msd-radix-h'], { algorithm: 'msd-radix-hybrid' }],
  [['--engine', 'cpu', '--algorithm=radix'], { engine: 'cpu', algorithm: 'radix' }],
  [['--chunk-size', '64K'], { chunkBytes: 65536 }],
  [['--chunk-size=4096'], { chunkBytes: 4096 }],
  [['--explain', 'a'], { explain: 'text', inputs: names('a') }],
  [['--explain=json', '--stats', '--'], { explain: 'json', stats: 'text' }],
  [
    ['--stats=run.svg', '--gpu-memory', '4G'],
    { stats: { drawing: Buffer.from('run.svg') }, gpuMemoryBytes: 4 * 2 ** 30 },
  ],
  [['--stats=j', '--progress', 'never', '--color=always'], { stats: 'json', progress: 'never', color: 'always' }],
  [['--record-size', '100'], ordering({ format: { kind: 'fixed', size: 100 } })],
  [
    ['--record-size=100', '--key', '90:10'],
    ordering({ format: { kind: 'fixed', size: 100 }, key: { kind: 'bytes', offset: 90, length: 10 } }),
  ],
  [['--record-size=100', '--key=0:100'], ordering({ format: { kind: 'fixed', size: 100 } })],
];

const CLUSTER: NonNullable<SortJob['cluster']> = {
  scheduler: { kind: 'slurm', options: [] },
  tasks: null,
  workDirectory: null,
  parts: false,
  detach: false,
  nodeTemporary: true,
};
const CLUSTERS: [string[], Partial<SortJob['cluster']>][] = [
  [['--cluster=slurm'], {}],
  [['--cluster', 'sl', '--detach'], { detach: true }],
  [
    ['--cluster=slurm', '--slurm-options', "-p long --comment='a b'", '--slurm-options='],
    { scheduler: { kind: 'slurm', options: ['-p', 'long', '--comment=a b'] } },
  ],
  [['--cluster=local:3'], { scheduler: { kind: 'local', processes: 3 } }],
  [['--cluster=slurm', '--cluster=local:012'], { scheduler: { kind: 'local', processes: 12 } }],
  [['--cluster=prepare', '--tasks=7'], { scheduler: { kind: 'prepare' }, tasks: 7 }],
  [
    ['--cluster=prep', '--work-dir=\xff', '--output-parts'],
    { scheduler: { kind: 'prepare' }, workDirectory: names('\xff')[0], parts: true },
  ],
];

/** A key part. `begin` and `end`: field, byte, whether to skip leading blanks. */
function part(
  begin: [number, number, boolean?],
  end: [number, number, boolean?] | null,
  change: Partial<Omit<KeyPart, 'span'>> = {},
  separator: Uint8Array | null = null,
): KeyPart {
  const position = ([field, byte, skipBlanks = false]: [number, number, boolean?]): FieldPosition => ({
    field,
    byte,
    skipBlanks,
  });
  return {
    span: { begin: position(begin), end: end === null ? null : position(end), separator },
    order: 'bytes',
    dictionary: false,
    printing: false,
    fold: false,
    reverse: false,
    ...change,
  };
}
const BYTES = part([0, 0], null);
const keys = (...parts: KeyPart[]): Partial<Ordering> => ({ key: { kind: 'normalised', parts, seed: null } });
const [STABLE, UNIQUE]: Partial<Ordering>[] = [{ lastResort: false }, { lastResort: false, unique: true }];

const ORDERINGS: [string[], Partial<Ordering>][] = [
  // Positions.
  [['-k2'], keys(part([1, 0], null))],
  [['-k2,2'], keys(part([1, 0], [1, 0]))],
  [['-k2.3,4.5'], keys(part([1, 2], [3, 5]))],
  [['-k', '2.3b,4.5'], keys(part([1, 2, true], [3, 5]))],
  [['-k', '2.3,4.5b'], keys(part([1, 2], [3, 5, true]))],
  [['-k', '2,4.0b'], keys(part([1, 0], [3, 0, true]))],
  [['-k', ' +2. 3,\t4.+5'], keys(part([1, 2], [3, 5]))],
  [['-k', '9999999999999,99999999999999999999999.2'], keys(part([0x7ffffffe, 0], [0x7ffffffe, 2]))],
  [['-t:', '-k2,1'], keys(part([1, 0], [0, 0], {}, Buffer.from(':')))],
  [['-k2', '-t', '\\0'], keys(part([1, 0], null, {}, Buffer.of(0)))],
  [['-k2', '-t', '\\'], keys(part([1, 0], null, {}, Buffer.from('\\')))],
  [['-k2', '-t', '\xc3\xa9', '--field-separator=\xc3\xa9'], keys(part([1, 0], null, {}, Buffer.of(0xc3, 0xa9)))],
  [['-k2', '-t||--'], keys(part([1, 0], null, {}, Buffer.from('||--')))],
  // Ordering letters of a key.
  [['-k1n'], keys(part([0, 0], null, { order: 'numeric' }))],
  [['-k1,1g'], keys(part([0, 0], [0, 0], { order: 'general-numeric' }))],
  [['-k1h,1r'], keys(part([0, 0], [0, 0], { order: 'human-numeric', reverse: true }))],
  [['-k1MbM,2'], keys(part([0, 0, true], [1, 0], { order: 'month' }))],
  [['-k1R'], keys(part([0, 0], null, { order: 'random' }))],
  [['-k1Vdf'], keys(part([0, 0], null, { order: 'version', dictionary: true, fold: true }))],
  [['-k1VR'], keys(part([0, 0], null, { order: 'random' }))],
  [['-k1fi'], keys(part([0, 0], null, { printing: true, fold: true }))],
  [['-k1di'], keys(part([0, 0], null, { dictionary: true }))],
  [['-k1i,2d'], keys(part([0, 0], [1, 0], { dictionary: true }))],
  // Global ordering options.
  [['-n'], keys(part([0, 0], null, { order: 'numeric' }))],
  [['-b'], keys(part([0, 0, true], null))],
  [['-nr'], { ...keys(part([0, 0], null, { order: 'numeric', reverse: true })), reverse: true }],
  [['-idf', '-i'], keys(part([0, 0], null, { dictionary: true, fold: true }))],
  [['--sort=gen'], keys(part([0, 0], null, { order: 'general-numeric' }))],
  [['--sort=human', '-h'], keys(part([0, 0], null, { order: 'human-numeric' }))],
  [['--sort', 'v', '--random-sort'], keys(part([0, 0], null, { order: 'random' }))],
  [['--month-sort', '--ignore-leading-blanks'], keys(part([0, 0, true], null, { order: 'month' }))],
  [
    ['--version-sort', '--ignore-case', '--dictionary'],
    keys(part([0, 0], null, { order: 'version', dictionary: true, fold: true })),
  ],
  [
    ['--ignore-nonprinting', '--zero'],
    { ...keys(part([0, 0], null, { printing: true })), format: { kind: 'lines', delimiter: 0 } },
  ],
  // Keys inherit global ordering options only if they have no letters.
  [['-n', '-k2'], keys(part([1, 0], null, { order: 'numeric' }))],
  [
    ['-k2', '-k3r', '-k4b,4', '-k5,5', '-nbr'],
    {
      ...keys(
        part([1, 0, true], null, { order: 'numeric', reverse: true }),
        part([2, 0], null, { reverse: true }),
        part([3, 0, true], [3, 0]),
        part([4, 0, true], [4, 0, true], { order: 'numeric', reverse: true }),
      ),
      reverse: true,
    },
  ],
  [
    ['-r', '-k2', '-k3n'],
    { ...keys(part([1, 0], null, { reverse: true }), part([2, 0], null, { order: 'numeric' })), reverse: true },
  ],
  [['-k2r'], keys(part([1, 0], null, { reverse: true }))],
  [['-gn', '-k2b'], keys(part([1, 0, true], null))],
  [['-u', '-k2'], { ...UNIQUE, ...keys(part([1, 0], null)) }],
  [['-s', '-k2'], { ...STABLE, ...keys(part([1, 0], null)) }],
  // Keys equivalent to the whole line.
  [['-k1'], {}],
  [['-k1.1'], {}],
  [['-k1r'], { reverse: true }],
  [['-r', '-k1'], { reverse: true }],
  [['-k1', '-k2n', '-t,'], {}],
  [['-k1', '-u'], UNIQUE],
  [['-k1r', '-s'], { ...STABLE, reverse: true }],
  [['-k2,2', '-k1', '-k3'], keys(part([1, 0], [1, 0]))],
  [['-k2,2', '-k1', '-s'], keys(part([1, 0], [1, 0]))],
  [['-k2,2', '-k1', '-u'], { ...UNIQUE, ...keys(part([1, 0], [1, 0]), BYTES) }],
  [['-k2,2n', '-k1r', '-k3'], keys(part([1, 0], [1, 0], { order: 'numeric' }), { ...BYTES, reverse: true })],
  [['-k2,2n', '-k1r', '-r', '-s'], { reverse: true, ...keys(part([1, 0], [1, 0], { order: 'numeric' })) }],
  [['-k1', '-k1R,1'], keys(BYTES, part([0, 0], [0, 0], { order: 'random' }))],
  // Obsolescent keys.
  [['+1'], keys(part([1, 0], null))],
  [['+0'], {}],
  [['+1', '-2'], keys(part([1, 0], [1, 0]))],
  [['+1', '-1'], keys(part([1, 0], [0, 0]))],
  [['+1', '-0'], keys(part([1, 0], [0, 0]))],
  [['+1.2b', '-2.3b'], keys(part([1, 2, true], [2, 3, true]))],
  [['+1.2n', '-0.3r'], keys(part([1, 2], [0, 3], { order: 'numeric', reverse: true }))],
  [['+1', '-n', '+ 2'], keys(part([1, 0], null, { order: 'numeric' }), part([2, 0], null, { order: 'numeric' }))],
];

describe('the ordering', () => {
  it.each(ORDERINGS)('of %j', (args, change) => {
    expect(parse(args)).toEqual({ ...PLAIN, ...ordering(change) });
  });

  it('keeps all keys under --debug', () => {
    expect(parse(['--debug', '-k1', '-k2,2'])).toEqual({
      ...PLAIN,
      debug: true,
      ...ordering(keys(BYTES, part([1, 0], [1, 0]))),
    });
    expect(parse(['--debug', '-r'])).toEqual({ ...PLAIN, debug: true, ...ordering({ reverse: true }) });
  });
});

describe('+POS1', () => {
  const key = ordering(keys(part([1, 0], null)));
  it('is a file name if it is not a valid key', () => {
    for (const name of ['+x', '+', '+1x', '+1.', '+1.x', '+-1', '+1,2'])
      expect(parse([name])).toEqual({ ...PLAIN, inputs: names(name) });
    expect(parse(['--', '+1'])).toEqual({ ...PLAIN, inputs: names('+1') });
    expect(parse(['a', '+1', '-n', 'b']).inputs).toEqual(names('a', 'b'));
  });

  it('alone is a file name under POSIX 2001, until a key with -POS2 precedes it', () => {
    expect(parse(['+1'], { obsolescentKeys: false })).toEqual({ ...PLAIN, inputs: names('+1') });
    expect(parse(['+1', '-2', '+1'], { obsolescentKeys: false })).toEqual({
      ...PLAIN,
      ...ordering(keys(part([1, 0], [1, 0]), part([1, 0], null))),
    });
    expect(parse(['+1', '-2'], { obsolescentKeys: false, posixlyCorrect: true })).toEqual({
      ...PLAIN,
      inputs: names('+1', '-2'),
    });
  });

  it('is a key under POSIXLY_CORRECT if it precedes all file names', () => {
    expect(parse(['+1', 'a', '+2', '-r'], { posixlyCorrect: true })).toEqual({
      ...PLAIN,
      ...key,
      inputs: names('a', '+2', '-r'),
    });
  });
});

describe('the job', () => {
  it.each(JOBS)('of %j', (args, change) => {
    expect(parse(args)).toEqual({ ...PLAIN, ...change });
  });

  it('uses TMPDIR without -T, if it is not empty', () => {
    expect(parse([], { temporaryDirectory: '/x' }).temporaryDirectories).toEqual(names('/x'));
    expect(parse([], { temporaryDirectory: '' }).temporaryDirectories).toEqual(names('/tmp'));
    expect(parse(['-T', '/y'], { temporaryDirectory: '/x' }).temporaryDirectories).toEqual(names('/y'));
  });

  it('has no options after the first operand under POSIXLY_CORRECT, except -o', () => {
    const posix = { posixlyCorrect: true };
    expect(parse(['-r', 'a', '-u'], posix).inputs).toEqual(names('a', '-u'));
    expect(parse(['a', '-u', '-o', 'x', 'b', '-ox', '-o'], posix)).toEqual({
      ...PLAIN,
      inputs: names('a', '-u', 'b', '-o'),
      output: Buffer.from('x'),
    });
    expect(parse(['a', '-o', 'x'], { ...posix, obsolescentKeys: false }).inputs).toEqual(names('a', '-o', 'x'));
    expect(errorOf(['-c', 'a', '-o', 'x'], posix).message).toBe("extra operand '-o' not allowed with -c");
  });

  it('is not made if --help, --version, --adapters or --completions precedes the rest', () => {
    for (const action of ['help', 'version', 'adapters'] as const) {
      expect(parseArguments(['a', `--${action}`, '--nonsense'], SURROUNDINGS)).toEqual({ action });
    }
    expect(parseArguments(['--completions=fish', '--nonsense'], SURROUNDINGS)).toEqual({
      action: 'completions',
      shell: 'fish',
    });
    expect(errorOf(['--nonsense', '--help']).message).toBe("unrecognized option '--nonsense'");
  });
});

describe('a distributed job', () => {
  it.each(CLUSTERS)('of %j', (args, change) => {
    expect(parse([...args, '-o', 'out', 'in'])).toEqual({
      ...PLAIN,
      inputs: names('in'),
      output: Buffer.from('out'),
      cluster: { ...CLUSTER, ...change },
    });
  });

  it.each([
    ['-m'],
    ['--verify'],
    ['--explain'],
    ['--top=3'],
    ['--bottom=3', '--output-parts'],
    ['-R', '--random-source=x'],
    ['--compress-program=x'],
    ['--record-size=3'],
    ['--csv', '--header=2'],
    ['--segments=blank'],
    ['--by=natural', '--interleaved', '--format=fastq', '--output-format=bgzf'],
    ['--sync'],
  ])('may have %j %j %j', (...args) => {
    expect(parse([...args, '--cluster=local:2', '-o', 'out', 'in'])).toEqual({
      ...parse([...args.filter((arg) => arg !== '--output-parts'), '-o', 'out', 'in']),
      cluster: {
        ...CLUSTER,
        scheduler: { kind: 'local', processes: 2 },
        parts: args.includes('--output-parts'),
      },
    });
  });

  it('may have its inputs named in a file, but not be standard input', () => {
    const request = parseArguments(['--cluster=slurm', '-oout', '--files0-from=-'], SURROUNDINGS) as SortRequest;
    expect(request.completed(names('a', 'b'), null)).toMatchObject({ inputs: names('a', 'b'), cluster: CLUSTER });
    expect(() => request.completed([Buffer.from('a'), null], null)).toThrow('--cluster cannot read standard input');
  });
});

describe('the task', () => {
  const TMP = names('/tmp')[0];
  const PLAIN_TASK = { action: 'cluster-task', overrides: {}, stats: 'no', progress: 'auto', color: 'auto' };

  it('has the options of its command that cannot change its output, and no others', () => {
    expect(
      parseArguments(['--cluster-task', 'd\xff/share-0007'], { ...SURROUNDINGS, temporaryDirectory: '/x' }),
    ).toEqual({
      ...PLAIN_TASK,
      task: names('d\xff/share-0007')[0],
      temporaryDirectory: names('/x')[0],
    });
    const options = '-S 5K --parallel=3 -T /a -T /b --engine=cpu --gpu-memory=1G --algorithm=radix --chunk-size=9';
    const shown = '--stats=json --progress=never --color=always --cluster-task=d/range-0001';
    expect(parseArguments([...options.split(' '), ...shown.split(' ')], SURROUNDINGS)).toEqual({
      action: 'cluster-task',
      task: Buffer.from('d/range-0001'),
      overrides: {
        memoryBytes: 5120,
        parallel: 3,
        temporaryDirectories: names('/a', '/b'),
        engine: 'cpu',
        gpuMemoryBytes: 2 ** 30,
        algorithm: 'radix',
        chunkBytes: 9,
      },
      temporaryDirectory: TMP,
      stats: 'json',
      progress: 'never',
      color: 'always',
    });
  });
});

describe('an error of gpusort', () => {
  const READABLE = 'Name the input files; all nodes of the cluster must be able to read them.';
  const LOCAL = 'Write a number from 1 to 999 after local:, for example local:4.';
  const ADDED = 'Add --cluster slurm, --cluster local:N or --cluster prepare.';

  it.each<[string[], string]>([
    [['--key', '0:10'], "field number is zero: invalid field specification '0:10'"],
    [
      ['--record-size=10', '--key=5:6'],
      'key 5:6 lies outside records of 10 bytes: it is bytes 5 to 10, counted from 0',
    ],
    [['--record-size=10', '--key=1'], "invalid --key argument '1'"],
    [['--record-size=10', '--key=0:0'], "invalid --key argument '0:0'"],
    [['--record-size=10', '-z'], "options '--record-size' and '-z' are incompatible"],
    [['-rn', '--record-size=10'], "options '--record-size' and '-n' are incompatible"],
    [['--sort=month', '--record-size=10'], "options '--record-size' and '-M' are incompatible"],
    [['-t,', '--record-size=10', '-k0:1'], "options '--record-size' and '-t' are incompatible"],
    [['--debug', '--record-size=10'], "options '--record-size' and '--debug' are incompatible"],
    [['-k1', '--record-size=10'], "invalid -k argument '1'"],
    [['-t', '12345'], "separator '12345' is longer than 4 bytes"],
    [['-t', '||', '-t', '|', '-k1'], 'incompatible tabs'],
    [['--record-size=0'], '--record-size must be at least 1'],
    [['--record-size=4K'], "invalid suffix in --record-size argument '4K'"],
    [['--chunk-size=0'], '--chunk-size must be at least 1'],
    [['--chunk-size=5%'], "invalid suffix in --chunk-size argument '5%'"],
    [['--segment-by', '1,1', '--segment-by', '2,2'], 'multiple segment keys specified'],
    [['--segment-by', '0'], "field number is zero: invalid field specification '0'"],
    [['--segment-by', '1,0.3'], "field number is zero: invalid field specification '1,0.3'"],
    [['--segment-by', '1.0'], "character offset is zero: invalid field specification '1.0'"],
    [['--segment-by', '1n'], "stray character in field spec: invalid field specification '1n'"],
    [['--segment-by=1', '--segments=blank'], "options '--segment-by' and '--segments' are incompatible"],
    [['--segment-by=1', '-m'], "options '-m' and '--segment-by' are incompatible"],
    [['--top=3', '--algorithm=sample-sort'], "options '--algorithm sample-sort' and '--top' are incompatible"],
    [['--segments=blank', '--record-size=5'], "options '--record-size' and '--segments' are incompatible"],
    [['--segment-by=1', '--record-size=5'], "invalid --segment-by argument '1'"],
    [
      ['--segment-by=1:5', '--record-size=5'],
      'key 1:5 lies outside records of 5 bytes: it is bytes 1 to 5, counted from 0',
    ],
    [['--segments=lines'], "invalid argument 'lines' for '--segments'"],
    [['--cluster=local:2', '--cluster-task=x'], "options '--cluster-task' and '--cluster' are incompatible"],
    [['--cluster-task=x', '-rS1', '--verify'], "options '--cluster-task' and '-r' are incompatible"],
    [['--cluster-task=x', '-k1'], "options '--cluster-task' and '-k' are incompatible"],
    [['--cluster=slurm', '-C', 'x'], "options '--cluster' and '-C' are incompatible"],
    [['--tasks=0', '--cluster=slurm'], '--tasks must be at least 1'],
    [['--cluster-task=x', '--cluster-task=y'], 'multiple cluster tasks specified'],
    [['--slurm-options=\xff'], '--slurm-options is not valid UTF-8'],
    [['--engine', 'tpu'], "invalid argument 'tpu' for '--engine'"],
    [['--progress', 'a'], "ambiguous argument 'a' for '--progress'"],
  ])('ends %j', (args, message) => {
    expect(errorOf(args)).toMatchObject({ message, exitCode: 2 });
  });

  it.each<[string[], string, string]>([
    [
      ['--cluster=slurm', 'in'],
      '--cluster needs -o FILE',
      'Add -o FILE: several tasks cannot write to standard output.',
    ],
    [['--cluster=slurm', '-o', 'out'], '--cluster cannot read standard input', READABLE],
    [['--cluster=slurm', '-o', 'out', 'a', '-'], '--cluster cannot read standard input', READABLE],
    [['--cluster=local:'], "invalid number of processes in --cluster argument 'local:'", LOCAL],
    [['--cluster=local'], "invalid number of processes in --cluster argument 'local'", LOCAL],
    [['--cluster=local:0'], "invalid number of processes in --cluster argument 'local:0'", LOCAL],
    [['--cluster=local:\n2'], "invalid number of processes in --cluster argument 'local:\\n2'", LOCAL],
    [['--cluster=local:2', '--detach'], '--detach needs --cluster slurm', 'Leave out --detach.'],
    [['--cluster=prepare', '--slurm-options='], '--slurm-options needs --cluster slurm', 'Leave out --slurm-options.'],
    [['--tasks=3'], '--tasks needs --cluster', ADDED],
    [['--work-dir=x'], '--work-dir needs --cluster', ADDED],
    [['--slurm-options=x'], '--slurm-options needs --cluster', ADDED],
    [['--output-parts'], '--output-parts needs --cluster', ADDED],
    [['--detach', '-c'], '--detach needs --cluster', ADDED],
    [
      ['--cluster-task=x', 'a'],
      "extra operand 'a' not allowed with --cluster-task",
      'Leave it out: the job directory says which files are sorted.',
    ],
    [
      ['--cluster=slrum'],
      "invalid argument 'slrum' for '--cluster'",
      "Valid arguments are:\n  - 'slurm'\n  - 'local:N'\n  - 'prepare'\nTry 'gpusort --help' for more information.\n" +
        "Did you mean 'slurm'?",
    ],
  ])('ends %j, and says what to do', (args, message, hint) => {
    expect(errorOf(args, { programName: 'gpusort' })).toMatchObject({ message, hint, exitCode: 2 });
  });

  it('says that a key OFFSET:LENGTH needs --record-size', () => {
    expect(errorOf(['-k', '1:10']).hint).toBe(
      'Add --record-size: keys of OFFSET:LENGTH and OFFSET:TYPE are for binary records.',
    );
    expect(errorOf(['-k', '1x']).hint).toBeUndefined();
  });

  it('lists the valid algorithms', () => {
    expect(errorOf(['--algorithm=bogo']).hint).toMatch(/^Valid arguments are:\n {2}- 'auto'\n {2}- 'merge'\n/);
  });
});
