/** Chunks and merges of collated lines: intervals only save comparisons, and a limit drops lines early. */
import { describe, expect, it } from 'vitest';
import { mergeTexts } from '../../src/collate/merge.js';
import { orderText } from '../../src/collate/order.js';
import { Collation } from '../../src/keys/collation/collation.js';
import { split } from '../support/records.js';
import { decoded, join, orderingOf, referenceSort, textLines } from './support.js';

describe('sorting and merging by intervals', () => {
  it.each(['de', 'sv -r', 'hu -u', 'de -t, -k2', 'de -f', 'de -k1,1n -k1'])(
    'gives the order of the collator alone: --locale %s',
    (options) => {
      const args = ['--locale', ...options.split(' ')];
      const ordering = orderingOf(...args);
      const collation = new Collation(ordering);
      const lines = textLines(21, 900).map((line, i, all) =>
        Buffer.concat([line, Buffer.from(','), all[(i * 7) % 900]]),
      );
      const texts = [0, 300, 301].map((from, i, all) => Buffer.from(join(lines.slice(from, all[i + 1]))));
      const orders = [Infinity, 0].map((weighingBytes) => {
        const parts = texts.map((text) => {
          const copy = Buffer.from(text);
          return copy.subarray(0, orderText(collation, copy, null, weighingBytes).bytes);
        });
        const target = Buffer.alloc(parts.reduce((sum, { length }) => sum + length, 0));
        const outcome = mergeTexts(collation, parts, target, null, weighingBytes);
        const result = target.subarray(0, outcome.bytes);
        const records = split(result);
        expect(outcome.records).toBe(records.length);
        // The offsets of every 16th record.
        const starts = records.map((_, i) => join(records.slice(0, i)).length).filter((_, i) => i % 16 === 0);
        expect([...outcome.index]).toEqual(starts);
        return result.toString('latin1');
      });
      expect(orders[0]).toBe(orders[1]);
      if (options === 'de')
        expect(orders[0]).toBe(join(referenceSort(lines, { locale: 'de', keys: [(line) => line] })).toString('latin1'));
    },
  );
});

it('drops lines beyond a limit from chunks and merges', () => {
  const collation = new Collation(orderingOf('--locale=de', '-u'));
  const text = (): Buffer => Buffer.from('b\nä\na\nb\nA\nc\na\n');
  const ordered = (end: 'first' | 'last'): string => {
    const copy = text();
    return copy.toString('utf8', 0, orderText(collation, copy, { end, count: 2 }).bytes);
  };
  expect([ordered('first'), ordered('last')]).toEqual(['a\nA\n', 'b\nc\n']);
  const merged = (end: 'first' | 'last'): number =>
    mergeTexts(collation, [Buffer.from('a\nb\n'), Buffer.from('a\nc\n')], Buffer.alloc(8), { end, count: 2 }).records;
  expect([merged('first'), merged('last')]).toEqual([2, 3]);
});

it('decodes well-formed and ill-formed bytes in the reference', () => {
  expect(decoded(Buffer.from('c3a4', 'hex'))).toBe('ä');
  expect(decoded(Buffer.from('ffc3a4e2', 'hex'))).toBe('\udcffä\udce2');
});
