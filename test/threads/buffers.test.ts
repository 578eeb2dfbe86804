/** Shared memory for chunks: buffers that were given back are reused. */
import { expect, it } from 'vitest';
import { createSharedMemory } from '../../src/threads/buffers.js';

it('reuses buffers, but not far larger ones', () => {
  const pool = createSharedMemory(2);
  const large = pool.take(1000);
  const small = pool.take(100);
  pool.give(small);
  pool.give(large);
  expect(pool.take(90)).toBe(small);
  expect(pool.take(90)).not.toBe(large);
  expect(pool.take(900)).toBe(large);
});
