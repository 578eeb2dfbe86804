/**
 * Stretches of BGZF that become texts, with zlib in place of the kernels that inflate: those take seconds to compile on
 * a software GPU. inflated-texts.slow.test.ts has the kernels.
 */
import { crc32, inflateRawSync } from 'node:zlib';
import { beforeAll, vi } from 'vitest';
import type { Gpu } from '../../../../src/engines/gpu/device/device.js';
import { readBack } from '../../../../src/engines/gpu/device/dispatch.js';
import { describeGpu } from '../../../setup/gpu.js';
import { useGpu } from '../helpers.js';

/** Words of a block's place, and of the bytes that are kept before the first text. */
const PLACE_WORDS = 4;

vi.mock(import('../../../../src/engines/gpu/bgzf/inflate.js'), () => ({
  loadInflate: async () => undefined,
  inflateOnDevice: async ({ gpu }, compressed, places, text) => {
    const [begin, end] = [places[2], places.at(-1)!];
    const whole = Buffer.alloc(Math.ceil(end / 4) * 4);
    if (begin > 0) whole.set((await readBack(gpu, text, 0, Math.ceil(begin / 4) * 4)).subarray(0, begin));
    const stored = await readBack(gpu, compressed, 0, Math.floor(compressed.size / 4) * 4);
    const blocks = places.length / PLACE_WORDS;
    const [status, crcs] = [new Uint32Array(blocks).fill(1), new Uint32Array(blocks)];
    for (let block = 0; block < blocks; block++) {
      const [from, to, textBegin, textEnd] = places.subarray(PLACE_WORDS * block);
      try {
        const inflated = inflateRawSync(stored.subarray(from, to));
        if (inflated.length !== textEnd - textBegin) continue;
        whole.set(inflated, textBegin);
        [status[block], crcs[block]] = [0, crc32(inflated)];
      } catch {
        // The block is damaged.
      }
    }
    gpu.device.queue.writeBuffer(text, 0, whole);
    return { status, crcs };
  },
}));

const { loadInflatedTexts } = await import('../../../../src/engines/gpu/bgzf/inflated-texts.js');
const { loadFraming } = await import('../../../../src/engines/gpu/records/frame.js');
const { casesOfTexts, FRAMINGS } = await import('./texts-of-files.js');

const gpu = useGpu();

describeGpu('files of BGZF, of which the host inflates the blocks', () => {
  beforeAll(async () => {
    const loaded: Gpu = gpu();
    const framings = Object.values(FRAMINGS).map((framing) => loadFraming(loaded, framing));
    await Promise.all([loadInflatedTexts(loaded), ...framings]);
  });
  casesOfTexts(gpu, { isQuick: true });
});
