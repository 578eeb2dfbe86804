/** --explain of distributed sorts: its figures are compared with those of the sort that follows. */
import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { explainCluster } from '../../src/cluster/explain.js';
import { distributedSeconds, MERGE_RATES, SORT_RATES, WAITS } from '../../src/cluster/sizes.js';
import { explainJob } from '../../src/run/decide.js';
import { parsed, runHere } from '../support/in-process.js';
import { Place } from './place.js';

interface Explained {
  readonly cluster: {
    readonly files: number;
    readonly jobDirectoryBytes: number;
    readonly phases: readonly { readonly writtenBytes: number }[];
  };
}

/** A place with lines of numbers in an order that looks random. */
function placeOf(count: number): Place {
  const place = new Place(0);
  const lines = Array.from({ length: count }, (_, i) => `${(i * 7919) % 99_991} ${'x'.repeat(i % 50)}\n`);
  writeFileSync(place.input, lines.join(''));
  return place;
}

/** The output of --explain for a command; `refusal`: the messages if it fails. */
async function explain(place: Place, ...words: string[]): Promise<Explained & { text: string; refusal: string }> {
  let explained = { lines: [] as readonly string[], json: {} };
  const { messages } = await runHere(
    () => parsed(['--engine', 'cpu', '-o', place.output, ...words, place.input], 'gpusort'),
    'gpusort',
    (job) => job,
    async (job) => {
      explained = await (job.cluster === null ? explainJob(job) : explainCluster(job));
      return 0;
    },
  );
  const text = explained.lines.map((line) => `${line}\n`).join('');
  return { ...(explained.json as Explained), text, refusal: messages };
}

const filesIn = (directory: string): string[] =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));

describe('files and bytes are those of the sort', () => {
  it.each([
    { options: [], joining: 'in place', ranges: 4 },
    { options: ['-n', '-k2,2'], joining: 'in place', ranges: 4 },
    { options: ['-u'], joining: 'copied', ranges: 4 },
    { options: ['--output-parts'], joining: 'parts', ranges: 4 },
    { options: ['--top', '100'], joining: 'copied', ranges: 1 },
  ])('with $options', async ({ options, joining, ranges }) => {
    const place = placeOf(40_000);
    const words = ['--cluster', 'prepare', '--tasks', '4', ...options];
    const { cluster } = await explain(place, ...words);
    expect(cluster).toMatchObject({ distributed: true, shares: 4, ranges, joining, sharesDone: 0, rangesDone: 0 });
    expect(place.names()).toEqual(['in']);

    expect(await place.here(words)).toMatchObject({ status: 0, stderr: '' });
    await place.tasks('share-0000', 'share-0001', 'share-0002');
    expect((await explain(place, ...words)).cluster).toMatchObject({ sharesDone: 3, rangesDone: 0 });
    await place.tasks('share-0003', 'splitters');
    for (let i = 0; i < ranges; i++) await place.tasks(`range-000${i}`);
    const done = await explain(place, ...words);
    expect(done.cluster).toEqual({ ...cluster, sharesDone: 4, rangesDone: ranges });
    expect(done.text).toContain(`4 of 4 shares and ${ranges} of ${ranges} ranges are done\n`);

    // Except the client's lock, the logs, and the files of the end: the manifest, or places and copies.
    const made = filesIn(place.directory).filter((name) => !name.endsWith('/in'));
    const atEnd = { 'in place': 0, parts: 1, copied: 1 + 3 * ranges }[joining]!;
    expect(made.length).toBe(cluster.files - 1 - 4 - ranges - atEnd);
    const bytes = (pattern: RegExp): number =>
      made.filter((name) => pattern.test(name)).reduce((sum, name) => sum + statSync(name).size, 0);
    const runs = bytes(/job\/shares\//);
    expect(runs).toBeLessThan(1.02 * cluster.phases[0].writtenBytes);
    if (options.length === 0) expect(runs).toBeGreaterThan(0.98 * cluster.phases[0].writtenBytes);
    expect(runs + bytes(/job\/parts\//)).toBeLessThan(1.02 * cluster.jobDirectoryBytes);
  });
});

it('says that an input is sorted here if one machine is faster, with the plan for it', async () => {
  const place = placeOf(100);
  const [first, ...rest] = (await explain(place, '--cluster', 'local:2')).text.split('\n');
  expect(first).toMatch(/^not distributed: .* less than 1 GiB, .*--tasks N/);
  const own = (lines: readonly string[]): string[] => lines.filter((line) => !/^memory|^runs of up to/.test(line));
  expect(own(rest)).toEqual(own((await explain(place)).text.split('\n')));
});

it('shows the plan of a task: with N processes, each has a part of the memory', async () => {
  const { text } = await explain(placeOf(1000), '--cluster', 'local:2', '--tasks', '3', '-S', '64M');
  expect(text).toMatch(/^share task: memory 64 MiB: as requested with -S$/m);
  expect(text).toMatch(/^time about .* with 2 tasks at a time: /m);
  expect(text).toMatch(/^one machine takes about .*: it is faster$/m);
});

it('says that an unfinished small sort is resumed', async () => {
  const place = placeOf(1000);
  const words = ['--cluster', 'local:2'];
  expect((await explain(place, ...words)).text).toMatch(/^not distributed/);
  expect(await place.prepare()).toMatchObject({ status: 0 });
  const { text } = await explain(place, ...words);
  expect(text).toMatch(
    /^shares 3 of [\s\S]*it holds an unfinished sort, which is resumed; 0 of 3 shares and 0 of 3 ranges are done\n/m,
  );
  expect(text).toMatch(/^share task: memory .*: an equal part of this host's for each process$/m);
});

it('refuses a directory that is not a job, and that of another sort', async () => {
  const [foreign, other] = [placeOf(1000), placeOf(1000)];
  mkdirSync(foreign.job);
  writeFileSync(join(foreign.job, 'mine'), '');
  const words = ['--cluster', 'local:2', '--tasks', '2'];
  expect((await explain(foreign, ...words)).refusal).toContain('is not a job directory');
  expect(await other.prepare()).toMatchObject({ status: 0 });
  expect((await explain(other, ...words, '-r')).refusal).toContain('belongs to another sort');
});

it('estimates times from rates: one phase after the other, slower merges of more runs, fewer processors', () => {
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
  const place = new Place(0);
  const other = join(place.directory, 'other');
  for (const name of [place.input, other]) writeFileSync(name, '1\n2\n3\n');
  const { text } = await explain(place, '-m', '--cluster', 'local:2', '--tasks', '3', other);
  expect(text).toContain('no shares: the inputs are sorted, and each range merges its part of 2 of them\n');
  expect(text).toContain('ranges 3 of about 4 B: as requested with --tasks\n');
  expect(text).toContain('only phase, a task for each range: reads 12 B, writes 12 B\n');
});
