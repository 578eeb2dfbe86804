/**
 * gpusort against a plain model of binary records with typed keys: random types, byte orders, letters, options and
 * inputs, on the CPU engine. battery.gpu.test.ts runs the GPU engine's cases.
 */
import { describe } from 'vitest';
import { tiny } from './batches.js';
import { binaryCases } from './binary-ways.js';

describe('binary records, the CPU engine', () => {
  describe('one chunk', () => binaryCases(0, 200, () => ({ engine: 'cpu' })));
  describe('tiny chunks', () => binaryCases(10_000, 10_150, (batch) => ({ engine: 'cpu', chunkBytes: tiny(batch) })));
  describe('tiny chunks, one thread', () =>
    binaryCases(20_000, 20_100, (batch) => ({ engine: 'cpu', chunkBytes: tiny(batch), parallel: 1 })));
  describe('sample sort', () =>
    binaryCases(30_000, 30_150, (batch) => ({ engine: 'cpu', algorithm: 'sample-sort', chunkBytes: tiny(batch) })));
});
