/** United lists of sequences: against a plain search for an order that suits all lists, and by hand. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Sequence, SequenceUnion } from '../../src/records/sequence-union.js';
import { property } from '../support/property.js';

/** A sequence `name`, `name=length` or `name=length:digest`; 9 bases if it says nothing. */
function sequenceOf(text: string): Sequence {
  const [, name, length = '9', digest] = /^([^=]*)(?:=([^:]*))?(?::(.*))?$/.exec(text)!;
  return { name, length, digest, line: null };
}

/** Adds lists; the inputs have the names a, b, c. Names are separated by blanks. */
function united(...lists: readonly string[]): SequenceUnion {
  const union = new SequenceUnion();
  for (const [i, list] of lists.entries())
    union.add({ label: 'abcdef'[i], number: i + 1 }, list.split(' ').filter(Boolean).map(sequenceOf));
  return union;
}

const namesOf = (union: SequenceUnion): string | null => union.all?.map(({ name }) => name).join(' ') ?? null;
const firstNames = (lists: readonly string[]): string[] => [
  ...new Set(lists.flatMap((list) => list.split(' ').filter(Boolean))),
];

/** Whether an order of all names suits all lists: removes names that no list has after another until none is left. */
function hasCommonOrder(lists: readonly string[]): boolean {
  let left = lists.map((list) => list.split(' ').filter(Boolean));
  for (;;) {
    const names = left.flat();
    if (names.length === 0) return true;
    const free = names.find((name) => left.every((list) => list.indexOf(name) <= 0));
    if (free === undefined) return false;
    left = left.map((list) => list.filter((name) => name !== free));
  }
}

const list = fc.uniqueArray(fc.constantFrom('s', 't', 'u', 'v', 'w'), { maxLength: 5 }).map((names) => names.join(' '));

property(
  'has an order that suits all lists, that of the first names if possible; without one, lists are refused',
  [fc.array(list, { minLength: 1, maxLength: 4 })],
  (lists) => {
    if (!hasCommonOrder(lists)) {
      expect(() => united(...lists)).toThrow('but after it in');
      return;
    }
    const union = united(...lists);
    const names = namesOf(union)?.split(' ') ?? lists[0].split(' ');
    const suits = (order: readonly string[]): boolean =>
      lists.every((one) => order.filter((name) => one.split(' ').includes(name)).join(' ') === one);
    const first = firstNames(lists);
    expect([...names].filter(Boolean).sort()).toEqual([...first].sort());
    expect(suits(names)).toBe(true);
    if (suits(first)) expect(names.filter(Boolean)).toEqual(first);
    for (const [i, one] of lists.entries()) {
      const own = one.split(' ').filter(Boolean);
      const places = union.placesOf(i + 1) ?? own.map((_, place) => place);
      expect(places.map((place) => names[place])).toEqual(own);
    }
  },
  { runs: 1000 },
);

describe('a united list', () => {
  it.each([
    [['c d', 'c d'], null],
    [['c e', 'c d e'], 'c d e'],
    [['c', 'c d e', 'b c'], 'b c d e'],
    [['c d e f', 'd x f y'], 'c d e x f y'],
    [['c', 'd', 'd c'], 'd c'],
    [['c', 'd', 'e', 'd c', 'e d'], 'e d c'],
    [['', 'c d'], 'c d'],
    [['c d', ''], 'c d'],
    [['chr1', '2 3'], 'chr1 2 3'],
  ])('of %j is %s', (lists, names) => {
    expect(namesOf(united(...lists))).toBe(names);
  });

  it('of a hundred thousand sequences in two halves takes no time', () => {
    const names = Array.from({ length: 100_000 }, (_, i) => `s${i}`);
    const halves = [0, 1].map((half) => names.filter((_, i) => i % 2 === half || i % 100 === 0).join(' '));
    const union = united(halves[0], halves[1]);
    expect(union.all).toHaveLength(names.length);
  });
});

describe('refused', () => {
  const ONE_REFERENCE = 'Align all inputs to one reference.';
  it.each([
    [['c', 'c=8'], 'b: sequence 1 of the header is c of 8 bases, but c of 9 bases in a', ONE_REFERENCE],
    [['c', 'c d', 'x d=8'], 'c: sequence 2 of the header is d of 8 bases, but d of 9 bases in b', ONE_REFERENCE],
    [['c', 'c=9:aa', 'd c=9:BB'], 'c: sequence 2 of the header, c, has M5 BB, but aa in b', ONE_REFERENCE],
    [
      ['x 1', 'y chr1'],
      'b: sequence 2 of the header is chr1 of 9 bases, but 1 of 9 bases in a',
      'Change the @SQ lines',
    ],
    [['chr1', '1'], 'b: sequence 1 of the header is 1 of 9 bases, but chr1 of 9 bases in a', 'Change the @SQ lines'],
    [['c', 'd d'], 'b: the header lists a contig twice: d', null],
    [['d d', 'c'], 'a: the header lists a contig twice: d', null],
    [['c', '=9'], 'b: an @SQ line of the header has no name (SN)', null],
  ])('are %j', (lists, message, hint) => {
    const shown = hint === null ? {} : { hint: expect.stringContaining(hint) };
    expect(() => united(...lists)).toThrow(expect.objectContaining({ message, ...shown }));
  });

  it.each([[['c', 'c=9:aa', 'c=9:AA']], [['chr1 2', '1 2']], [['chr1', '1=8']]])('are not %j', (lists) => {
    expect(() => united(...lists)).not.toThrow();
  });

  it.each([
    [['c d', 'd c'], 'b: the header lists d before c, but after it in a'],
    [['c', 'd', 'e', 'd c', 'e d', 'c e'], 'f: the header lists c before e, but after it in the inputs before it'],
    [['c d e', 'd c'], 'b: the header lists d before c, but after it in a'],
    [['c', 'd e', 'e d c'], 'c: the header lists e before d, but after it in b'],
    [['c d', 'd e', 'e c'], 'c: the header lists e before c, but after it in the inputs before it'],
  ])('are lists in no common order: %j', (lists, message) => {
    const hint = 'Put one of them in the order of the other first, for example with ReorderSam of Picard.';
    expect(() => united(...lists)).toThrow(expect.objectContaining({ code: 'bad-records', message, hint }));
  });
});
