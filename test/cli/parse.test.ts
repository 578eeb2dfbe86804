/** Arguments to jobs, and every error of the command line against the sentence that GNU sort prints for it. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseArguments, type Surroundings } from '../../src/cli/parse.js';
import type { SortJob } from '../../src/job.js';
import { GpusortError } from '../../src/report/errors.js';
import { gnuSort, withDirectory } from './run.js';

const SURROUNDINGS: Surroundings = { programName: 'sort', temporaryDirectory: undefined, posixlyCorrect: false, totalMemory: () => 1000 };
const PLAIN: SortJob = {
  mode: 'sort', quietCheck: false, inputs: [null], output: null,
  ordering: { format: { kind: 'lines', delimiter: 10 }, key: { kind: 'record' }, reverse: false, unique: false, lastResort: true },
  engine: 'auto', algorithm: 'auto', memoryBytes: null, temporaryDirectories: [Buffer.from('/tmp')], parallel: null, chunkBytes: null,
  explain: 'no', stats: 'no', gpuMemoryBytes: null, progress: 'auto', color: 'auto',
};

function parse(args: readonly string[], surroundings: Partial<Surroundings> = {}): SortJob {
  const request = parseArguments(args, { ...SURROUNDINGS, ...surroundings });
  if (request.action !== 'sort') throw new Error(`asked for ${request.action}`);
  return request.job;
}

function errorOf(args: readonly string[]): GpusortError {
  try {
    parseArguments(args, SURROUNDINGS);
  } catch (error) {
    if (error instanceof GpusortError) return error;
    throw error;
  }
  throw new Error(`no error: ${args.join(' ')}`);
}

const names = (...list: string[]): Buffer[] => list.map(name => Buffer.from(name, 'latin1'));
const ordering = (change: Partial<SortJob['ordering']>): Pick<SortJob, 'ordering'> => ({ ordering: { ...PLAIN.ordering, ...change } });

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
  [['-t', ':', '--segment-by', '2'], ordering({ segments: { kind: 'fields', span: { begin: { field: 1, byte: 0, skipBlanks: false }, end: null, separator: 58 } } })],
  [['--segment-by=3.2b,4.5b'], ordering({ segments: { kind: 'fields',
    span: { begin: { field: 2, byte: 1, skipBlanks: true }, end: { field: 3, byte: 5, skipBlanks: true }, separator: null } } })],
  [['-t\\0', '-t', '\\0', '--segment-by', '1,1'], ordering({ segments: { kind: 'fields',
    span: { begin: { field: 0, byte: 0, skipBlanks: false }, end: { field: 0, byte: 0, skipBlanks: false }, separator: 0 } } })],
  [['--record-size=9', '--segment-by', '3:6'], ordering({ format: { kind: 'fixed', size: 9 }, segments: { kind: 'bytes', offset: 3, length: 6 } })],
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
  [['--parallel=99999999999999999999'], { parallel: Number.MAX_SAFE_INTEGER }],
  [['--engine', 'gpu', '--algorithm=radix'], { engine: 'gpu', algorithm: 'radix' }],
  [['--chunk-size', '64K'], { chunkBytes: 65536 }],
  [['--chunk-size=4096'], { chunkBytes: 4096 }],
  [['--explain', 'a'], { explain: 'text', inputs: names('a') }],
  [['--explain=json', '--stats', '--'], { explain: 'json', stats: 'text' }],
  [['--stats=run.svg', '--gpu-memory', '4G'], { stats: { drawing: Buffer.from('run.svg') }, gpuMemoryBytes: 4 * 2 ** 30 }],
  [['--stats=j', '--progress', 'never', '--color=always'], { stats: 'json', progress: 'never', color: 'always' }],
  [['--record-size', '100'], ordering({ format: { kind: 'fixed', size: 100 } })],
  [['--record-size=100', '--key', '90:10'], ordering({ format: { kind: 'fixed', size: 100 }, key: { kind: 'bytes', offset: 90, length: 10 } })],
  [['--record-size=100', '--key=0:100'], ordering({ format: { kind: 'fixed', size: 100 } })],
];

describe('jobs', () => {
  it.each(JOBS)('%j', (args, change) => {
    expect(parse(args)).toEqual({ ...PLAIN, ...change });
  });

  it('takes TMPDIR where -T is not given and it is not empty', () => {
    expect(parse([], { temporaryDirectory: '/x' }).temporaryDirectories).toEqual(names('/x'));
    expect(parse([], { temporaryDirectory: '' }).temporaryDirectories).toEqual(names('/tmp'));
    expect(parse(['-T', '/y'], { temporaryDirectory: '/x' }).temporaryDirectories).toEqual(names('/y'));
  });

  it('ends the options at the first operand under POSIXLY_CORRECT', () => {
    expect(parse(['-r', 'a', '-u'], { posixlyCorrect: true }).inputs).toEqual(names('a', '-u'));
  });

  it('acts on --help, --version and --adapters at once', () => {
    for (const action of ['help', 'version', 'adapters'] as const) {
      expect(parseArguments(['a', `--${action}`, '--nonsense'], SURROUNDINGS)).toEqual({ action });
    }
    expect(errorOf(['--nonsense', '--help']).message).toBe("unrecognized option '--nonsense'");
  });
});

/** Command lines that GNU sort refuses, with the same words; `a` and `b` exist. */
const REFUSED: string[][] = [
  ['-Q'], ['-rQ'], ['-z='], ['--foo'], ['--foo=bar'], ['--r'], ['--c', 'a'], ['--reverse=yes'], ['--rev=3'], ['--help=3'],
  ['-S'], ['-o'], ['-T'], ['-ro'], ['--output'], ['--parallel'], ['--buf'],
  ['-S', '5x', 'a'], ['-S', '', 'a'], ['-S', '1.5M'], ['-S', '-5'], ['-S', 'b'], ['-S', '5c'], ['-S', '5KK'], ['-S', '5MiB'], ['-S', '0x10'],
  ['-S', '5%%'], ['-S', '%'], ['-S', '16E'], ['-S', '5Y'], ['-S', '99999999999999999999999'], ['-S', '18446744073709551616b'],
  ['-S', '9999999999999999999%'], ['-S', '99999999999999999999999%'], ['-S', "x'y"], ['-S5', '-S', 'x'], ['--buffer-size=5x'], ['--buffer-size', '5x'],
  ['--parallel=0'], ['--parallel=x'], ['--parallel=3x'], ['--parallel=3K'], ['--parallel=-1'], ['--parallel='],
  ['-o', 'x', '-o', 'y', 'a'], ['-c', 'a', 'b'], ['-C', 'a', 'b'], ['-c', '-', '-'], ['-c', 'a', 'x y'], ['-c', 'a', "x'y"], ['-c', 'a', 'x\ny'],
  ['-cC', 'a'], ['-Cc', 'a'], ['-c', '--check=silent'], ['-co', 'x', 'a'], ['-Co', 'x', 'a'], ['-c', '-o', 'x', 'a', 'b'], ['-c', 'a', 'b', '-m'],
  ['-t', ''], ['-t', 'xx', 'a'], ['-t,', '-t;', 'a'], ['-t', '\\1'], ['--field-separator=--'],
  ['--check=foo'], ['--check='], ['--check=x\'\\\n'],
  ['-S', '5x', '-Q'], ['-Q', '-S', '5x'], ['-cC', '--help'],
];

describe('errors are those of GNU sort', () => {
  it.each(REFUSED.map(args => [args]))('%j', args => withDirectory(directory => {
    for (const name of ['a', 'b']) writeFileSync(join(directory, name), `${name}\n`);
    const { message, hint, exitCode } = errorOf(args);
    const gnu = gnuSort(args, { cwd: directory });
    expect(`sort: ${message}\n${hint === undefined ? '' : `${hint}\n`}`).toBe(gnu.stderr);
    expect(exitCode).toBe(2);
    // GNU itself ends with 1 where a word of a list is wrong, although that is no disorder.
    expect(gnu.status).toBe(args[0].startsWith('--check=') ? 1 : 2);
  }));
});

/** Options of GNU sort that are not there yet must not be ignored. */
const MISSING = ['-k1', '-b', '-d', '-f', '-g', '-h', '-i', '-M', '-n', '-R', '-V', '--sort=numeric', '--numeric-sort', '--debug', '--files0-from=x'];

describe('errors of gpusort', () => {
  it.each(MISSING)('%s is no option', option => {
    const { message, hint, exitCode } = errorOf([option]);
    expect(message).toBe(option.startsWith('--') ? `unrecognized option '${option}'` : `invalid option -- '${option[1]}'`);
    expect(hint).toBe("Try 'sort --help' for more information.");
    expect(exitCode).toBe(2);
  });

  it.each<[string[], string]>([
    [['--key', '0:10'], '--key needs --record-size'],
    [['--record-size=10', '--key=5:6'], 'key 5:6 lies outside records of 10 bytes'],
    [['--record-size=10', '--key=1'], "invalid --key argument '1'"],
    [['--record-size=10', '--key=0:0'], "invalid --key argument '0:0'"],
    [['--record-size=10', '-z'], "options '--record-size' and '-z' are incompatible"],
    [['--record-size=0'], '--record-size must be at least 1'],
    [['--record-size=4K'], "invalid suffix in --record-size argument '4K'"],
    [['--chunk-size=0'], '--chunk-size must be at least 1'],
    [['--chunk-size=5%'], "invalid suffix in --chunk-size argument '5%'"],
    [['--segment-by', '1,1', '--segment-by', '2,2'], 'multiple segment keys specified'],
    [['--segment-by', '0'], "invalid --segment-by argument '0': field number is zero"],
    [['--segment-by', '1,0.3'], "invalid --segment-by argument '1,0.3': field number is zero"],
    [['--segment-by', '1.0'], "invalid --segment-by argument '1.0': character offset is zero"],
    [['--segment-by', '1n'], "invalid --segment-by argument '1n': it is no position"],
    [['--segment-by=1', '--segments=blank'], "options '--segment-by' and '--segments' are incompatible"],
    [['--segment-by=1', '-m'], "options '-m' and '--segment-by' are incompatible"],
    [['--segments=blank', '--algorithm=msd-radix'], "options '--algorithm msd-radix' and '--segments' are incompatible"],
    [['--segments=blank', '--record-size=5'], "options '--record-size' and '--segments' are incompatible"],
    [['--segment-by=1', '--record-size=5'], "invalid --segment-by argument '1'"],
    [['--segment-by=1:5', '--record-size=5'], 'key 1:5 lies outside records of 5 bytes'],
    [['--segments=lines'], "invalid argument 'lines' for '--segments'"],
    [['--engine', 'tpu'], "invalid argument 'tpu' for '--engine'"],
    [['--progress', 'a'], "ambiguous argument 'a' for '--progress'"],
  ])('%j', (args, message) => {
    expect(errorOf(args)).toMatchObject({ message, exitCode: 2 });
  });

  it('lists the algorithms', () => {
    expect(errorOf(['--algorithm=bogo']).hint).toMatch(/^Valid arguments are:\n {2}- 'auto'\n {2}- 'string-merge'\n/);
  });
});
