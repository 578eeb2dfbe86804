/**
 * Radix-refine against the host's sort: with radix sort first, and with locality sort first (--algorithm locality);
 * alphabets.
 */
import { describe, expect, it } from 'vitest';
import { localitySort } from '../../../../src/gpu/keys/locality-sort/locality-sort.js';
import {
  loadRadixRefine,
  RADIX_REFINE_TUNING,
  type RadixRefineTuning,
  radixRefine,
} from '../../../../src/gpu/strings/radix-refine/radix-refine.js';
import { alphabetOf } from '../../../../src/keys/alphabet.js';
import { describeGpu } from '../../../setup/gpu.js';
import { random } from '../../../support/random.js';
import { LINES } from '../../../support/records.js';
import { NIGHTLY } from '../../../support/tier.js';
import { useGpu } from '../../helpers.js';
import { checkStringSort, KEYED, REVERSE, type StringSort, testStringSort, UNIQUE } from '../string-sorts.js';
import { DISTRIBUTIONS } from '../strings.js';

describe('alphabets', () => {
  const present = (...bytes: number[]): Uint32Array => {
    const words = new Uint32Array(8);
    for (const b of bytes) words[b >> 5] |= 1 << (b & 31);
    return words;
  };
  it.each([
    ['nothing', [], 0, 1, 64],
    ['one byte', [97], 1, 1, 64],
    ['ACGT', [65, 67, 71, 84], 4, 3, 21],
    ['three', [1, 2, 3], 3, 2, 32],
    ['all', Array.from({ length: 256 }, (_, b) => b), 256, 9, 7],
  ])('%s', (_, bytes, size, symbolBits, keySymbols) => {
    expect(alphabetOf(present(...bytes), null)).toMatchObject({ size, symbolBits, keySymbols });
  });
  it('numbers bytes in order, without the delimiter', () => {
    const { numbers, size } = alphabetOf(present(10, 65, 255, 0), 10);
    expect([size, numbers[0], numbers[10], numbers[65], numbers[255], numbers[66]]).toEqual([3, 1, 0, 2, 3, 0]);
  });
});

const sortBy =
  (tuning: Partial<RadixRefineTuning> = {}): StringSort =>
  async (device, pool, records, ordering, commonPrefix) => {
    const whole = { ...RADIX_REFINE_TUNING, ...tuning };
    await loadRadixRefine(device, ordering, whole);
    return radixRefine(device, pool, records, ordering, commonPrefix, whole);
  };

/** Lines of a log, each up to `late` places from its sorted position. Some repeat. */
function log(n: number, late: number): Uint8Array[] {
  const next = random(late + 1);
  return Array.from({ length: n }, (_, i) =>
    Buffer.from(
      `2026-11-21 ${String(1e6 + i - (i % 3) + Math.floor(next() * late)).padStart(9, '0')} took ${i % 5} ms`,
    ),
  );
}

describeGpu('radix-refine', () => {
  const gpu = useGpu();
  testStringSort(gpu, sortBy(), sortBy({ radixGroup: 2, radixCount: 0 }), 0);
  it.each([4095, 4096, 4097, 9001])('sorts records that all share %i bytes', async (shared) => {
    const records = Array.from({ length: 90 }, (_, i) => Buffer.from('x'.repeat(shared) + String((i * 37) % 60)));
    for (const ordering of [LINES, { ...REVERSE, unique: true, lastResort: false }]) {
      await checkStringSort(gpu(), sortBy(), records, ordering);
      await checkStringSort(gpu(), sortBy(), records, ordering, 3000);
    }
  });

  describe('with a locality sort first', () => {
    const plain = sortBy({ firstSort: localitySort() });
    const small = sortBy({ firstSort: localitySort({ tile: 64 }), radixGroup: 2, radixCount: 0 });
    it.each([0, 30, 500, 20_000])('sorts a log with lines %i places late', async (late) => {
      await checkStringSort(gpu(), plain, log(7001, late));
      for (const ordering of [REVERSE, UNIQUE]) await checkStringSort(gpu(), small, log(1500, late), ordering);
    });
    it.each(['random strings', 'reversed', 'organ pipe', 'all equal, short', 'NULs'])(
      'sorts %s, near order or not',
      async (name) => {
        const records = DISTRIBUTIONS[name](1601, random(3)).map((record) =>
          record.map((byte) => (byte === 10 ? 11 : byte)),
        );
        await checkStringSort(gpu(), plain, records);
        await checkStringSort(gpu(), small, records, { ...UNIQUE, reverse: true });
      },
    );
    it('sorts fixed records by a key, equal ones in input order', async () => {
      const next = random(3);
      const records = Array.from({ length: 1300 }, (_, i) =>
        Uint8Array.from({ length: 23 }, (_byte, at) => (at === 5 ? i >> 7 : Math.floor(next() * 2))),
      );
      for (const lastResort of [true, false]) await checkStringSort(gpu(), plain, records, { ...KEYED, lastResort });
    });
    describe.runIf(NIGHTLY)('cases that every string sort must get right', () => testStringSort(gpu, plain, small, 0));
  });
});
