/** Keys of long lines: equal to those of short lines. Lines with equal keys keep their input order. */
import { expect, it } from 'vitest';
import { parseFieldSpan } from '../../src/cli/parse/key-definition.js';
import { PART_ORDERS } from '../../src/job.js';
import { KeyMaker } from '../../src/keys/key-maker.js';
import { keyHeader, keyLength } from '../../src/keys/keyed.js';
import { LongKey } from '../../src/keys/long-key.js';
import { gnuSort, gpusort, withDirectory } from '../cli/run.js';
import { randomBelow } from '../support/random.js';
import { NIGHTLY } from '../support/tier.js';
import { drawn, orderingOf, wholeLine } from './orderings.js';

/** Orders that a seed, a list or a number in each line is needed for. */
const ONLY_SOME: ReadonlySet<string> = new Set([
  'random',
  'contig',
  'mate-contig',
  'integer',
  'signed',
  'strand',
  'template',
  'picard-template',
  'tag',
]);

it('gives a long line the key of a short one, in pieces of any size', () => {
  const below = randomBelow(11);
  const second = { span: parseFieldSpan('2', null) };
  const orders = PART_ORDERS.filter((order) => !ONLY_SOME.has(order));
  for (const order of orders) {
    for (const parts of [
      [wholeLine({ order })],
      [wholeLine({ order, fold: true }), wholeLine(second), wholeLine({ ...second, reverse: true })],
    ]) {
      const ordering = orderingOf(parts);
      const key = new LongKey(ordering);
      for (const text of [...drawn(below, 8, 300, '0123456789. aZ\xfe\xff'), '']) {
        const line = Buffer.from(text, 'latin1');
        key.open(line.length);
        for (let at = 0; at < line.length; at += 64) key.add(line.subarray(at, at + 64));
        const pieces: Buffer[] = [];
        const piece = new Uint8Array(4 + below(100));
        for (let count = key.read(piece); count > 0; count = key.read(piece))
          pieces.push(Buffer.from(piece.subarray(0, count)));
        const [keyed] = new KeyMaker(ordering).keyed(Buffer.concat([line, Buffer.from('\n')]));
        expect(
          Buffer.concat([...pieces, line, Buffer.from('\n')]).equals(Buffer.from(keyed!)),
          `${order}: ${text}`,
        ).toBe(true);
      }
    }
  }
});

it('stores key lengths in four digits', () => {
  for (const delimiter of [0, 10, 254, 255]) {
    const ordering = { ...orderingOf([wholeLine({})]), format: { kind: 'lines', delimiter } as const };
    for (const length of [0, 1, 9, 10, 11, 254, 255, 65_025, 4_000_000_000])
      expect(keyLength(ordering, keyHeader(ordering, length))).toBe(length);
  }
});

it('keeps input order for equal keys in every merge', () =>
  withDirectory((directory) => {
    const below = randomBelow(12);
    const one = <T>(list: readonly T[]): T => list[below(list.length)];
    for (let i = 0; i < (NIGHTLY ? 400 : 24); i++) {
      const lines = Array.from({ length: one([5, 200, 600]) }, () => {
        const long = below(10) === 0;
        return `${one(['a', 'b', '10', '9', '1.0', '-3', ''])}${long && below(3) === 0 ? one(['x', 'y']).repeat(one([300, 1500])) : ''} ${one(['p', 'q']).repeat(long ? one([70, 200, 3000]) : below(3))}\n`;
      });
      const order = [
        ...one([['-k1,1'], ['-n'], ['-V'], ['-f'], ['-k2'], ['-k1,1', '-k2,2r']]),
        ...one([['-s'], ['-s', '-r'], ['-u'], ['-u', '-r'], []]),
      ];
      const way = [
        '--engine=cpu',
        `--chunk-size=${one(['64', '128', '1K'])}`,
        `-S${one(['2K', '8K', '1M'])}`,
        `--parallel=${1 + below(3)}`,
      ];
      const how = { cwd: directory, input: lines.join('') };
      const { stdout, stderr } = gpusort([...way, ...order], how);
      expect({ way, order, stderr, same: stdout === gnuSort(order, how).stdout }).toEqual({
        way,
        order,
        stderr: '',
        same: true,
      });
    }
  }));
