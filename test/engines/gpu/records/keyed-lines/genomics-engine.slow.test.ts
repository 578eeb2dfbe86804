/**
 * The engine with keys of genomics that the device makes: it sorts by them, and names a record without a key as the
 * host does. Slow, because a software GPU compiles a sort of keyed lines.
 */
import { describe, expect, it } from 'vitest';
import { wholeRun } from '../../../../../src/runs/partition.js';
import { describeGpu } from '../../../../setup/gpu.js';
import { randomBelow } from '../../../../support/random.js';
import { engineOn, keptRuns, mergedText } from '../../engines.js';
import { useGpu } from '../../helpers.js';
import { genomicOrdering } from './genomics.js';

describeGpu('the engine with genomics keys', () => {
  const gpu = useGpu();
  const below = randomBelow(1718);
  const pick = <T>(list: readonly T[]): T => list[below(list.length)];
  const contigs = ['chr2', 'chr10', 'chr1'];
  const ordering = genomicOrdering('sam', 'coordinate', null, null, contigs);
  const recordOf = (i: number, contig: string, position: number | string): string =>
    `r${i}\t${below(2) * 16}\t${contig}\t${position}\t60`;
  const some = Array.from({ length: 900 }, (_, i) => recordOf(i, pick([...contigs, '*']), below(40)));

  async function sorted(records: readonly string[], mostRecords: number | null): Promise<string[]> {
    const engine = engineOn(gpu(), {
      ordering,
      chunkBytes: 1 << 16,
      pieceBytes: 1 << 12,
      mostRecords,
      deviceKeys: true,
    });
    try {
      const runs = await keptRuns(engine, Buffer.from(records.map((record) => `${record}\n`).join(''), 'latin1'));
      const text = await mergedText(engine, runs.map(wholeRun));
      for (const run of runs) run.release();
      return text.toString('latin1').split('\n').slice(0, -1);
    } finally {
      await engine.close();
    }
  }

  describe.each([null, 100])('%s records at once', (mostRecords) => {
    it.each([
      ['sorts', some],
      // A number that the device does not know.
      ['sorts with keys of the host', [...some, recordOf(0, 'chr2', '-0')]],
    ])('%s', async (_, records) => {
      const rank = (record: string): number[] => {
        const [, flag, contig, position] = record.split('\t');
        // A read with position 0 is unmapped.
        const mapped = position === '0' ? '*' : contig;
        return [[...contigs, '*'].indexOf(mapped), Number(position), Number(flag) & 16];
      };
      const keys = new Map(records.map((record) => [record, rank(record)]));
      const expected = [...records].sort((a, b) => {
        const [x, y] = [keys.get(a)!, keys.get(b)!];
        return x[0] - y[0] || x[1] - y[1] || x[2] - y[2];
      });
      expect(await sorted(records, mostRecords)).toEqual(expected);
    });

    it('refuses records without a key, as the host does', async () => {
      for (const [contig, position, message] of [
        ['chr3', 7, "record 'bad': contig not listed: 'chr3'"],
        ['chr2', 'x7', "record 'bad': not a whole number: 'x7'"],
        ['chr2', 2 ** 39, `record 'bad': number out of range: '${2 ** 39}'`],
      ] as const) {
        const bad = recordOf(0, contig, position).replace('r0', 'bad');
        await expect(sorted([...some.slice(0, 555), bad, ...some], mostRecords)).rejects.toMatchObject({
          code: 'bad-records',
          message,
        });
      }
    });
  });
});
