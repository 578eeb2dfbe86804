/** BAM that stays on the device, against a plain sort of its records. sort-bam.slow.test.ts has more. */
import { expect, it } from 'vitest';
import { Declined } from '../../../../src/contract/engine.js';
import { describeGpu } from '../../../setup/gpu.js';
import { bgzf } from '../../../support/genomics-bam.js';
import { header, inOrder, records } from '../../bam/sorting.js';
import { useGpu } from '../helpers.js';
import { sortOnDevice } from './on-device.js';

const gpu = useGpu();

describeGpu('BAM on the device', () => {
  const some = records(300);
  const head = header();
  const whole = Buffer.concat([head, ...some]);

  it('is sorted by coordinate', async () => {
    const { text, blocks } = await sortOnDevice(gpu(), [bgzf(whole, 1, 20_000)], head.length);
    const expected = inOrder(some);
    expect(text.equals(expected)).toBe(true);
    expect(blocks.equals(expected)).toBe(true);
  });

  it('is declined if the device is slower than it must be', async () => {
    await expect(sortOnDevice(gpu(), [bgzf(whole)], head.length, { sizes: {}, leastRate: Infinity })).rejects.toThrow(
      /it inflates .*\/s; at least .*\/s is needed/,
    );
  });

  it('is declined if it is cut off', async () => {
    await expect(sortOnDevice(gpu(), [bgzf(whole.subarray(0, -1))], head.length)).rejects.toThrow(Declined);
  });
});
