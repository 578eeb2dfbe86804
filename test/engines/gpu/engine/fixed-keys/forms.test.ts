/**
 * Sorts of binary records by each form of fixed keys (src/engines/gpu/engine/fixed-keys/form.ts): keys that are whole
 * records, keys that the rest of the record moves with, and keys with record numbers. sorts.slow.test.ts has all types
 * and layouts.
 */
import { it } from 'vitest';
import type { GpuAlgorithm } from '../../../../../src/job/algorithm-table.js';
import { describeGpu } from '../../../../setup/gpu.js';
import { randomBelow } from '../../../../support/random.js';
import { useGpu } from '../../helpers.js';
import { checkTyped, part, type TypedSort } from './typed.js';

const WHOLE: TypedSort = { size: 4, parts: [part(2, 'i16be', true)], reverse: true };

describeGpu('records with fixed keys', () => {
  const gpu = useGpu();
  const random = randomBelow(7);

  it.each<readonly [string, GpuAlgorithm, TypedSort]>([
    ['whole records, key last', 'merge', WHOLE],
    ['keys with values, key last', 'merge', { size: 8, parts: [part(4, 'i32')], lastResort: false }],
    ['numbered, stable', 'locality', { size: 13, parts: [part(5, 'i16'), part(2, 'u8')], lastResort: false }],
    ['numbered, unique', 'merge', { size: 2, parts: [part(0, 'i16')], unique: true }],
  ])('are sorted and merged: %s', (_, algorithm, sort) => {
    // A locality sort of four tiles has a second level.
    const shape = algorithm === 'locality' ? { records: 9000, chunkRecords: 8000 } : { chunkRecords: 300 };
    return checkTyped(gpu(), algorithm, sort, { ...shape, stores: sort.reverse ?? false }, random);
  });

  it.each(['first', 'last'] as const)('are limited to the %s ones', (end) =>
    checkTyped(gpu(), 'merge', WHOLE, { chunkRecords: 700, limit: { count: 100, end } }, random),
  );
});
