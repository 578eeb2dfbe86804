/** Keys of long lines: equal to those of short lines. Lines with equal keys keep their input order. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseFieldSpan } from '../../src/cli/parse/key-definition.js';
import { PART_ORDERS } from '../../src/job/ordering.js';
import { KeyMaker } from '../../src/keys/key-maker.js';
import { keyHeader, keyLength } from '../../src/keys/keyed.js';
import { LongKey } from '../../src/keys/long-key.js';
import { gnuSort, gpusort, withDirectory } from '../cli/run.js';
import { property } from '../support/property.js';
import { randomBelow } from '../support/random.js';
import { orderingOf, textOf, wholeLine } from './orderings.js';

/** Other orders need a seed, a list or a number in each line. */
const ORDERS = ['bytes', 'numeric', 'general-numeric', 'human-numeric', 'month', 'version'] as const;
const MORE_ORDERS = ['natural', 'length', 'quality', 'similar', 'alleles', 'comment', 'empty'] as const;
const second = { span: parseFieldSpan('2', null) };

describe.each([...ORDERS, ...MORE_ORDERS])('the key of a long line by %s', (order) => {
  property(
    'is that of a short one, in pieces of any size',
    [
      fc.array(textOf(300, '0123456789. aZ\xfe\xff'), { minLength: 1, maxLength: 6 }),
      fc.integer({ min: 4, max: 103 }),
      fc.boolean(),
    ],
    (texts, pieceBytes, hasParts) => {
      const ordering = orderingOf(
        hasParts
          ? [wholeLine({ order, fold: true }), wholeLine(second), wholeLine({ ...second, reverse: true })]
          : [wholeLine({ order })],
      );
      const key = new LongKey(ordering);
      for (const text of texts) {
        const line = Buffer.from(text, 'latin1');
        key.open(line.length);
        for (let at = 0; at < line.length; at += 64) key.add(line.subarray(at, at + 64));
        const pieces: Buffer[] = [];
        const piece = new Uint8Array(pieceBytes);
        for (let count = key.read(piece); count > 0; count = key.read(piece))
          pieces.push(Buffer.from(piece.subarray(0, count)));
        const [keyed] = new KeyMaker(ordering).keyed(Buffer.concat([line, Buffer.from('\n')]));
        expect(Buffer.concat([...pieces, line, Buffer.from('\n')])).toEqual(Buffer.from(keyed));
      }
    },
    { runs: 10 },
  );
});

it('tests every order, or lists it as one that needs more than a line', () => {
  const others = [
    ...['random', 'contig', 'mate-contig', 'integer', 'signed', 'span', 'strand', 'template', 'picard-template', 'tag'],
    ...['template-coordinate', 'minimiser', 'mapped-contig'],
  ];
  expect([...ORDERS, ...MORE_ORDERS, ...others].sort()).toEqual([...PART_ORDERS].sort());
});

it('stores key lengths in four digits', () => {
  for (const delimiter of [0, 10, 254, 255]) {
    const ordering = { ...orderingOf([wholeLine({})]), format: { kind: 'lines', delimiter } as const };
    for (const length of [0, 1, 9, 10, 11, 254, 255, 65_025, 4_000_000_000])
      expect(keyLength(ordering, keyHeader(ordering, length))).toBe(length);
  }
});

property(
  'keeps input order for equal keys in every merge',
  [
    fc.nat(),
    fc.constantFrom(5, 200, 600),
    fc.constantFrom(['-k1,1'], ['-n'], ['-V'], ['-f'], ['-k2'], ['-k1,1', '-k2,2r']),
    fc.constantFrom(['-s'], ['-s', '-r'], ['-u'], ['-u', '-r'], []),
    fc.constantFrom('64', '128', '1K'),
    fc.constantFrom('2K', '8K', '1M'),
    fc.integer({ min: 1, max: 3 }),
  ],
  (seed, count, keys, ties, chunk, memory, threads) =>
    withDirectory((directory) => {
      const below = randomBelow(seed);
      const one = <T>(list: readonly T[]): T => list[below(list.length)];
      const lines = Array.from({ length: count }, () => {
        const long = below(10) === 0;
        return `${one(['a', 'b', '10', '9', '1.0', '-3', ''])}${long && below(3) === 0 ? one(['x', 'y']).repeat(one([300, 1500])) : ''} ${one(['p', 'q']).repeat(long ? one([70, 200, 3000]) : below(3))}\n`;
      });
      const how = { cwd: directory, input: lines.join('') };
      const way = ['--engine=cpu', `--chunk-size=${chunk}`, `-S${memory}`, `--parallel=${threads}`];
      const { stdout, stderr } = gpusort([...way, ...keys, ...ties], how);
      expect({ stderr, same: stdout === gnuSort([...keys, ...ties], how).stdout }).toEqual({ stderr: '', same: true });
    }),
  { runs: 24 },
);
