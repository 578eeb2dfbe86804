/** Shared memory for chunks: buffers that were given back are reused. */
import { expect, it } from 'vitest';
import { createSharedMemory } from '../../../src/system/threads/buffers.js';

it('reuses shared buffers, but not far larger ones', () => {
  const pool = createSharedMemory(2);
  const large = pool.take(1000);
  const small = pool.take(100);
  pool.give(small);
  pool.give(large);
  expect(pool.take(90)).toBe(small);
  expect(pool.take(90)).not.toBe(large);
  expect(pool.take(900)).toBe(large);
});

it('keeps a limited number of shared buffers and drops the smallest', () => {
  const pool = createSharedMemory(2);
  const [small, middle, large] = [100, 150, 200].map((bytes) => pool.take(bytes));
  for (const buffer of [large, small, middle]) pool.give(buffer);
  expect(pool.take(100)).toBe(middle);
  expect(pool.take(100)).toBe(large);
  expect(pool.take(100)).not.toBe(small);
});

it('makes buffers of sizes that differ a little equally large', () => {
  const pool = createSharedMemory(1);
  const buffer = pool.take(1000);
  expect(buffer.byteLength).toBe(1024);
  pool.give(buffer);
  expect(pool.take(1020)).toBe(buffer);
  expect(pool.take(1 << 20).byteLength).toBe(1 << 20);
  expect(pool.take(1).byteLength).toBe(1);
});
