/** Options in GPUSORT_OPTIONS: which apply, which the command line overrides, and which are refused. */
import { describe, expect, it } from 'vitest';
import { parseArguments } from '../../src/cli/request.js';
import type { SortJob } from '../../src/job/job.js';
import { type Arguments, errorOf, jobOf, SURROUNDINGS } from './arguments.js';

const by = (presets: string, programName = 'gpusort') => ({ programName, presets });
const preset = (presets: string, args: Arguments = ''): SortJob => jobOf(args, by(presets));

describe('presets', () => {
  it('are read as a shell splits words, and listed for --explain', () => {
    const job = preset(`--engine cpu -S2M\t-T '/a b' --temp=/c\n--parallel=3 --progress never --color=always`);
    expect(job.resources).toMatchObject({ engine: 'cpu', memoryBytes: 2 << 20, parallel: 3 });
    expect(job.report).toMatchObject({ progress: 'never', color: 'always' });
    expect(job.resources.temporaryDirectories.map(String)).toEqual(['/a b', '/c']);
    expect(job.report.presets).toEqual([
      '--engine=cpu',
      '--buffer-size=2M',
      "--temporary-directory='/a b' --temporary-directory=/c",
      '--parallel=3',
      '--progress=never',
      '--color=always',
    ]);
    for (const empty of ['', ' \n']) expect(preset(empty).report.presets).toEqual([]);
  });

  it('yield to the same options of the command line, even if these accumulate', () => {
    const job = preset('--engine=cpu -S 9G -T /a --parallel 3', '--engine=gpu -S1M -T /b');
    expect(job.resources).toMatchObject({ engine: 'gpu', memoryBytes: 1 << 20, parallel: 3 });
    expect(job.report.presets).toEqual(['--parallel=3']);
    expect(job.resources.temporaryDirectories.map(String)).toEqual(['/b']);
  });

  it('do not choose an engine that cannot run the command line', () => {
    expect(preset('--engine=gpu -S 1M', '--locale=de')).toMatchObject({
      resources: { engine: 'auto' },
      report: { presets: ['--buffer-size=1M'] },
    });
    expect(preset('--engine=cpu', '--algorithm=string-merge')).toMatchObject({
      resources: { engine: 'auto' },
      report: { presets: [] },
    });
    expect(() => preset('--engine=cpu', '--algorithm=string-merge --segments=blank')).toThrow('does not sort');
    expect(preset('--engine=gpu', '-m --locale=de').mode).toBe('merge');
  });

  it('are ignored under the name sort, by help and by tasks of a cluster', () => {
    expect(jobOf('', by('--engine=cpu --nonsense', 'sort')).report.presets).toEqual([]);
    const bad = { ...SURROUNDINGS, ...by('--nonsense') };
    expect(parseArguments(['--help'], bad).action).toBe('help');
    expect(parseArguments(['--cluster-task', 'd/share-0000'], bad).action).toBe('cluster-task');
  });

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
  ])('may not be %s', (presets, message, hint) => {
    expect(errorOf('', by(presets))).toMatchObject({ message: `GPUSORT_OPTIONS: ${message}`, exitCode: 2, hint });
    // The errors of the command line come first.
    expect(errorOf('--top=1 --bottom=1', by(presets)).message).toMatch(/^options '--top' and/);
  });
});
