/** BAM that a GPU sorts by name, in tiny texts, against a plain model of the orders. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Declined } from '../../../../src/contract/engine.js';
import { describeGpu } from '../../../setup/gpu.js';
import { bgzf } from '../../../support/genomics-bam.js';
import { property } from '../../../support/property.js';
import { casesOfNames, expectedOf, FLAGS, NAME_ORDERS, type Named, record, sequenced } from '../../bam/names.js';
import { header, rowsBy } from '../../bam/sorting.js';
import { useGpu } from '../helpers.js';
import { sortOnDevice } from './on-device.js';

const gpu = useGpu();
const head = header();
const fileOf = (records: readonly Buffer[]): Buffer => bgzf(Buffer.concat([head, ...records]), 1, 5000);

async function check(records: readonly Named[]): Promise<void> {
  for (const order of NAME_ORDERS) {
    const { text, blocks } = await sortOnDevice(gpu(), [fileOf(records.map(record))], head.length, {
      rows: rowsBy(order),
    });
    const expected = expectedOf(order, records);
    expect([text.equals(expected), blocks.equals(expected)], order).toEqual([true, true]);
  }
}

describeGpu('BAM on the device by name', () => {
  casesOfNames(check, 1000);

  property(
    'is in the order of the model, whatever the names are',
    [
      fc.array(
        fc.record({
          name: fc.string({ unit: fc.constantFrom('0', '1', '9', '10', 'a', 'Z', ':', '_', '\xff'), maxLength: 24 }),
          flag: fc.constantFrom(...FLAGS),
        }),
        { minLength: 1, maxLength: 400 },
      ),
    ],
    async (records) => check(records),
    { runs: 40, seed: 4 },
  );

  it('may be several files, some without records', async () => {
    const named = sequenced(1, 4000);
    const all = named.map(record);
    const files = [[], all.slice(0, 1500), [], all.slice(1500, 1501), all.slice(1501)].map(fileOf);
    const { blocks } = await sortOnDevice(gpu(), files, head.length, { rows: rowsBy('queryname') });
    expect(blocks.equals(expectedOf('queryname', named))).toBe(true);
  });

  it('is declined if its keys do not fit into one buffer', async () => {
    const named = Array.from({ length: 3000 }, (_, i) => ({ name: 'a1'.repeat(127), flag: FLAGS[i % FLAGS.length] }));
    const files = [fileOf(named.map(record))];
    const sort = (maxBindingBytes: number) =>
      sortOnDevice({ ...gpu(), maxBindingBytes }, files, head.length, { rows: rowsBy('queryname') });
    const refusal = sort(1.1e6);
    await expect(refusal).rejects.toThrow(Declined);
    await expect(refusal).rejects.toThrow(/^the keys of its names, .*, do not fit into one buffer of the GPU$/);
    expect((await sort(1.2e6)).blocks.equals(expectedOf('queryname', named))).toBe(true);
  });
});
