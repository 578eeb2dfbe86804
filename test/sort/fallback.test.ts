/**
 * If a device fails, the job continues with smaller chunks, then on the CPU, and writes no output twice.
 */
import { spawn, spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { decorated } from '../../src/contract/decorated.js';
import type { Engine, Piece, Sorted } from '../../src/contract/engine.js';
import type { Ordering } from '../../src/job/ordering.js';
import type { Plan } from '../../src/plan/plan.js';
import { showWarnings } from '../../src/report/warnings.js';
import { type ErrorCode, GpusortError } from '../../src/system/errors.js';
import { changed, job, silent, smallEngine, sortChunk } from '../support/jobs.js';
import { byNumber, sortedNumbers } from '../support/keyed.js';
import { random } from '../support/random.js';
import { LINES } from '../support/records.js';
import { FIRST_FIELD } from '../support/segments.js';
import { sampled } from '../support/tier.js';

/** The warnings since the last call of takeWarnings. */
let warnings: string[] = [];
function takeWarnings(): string[] {
  const taken = warnings;
  warnings = [];
  showWarnings((sentence) => {
    warnings.push(sentence);
  });
  return taken;
}

/** The fault, and the plans that were tried. */
const fault: {
  at: 'order' | 'segmentEnds' | 'emit' | 'keep' | 'merge';
  code: ErrorCode;
  times: number;
  after: number;
} = { at: 'order', code: 'device-lost', times: 0, after: 0 };
const tried: Plan[] = [];
const NULS = { kind: 'lines', delimiter: 0 } as const;
/** The number of pieces that the input is still filling. */
let filling = 0;

vi.mock(import('../../src/run/open-engine.js'), async () => {
  const { fakeEngines } = await import('../support/fake-engines.js');
  return fakeEngines(async ({ plan, ordering }) => {
    tried.push(plan);
    const engine = await smallEngine(ordering, 64 << 10, { limit: plan.limit });
    return plan.engine === 'gpu' ? failing(engine) : engine;
  });
});

/** Wraps an engine to make it fail as `fault` says. */
function failing(engine: Engine): Engine {
  let calls = 0;
  const due = (at: typeof fault.at): boolean => fault.at === at && fault.times > 0 && ++calls > fault.after;
  const fail = (): never => {
    fault.times--;
    throw new GpusortError(fault.code, 'the GPU was lost: for the test');
  };
  const wrap = (sorted: Sorted): Sorted => ({
    bytes: sorted.bytes,
    ...(sorted.records !== undefined && { records: sorted.records }),
    borrowed: sorted.borrowed,
    release: () => sorted.release(),
    keep: async () => (due('keep') ? fail() : sorted.keep()),
    segmentEnds: async () => (due('segmentEnds') ? fail() : sorted.segmentEnds!()),
    // Half of the block is written before the device fails.
    emit: (write) =>
      sorted.emit(async (block) => {
        await sleep(10);
        if (!due('emit')) return write(block);
        await write(block.subarray(0, block.length >> 1));
        return fail();
      }),
  });
  return decorated(engine, {
    lanes: 2,
    mergesAhead: 3,
    shared: null,
    // Opening a chunk waits for memory. A failure during that wait must still be noticed.
    openChunk: async () => {
      await sleep(10);
      const chunk = await engine.openChunk();
      const { openPiece } = chunk;
      return Object.assign(chunk, {
        openPiece: async (offset: number): Promise<Piece> => {
          const { bytes, commit } = await openPiece(offset);
          filling++;
          return {
            bytes,
            commit: (length) => {
              filling--;
              commit(length);
            },
          };
        },
      });
    },
    order: async (...call) => (due('order') ? fail() : (await sortChunk(engine, ...call)).map(wrap)),
    merge: async (...call) => (due('merge') ? fail() : (await engine.merge(...call)).map(wrap)),
    close: () => {
      expect(filling).toBe(0);
      return engine.close();
    },
  });
}

const { runJob } = await import('../../src/run/run-job.js');
let directory = '';
let input = '';
let expected: Buffer;
beforeAll(() => {
  directory = fs.mkdtempSync('/tmp/gpusort-fallback-');
  input = path.join(directory, 'input');
  const next = random(5);
  fs.writeFileSync(input, Array.from({ length: 60_000 }, () => Math.floor(next() * 1e9)).join('\n'));
  expected = spawnSync('sort', [input], { env: { LC_ALL: 'C' }, maxBuffer: 1 << 30 }).stdout;
});
afterAll(() => {
  fs.rmSync(directory, { recursive: true });
});
beforeEach(() => {
  tried.length = 0;
  takeWarnings();
});

const output = (): string => path.join(directory, 'output');
const theJob = () => job({ inputs: [Buffer.from(input)], output: Buffer.from(output()), engine: 'gpu' });

const PLACES = ['order', 'keep', 'merge', 'emit'] as const;
const CODES = ['device-lost', 'out-of-device-memory'] as const;
const linesOf = (text: Buffer): string[] => text.toString().split('\n').slice(0, -1);

it.each(PLACES)('continues a sort on the CPU if the device is lost at %s', async (at) => {
  Object.assign(fault, { at, code: 'device-lost', times: 1, after: 2 });
  expect(await runJob(theJob(), silent)).toBe(0);
  expect(tried.map((plan) => plan.engine)).toEqual(['gpu', 'cpu']);
  expect(takeWarnings()).toEqual(['the GPU failed (the GPU was lost: for the test); sorting on the CPU instead']);
  expect(fs.readFileSync(output()).equals(expected)).toBe(true);
});

it.each(sampled(PLACES, { count: 4, seed: 1, values: (at) => [at === 'emit'] }))(
  'continues a sort of CSV on the CPU if the device is lost at %s',
  async (at) => {
    Object.assign(fault, { at, code: 'device-lost', times: 1, after: 2 });
    const csv = { framing: { kind: 'csv', separator: 44 }, ordering: byNumber({ format: NULS }) } as const;
    expect(await runJob(changed(theJob(), { ...csv }), silent)).toBe(0);
    expect(tried.map((plan) => plan.engine)).toEqual(['gpu', 'cpu']);
    const sorted = `${sortedNumbers(linesOf(expected), byNumber()).join('\n')}\n`;
    expect(fs.readFileSync(output(), 'latin1') === sorted).toBe(true);
  },
);

// After a failure, merges may be cut differently than before it.
const LIMITED = PLACES.flatMap((at) =>
  CODES.flatMap((code) =>
    (['first', 'last'] as const).flatMap((end) =>
      [9, 2000, 25_000].flatMap((count) => [0, 2, 3, 4].map((after) => ({ at, code, end, count, after }))),
    ),
  ),
);
const limited = sampled(LIMITED, {
  count: 48,
  seed: 2,
  values: ({ at, code, end, count, after }) => [at, code, end, count, after],
});
it.each(limited)('continues a sort of the $end $count records: $code at $at after $after', async (one) => {
  const { at, code, end, count, after } = one;
  Object.assign(fault, { at, code, times: 1, after });
  expect(await runJob(changed(theJob(), { limit: { count, end }, chunkBytes: 64 << 20 }), silent)).toBe(0);
  const lines = linesOf(expected);
  const kept = end === 'first' ? lines.slice(0, count) : lines.slice(-count);
  expect(fs.readFileSync(output()).toString() === `${kept.join('\n')}\n`).toBe(true);
});

const SEGMENTED = ([...PLACES, 'segmentEnds'] as const).flatMap((at) => CODES.map((code) => ({ at, code })));
const segmented = sampled(SEGMENTED, { count: 10, seed: 1, values: ({ at, code }) => [at, code] });
it.each(segmented)('continues a sort after the segments that were written: $code at $at', async ({ at, code }) => {
  Object.assign(fault, { at, code, times: 1, after: 4 });
  const file = path.join(directory, 'segmented');
  // Segments of 8,000 lines, 80 KB, in two chunks of 64 KiB.
  const next = random(6);
  const lines = Array.from({ length: 40_000 }, (_, i) => `${Math.floor(i / 8000) % 3} ${Math.floor(next() * 1e8)}\n`);
  fs.writeFileSync(file, lines.join(''));
  const ordering: Ordering = { ...LINES, segments: FIRST_FIELD };
  expect(await runJob(changed(theJob(), { inputs: [Buffer.from(file)], ordering, chunkBytes: 64 << 20 }), silent)).toBe(
    0,
  );
  expect(fault.times).toBe(0);
  // If a merge runs out of device memory, runs are moved out of it. All other failures start over.
  const hasRoom = code === 'out-of-device-memory' && (at === 'merge' || at === 'emit');
  expect(tried.map((plan) => plan.engine)).toEqual(hasRoom ? ['gpu'] : ['gpu', code === 'device-lost' ? 'cpu' : 'gpu']);
  const sorted = Array.from({ length: 5 }, (_, i) => lines.slice(i * 8000, (i + 1) * 8000).sort());
  expect(fs.readFileSync(output()).toString() === sorted.flat().join('')).toBe(true);
});

it('continues a sort with smaller chunks if device memory runs out', async () => {
  Object.assign(fault, { at: 'order', code: 'out-of-device-memory', times: 1, after: 1 });
  expect(await runJob(changed(theJob(), { chunkBytes: 64 << 20 }), silent)).toBe(0);
  expect(tried.map((plan) => [plan.engine, plan.chunkBytes])).toEqual([
    ['gpu', 64 << 20],
    ['gpu', 32 << 20],
  ]);
  expect(takeWarnings()).toEqual([]);
  expect(fs.readFileSync(output()).equals(expected)).toBe(true);
});

it('continues a sort after a lost device if one of the files is empty', async () => {
  Object.assign(fault, { at: 'order', code: 'device-lost', times: 1, after: 0 });
  const empty = path.join(directory, 'empty');
  fs.writeFileSync(empty, '');
  const inputs = [empty, input].map((name) => Buffer.from(name));
  expect(await runJob(changed(theJob(), { inputs }), silent)).toBe(0);
  expect(fault.times).toBe(0);
  expect(fs.readFileSync(output()).equals(expected)).toBe(true);
});

it('fails after a lost device if the input is a pipe, which cannot be read again', async () => {
  Object.assign(fault, { at: 'order', code: 'device-lost', times: 1, after: 0 });
  const pipe = path.join(directory, 'pipe');
  spawnSync('mkfifo', [pipe]);
  spawn('sh', ['-c', `cat ${input} > ${pipe}`]);
  await expect(runJob(changed(theJob(), { inputs: [Buffer.from(pipe)] }), silent)).rejects.toThrow(
    /the GPU was lost.*cannot be read a second time/,
  );
  expect(fs.readFileSync(output()).equals(expected)).toBe(true); // an earlier job's output is still there
});

it.each<[string, (file: string) => void]>([
  ['changed', (file) => fs.appendFileSync(file, 'more\n')],
  ['been removed', (file) => fs.rmSync(file, { force: true })],
])('fails after a lost device if an input file has %s', async (_, change) => {
  Object.assign(fault, { at: 'order', code: 'device-lost', times: 1, after: 0 });
  const file = path.join(directory, 'changing');
  fs.copyFileSync(input, file);
  const advance = (_phase: string, bytes: number): void => {
    if (bytes > 0) change(file);
  };
  const pending = runJob(changed(theJob(), { inputs: [Buffer.from(file)] }), { ...silent, advance });
  await expect(pending).rejects.toThrow(/cannot be read a second time/);
});
