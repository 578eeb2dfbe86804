/** The scan at sizes of one tile, one round of the spine and several: every word, and the total. */
import { expect, it } from 'vitest';
import { allocate, readBack, submitPass } from '../../../src/gpu/device/dispatch.js';
import { loadScan, scanExclusive, scanSumsBytes } from '../../../src/gpu/records/scan.js';
import { describeGpu } from '../../setup/gpu.js';
import { random } from '../../support/random.js';
import { useGpu } from '../helpers.js';

const GUARD = 0xdeadbeef;

describeGpu('scan', () => {
  const gpu = useGpu();
  // 2,048 words per tile, 2,048 tiles per round of the spine.
  it.each([1, 2, 255, 2047, 2048, 2049, 100_000, 2048 * 2048, 2048 * 2048 + 1, 5_000_000, 9_000_000])(
    '%d words',
    async (n) => {
      await loadScan(gpu());
      const next = random(n);
      const words = Uint32Array.from({ length: n + 2 }, () => Math.floor(next() * 400));
      words[n + 1] = GUARD;
      const data = await allocate(gpu(), words.byteLength, 'scan test');
      const sums = await allocate(gpu(), scanSumsBytes(n), 'scan test sums');
      gpu().device.queue.writeBuffer(data, 0, words);
      submitPass(gpu(), 'tokenize', 'scan', (pass) => {
        scanExclusive(gpu(), pass, data, n, sums);
      });
      const result = new Uint32Array((await readBack(gpu(), data, 0, words.byteLength)).buffer);
      let sum = 0;
      let wrong = -1;
      for (let i = 0; i <= n && wrong < 0; i++) {
        if (result[i] !== sum >>> 0) wrong = i;
        sum += words[i];
      }
      expect(wrong).toBe(-1);
      expect(result[n + 1]).toBe(GUARD);
      data.destroy();
      sums.destroy();
    },
  );
});
