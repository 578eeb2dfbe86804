/** The papers' experiments without a GPU: their problems exist, their tables show all figures, docs/papers.md is theirs. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
// @ts-expect-error: plain JavaScript, because the benchmarks run without a build of their own
import { readRows, rowsText } from './documents.mjs';
// @ts-expect-error
import { ALGORITHMS } from './papers/algorithms.mjs';
// @ts-expect-error
import { EXPERIMENTS, partsOf, rendered } from './papers/documents.mjs';
// @ts-expect-error
import { checkMerge, mergeOnHost, threadCounts } from './papers/host-merge.mjs';
import { MACHINE } from './support.js';

const root = join(import.meta.dirname, '../..');
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(process.env.GPUSORT_TEST_TMP ?? '/tmp', 'papers-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

interface Problem {
  readonly algorithm: string;
  readonly case: string;
  readonly size: number;
}
const TIES = { blockReads: 5, mergeReads: [7, 9], runs: [3, 2], rounds: 1, sharedBytes: [1, 2, 3] };
const TILES = {
  tiles: 100,
  levels: [
    { merged: 50, inPlace: 30 },
    { merged: 20, inPlace: 0 },
  ],
  copied: 10,
};

/** A context that invents figures: size 20 takes 20 ms, and so on. */
const invented = (quick: boolean, lines: number) => ({
  quick,
  runs: 1,
  slowRuns: 1,
  choose: (full: unknown, few: unknown) => (quick ? few : full),
  progress: () => {},
  problems: async (problems: Problem[]) =>
    problems.map((problem) => ({
      id: `${problem.algorithm}, ${problem.case}, 2^${problem.size}`,
      ...problem,
      n: 2 ** problem.size,
      textBytes: 10 * 2 ** problem.size,
      spanMs: problem.size,
      wallMs: 2 * problem.size,
      seen: problem.algorithm.endsWith('-ties') ? TIES : TILES,
    })),
  make: () => ({ lines, bytes: 10 * lines }),
  commands: async (programs: { name: string }[]) =>
    Object.fromEntries(programs.map(({ name }) => [name, { seconds: [2], median: 2 }])),
  statistics: () => ({
    stages: [{ stage: 'sort', busyMs: 12 }],
    device: { sentBytes: 12 * lines, readBackBytes: 4 * lines },
  }),
});
const experiment = (key: string) => EXPERIMENTS.find((one: { key: string }) => one.key === key);
/** Experiments that also sort or merge on the host, as much as they are asked to. */
const ON_HOST = ['3-distributions', '4-merging'];

it.each<string>(EXPERIMENTS.map(({ key }: { key: string }) => key))(
  '%s: times problems that exist, and shows each',
  async (key) => {
    const { measure, table } = experiment(key);
    for (const quick of ON_HOST.includes(key) ? [true] : [true, false]) {
      const rows = await measure(invented(quick, 1000));
      expect(rows.length).toBeGreaterThan(0);
      expect(new Set(rows.map(({ id }: { id: string }) => id)).size).toBe(rows.length);
      for (const row of rows.filter((one: Problem) => one.algorithm && !one.algorithm.startsWith('host'))) {
        const algorithm = ALGORITHMS.filter(
          (one: { name: string; cases: { name: string }[] }) =>
            one.name === row.algorithm && one.cases.some(({ name }) => name === row.case),
        );
        expect(algorithm, row.id).toHaveLength(1);
      }
      const text: string = table(rows);
      if (!quick) expect(text).not.toMatch(/not measured|failed|left out|NaN|undefined|Infinity/);
      // All lines of a table have as many cells.
      for (const part of text.split('\n\n').filter((lines) => lines.startsWith('|')))
        expect(
          new Set(
            part
              .trim()
              .split('\n')
              .map((line) => line.split('|').length),
          ).size,
          part,
        ).toBe(1);
      const failed = rows.map((row: object) => ({ ...row, error: 'wrong', ways: undefined }));
      if (!('ways' in rows[0])) expect(table(failed)).toContain('failed');
    }
  },
);

it('shows rates, ratios and shares', async () => {
  const rates = await experiment('0-rates').measure(invented(false, 0));
  const words = rates.find((row: Problem) => row.case === 'strings wordlist' && row.algorithm === 'string-merge');
  words.spanMs = 60;
  // 2^20 elements in 20 ms are 52 million a second; the words took three times as long as the pairs.
  expect(experiment('0-rates').table(rates)).toContain(
    '| 2^20, keys of 8 bytes | 52.4 | 52.4 | 17.5 | 3.00 | 52.4 | 1.00 |',
  );
  const tiles = await experiment('1-tiles').measure(invented(false, 0));
  const text: string = experiment('1-tiles').table(tiles);
  expect(text).toContain('| 0 | 99.93 % | 0.07 % | 50.0 %, 30 | 50.0 %, 30 |');
  expect(text).toContain('| all | 228.7 % | 150.6 % | 70.0 % merged, 10.0 % copied |');
});

it('has in docs/papers.md a part for each experiment, rendered from docs/papers.json', () => {
  const document = readFileSync(join(root, 'docs/papers.md'), 'utf8');
  expect(partsOf(document).toSorted()).toEqual(EXPERIMENTS.map(({ key }: { key: string }) => key).toSorted());
  expect(rendered(document, readRows(join(root, 'docs/papers.json')))).toBe(document);
});

it('renders a document again from its figures, and only between the marks', async () => {
  const rows = (await experiment('1-locality').measure(invented(true, 0))).map((row: object) => ({
    ...row,
    experiment: '1-locality',
    runs: 3,
    machine: MACHINE,
  }));
  const base = join(folder, 'some');
  writeFileSync(`${base}.json`, rowsText(rows));
  const before =
    'Before.\n\n<!-- results 1-locality -->\nold\n<!-- end -->\n\nBetween.\n\n<!-- results 1-tiles -->\n<!-- end -->\nAfter.\n';
  writeFileSync(`${base}.md`, before);
  const script = join(import.meta.dirname, 'papers.mjs');
  const run = (...args: string[]) =>
    spawnSync(process.execPath, [script, ...args], { encoding: 'utf8', timeout: 60_000 });
  expect(run('--render', '--docs', base).status).toBe(0);
  const after = readFileSync(`${base}.md`, 'utf8');
  expect(after).toMatch(/^Before\.\n\n<!-- results 1-locality -->\n\n.*\n\n\| case \| n \|/);
  expect(after).toContain('medians of 3.\n\n<!-- end -->\n\nBetween.\n\n<!-- results 1-tiles -->\n\nNot measured yet.');
  expect(rendered(after, rows)).toBe(after);
  expect(run('--help').stdout).toMatch(/^Usage: npm run bench:papers/);
  expect(run('--only', '5-nothing').status).toBe(2);
});

it('merges on the host with one thread and with all, and finds faults', async () => {
  for (const [type, share] of [
    ['i32', 0.5],
    ['f32', 127 / 128],
  ])
    expect((await mergeOnHost(type, 5001, share, 1)).map(({ threads }: { threads: number }) => threads)).toEqual(
      threadCounts(),
    );
  const runs = [Int32Array.of(1, 4, 9), Int32Array.of(-3, 5)];
  expect(() => checkMerge(runs, Int32Array.of(-3, 1, 4, 5, 9))).not.toThrow();
  expect(() => checkMerge(runs, Int32Array.of(-3, 4, 1, 5, 9))).toThrow('out of order');
  expect(() => checkMerge(runs, Int32Array.of(-3, 1, 4, 5, 10))).toThrow('other numbers');
});
