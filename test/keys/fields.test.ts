/** The parts of records that key definitions select, against what `sort --debug` underlines. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseFieldSpan } from '../../src/cli/parse/key-definition.js';
import type { KeyPart, Ordering } from '../../src/job/ordering.js';
import { keyOf } from '../../src/keys/compare.js';
import { fieldSpan } from '../../src/keys/fields.js';
import { KeyMaker } from '../../src/keys/key-maker.js';
import { gnuSort } from '../cli/run.js';
import { property } from '../support/property.js';
import { randomBelow } from '../support/random.js';
import { LINES, split } from '../support/records.js';
import { drawn, textOf } from './orderings.js';

const lineOf = (...pieces: readonly string[]) => textOf(14, pieces);

/** GNU sort's --debug output for a line: tabs as `>`, then the key underlined. */
function underlined(line: string, keyDefinition: string, separator: string | null): string {
  const record = Buffer.from(line);
  const key = fieldSpan(parseFieldSpan(keyDefinition, separator === null ? null : Buffer.from(separator)), record);
  const indent = key.byteOffset - record.byteOffset;
  const mark = key.length === 0 ? '^ no match for key' : '_'.repeat(key.length);
  return `${line.replaceAll('\t', '>')}\n${' '.repeat(indent)}${mark}\n`;
}

const place = (leastByte: number) =>
  fc
    .tuple(
      fc.integer({ min: 1, max: 4 }),
      fc.option(fc.integer({ min: leastByte, max: 4 })),
      fc.constantFrom('', '', 'b'),
    )
    .map(([field, byte, blanks]) => `${field}${byte === null ? '' : `.${byte}`}${blanks}`);
const key = fc.oneof(
  fc.constantFrom('1', '2', '2,2', '1,1', '1.2,1.3', '3,2', '2b,2', '9,9', '1.9'),
  place(1),
  fc.tuple(place(1), place(0)).map(([begin, end]) => `${begin},${end}`),
);

property(
  'finds the fields that sort --debug underlines',
  [
    fc.array(lineOf(...' \t,,ab c:'), { maxLength: 60, size: 'max' }),
    fc.array(key, { minLength: 8, maxLength: 8 }),
    fc.constantFrom(null, ',', ' ', '\t'),
  ],
  (drawn, keys, separator) => {
    const lines = [...drawn, '', ',', ' ', 'abc'];
    for (const key of keys) {
      const options = ['-s', '--debug', ...(separator === null ? [] : ['-t', separator]), `-k${key}`];
      const marked = gnuSort(options, { input: lines.map((line) => `${line}\n`).join('') }).stdout;
      const expected = [...marked.matchAll(/(.*)\n(.*)\n/g)].map(([both]) => both).sort();
      expect(lines.map((line) => underlined(line, key, separator)).sort(), key).toEqual(expected);
    }
  },
  { runs: 25 },
);

// GNU sort has no separators of several bytes. Replacing them by one byte that occurs nowhere else must give the same
// fields, on the host and in kernels.
describe.each(['||', 'é', '€', 'aab', '----'])('the separator %s', (separator) => {
  const STAND_IN = '\x01';
  const bytes = Buffer.from(separator).toString('latin1');
  const line = lineOf(bytes, bytes, bytes[0], 'x', ' ', bytes.slice(1));
  const lines = fc.array(line, { minLength: 100, maxLength: 300, size: 'max' });
  const replaced = (text: string): string => text.replaceAll(bytes, STAND_IN);

  property(
    'splits fields on the host',
    [lines, fc.constantFrom('1', '2', '3b', '1,1', '2,2', '2,3', '4,4', '3,2', '1.2,1')],
    (lines, key) => {
      const record = (text: string): Buffer => Buffer.from(text, 'latin1');
      for (const line of lines) {
        const found = fieldSpan(parseFieldSpan(key, record(bytes)), record(line));
        const expected = fieldSpan(parseFieldSpan(key, record(STAND_IN)), record(replaced(line)));
        expect(replaced(Buffer.from(found).toString('latin1'))).toBe(Buffer.from(expected).toString('latin1'));
      }
    },
    { runs: 20 },
  );

  property(
    'splits the fields of keys',
    [lines, fc.constantFrom('1,1', '2,2', '3b,3', '4,4')],
    (lines, key) => {
      const expected = keysOf(lines.map(replaced), key, STAND_IN);
      expect(keysOf(lines, key, bytes), key).toEqual(expected);
    },
    { runs: 10 },
  );

  it('occurs in lines whose keys differ', () => {
    const lines = drawn(randomBelow(51), 300, 12, [bytes, bytes, bytes[0], 'x', ' ', bytes.slice(1)]);
    for (const key of ['1,1', '2,2', '3b,3', '4,4']) expect(new Set(keysOf(lines, key, bytes)).size).toBeGreaterThan(3);
  });
});

/** The normalized keys of lines (src/keys/keyed.ts). Strings have one character a byte. */
function keysOf(lines: readonly string[], key: string, separator: string): string[] {
  const span = parseFieldSpan(key, Buffer.from(separator, 'latin1'));
  const part: KeyPart = { span, order: 'bytes', dictionary: false, printing: false, fold: false, reverse: false };
  const ordering: Ordering = { ...LINES, lastResort: false, key: { kind: 'normalized', parts: [part], seed: null } };
  const blocks: Buffer[] = [];
  new KeyMaker(ordering).make(Buffer.from(lines.map((line) => `${line}\n`).join(''), 'latin1'), (block) => {
    blocks.push(Buffer.from(block));
  });
  return split(Buffer.concat(blocks)).map((record) => Buffer.from(keyOf(ordering, record)).toString('latin1'));
}
