/** The scan at sizes of one tile, one round of the spine and several: every word, and the total. */
import { expect, it } from 'vitest';
import { allocate, readBack, submitPass } from '../../../../src/engines/gpu/device/dispatch.js';
import { loadScan, scanExclusive, scanSumsBytes } from '../../../../src/engines/gpu/records/scan.js';
import { describeGpu } from '../../../setup/gpu.js';
import { sampled } from '../../../support/tier.js';
import { useGpu } from '../helpers.js';

const GUARD = 0xdeadbeef;
const TILE = 2048;
/** Words that one round of the spine covers. */
const ROUND = TILE * TILE;
const SIZES = [1, 2, 255, TILE - 1, TILE, TILE + 1, 100_000, ROUND, ROUND + 1, 5_000_000, 9_000_000];

describeGpu('the scan', () => {
  const gpu = useGpu();
  // Small sizes, several tiles, several rounds.
  const sizes = sampled(SIZES, { count: SIZES.length, seed: 2, values: (n) => [n > TILE, n > ROUND, n % TILE < 2] });
  it.each(sizes)('sums %d words', async (n) => {
    await loadScan(gpu());
    const words = new Uint32Array(n + 2);
    let state = n;
    for (let i = 0; i <= n; i++) {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      words[i] = state >>> 24;
    }
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
  });
});
