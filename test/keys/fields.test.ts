/** The parts of records that key definitions select, against what `sort --debug` underlines. */
import { describe, expect, it } from 'vitest';
import { parseFieldSpan } from '../../src/cli/parse/key-definition.js';
import type { KeyPart, Ordering } from '../../src/job.js';
import { keyOf } from '../../src/keys/compare.js';
import { fieldSpan } from '../../src/keys/fields.js';
import { KeyMaker } from '../../src/keys/key-maker.js';
import { gnuSort } from '../cli/run.js';
import { randomBelow } from '../support/random.js';
import { LINES, split } from '../support/records.js';

const below = randomBelow(51);
const pick = <T>(list: readonly T[]): T => list[below(list.length)];

/** Lines of blanks, separators and letters, and a few fixed ones. */
const lines = Array.from({ length: 60 }, () =>
  Array.from({ length: below(14) }, () => pick([...' \t,,ab c:'])).join(''),
).concat('', ',', ' ', 'abc');

/** GNU sort's --debug output for a line: tabs as `>`, then the key underlined. */
function underlined(line: string, keyDefinition: string, separator: string | null): string {
  const record = Buffer.from(line);
  const key = fieldSpan(parseFieldSpan(keyDefinition, separator === null ? null : Buffer.from(separator)), record);
  const indent = key.byteOffset - record.byteOffset;
  const mark = key.length === 0 ? '^ no match for key' : '_'.repeat(key.length);
  return `${line.replaceAll('\t', '>')}\n${' '.repeat(indent)}${mark}\n`;
}

const position = (): string => `${1 + below(4)}${below(2) ? `.${1 + below(4)}` : ''}${below(3) === 0 ? 'b' : ''}`;
const end = (): string => `${1 + below(4)}${below(2) ? `.${below(4)}` : ''}${below(3) === 0 ? 'b' : ''}`;

describe('fields', () => {
  const keys = ['1', '2', '2,2', '1,1', '1.2,1.3', '3,2', '2b,2', '9,9', '1.9'].concat(
    Array.from({ length: 31 }, () => (below(4) ? `${position()},${end()}` : position())),
  );
  it.each([null, ',', ' ', '\t'])('are those that sort --debug underlines, with separator %j', (separator) => {
    for (const key of keys) {
      const options = ['-s', '--debug', ...(separator === null ? [] : ['-t', separator]), `-k${key}`];
      const marked = gnuSort(options, { input: lines.map((line) => `${line}\n`).join('') }).stdout;
      const expected = [...marked.matchAll(/(.*)\n(.*)\n/g)].map(([both]) => both).sort();
      expect(lines.map((line) => underlined(line, key, separator)).sort(), key).toEqual(expected);
    }
  });
});

describe('separators of several bytes', () => {
  // GNU sort has no such separators. Replacing them by one byte that occurs nowhere else must give the same fields.
  const STAND_IN = '\x01';
  const lineOf = (bytes: string): string =>
    Array.from({ length: below(12) }, () => pick([bytes, bytes, bytes[0], 'x', ' ', bytes.slice(1)])).join('');
  it.each(['||', 'é', '€', 'aab', '----'])('split fields: %s', (separator) => {
    const bytes = Buffer.from(separator).toString('latin1');
    for (let i = 0; i < 500; i++) {
      const line = lineOf(bytes);
      const key = pick(['1', '2', '3b', '1,1', '2,2', '2,3', '4,4', '3,2', '1.2,1']);
      const record = (text: string): Buffer => Buffer.from(text, 'latin1');
      const found = fieldSpan(parseFieldSpan(key, record(bytes)), record(line));
      const expected = fieldSpan(parseFieldSpan(key, record(STAND_IN)), record(line.replaceAll(bytes, STAND_IN)));
      expect(Buffer.from(found).toString('latin1').replaceAll(bytes, STAND_IN), `${line} ${key}`).toBe(
        Buffer.from(expected).toString('latin1'),
      );
    }
  });

  it.each(['||', 'é', '€', 'aab', '----'])('split the fields of keys: %s', (separator) => {
    const bytes = Buffer.from(separator).toString('latin1');
    const lines = Array.from({ length: 300 }, () => lineOf(bytes));
    for (const key of ['1,1', '2,2', '3b,3', '4,4']) {
      const expected = keysOf(
        lines.map((line) => line.replaceAll(bytes, STAND_IN)),
        key,
        STAND_IN,
      );
      expect(keysOf(lines, key, bytes), key).toEqual(expected);
      expect(new Set(expected).size).toBeGreaterThan(3);
    }
  });
});

/** The normalized keys of lines (src/keys/keyed.ts). Strings have one character a byte. */
function keysOf(lines: readonly string[], key: string, separator: string): string[] {
  const span = parseFieldSpan(key, Buffer.from(separator, 'latin1'));
  const part: KeyPart = { span, order: 'bytes', dictionary: false, printing: false, fold: false, reverse: false };
  const ordering: Ordering = { ...LINES, lastResort: false, key: { kind: 'normalised', parts: [part], seed: null } };
  const blocks: Buffer[] = [];
  new KeyMaker(ordering).make(Buffer.from(lines.map((line) => `${line}\n`).join(''), 'latin1'), (block) => {
    blocks.push(Buffer.from(block));
  });
  return split(Buffer.concat(blocks)).map((record) => Buffer.from(keyOf(ordering, record)).toString('latin1'));
}
