/**
 * Sorts of typed keys on the device, by all algorithms, against the plain model; chunks are tiny and merged. By day
 * each type in one direction, one kind of records by each algorithm, and each layout of records in one or two ways: a
 * software GPU compiles kernels for each. At night all.
 */
import { beforeAll, expect, it } from 'vitest';
import { algorithmsOn, type GpuAlgorithm } from '../../../src/algorithm-table.js';
import type { Gpu } from '../../../src/gpu/device/device.js';
import { sortStage } from '../../../src/gpu/engine/algorithms.js';
import { describeGpu } from '../../setup/gpu.js';
import { randomBelow } from '../../support/random.js';
import { sampled } from '../../support/tier.js';
import { useGpu } from '../helpers.js';
import {
  bytesPart,
  type EngineShape,
  engineSort,
  expectedOf,
  orderingOf,
  part,
  type TypedSort,
  typedRecords,
} from './typed.js';

const TYPES = ['u8', 'u16', 'u32', 'u64', 'u128', 'i8', 'i16', 'i32', 'i64', 'f32', 'f64'];

describeGpu('sorts of typed keys', () => {
  const useTestGpu = useGpu();
  const random = randomBelow(31);
  let gpu: Gpu;
  beforeAll(() => {
    gpu = useTestGpu();
  });

  const check = async (name: GpuAlgorithm, sort: TypedSort, shape: EngineShape, count = 700) => {
    const records = typedRecords(count, sort, random);
    const found = await engineSort(gpu, sortStage(name, orderingOf(sort)), sort, records, shape);
    const expected = expectedOf(sort, records);
    expect(Buffer.concat(found).equals(Buffer.concat(expected)), JSON.stringify(sort)).toBe(true);
  };
  const CHUNKS = { chunkRecords: 300 };

  const arrays = TYPES.flatMap((type) =>
    ['le', 'be'].flatMap((order) => [false, true].map((reverse) => ({ type, order, reverse }))),
  );
  it.each(
    sampled(arrays, {
      count: 22,
      seed: 1,
      values: ({ type, order, reverse }) => [type + order, type + reverse, order + reverse],
    }),
  )('sort an array of $type $order, reversed: $reverse', async ({ type, order, reverse }) => {
    const key = part(0, type + order);
    await check('radix', { size: key.length, parts: [{ ...key, reverse }], reverse, lastResort: false }, CHUNKS);
  });

  const kinds: readonly (readonly [string, TypedSort])[] = [
    ['arrays', { size: 4, parts: [part(0, 'f32')], lastResort: false }],
    ['pairs', { size: 8, parts: [part(0, 'i32')], lastResort: false }],
    ['records', { size: 21, parts: [part(9, 'u64'), part(1, 'u16be', true)] }],
  ];
  it.each(
    sampled(
      algorithmsOn('gpu', 'shortKeys').flatMap((name) => kinds.map(([kind, sort]) => ({ name, kind, sort }))),
      { count: 10, seed: 2, values: ({ name, kind }) => [name, kind] },
    ),
  )('$name sorts $kind', ({ name, sort }) => check(name, sort, CHUNKS));

  const layouts: readonly (readonly [string, TypedSort])[] = [
    ['one byte', { size: 1, parts: [part(0, 'u8')] }],
    ['one byte and a key', { size: 2, parts: [part(1, 'i8')] }],
    ['a key in the middle', { size: 15, parts: [part(5, 'f32be')] }],
    ['two keys apart', { size: 30, parts: [part(20, 'f64'), part(3, 'i16')] }],
    ['a key of bytes', { size: 100, parts: [bytesPart(0, 10)] }],
    ['keys of more than 16 bytes', { size: 40, parts: [part(2, 'u128'), bytesPart(20, 7, true)] }],
    ['keys that overlap', { size: 12, parts: [part(4, 'f32'), part(1, 'f64')] }],
  ];
  const changes = [
    ['with ties broken', {}],
    ['stable', { lastResort: false }],
    ['unique', { unique: true }],
  ] as const;
  it.each(
    sampled(
      layouts.flatMap(([layout, sort]) =>
        changes.flatMap(([change, with_]) =>
          [false, true].map((reverse) => ({ layout, change, reverse, sort: { ...sort, ...with_ } })),
        ),
      ),
      { count: 11, seed: 3, values: ({ layout, change, reverse }) => [layout, change + reverse] },
    ),
  )('sort records of $layout: $change, reversed: $reverse', async ({ sort, reverse }) => {
    const parts = reverse ? sort.parts.map((key) => ({ ...key, reverse: true })) : sort.parts;
    await check('radix', { ...sort, parts, reverse }, reverse ? { ...CHUNKS, stores: true } : CHUNKS);
  });
});
