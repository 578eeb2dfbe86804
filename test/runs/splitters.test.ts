/**
 * Splitters are chosen among samples as if all heads were compared. test/cluster/splitters.test.ts tests whole shares.
 */
import * as fc from 'fast-check';
import { describe, expect } from 'vitest';
import { SAMPLE_BYTES } from '../../src/contract/engine.js';
import type { Ordering } from '../../src/job/ordering.js';
import { compareHeads } from '../../src/keys/compare.js';
import { sampleHead } from '../../src/runs/run-index.js';
import { chooseAmong, type WeightedSample } from '../../src/runs/splitters.js';
import { inputs, recordsOf, seedFor } from '../support/distributions.js';
import { byLines, ORDERINGS } from '../support/orderings.js';
import { property } from '../support/property.js';

/** Each record is a run and its sample, which represents one byte. */
const samplesOf = (ordering: Ordering, records: readonly Buffer[]): WeightedSample[] =>
  records.map((record, runNumber) => {
    const head = sampleHead(ordering, record, SAMPLE_BYTES);
    return { runNumber, at: { byte: 0 }, head, bytes: record.length, weight: 1 };
  });

/** The numbers of the runs of the splitters that divide the records into `ranges` ranges. */
async function chosen(ordering: Ordering, records: readonly Buffer[], ranges: number): Promise<number[]> {
  const runs = records.map((record) => ({ record: async () => record }));
  const choice = { bytes: records.length, ranges, least: 1 } as const;
  const splitters = await chooseAmong(samplesOf(ordering, records), runs, ordering, choice);
  return splitters.map(({ runNumber }) => runNumber);
}

/** The same, by comparisons of all heads. */
function expected(ordering: Ordering, records: readonly Buffer[], ranges: number): Set<number> {
  const samples = samplesOf(ordering, records);
  samples.sort((a, b) => compareHeads(ordering, a.head, b.head) || a.runNumber - b.runNumber);
  const ends = Array.from({ length: ranges - 1 }, (_, i) => Math.ceil(((i + 1) * records.length) / ranges));
  return new Set(ends.map((end) => samples[end - 1].runNumber));
}

describe.each(ORDERINGS)('%s', (by, ordering) => {
  property(
    'divide records evenly, whatever their first bytes have in common',
    [inputs([1, 40, 500]), fc.integer({ min: 2, max: 9 }), fc.constantFrom(0, 1, 8, 60)],
    async (input, ranges, shared) => {
      const prefix = ordering.format.kind === 'lines' ? 'p'.repeat(shared) : '';
      const records = recordsOf(ordering, input).map((record) => Buffer.concat([Buffer.from(prefix), record]));
      expect(new Set(await chosen(ordering, records, ranges))).toEqual(expected(ordering, records, ranges));
    },
    { runs: 40, seed: seedFor(by) },
  );
});

describe.each([
  ['ascending', byLines()],
  ['descending', byLines({ reverse: true })],
])('%s', (by, ordering) => {
  // These letters give heads that are prefixes of others, and heads that agree in as many bytes as a number holds.
  const text = fc.array(fc.constantFrom('', '\0', 'a', 'aaaaaa', 'b', '\xff'), { maxLength: 4 });
  property(
    'divide short records that are prefixes of others evenly',
    [fc.array(text, { minLength: 1, maxLength: 60 }), fc.integer({ min: 2, max: 9 })],
    async (texts, ranges) => {
      const records = texts.map((letters) => Buffer.from(letters.join(''), 'latin1'));
      expect(new Set(await chosen(ordering, records, ranges))).toEqual(expected(ordering, records, ranges));
    },
    { runs: 200, seed: seedFor(by) },
  );
});
