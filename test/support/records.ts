/** Records for tests: their text, and a simple reference sort and run to compare with. */
import { type Position, SAMPLE_BYTES, type StoredRun } from '../../src/contract/engine.js';
import { delimiterOf, type Ordering } from '../../src/job/ordering.js';
import { compareRecords, orderedBytes } from '../../src/keys/compare.js';

export const LINES: Ordering = {
  format: { kind: 'lines', delimiter: 10 },
  key: { kind: 'record' },
  reverse: false,
  unique: false,
  lastResort: true,
};

/** Concatenates records, with their delimiters. */
export function join(records: readonly Uint8Array[], { format }: Ordering = LINES): Buffer {
  if (format.kind !== 'lines') return Buffer.concat(records);
  const delimiter = Uint8Array.of(format.delimiter);
  return Buffer.concat(records.flatMap((record) => [record, delimiter]));
}

/** The records of a text, without their delimiters. */
export function split(text: Uint8Array, { format }: Ordering = LINES): Uint8Array[] {
  const records: Uint8Array[] = [];
  for (let at = 0; at < text.length; ) {
    const end = format.kind === 'fixed' ? at + format.size : text.indexOf(delimiterOf(format), at);
    records.push(text.subarray(at, end));
    at = format.kind === 'fixed' ? end : end + 1;
  }
  return records;
}

/** The position of each record, and of the end. */
export function positionsOf(records: readonly Uint8Array[], { format }: Ordering = LINES): Position[] {
  const positions: Position[] = [{ byte: 0 }];
  for (const record of records)
    positions.push({ byte: positions.at(-1)!.byte + record.length + (format.kind === 'lines' ? 1 : 0) });
  return positions;
}

/** The expected result of a sort: by Array.sort, which is stable; under `unique`, the first record of each key. */
export function sortedRecords<T extends Uint8Array>(records: readonly T[], ordering: Ordering = LINES): T[] {
  const sorted = [...records].sort((a, b) => compareRecords(ordering, a, b));
  return ordering.unique
    ? sorted.filter((record, i) => i === 0 || compareRecords(ordering, sorted[i - 1], record) !== 0)
    : sorted;
}

/** A stored run of sorted records, in memory that belongs to no engine. */
export function plainRun(
  records: readonly Uint8Array[],
  ordering: Ordering = LINES,
): StoredRun & { readonly positions: readonly Position[] } {
  const text = join(records, ordering);
  const positions = positionsOf(records, ordering);
  const numbers = new Map(positions.map(({ byte }, i) => [byte, i]));
  const numberOf = ({ byte }: Position): number => numbers.get(byte)!;
  return {
    kind: 'stored',
    positions,
    begin: positions[0],
    end: positions[records.length],
    sample: async (from, to, count) =>
      Array.from(
        { length: count },
        (_, i) => positions[numberOf(from) + Math.floor(((i + 0.5) * (numberOf(to) - numberOf(from))) / count)],
      ).map((at) => ({
        at,
        head: orderedBytes(ordering, records[numberOf(at)], SAMPLE_BYTES),
        bytes: records[numberOf(at)].length,
      })),
    record: async (at) => records[numberOf(at)],
    cut: async (from, to, requested) =>
      requested.map((record) => {
        const inside = records.slice(numberOf(from), numberOf(to));
        const bound = (most: number): Position =>
          positions[numberOf(from) + inside.filter((other) => compareRecords(ordering, other, record) <= most).length];
        return { lower: bound(-1), upper: bound(0) };
      }),
    readAt: async (byte, target) => {
      await new Promise(setImmediate);
      target.set(text.subarray(byte, byte + target.length));
    },
    release: () => {},
  };
}
