/** Sorts binary records with typed keys by a GPU engine and by the plain model (test/support/typed-records.ts). */
import { expect } from 'vitest';
import type { Engine, Run, StoredRun } from '../../../../../src/contract/engine.js';
import type { Gpu } from '../../../../../src/engines/gpu/device/device.js';
import { assembleGpuEngine } from '../../../../../src/engines/gpu/engine/engine-core.js';
import { type DeviceAlgorithm, sortStage } from '../../../../../src/engines/gpu/engine/sorts.js';
import type { SortStage } from '../../../../../src/engines/gpu/engine/stages.js';
import type { GpuAlgorithm, Tuning } from '../../../../../src/job/algorithm-table.js';
import type { Limit } from '../../../../../src/job/job.js';
import type { NumberType, Ordering, RecordPart } from '../../../../../src/job/ordering.js';
import { planEncoding } from '../../../../../src/keys/record-encoding.js';
import { collector, runOf, silent } from '../../../../support/jobs.js';
import type { RandomBelow } from '../../../../support/random.js';
import { plainRun, split } from '../../../../support/records.js';
import { compareTyped } from '../../../../support/typed-records.js';

/** A sort of binary records. `parts` follow `reverse` already. */
export interface TypedSort {
  readonly size: number;
  readonly parts: readonly RecordPart[];
  readonly reverse?: boolean;
  readonly unique?: boolean;
  readonly lastResort?: boolean;
}

/** A key at `offset` by the name of its type on the command line, without a byte order: little-endian. */
export function part(offset: number, name: string, reverse = false): RecordPart {
  const [, letter, bits, order] = /^([uif])(\d+)(be|le)?$/.exec(name)!;
  const kind = ({ u: 'unsigned', i: 'signed', f: 'float' } as const)[letter as 'u'];
  const type: NumberType = { kind, bytes: Number(bits) / 8, bigEndian: order === 'be' };
  return { offset, length: type.bytes, type, reverse };
}

/** A key of bytes. */
export const bytesPart = (offset: number, length: number, reverse = false): RecordPart => ({
  offset,
  length,
  type: null,
  reverse,
});

/** The ordering as the command line makes it. */
function orderingOf({ size, parts, reverse = false, unique = false, lastResort }: TypedSort): Ordering {
  const { encoding, key } = planEncoding(size, parts, reverse, null);
  return {
    format: { kind: 'fixed', size },
    key: key.length === size ? { kind: 'record' } : { kind: 'bytes', ...key },
    reverse,
    unique,
    lastResort: lastResort ?? !unique,
    ...(encoding && { encoding }),
  };
}

/** The result of the plain model. */
function expectedOf(sort: TypedSort, records: readonly Uint8Array[]): Uint8Array[] {
  const { lastResort = !sort.unique, reverse = false } = sort;
  const sorted = [...records].sort(
    (a, b) => compareTyped(sort.parts, a, b) || (lastResort ? Buffer.compare(a, b) * (reverse ? -1 : 1) : 0),
  );
  return sort.unique
    ? sorted.filter((record, i) => i === 0 || compareTyped(sort.parts, sorted[i - 1]!, record) !== 0)
    : sorted;
}

/** Random records whose numbers are often extreme, equal, or special floating-point values. */
function typedRecords(count: number, { size, parts }: TypedSort, random: RandomBelow): Uint8Array[] {
  const bytes = (length: number): Uint8Array => Uint8Array.from({ length }, () => random(256));
  return Array.from({ length: count }, () => {
    const record = bytes(size);
    for (const { offset, length, type } of parts) {
      const place = record.subarray(offset, offset + length);
      if (random(3) > 0) place.set(specialValue(type, length, random));
    }
    return record;
  });
}

/** Few distinct values: zeros of both signs, infinities, NaNs of both signs, extremes, small numbers. */
function specialValue(type: NumberType | null, length: number, random: RandomBelow): Uint8Array {
  const value = new Uint8Array(length);
  if (type?.kind === 'float') {
    const view = new DataView(value.buffer);
    const number = [0, -0, 1, -1, Infinity, -Infinity, NaN, 0.5, -1.5, Number.MIN_VALUE][random(10)]!;
    if (length === 4) view.setFloat32(0, number);
    else view.setFloat64(0, number);
    if (random(4) === 0) value[0]! ^= 0x80;
    if (random(8) === 0) value[length - 1] = random(3);
  } else {
    value.fill([0, 255][random(2)]!);
    if (random(2) === 0) value[0] = [0x7f, 0x80][random(2)]!;
    if (random(2) === 0) value[length - 1] = random(4);
  }
  return type === null || type.bigEndian ? value : value.reverse();
}

interface EngineShape {
  /** Default: 700. */
  readonly records?: number;
  readonly chunkRecords: number;
  readonly limit?: Limit | null;
  /** Every second run is in memory outside the device. */
  readonly stores?: boolean;
  /** Of the algorithm. */
  readonly tunings?: readonly Tuning[];
}

/**
 * The engine's result, sorted in chunks of `chunkRecords` that are merged. With a limit, it may have more records.
 */
async function engineSort(
  gpu: Gpu,
  stage: SortStage,
  sort: TypedSort,
  records: readonly Uint8Array[],
  { chunkRecords, limit = null, stores = false }: EngineShape,
): Promise<Uint8Array[]> {
  const ordering = orderingOf(sort);
  const engine = assembleGpuEngine(
    gpu,
    {
      ordering,
      limit,
      chunkBytes: Math.max(1 << 16, sort.size * records.length),
      pieceBytes: 1 << 22,
      rangeBytes: 1 << 20,
      mostRecords: null,
      residentBytes: null,
      recorder: silent,
    },
    stage,
  );
  const runs: Run[] = [];
  for (let i = 0; i < records.length; i += chunkRecords) {
    const run = await runOf(engine, Buffer.concat(records.slice(i, i + chunkRecords)));
    runs.push(stores && runs.length % 2 === 1 ? await stored(engine, run, ordering) : run);
  }
  const bytes = await merged(engine, runs, 'plain');
  for (const run of runs) run.release();
  await engine.close();
  return split(bytes, ordering);
}

async function merged(engine: Engine, runs: readonly Run[], form: 'plain' | 'run'): Promise<Buffer> {
  const { write, bytes } = collector();
  const slices = runs.map((run) => ({ run, from: { index: 0, byte: 0 }, to: run.end }));
  for (const sorted of await engine.merge(slices, 0, form)) await sorted.emit(write);
  return bytes();
}

/** A run of the engine, as it would be in a temporary file. */
async function stored(engine: Engine, run: Run, ordering: Ordering): Promise<StoredRun> {
  const bytes = await merged(engine, [run], 'run');
  run.release();
  return plainRun(split(bytes, ordering), ordering);
}

/**
 * Sorts random records by `algorithm` and expects the result of the plain model. With a limit, more records are
 * allowed.
 */
export async function checkTyped(
  gpu: Gpu,
  algorithm: GpuAlgorithm,
  sort: TypedSort,
  shape: EngineShape,
  random: RandomBelow,
): Promise<void> {
  const records = typedRecords(shape.records ?? 700, sort, random);
  // The hybrid sorts lines alone.
  const stage = sortStage(algorithm as DeviceAlgorithm, orderingOf(sort), shape.tunings);
  const found = await engineSort(gpu, stage, sort, records, shape);
  const expected = expectedOf(sort, records);
  const { count, end } = shape.limit ?? { count: Infinity, end: 'first' };
  const kept = (all: readonly Uint8Array[]): Buffer =>
    Buffer.concat(count === Infinity ? all : end === 'last' ? all.slice(-count) : all.slice(0, count));
  expect(kept(found).equals(kept(expected)), JSON.stringify(sort)).toBe(true);
}
