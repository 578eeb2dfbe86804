/**
 * Sorts of typed keys on the device, by all algorithms, against the plain model; chunks are tiny and merged. Slow,
 * because a software GPU compiles kernels for each type and layout; forms.test.ts has one case of each kind.
 */
import { it } from 'vitest';
import { algorithmsOn } from '../../../../../src/job/algorithm-table.js';
import { describeGpu } from '../../../../setup/gpu.js';
import { randomBelow } from '../../../../support/random.js';
import { sampled } from '../../../../support/tier.js';
import { useGpu } from '../../helpers.js';
import { bytesPart, checkTyped, part, type TypedSort } from './typed.js';

const TYPES = ['u8', 'u16', 'u32', 'u64', 'u128', 'i8', 'i16', 'i32', 'i64', 'f32', 'f64'];

describeGpu('sorts of typed keys', () => {
  const gpu = useGpu();
  const random = randomBelow(31);
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
  )('sorts an array of $type $order, reversed: $reverse', async ({ type, order, reverse }) => {
    const key = part(0, type + order);
    const sort = { size: key.length, parts: [{ ...key, reverse }], reverse, lastResort: false };
    await checkTyped(gpu(), 'radix', sort, CHUNKS, random);
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
  )('$name sorts $kind', ({ name, sort }) => checkTyped(gpu(), name, sort, CHUNKS, random));

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
  )('sorts records of $layout: $change, reversed: $reverse', async ({ sort, reverse }) => {
    const parts = reverse ? sort.parts.map((key) => ({ ...key, reverse: true })) : sort.parts;
    await checkTyped(gpu(), 'radix', { ...sort, parts, reverse }, { ...CHUNKS, stores: reverse }, random);
  });
});
