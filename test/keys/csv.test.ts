/** The kernels' CSV field values, and record-ending newlines replaced by NULs and restored, against a plain parser. */
import { describe, expect, it } from 'vitest';
import { parseKeyDefinition, spanOf } from '../../src/cli/parse/key-definition.js';
import type { KeyPart } from '../../src/job.js';
import { endedByNewlines, RecordEnder } from '../../src/keys/csv-text.js';
import { type RandomBelow, randomBelow } from '../support/random.js';
import { csvSpan, drawCsv, drawNonsense, parseCsv } from './csv-reference.js';
import { wholeLine } from './orderings.js';
import { valuesOf } from './values.js';

const NUL = 0;
const bytesOf = (text: string): Buffer => Buffer.from(text, 'latin1');

function csvPart(key: string, separator = ','): KeyPart {
  return wholeLine({ span: { ...spanOf(parseKeyDefinition(key, ''), bytesOf(separator)), quoted: true } });
}

/**
 * Passes a text to a RecordEnder in parts of up to `most` bytes. Returns the text with a NUL for each newline that ends
 * a record, or the offset of a NUL in the input.
 */
function ended(text: string, most: number, below: RandomBelow, separator = ','): string | number {
  const ender = new RecordEnder(separator.charCodeAt(0));
  const bytes = bytesOf(text);
  for (let at = 0; at < bytes.length; ) {
    const part = bytes.subarray(at, at + 1 + below(most));
    const found = ender.end(part);
    if (found !== null) return found;
    at += part.length;
  }
  if (ender.openQuote() !== null) throw new Error(`open quote at ${ender.openQuote()}`);
  return bytes.toString('latin1');
}

/** The expected result. */
const endedByHand = (text: string, separator = ','): string =>
  parseCsv(text, separator)
    .map(({ raw }) => `${raw}\0`)
    .join('');

describe('record ends', () => {
  const below = randomBelow(11);
  const texts = Array.from({ length: 300 }, (_, i) => (i % 2 === 0 ? drawCsv(below, 12, 4) : drawNonsense(below, 60)));

  it.each([1, 3, 20, 1000])('become NUL in text that arrives in parts of up to %i bytes', (most) => {
    for (const text of texts) expect(ended(text, most, below)).toBe(endedByHand(text));
  });

  it('are found across the parts of a text of megabytes', () => {
    const text = drawCsv(below, 40_000, 5);
    expect(text.length).toBeGreaterThan(1 << 20);
    expect(ended(text, 1 << 20, below) === endedByHand(text)).toBe(true);
  });

  it('become newlines again', () => {
    for (const text of [...texts.slice(0, 20), drawCsv(below, 20_000, 5), '']) {
      const copy = Buffer.alloc(text.length);
      expect(Buffer.from(endedByNewlines(bytesOf(endedByHand(text)), copy)).toString('latin1') === text).toBe(true);
    }
  });

  it('depend on the field separator', () => {
    const text = '1\t"a\nb"\n1,"a\nb"\n';
    expect(ended(text, 100, below)).toBe('1\t"a\0b"\x001,"a\nb"\0');
    expect(ended(text, 100, below, '\t')).toBe('1\t"a\nb"\x001,"a\0b"\0');
  });

  it('are found after a byte order mark', () => {
    const mark = '\xef\xbb\xbf';
    for (const most of [1, 2, 100]) {
      expect(ended(`${mark}"a\nb",c\nd\n`, most, below)).toBe(`${mark}"a\nb",c\0d\0`);
      // An incomplete byte order mark, or one that is not at the start of the input, is ordinary text; a quote after it
      // opens no quoted field.
      for (const text of [
        '\xef"a\nb\n',
        '\xef\xbb"a\nb\n',
        '\xef\xbb\xbb"a\nb\n',
        `a,${mark}"b\nc\n`,
        `a\n${mark}"b\nc\n`,
      ])
        expect(ended(text, most, below)).toBe(text.replaceAll('\n', '\0'));
    }
  });

  it('stop at a NUL, whose offset is returned', () => {
    const text = drawCsv(below, 30, 4);
    for (let i = 0; i < text.length; i += 1 + below(9))
      expect(ended(`${text.slice(0, i)}\0${text.slice(i)}`, 100, below)).toBe(i);
  });

  it('are missing after an open quote, whose offset is returned', () => {
    for (const [text, at] of [
      ['"', 0],
      ['a,b\n1,"2', 6],
      ['"a""', 0],
      ['"a","b""\n""\n,', 4],
      [`${'x'.repeat(100)}\n${'"y",'.repeat(50)}"\n`, 301],
    ] as const) {
      for (const most of [1, 7, 1000]) expect(() => ended(text, most, below), text).toThrow(`open quote at ${at}`);
    }
  });
});

describe('values', () => {
  const below = randomBelow(12);
  const keys = [
    '1,1',
    '2,2',
    '3,3',
    '5,5',
    '9,9',
    '1',
    '2',
    '3',
    '1,2',
    '2,4',
    '3,2',
    '2,1.3',
    '1.3',
    '1.2,1.4',
    '2.2,3.1',
    '2.1b,2.3b',
    '2b,2',
    '1b,3',
    '3.20,3.25',
    '4.2b',
    '2,9',
    '1,9.2',
    '9,9.1',
    '3.5,2.2',
  ];

  it.each([
    [',', 'valid CSV'],
    ['\t', 'valid CSV'],
    [',', 'nonsense'],
  ] as const)('are those of a plain parser with separator %j, %s', (separator, kind) => {
    const parts = keys.map((key) => csvPart(key, separator));
    for (let i = 0; i < 20; i++) {
      const text = kind === 'nonsense' ? drawNonsense(below, 300) : drawCsv(below, 50, 4, separator);
      const records = parseCsv(text, separator);
      const values = valuesOf(
        parts,
        records.map(({ raw }) => raw),
        NUL,
        false,
      );
      for (const [row, record] of records.entries()) {
        expect(values[row], record.raw).toEqual(parts.map(({ span }) => csvSpan(record, span, separator)));
      }
    }
  });

  it('are found in records of many fields of any length', () => {
    const field = (): string => (below(5) === 0 ? `"${'q"",'.repeat(below(8))}"` : 'x'.repeat(below(40)));
    const records = Array.from(
      { length: 60 },
      () => parseCsv(Array.from({ length: below(60) + 1 }, field).join(','))[0],
    );
    const numbers = Array.from({ length: 60 }, (_, i) => `${i + 1},${i + 1}`);
    const values = valuesOf(
      numbers.map((key) => csvPart(key)),
      records.map(({ raw }) => raw),
      NUL,
      false,
    );
    for (const [row, { fields }] of records.entries())
      expect(values[row]).toEqual(numbers.map((_, i) => fields[i] ?? ''));
  });

  it('follow the ordering letters, quoted or not', () => {
    const part = (key: string, changes: Partial<KeyPart>): KeyPart => ({ ...csvPart(key), ...changes });
    const [a, b, c] = valuesOf(
      [part('1,1', { fold: true }), part('2,2', { dictionary: true }), part('1,1', { printing: true })],
      ['ab,x', '"aB","x--"\r', '"a\tb",x'],
      NUL,
      false,
    );
    expect([a, b, c]).toEqual([
      ['AB', 'x', 'ab'],
      ['AB', 'x', 'aB'],
      ['A\tB', 'x', 'ab'],
    ]);
  });
});
