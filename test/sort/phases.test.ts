/** The phases that a job reports for the progress line: their order, and that each reaches its total. */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { SortJob } from '../../src/job/job.js';
import type { Phase } from '../../src/report/recorder.js';
import { runJob } from '../../src/run/run-job.js';
import { parsed } from '../support/in-process.js';
import { changed, silent } from '../support/jobs.js';

let directory: string;

beforeAll(() => {
  directory = mkdtempSync(join(process.env.GPUSORT_TEST_TMP ?? tmpdir(), 'gpusort-phases-'));
  const lines = Array.from({ length: 50_000 }, (_, i) => String((i * 7919) % 1_000_003).padStart(9, '0'));
  writeFileSync(join(directory, 'input'), `${lines.join('\n')}\n`);
  writeFileSync(join(directory, 'sorted'), `${lines.toSorted().join('\n')}\n`);
});

afterAll(() => {
  rmSync(directory, { recursive: true, force: true });
});

interface Moved {
  bytes: number;
  total: number | undefined;
}

/** The phases of a job in the order of their first report, with their bytes and their last total. */
async function phases(...words: string[]): Promise<Map<Phase, Moved>> {
  const found = new Map<Phase, Moved>();
  const advance = (phase: Phase, bytes: number, total?: number): void => {
    const moved = found.get(phase) ?? { bytes: 0, total: undefined };
    found.set(phase, { bytes: moved.bytes + bytes, total: total ?? moved.total });
  };
  const request = parsed(['--engine=cpu', '--parallel=1', ...words], 'gpusort');
  const { job } = request as { job: SortJob };
  await runJob(changed(job, { output: Buffer.from(join(directory, 'output')) }), { ...silent, advance });
  return found;
}

const INPUT_BYTES = 500_000;
const input = (): string => join(directory, 'input');
const sorted = (): string => join(directory, 'sorted');

it.each([
  ['in memory', []],
  ['in temporary files', ['-S200K']],
  ['with keys, in temporary files', ['-n', '-S200K']],
  ['with merges of few runs at once', ['-S100K', '--chunk-size=8K']],
  ['of distinct lines', ['-u', '-S200K']],
])('reports a total that a merge of runs %s reaches', async (_, options) => {
  const found = await phases('--chunk-size=32K', ...options, input());
  expect([...found.keys()]).toEqual(['reading', 'sorting', 'merging', 'writing']);
  expect(found.get('reading')).toEqual({ bytes: INPUT_BYTES, total: INPUT_BYTES });
  expect(found.get('sorting')).toEqual({ bytes: INPUT_BYTES, total: INPUT_BYTES });
  const merging = found.get('merging')!;
  expect(merging.bytes).toBeGreaterThanOrEqual(INPUT_BYTES);
  expect(merging.bytes).toBe(merging.total);
  // The merge has the bar.
  expect(found.get('writing')).toMatchObject({ total: undefined });
});

it('reports as many written as read bytes of a sort without a merge', async () => {
  const found = await phases('-n', '--chunk-size=1M', input());
  expect([...found.keys()]).toEqual(['reading', 'sorting', 'writing']);
  expect(found.get('writing')).toEqual({ bytes: INPUT_BYTES, total: INPUT_BYTES });
});

it('counts a line larger than a chunk as read and sorted', async () => {
  const file = join(directory, 'long');
  writeFileSync(file, `b\n${'x'.repeat(100_000)}\na\n`);
  const found = await phases('--chunk-size=32K', file);
  const { bytes, total } = found.get('sorting')!;
  expect(bytes).toBe(total);
  expect(bytes).toBeGreaterThan(100_000);
});

it('reports a total for a stream that ends within the read-ahead', async () => {
  const pipe = join(directory, 'pipe');
  spawnSync('mkfifo', [pipe]);
  spawn('sh', ['-c', `cat '${input()}' > '${pipe}'`]);
  const found = await phases('--chunk-size=1M', pipe);
  expect(found.get('reading')).toEqual({ bytes: INPUT_BYTES, total: INPUT_BYTES });
});

it.each([
  ['at once', [], 3],
  // Two files are merged in advance.
  ['two at a time', ['--batch-size=2'], 5],
])('reports a total that -m of three files reaches: %s', async (_, options, merged) => {
  const found = await phases('-m', ...options, '--chunk-size=32K', sorted(), sorted(), sorted());
  expect([...found.keys()]).toEqual(['merging', 'writing']);
  const bytes = merged * INPUT_BYTES;
  expect(found.get('merging')).toEqual({ bytes, total: bytes });
});

it('reports no total for -m -u, because it is unknown', async () => {
  const found = await phases('-m', '-u', '--chunk-size=32K', sorted(), sorted());
  expect(found.get('merging')).toEqual({ bytes: INPUT_BYTES, total: undefined });
});

it('reports a total that -c reaches', async () => {
  expect(await phases('-c', sorted())).toEqual(new Map([['checking', { bytes: INPUT_BYTES, total: INPUT_BYTES }]]));
});
