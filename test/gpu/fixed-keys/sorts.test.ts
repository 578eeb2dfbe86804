/** Sorts of typed keys on the device, by all algorithms, against the plain model; chunks are tiny and merged. */
import { beforeAll, expect, it } from 'vitest';
import { algorithmsOn, type GpuAlgorithm } from '../../../src/algorithm-table.js';
import type { Gpu } from '../../../src/gpu/device/device.js';
import { sortStage } from '../../../src/gpu/engine/algorithms.js';
import { describeGpu } from '../../setup/gpu.js';
import { randomBelow } from '../../support/random.js';
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

  it.each(TYPES.flatMap((type) => [`${type}le`, `${type}be`]))('sort an array of %s', async (type) => {
    const key = part(0, type);
    for (const reverse of [false, true])
      await check('radix', { size: key.length, parts: [{ ...key, reverse }], reverse, lastResort: false }, CHUNKS);
  });

  it.each(algorithmsOn('gpu', 'shortKeys'))('%s sorts arrays, pairs and records', async (name) => {
    await check(name, { size: 4, parts: [part(0, 'f32')], lastResort: false }, CHUNKS);
    await check(name, { size: 8, parts: [part(0, 'i32')], lastResort: false }, CHUNKS);
    await check(name, { size: 21, parts: [part(9, 'u64'), part(1, 'u16be', true)] }, CHUNKS);
  });

  it.each<[string, TypedSort]>([
    ['one byte', { size: 1, parts: [part(0, 'u8')] }],
    ['one byte and a key', { size: 2, parts: [part(1, 'i8')] }],
    ['a key in the middle', { size: 15, parts: [part(5, 'f32be')] }],
    ['two keys apart', { size: 30, parts: [part(20, 'f64'), part(3, 'i16')] }],
    ['a key of bytes', { size: 100, parts: [bytesPart(0, 10)] }],
    ['keys of more than 16 bytes', { size: 40, parts: [part(2, 'u128'), bytesPart(20, 7, true)] }],
    ['keys that overlap', { size: 12, parts: [part(4, 'f32'), part(1, 'f64')] }],
  ])('sort records of %s: with ties broken, stable, unique, reversed', async (_, sort) => {
    for (const change of [{}, { lastResort: false }, { unique: true }]) {
      await check('radix', { ...sort, ...change }, CHUNKS);
      const parts = sort.parts.map((key) => ({ ...key, reverse: true }));
      await check('radix', { ...sort, ...change, parts, reverse: true }, { ...CHUNKS, stores: true });
    }
  });
});
