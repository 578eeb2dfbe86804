/** Whole records of texts that are cut anywhere, against the records of the whole text. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { recordFinder } from '../../src/records/record-finder.js';
import { completed, recordTexts, WholeRecords } from '../../src/records/whole-records.js';
import { property } from '../support/property.js';
import { inPieces, readAll } from '../support/streams.js';

const TEXT = fc.string({ unit: fc.constantFrom('a', 'b', '\n'), maxLength: 30 });
const CUTS = fc.array(fc.nat(30), { maxLength: 8 });

/** The text in blocks, some of them empty, each in memory that is overwritten once the next one is taken. */
function* blocksOf(text: string, cuts: readonly number[]): Generator<Uint8Array> {
  const memory = new Uint8Array(64);
  const bounds = [0, ...cuts.map((cut) => Math.min(cut, text.length)).sort((a, b) => a - b), text.length];
  for (const [i, end] of bounds.entries()) {
    const block = Buffer.from(text.slice(bounds[i - 1] ?? 0, end), 'latin1');
    memory.fill(0xff).set(block, 16);
    yield memory.subarray(16, 16 + block.length);
  }
}

property(
  'returns whole records in order, then the rest',
  [TEXT, CUTS, fc.constantFrom(0, 1, 3)],
  (text, cuts, size) => {
    const records = new WholeRecords(
      recordFinder(size === 0 ? { kind: 'lines', delimiter: 10 } : { kind: 'fixed', size }),
    );
    const ends = size === 0 ? [...text.matchAll(/\n/g)].map(({ index }) => index + 1) : undefined;
    const isEnd = (at: number): boolean => at === 0 || (ends?.includes(at) ?? at % size === 0);
    let given = '';
    for (const block of blocksOf(text, cuts))
      for (const part of records.texts(block)) {
        expect(part.length).toBeGreaterThan(0);
        given += part.toString('latin1');
        expect(isEnd(given.length)).toBe(true);
      }
    const left = records.openBytes;
    const rest = Buffer.concat(records.rest()).toString('latin1');
    expect(given + rest).toBe(text);
    expect(rest).toHaveLength(left);
    expect(rest).toBe(text.slice(ends === undefined ? text.length - (text.length % size) : (ends.at(-1) ?? 0)));
    expect(records.openBytes).toBe(0);
  },
  { runs: 500 },
);

it('copies nothing but records that span blocks', () => {
  const records = new WholeRecords(recordFinder({ kind: 'lines', delimiter: 10 }));
  const [first, second] = [Buffer.from('a\nbb\nc'), Buffer.from('d\ne\n')];
  expect(records.take(first)).toMatchObject({ spanning: [], whole: { length: 5, buffer: first.buffer } });
  const { spanning, whole } = records.take(second);
  expect(spanning.map(String)).toEqual(['c', 'd\n']);
  expect(whole).toMatchObject({ length: 2, buffer: second.buffer });
});

const PIECE = fc.integer({ min: 1, max: 9 });

const holds = async (text: string, most: number): Promise<void> => {
  const finder = recordFinder({ kind: 'lines', delimiter: 10 });
  const source = inPieces(text, () => most);
  const whole = completed(source, finder, 'x');
  const texts: string[] = [];
  for await (const lines of recordTexts(whole, finder)) texts.push(lines.toString('latin1'));
  expect(texts.join('')).toBe(text === '' || text.endsWith('\n') ? text : `${text}\n`);
  expect(texts.every((lines) => lines.endsWith('\n'))).toBe(true);
  expect(await whole.read()).toBe(null);
  whole.close();
  whole.close();
  expect(source.closes).toBe(1);
};
property('adds the delimiter that a text lacks, once', [TEXT, PIECE], holds, { runs: 500 });

it('names the input whose last record is not whole', async () => {
  const source = inPieces('12345', () => 2);
  await expect(readAll(completed(source, recordFinder({ kind: 'fixed', size: 2 }), 'file'))).rejects.toThrow(
    'file: 5 bytes are not a whole number of 2-byte records: 1 byte is left over',
  );
});
