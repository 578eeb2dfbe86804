/**
 * Splits of entries with digits of every width, tiles of every size, and within the default limits. Slow, because a
 * software GPU compiles the kernels for each.
 */
import { expect, it } from 'vitest';
import { openGpu } from '../../../../../src/engines/gpu/device/device.js';
import { SPLIT_TUNING, savesLevel, splitKernels } from '../../../../../src/engines/gpu/strings/msd-radix/entries.js';
import { describeGpu } from '../../../../setup/gpu.js';
import { NIGHTLY } from '../../../../support/tier.js';
import { defaultAdapter } from '../../device/default-device.js';
import { useGpu } from '../../helpers.js';
import { checkSplit, KEYS, SMALL } from './splits.js';

/** Digit bits, tile and middle tiles. */
const SHAPES = NIGHTLY
  ? [4, 5, 6, 7, 8, 9, 10].flatMap((digitBits) => [64, 128, 256, 1024].map((tile) => [digitBits, tile, 3] as const))
  : [];

describeGpu('splits of entries', () => {
  const gpu = useGpu();

  it.each(Object.keys(KEYS))('sort keys with digits of other widths: %s', async (name) => {
    await checkSplit(gpu(), { ...SMALL, digitBits: 8, middleTiles: 1 }, name, 3000);
    for (const [digitBits, tile, middleTiles] of SHAPES)
      await checkSplit(gpu(), { ...SMALL, tile, digitBits, middleTiles }, name, 40000);
  });

  it.each(Object.keys(KEYS))('take a wide first digit of keys: %s', async (name) => {
    for (const wideDigitBits of [11, 12])
      for (const n of [1100, 9000]) {
        const tuning = { ...SMALL, wideDigitBits };
        expect(savesLevel(splitKernels(gpu(), tuning), n)).toBe(true);
        await checkSplit(gpu(), tuning, name, n, { symbolBits: 2 });
      }
  });

  it('take a wide first digit only of short alphabets, and if it saves a level', async () => {
    const kernels = splitKernels(gpu(), { ...SMALL, wideDigitBits: 12 });
    expect([1024, 1025, 64 * 2048, 64 * 2048 + 1].map((n) => savesLevel(kernels, n))).toEqual([
      false,
      true,
      true,
      false,
    ]);
    expect(savesLevel(splitKernels(gpu(), SMALL), 5000)).toBe(false);
    // Both must work, whatever the host reports about the alphabet.
    await checkSplit(gpu(), { ...SMALL, wideDigitBits: 12 }, 'random', 3000, { symbolBits: 4 });
    // The counters and a tile of 2,048 take 42 KiB.
    for (const [workgroupBytes, bits] of [
      [32768, undefined],
      [49152, 12],
    ] as const)
      expect(splitKernels({ ...gpu(), workgroupBytes }, { ...SPLIT_TUNING, wideDigitBits: 12 }).wide?.bits).toBe(bits);
  });

  it('sort sizes near the default tile and near powers of two', async () => {
    const { tile } = splitKernels(gpu(), SPLIT_TUNING);
    for (const n of [tile - 1, tile, tile + 1, 2 * tile + 1, 16383, 65537])
      await checkSplit(gpu(), SPLIT_TUNING, 'random', n);
    for (const middleTiles of NIGHTLY ? [1, 8] : [])
      await checkSplit(gpu(), { ...SPLIT_TUNING, middleTiles }, 'random', 2 ** 20 + 1);
    for (const name of ['all equal', 'one large, many small', '16 values'])
      await checkSplit(gpu(), SPLIT_TUNING, name, 40000);
  });

  it('stay within the default limits', async () => {
    const small = await openGpu((await defaultAdapter()).adapter);
    expect(splitKernels(small, SPLIT_TUNING).tile).toBe(1024);
    await checkSplit(small, SPLIT_TUNING, 'random', 20000);
    await checkSplit(small, SPLIT_TUNING, 'one large, many small', 30000);
    await small.noteErrors();
    expect(small.lostReason()).toBeUndefined();
    small.close();
  });
});
