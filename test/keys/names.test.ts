/** Fields by name: the field numbers that a CSV header gives. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { KeyPart, Ordering } from '../../src/job/ordering.js';
import { withoutNames } from '../../src/keys/names.js';
import { property } from '../support/property.js';
import { randomBelow } from '../support/random.js';
import { drawCsv, drawNonsense, parseCsv } from './csv-reference.js';
import { orderingOf, wholeLine } from './orderings.js';

const bytesOf = (text: string): Buffer => Buffer.from(text, 'latin1');
const field = (field: number): KeyPart['span'] => ({
  begin: { field, byte: 0, skipBlanks: false },
  end: { field, byte: 0, skipBlanks: false },
  separator: bytesOf(','),
  quoted: true,
});
const named = (...names: string[]): Ordering =>
  orderingOf(
    names.map((name) => wholeLine({ span: field(0), name: bytesOf(name), order: 'numeric' })),
    0,
  );
const resolve = (ordering: Ordering, header: string, separator = ','): Ordering =>
  withoutNames(ordering, bytesOf(header), separator.charCodeAt(0));
const fieldsOf = ({ key }: Ordering): number[] =>
  key.kind === 'normalized' ? key.parts.map(({ span }) => span.begin.field) : [];

describe('field names', () => {
  it.each([
    ['id,price,name', ['price', 'id'], [1, 0]],
    ['id,price,name\r\0', ['name'], [2]],
    ['"a ""b""","c,d","e\nf",', ['e\nf', 'a "b"', '', 'c,d'], [2, 0, 3, 1]],
    ['\xef\xbb\xbfid,\xef\xbb\xbf', ['id', '\xef\xbb\xbf'], [0, 1]],
    ['\xef\xbb\xbf"id,x",y', ['id,x', 'y'], [0, 1]],
    ['a\0b\0', ['a'], [0]],
    [' a,A', ['A', ' a'], [1, 0]],
  ])('give field numbers for the header %j', (header, names, fields) => {
    expect(fieldsOf(resolve(named(...names), header))).toEqual(fields);
  });

  property(
    'give the field numbers of a plain CSV parser',
    [fc.nat()],
    (seed) => {
      const below = randomBelow(seed);
      const text = seed % 2 === 0 ? drawCsv(below, 1, 5) : drawNonsense(below, 30);
      for (const { raw, fields } of parseCsv(text)) {
        const alone = fields.filter((name) => fields.filter((other) => other === name).length === 1);
        expect(fieldsOf(resolve(named(...alone), raw)), raw).toEqual(alone.map((name) => fields.indexOf(name)));
      }
    },
    { runs: 300 },
  );

  it('are split at the separator of records', () => {
    expect(fieldsOf(resolve(named('a,b', 'c'), 'a,b\tc', '\t'))).toEqual([0, 1]);
  });
});

it('leave the rest of the ordering unchanged', () => {
  const other = wholeLine({ span: { ...field(3), end: null }, reverse: true });
  const ordering: Ordering = {
    ...orderingOf([wholeLine({ span: field(0), name: bytesOf('b'), order: 'month' }), other], 0),
    unique: true,
  };
  expect(resolve(ordering, 'a,b')).toEqual({
    ...orderingOf([wholeLine({ span: field(1), order: 'month' }), other], 0),
    unique: true,
  });
  const plain = orderingOf([other], 0);
  const resolved = resolve(ordering, 'a,b');
  expect(resolve(resolved, 'a,a')).toBe(resolved);
  expect(resolve(plain, 'a,a')).toBe(plain);
});

it.each([
  ['id;price', ',', "Fields seem to be separated by ';': add -t ';'."],
  ['id|"price"', ',', "Fields seem to be separated by '|': add -t '|'."],
  ['id\tprice', ',', 'Fields seem to be separated by tabs: use --tsv.'],
  ['\xef\xbb\xbfprice,id', ';', "Fields seem to be separated by ',': use -t ','."],
  ['id,price', '\t', "Fields seem to be separated by ',': use --csv instead of --tsv."],
  ['id;price', '\t', "Fields seem to be separated by ';': use --csv -t ';' instead of --tsv."],
  ['id;prices', ',', "Use a name from the header: 'id;prices'."],
])('of header %j that %j does not separate: the hint is %s', (header, separator, hint) => {
  expect(() => resolve(named('price'), header, separator)).toThrow(
    expect.objectContaining({ message: "no field is named 'price'", hint }),
  );
});

it.each([
  ['id,price', 'Price', "no field is named 'Price'", 'Use a name from the header: id, price.'],
  ['a b,"it""s"', 'x', "no field is named 'x'", "Use a name from the header: 'a b', 'it\"s'."],
  ['a,b,a,a', 'a', "3 fields are named 'a': 1, 3, 4", 'Give the number of one, for example -k 1,1.'],
])('are rejected after header %j: %j', (header, name, message, hint) => {
  expect(() => resolve(named(name), header)).toThrow(
    expect.objectContaining({ code: 'usage', message, hint }) as Error,
  );
});
