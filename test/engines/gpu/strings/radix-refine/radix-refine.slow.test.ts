/** Radix-refine against the host's sort, with a radix sort of all records first; alphabets; shared prefixes. */
import { describe, expect, it } from 'vitest';
import { alphabetOf } from '../../../../../src/keys/alphabet.js';
import { describeGpu } from '../../../../setup/gpu.js';
import { LINES } from '../../../../support/records.js';
import { sampled } from '../../../../support/tier.js';
import { useGpu } from '../../helpers.js';
import { checkStringSort, testStringSort, UNIQUE } from '../string-sorts.js';
import { refineBy } from './sorts.js';

describe('an alphabet', () => {
  const found = (...bytes: number[]): Uint8Array =>
    Uint8Array.from({ length: 256 }, (_, b) => Number(bytes.includes(b)));
  it.each([
    ['nothing', [], 0, 1, 64],
    ['one byte', [97], 1, 1, 64],
    ['ACGT', [65, 67, 71, 84], 4, 3, 21],
    ['three bytes', [1, 2, 3], 3, 2, 32],
    ['all bytes', Array.from({ length: 256 }, (_, b) => b), 256, 9, 7],
  ])('of %s takes as few bits as it can', (_, bytes, size, symbolBits, keySymbols) => {
    expect(alphabetOf(found(...bytes), null)).toMatchObject({ size, symbolBits, keySymbols });
  });
  it('has no end mark if all records have one length', () => {
    expect(alphabetOf(found(65, 67, 71, 84), null, { oneLength: true })).toMatchObject({
      size: 4,
      symbolBits: 2,
      keySymbols: 32,
    });
    expect(alphabetOf(found(65), null, { oneLength: true })).toMatchObject({ size: 1, symbolBits: 1, keySymbols: 64 });
    expect(alphabetOf(found(66, 65), null, { oneLength: true }).numbers.slice(65, 67)).toEqual(Uint32Array.of(0, 1));
  });
  it('numbers bytes in order, without the delimiter', () => {
    const { numbers, size } = alphabetOf(found(10, 65, 255, 0), 10);
    expect([size, numbers[0], numbers[10], numbers[65], numbers[255], numbers[66]]).toEqual([3, 1, 0, 2, 3, 0]);
  });
});

describeGpu('radix-refine', () => {
  const gpu = useGpu();
  testStringSort(gpu, 'radix-refine', refineBy(), refineBy({ radixGroup: 2, radixCount: 0 }));

  it.each(sampled([4095, 4096, 4097, 9001], { count: 4, seed: 1 }))(
    'sorts records that all share %i bytes',
    async (shared) => {
      const records = Array.from({ length: 90 }, (_, i) => Buffer.from('x'.repeat(shared) + String((i * 37) % 60)));
      for (const ordering of sampled([LINES, { ...UNIQUE, reverse: true }], { count: 2, seed: 1 }))
        for (const known of [0, 3000]) await checkStringSort(gpu(), refineBy(), records, ordering, known);
    },
  );

  it.each(sampled([4100, 7999], { count: 2, seed: 1 }))(
    'sorts records of which only record %i does not share the prefix of all others',
    async (late) => {
      const records = Array.from({ length: 8000 }, (_, i) => Buffer.from(`shared by ${(i * 7919) % 8000}`));
      await checkStringSort(gpu(), refineBy(), records.with(late, Buffer.from('sharp')));
    },
  );
});
