/** Options in GPUSORT_OPTIONS: which are taken, what the command line overrides, and what is refused. */
import { describe, expect, it } from 'vitest';
import type { Surroundings } from '../../src/cli/parse/environment.js';
import { parseArguments } from '../../src/cli/request.js';
import type { SortJob } from '../../src/job.js';
import { GpusortError } from '../../src/report/errors.js';
import { SURROUNDINGS } from './arguments.js';
import { gpusort } from './run.js';

function parse(presets: string, args: readonly string[] = [], surroundings: Partial<Surroundings> = {}): SortJob {
  const request = parseArguments(args, { ...SURROUNDINGS, programName: 'gpusort', presets, ...surroundings });
  if (request.action !== 'sort') throw new Error(`asked for ${request.action}`);
  return request.job;
}

function errorOf(presets: string, args: readonly string[] = []): GpusortError {
  try {
    parse(presets, args);
  } catch (error) {
    if (error instanceof GpusortError) return error;
    throw error;
  }
  throw new Error(`${presets} was accepted`);
}

describe('presets in effect', () => {
  it('are read as a shell splits words, and listed for --explain', () => {
    const job = parse(`--engine cpu -S2M\t-T '/a b' --temp=/c\n--parallel=3 --progress never --color=always`);
    expect(job).toMatchObject({ engine: 'cpu', memoryBytes: 2 << 20, parallel: 3, progress: 'never', color: 'always' });
    expect(job.temporaryDirectories.map(String)).toEqual(['/a b', '/c']);
    expect(job.presets).toEqual([
      '--engine=cpu',
      '--buffer-size=2M',
      "--temporary-directory='/a b' --temporary-directory=/c",
      '--parallel=3',
      '--progress=never',
      '--color=always',
    ]);
  });

  it.each(['', ' \n'])('are none if the variable is %j', (presets) => {
    expect(parse(presets).presets).toEqual([]);
  });

  it('yield to the same options of the command line, also where these add up', () => {
    const job = parse('--engine=cpu -S 9G -T /a --parallel 3', ['--engine=gpu', '-S1M', '-T', '/b']);
    expect(job).toMatchObject({ engine: 'gpu', memoryBytes: 1 << 20, parallel: 3, presets: ['--parallel=3'] });
    expect(job.temporaryDirectories.map(String)).toEqual(['/b']);
  });

  it('do not choose an engine that cannot do what the command line asks for', () => {
    expect(parse('--engine=gpu -S 1M', ['--locale=de'])).toMatchObject({
      engine: 'auto',
      presets: ['--buffer-size=1M'],
    });
    expect(parse('--engine=cpu', ['--algorithm=string-merge'])).toMatchObject({ engine: 'auto', presets: [] });
    expect(() => parse('--engine=cpu', ['--algorithm=string-merge', '--segments=blank'])).toThrow('does not sort');
    expect(parse('--engine=gpu', ['-m', '--locale=de']).mode).toBe('merge');
  });

  it('are ignored under the name sort, by help and by tasks of a cluster', () => {
    expect(parse('--engine=cpu --nonsense', [], { programName: 'sort' }).presets).toEqual([]);
    const bad = { ...SURROUNDINGS, programName: 'gpusort', presets: '--nonsense' };
    expect(parseArguments(['--help'], bad).action).toBe('help');
    expect(parseArguments(['--cluster-task', 'd/share-0000'], bad).action).toBe('cluster-task');
  });
});

describe('refused presets', () => {
  const HOLDS =
    'It may hold --buffer-size, --temporary-directory, --parallel, --engine, --progress and --color: options that ' +
    'cannot change the output.';

  it.each([
    ['-r', 'option --reverse is not allowed there', HOLDS],
    ['-S1M --key=2', 'option --key is not allowed there', HOLDS],
    ['-o x', 'option --output is not allowed there', HOLDS],
    ['--help', 'option --help is not allowed there', HOLDS],
    ['words.txt', "'words.txt' is not an option", HOLDS],
    ['-- -S', "'-S' is not an option", HOLDS],
    ['--nonsense', "unrecognized option '--nonsense'", "Try 'gpusort --help' for more information."],
    ["-T 'x", "unclosed ' in it", 'Close the quote, or write a backslash before a quote that is part of a word.'],
    ['--parallel=0', 'number in parallel must be nonzero', undefined],
  ])('%s', (presets, message, hint) => {
    expect(errorOf(presets)).toMatchObject({ message: `GPUSORT_OPTIONS: ${message}`, exitCode: 2, hint });
  });

  it('are reported after the errors of the command line', () => {
    expect(errorOf('-r', ['--top=1', '--bottom=1']).message).toBe("options '--top' and '--bottom' are incompatible");
  });
});

describe('the program', () => {
  it('shows presets by --explain, and writes the same bytes', () => {
    const env = { GPUSORT_OPTIONS: '--engine=cpu --parallel=2' };
    const input = 'b\na\n';
    expect(gpusort(['--explain'], { input, env }).stdout).toContain('--engine=cpu: preset by GPUSORT_OPTIONS\n');
    expect(gpusort([], { input, env }).stdout).toBe('a\nb\n');
    expect(gpusort([], { input, env: { GPUSORT_OPTIONS: '-r' } })).toMatchObject({
      status: 2,
      stdout: '',
      stderr: expect.stringContaining('gpusort: GPUSORT_OPTIONS: option --reverse is not allowed there\n') as string,
    });
  });
});
