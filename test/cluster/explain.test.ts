/** --explain of distributed sorts: what it says is compared with what the same sort then does. */
import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { distributedSeconds, MERGE_RATES, SORT_RATES, WAITS } from '../../src/cluster/estimate.js';
import { gpusort, withDirectory } from '../cli/run.js';

/** Lines of numbers in an order that looks random. */
const lines = (count: number): string =>
  Array.from({ length: count }, (_, i) => `${(i * 7919) % 99_991} ${'x'.repeat(i % 50)}\n`).join('');

const filesIn = (directory: string): string[] =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));

interface Explained {
  readonly reasons: readonly string[];
  readonly chunkBytes: number;
  readonly cluster: {
    readonly distributed: boolean;
    readonly shares: number;
    readonly ranges: number;
    readonly files: number;
    readonly joining: string;
    readonly jobDirectoryBytes: number;
    readonly outputBytes: number;
    readonly sharesDone: number;
    readonly rangesDone: number;
    readonly phases: readonly { readonly readBytes: number; readonly writtenBytes: number }[];
  };
}

function run(directory: string, ...words: string[]): string {
  const { status, stdout, stderr } = gpusort(words, { cwd: directory });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return stdout;
}

const CASES = [
  { options: [] as string[], joining: 'in place', ranges: 4 },
  { options: ['-n', '-k2,2'], joining: 'in place', ranges: 4 },
  { options: ['-u'], joining: 'copied', ranges: 4 },
  { options: ['--output-parts'], joining: 'parts', ranges: 4 },
  { options: ['--top', '100'], joining: 'copied', ranges: 1 },
];

it.each(CASES)('$options: files and bytes are those of the sort', ({ options, joining, ranges }) =>
  withDirectory((directory) => {
    writeFileSync(join(directory, 'in'), lines(40_000));
    const words = [...options, '--engine', 'cpu', '--tasks', '4', '-o', 'out', 'in'];
    const explain = (): Explained => JSON.parse(run(directory, '--explain=json', '--cluster', 'prepare', ...words));
    const { cluster } = explain();
    expect(cluster).toMatchObject({ distributed: true, shares: 4, ranges, joining, sharesDone: 0, rangesDone: 0 });
    expect(readdirSync(directory)).toEqual(['in']);

    const [job] = run(directory, '--cluster', 'prepare', ...words).split('\n');
    const tasks = (kind: string, count: number): void => {
      for (let i = 0; i < count; i++) run(directory, '--cluster-task', `${job}/${kind}-000${i}`);
    };
    tasks('share', 3);
    expect(explain().cluster).toMatchObject({ sharesDone: 3, rangesDone: 0 });
    tasks('share', 4);
    run(directory, '--cluster-task', `${job}/splitters`);
    tasks('range', ranges);
    const done = explain();
    expect(done.cluster).toEqual({ ...cluster, sharesDone: 4, rangesDone: ranges });
    expect(done.reasons.join('\n')).toContain(`4 of 4 shares and ${ranges} of ${ranges} ranges are done`);

    // Nothing made the client's lock, the logs, and what belongs to the end: the manifest, or places and copies.
    const made = filesIn(directory).filter((name) => !name.endsWith('/in'));
    const atEnd = { 'in place': 0, parts: 1, copied: 1 + 3 * ranges }[joining]!;
    expect(made.length).toBe(cluster.files - 1 - 4 - ranges - atEnd);
    const bytes = (pattern: RegExp): number =>
      made.filter((name) => pattern.test(name)).reduce((sum, name) => sum + statSync(name).size, 0);
    const runs = bytes(/job\/shares\//);
    expect(runs).toBeLessThan(1.02 * cluster.phases[0].writtenBytes);
    if (options.length === 0) expect(runs).toBeGreaterThan(0.98 * cluster.phases[0].writtenBytes);
    expect(runs + bytes(/job\/parts\//)).toBeLessThan(1.02 * cluster.jobDirectoryBytes);
  }),
);

it('says that an input is sorted here if one machine is faster, with the plan for it', () =>
  withDirectory((directory) => {
    writeFileSync(join(directory, 'in'), lines(100));
    const alone = JSON.parse(run(directory, '--explain=json', 'in')) as Explained;
    const [first, ...rest] = run(directory, '--explain', '--cluster', 'local:2', '-o', 'out', 'in').trim().split('\n');
    expect(first).toMatch(/^not distributed: .* less than 1 GiB, .*--tasks N/);
    expect(rest.filter((line) => !line.startsWith('memory'))).toEqual(
      alone.reasons
        .filter((line) => !/^memory|^runs of up to/.test(line))
        .concat(rest.filter((line) => /^runs of up to/.test(line))),
    );
  }));

it('shows the plan of a task: with N processes, each has a part of the memory', () =>
  withDirectory((directory) => {
    writeFileSync(join(directory, 'in'), lines(1000));
    const text = run(directory, '--explain', '--cluster', 'local:2', '--tasks', '3', '-S', '64M', '-o', 'out', 'in');
    expect(text).toMatch(/^share task: memory 64 MiB: as requested with -S$/m);
    expect(text).toMatch(/^time about .* with 2 tasks at a time: /m);
    expect(text).toMatch(/^one machine takes about .*: it is faster$/m);
  }));

it('says that a small sort goes on if it was begun', () =>
  withDirectory((directory) => {
    writeFileSync(join(directory, 'in'), lines(1000));
    const explain = (): string => run(directory, '--explain', '--cluster', 'local:2', '-o', 'out', 'in');
    expect(explain()).toMatch(/^not distributed/);
    run(directory, '--cluster', 'prepare', '--tasks', '3', '-o', 'out', 'in');
    expect(explain()).toMatch(/^shares 3 of [\s\S]*goes on there; 0 of 3 shares and 0 of 3 ranges are done\n/m);
    expect(explain()).toMatch(/^share task: memory .*: an equal part of this host's for each process$/m);
  }));

it('refuses a directory that no client has made', () =>
  withDirectory((directory) => {
    writeFileSync(join(directory, 'in'), lines(1000));
    mkdirSync(join(directory, 'gpusort-out.job'));
    writeFileSync(join(directory, 'gpusort-out.job', 'mine'), '');
    const words = ['--explain', '--cluster', 'local:2', '--tasks', '2', '-o', 'out', 'in'];
    expect(gpusort(words, { cwd: directory })).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('is not a job directory'),
    });
  }));

it('refuses the directory of another sort, as the sort would', () =>
  withDirectory((directory) => {
    writeFileSync(join(directory, 'in'), lines(1000));
    run(directory, '--cluster', 'prepare', '--tasks', '2', '-o', 'out', 'in');
    const { status, stderr } = gpusort(['--explain', '--cluster', 'prepare', '-r', '--tasks', '2', '-o', 'out', 'in'], {
      cwd: directory,
    });
    expect(status).toBe(2);
    expect(stderr).toContain('belongs to another sort');
  }));

it('estimates times from rates: each phase in turns, a slower merge for more runs, fewer processors', () => {
  const worker = { engine: 'cpu' as const, processors: 16, memoryBytes: 1e9 };
  const work = { bytes: 8e9, shares: 8, ranges: 4, wait: 6 };
  const { taskStart } = WAITS;
  const share = taskStart + 1e9 / SORT_RATES.cpu.sortRate;
  const range = taskStart + 2e9 / MERGE_RATES.mergeRate;
  expect(distributedSeconds(work, worker, 8)).toBeCloseTo(12 + share + range);
  expect(distributedSeconds(work, worker, 3)).toBeCloseTo(12 + 3 * share + 2 * range);
  const small = { ...worker, processors: 4, memoryBytes: 1e8 };
  const slower = 4 * ((8 * 1e9) / SORT_RATES.cpu.spillingRate + (4 * 2e9) / MERGE_RATES.mergeRate);
  expect(distributedSeconds(work, small, 1)).toBeCloseTo(12 + 12 * taskStart + slower);
  const many = { ...work, shares: 64, bytes: 64e9 };
  expect(distributedSeconds(many, worker, 64) - 12 - share - taskStart).toBeCloseTo((2 * 16e9) / MERGE_RATES.mergeRate);
});

it('shows that -m of sorted files has ranges only', async () => {
  await withDirectory((directory) => {
    for (const name of ['a', 'b']) writeFileSync(join(directory, name), '1\n2\n3\n');
    const shown = run(directory, '-m', '--cluster', 'local:2', '--tasks', '3', '--explain', '-o', 'out', 'a', 'b');
    expect(shown).toContain('no shares: the inputs are sorted, and each range merges its part of 2 of them\n');
    expect(shown).toContain('ranges 3 of about 4 B: as requested with --tasks\n');
    expect(shown).toContain('only phase, a task for each range: reads 12 B, writes 12 B\n');
  });
});
