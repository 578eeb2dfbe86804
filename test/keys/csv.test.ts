/** The kernels' CSV field values, and record-ending newlines replaced by NULs and restored, against a plain parser. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseKeyDefinition, spanOf } from '../../src/cli/parse/key-definition.js';
import type { KeyPart } from '../../src/job/ordering.js';
import { endedByNewlines, RecordEnder } from '../../src/keys/csv-text.js';
import { type PartSizes, partSizes, partsOf } from '../support/cuts.js';
import { property } from '../support/property.js';
import { randomBelow } from '../support/random.js';
import { words } from '../support/words.js';
import { csvSpan, drawCsv, drawNonsense, parseCsv } from './csv-reference.js';
import { wholeLine } from './orderings.js';
import { valuesOf } from './values.js';

const NUL = 0;
const bytesOf = (text: string): Buffer => Buffer.from(text, 'latin1');

function csvPart(key: string, separator = ','): KeyPart {
  return wholeLine({ span: { ...spanOf(parseKeyDefinition(key, ''), bytesOf(separator)), quoted: true } });
}

/**
 * Passes a text to a RecordEnder in parts. Returns the text with a NUL for each newline that ends a record, or the
 * offset of a NUL in the input.
 */
function ended(text: string, sizes: PartSizes = [1 << 30], separator = ','): string | number {
  const ender = new RecordEnder(separator.charCodeAt(0));
  const bytes = bytesOf(text);
  for (const part of partsOf(bytes, sizes)) {
    const found = ender.end(part);
    if (found !== null) return found;
  }
  if (ender.openQuote() !== null) throw new Error(`open quote at ${ender.openQuote()}`);
  return bytes.toString('latin1');
}

/** The expected result. */
const endedByHand = (text: string, separator = ','): string =>
  parseCsv(text, separator)
    .map(({ raw }) => `${raw}\0`)
    .join('');

/** A random CSV text, or random bytes that are valid CSV, made from the seed. */
const drawText = (seed: number, rows: number): string =>
  seed % 2 === 0 ? drawCsv(randomBelow(seed), rows, 4) : drawNonsense(randomBelow(seed), 5 * rows);

describe('record ends', () => {
  property(
    'become NUL in text that arrives in parts',
    [fc.nat(), fc.nat(30), partSizes(40)],
    (seed, rows, sizes) => {
      const text = drawText(seed, rows);
      expect(ended(text, sizes)).toBe(endedByHand(text));
    },
    { runs: 1000 },
  );

  it('are found across the parts of a text of megabytes', () => {
    const text = drawCsv(randomBelow(11), 40_000, 5);
    expect(text.length).toBeGreaterThan(1 << 20);
    for (const sizes of [[1 << 20], [100_001, 7, 300_000]]) expect(ended(text, sizes) === endedByHand(text)).toBe(true);
  });

  it('become newlines again', () => {
    for (const text of [drawText(0, 9), drawText(1, 9), drawCsv(randomBelow(3), 20_000, 5), '']) {
      const copy = Buffer.alloc(text.length);
      expect(Buffer.from(endedByNewlines(bytesOf(endedByHand(text)), copy)).toString('latin1') === text).toBe(true);
    }
  });

  it('depend on the field separator', () => {
    const text = '1\t"a\nb"\n1,"a\nb"\n';
    expect(ended(text)).toBe('1\t"a\0b"\x001,"a\nb"\0');
    expect(ended(text, [100], '\t')).toBe('1\t"a\nb"\x001,"a\0b"\0');
  });

  it('are found after a byte order mark', () => {
    const mark = '\xef\xbb\xbf';
    for (const most of [1, 2, 100]) {
      expect(ended(`${mark}"a\nb",c\nd\n`, [most])).toBe(`${mark}"a\nb",c\0d\0`);
      // An incomplete byte order mark, or one that is not at the start of the input, is ordinary text; a quote after it
      // opens no quoted field.
      for (const text of [
        '\xef"a\nb\n',
        '\xef\xbb"a\nb\n',
        '\xef\xbb\xbb"a\nb\n',
        `a,${mark}"b\nc\n`,
        `a\n${mark}"b\nc\n`,
      ])
        expect(ended(text, [most])).toBe(text.replaceAll('\n', '\0'));
    }
  });

  it('are looked for in the middle of an input, where no byte order mark is', () => {
    const ender = new RecordEnder(44, 1000);
    const text = bytesOf('\xef\xbb\xbf"a\nb\n');
    expect([ender.end(text), text.toString('latin1'), ender.place]).toEqual([null, '\xef\xbb\xbf"a\0b\0', 1008]);
    expect(new RecordEnder(44, 1000).end(bytesOf('a\n\0'))).toBe(1002);
  });

  property(
    'stop at a NUL, whose offset is returned',
    [fc.nat(), fc.nat(), partSizes(100)],
    (seed, place, sizes) => {
      const text = drawCsv(randomBelow(seed), 10, 4);
      const at = place % text.length;
      expect(ended(`${text.slice(0, at)}\0${text.slice(at)}`, sizes)).toBe(at);
    },
    { runs: 300 },
  );

  it('are missing after an open quote, whose offset is returned', () => {
    for (const [text, at] of [
      ['"', 0],
      ['a,b\n1,"2', 6],
      ['"a""', 0],
      ['"a","b""\n""\n,', 4],
      [`${'x'.repeat(100)}\n${'"y",'.repeat(50)}"\n`, 301],
    ] as const) {
      for (const most of [1, 7, 1000]) expect(() => ended(text, [most]), text).toThrow(`open quote at ${at}`);
    }
  });
});

describe('values', () => {
  const keys = words(
    '1,1 2,2 3,3 5,5 9,9 1 2 3 1,2 2,4 3,2 2,1.3 1.3 1.2,1.4 2.2,3.1 2.1b,2.3b 2b,2 1b,3',
    '3.20,3.25 4.2b 2,9 1,9.2 9,9.1 3.5,2.2',
  );

  /** Checks the values of all keys in the records of a text. */
  function expectValues(text: string, of: readonly string[], separator: string): void {
    const parts = of.map((key) => csvPart(key, separator));
    const records = parseCsv(text, separator);
    const raw = records.map((record) => record.raw);
    const values = valuesOf(parts, raw, NUL, false);
    for (const [row, record] of records.entries())
      expect(values[row], record.raw).toEqual(parts.map(({ span }) => csvSpan(record, span, separator)));
  }

  property(
    'are those of a plain parser',
    [fc.nat(), fc.nat(50), fc.constantFrom('valid,', 'valid\t', 'nonsense,')],
    (seed, rows, kind) => {
      const separator = kind.at(-1)!;
      const below = randomBelow(seed);
      const text = kind.startsWith('valid') ? drawCsv(below, rows, 4, separator) : drawNonsense(below, 6 * rows);
      expectValues(text, keys, separator);
    },
    { runs: 90 },
  );

  property(
    'are found in records of many fields of any length',
    [
      fc.array(
        fc.oneof(
          { weight: 4, arbitrary: fc.nat(39).map((length) => 'x'.repeat(length)) },
          fc.nat(7).map((count) => `"${'q"",'.repeat(count)}"`),
        ),
        { minLength: 1, maxLength: 60, size: 'max' },
      ),
    ],
    (fields) => {
      const numbers = Array.from({ length: 60 }, (_, i) => `${i + 1},${i + 1}`);
      expectValues(fields.join(','), numbers, ',');
    },
    { runs: 60 },
  );

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
