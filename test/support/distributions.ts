/** The distributions on which sorts are tested, and inputs of them for properties. */
import * as fc from 'fast-check';
import type { Ordering } from '../../src/job/ordering.js';
import { recordsFor } from './orderings.js';
import { type RandomBelow, random } from './random.js';

type Random = () => number;
type Make = (count: number, random: Random) => Buffer[];

const below = (random: Random, n: number): number => Math.floor(random() * n);
const number32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(Math.max(0, Math.min(2 ** 32 - 1, Math.floor(value))));
  return bytes;
};
/** Hexadecimal, because no value may hold a newline; of fixed length, because text order must be numeric order. */
const hex = (value: number): Buffer => Buffer.from(number32(value).toString('hex'));
const each =
  (make: (i: number, count: number, random: Random) => Buffer): Make =>
  (count, random) =>
    Array.from({ length: count }, (_, i) => make(i, count, random));
const letters = (random: Random, length: number, alphabet: string): Buffer =>
  Buffer.from(Array.from({ length }, () => alphabet[below(random, alphabet.length)]).join(''));
const WORDS = 'the of and a an to in is you that thatched it internationalisation  internationalization'.split(' ');

/**
 * Records without delimiters or newlines: the five distributions of Cederman and Tsigas, then some that are typical of
 * strings.
 */
export const DISTRIBUTIONS: Readonly<Record<string, Make>> = {
  uniform: each((_, __, random) => hex(random() * 2 ** 32)),
  zero: each(() => hex(42)),
  bucket: each((i, count, random) => hex(((Math.floor((i * 64) / count) % 8) + random()) * 2 ** 29)),
  gaussian: each((_, __, random) => hex((random() + random() + random() + random()) * 2 ** 30)),
  staggered: each((i, count, random) => {
    const block = Math.floor((i * 16) / count);
    return hex(((block < 8 ? 2 * block + 1 : 2 * block - 16) + random()) * 2 ** 28);
  }),
  sorted: each((i) => hex(i * 3)),
  reversed: each((i, count) => hex((count - i) * 3)),
  sixteen: each((_, __, random) => Buffer.from(`value number ${below(random, 16)}`)),
  zipf: each((_, __, random) => Buffer.from(WORDS[Math.floor(WORDS.length ** random()) - 1])),
  urls: each((_, __, random) =>
    Buffer.from(
      `https://www.example.org/articles/${below(random, 3)}/sections/${below(random, 2)}/page-${below(random, 100000)}.html`,
    ),
  ),
  dna: each((_, __, random) => letters(random, 40, 'ACGT')),
  prefixes: each((_, __, random) => Buffer.from('ab'.repeat(60).slice(0, below(random, 120)))),
  nuls: each((_, __, random) => letters(random, below(random, 12), '\0\0\0\0a')),
  allBytes: each((_, __, random) =>
    Buffer.from(Array.from({ length: 3 }, () => below(random, 256)).filter((byte) => byte !== 10)),
  ),
  lengths: each((_, __, random) =>
    letters(random, below(random, 10) === 0 ? below(random, 400) : below(random, 20), 'xyz'),
  ),
  twins: each((_, __, random) => Buffer.from('k'.repeat(300) + below(random, 4))),
};

/** Records of a distribution, as a property draws them: a failure shows these numbers, not the records. */
export interface Input {
  readonly distribution: string;
  readonly count: number;
  readonly seed: number;
}

export const seeds = fc.nat(2 ** 31);
const names = fc.constantFrom(...Object.keys(DISTRIBUTIONS));

/** Inputs of one of these numbers of records, or of as many as `counts` draws. */
export const inputs = (counts: readonly number[] | fc.Arbitrary<number>, distribution = names): fc.Arbitrary<Input> =>
  fc.record({
    distribution,
    count: counts instanceof fc.Arbitrary ? counts : fc.constantFrom(...counts),
    seed: seeds,
  });

export const recordsOf = (ordering: Ordering, { distribution, count, seed }: Input): Buffer[] =>
  recordsFor(ordering, DISTRIBUTIONS[distribution](count, random(seed)));

/** A seed from a name: the cases of a table draw different inputs. */
export const seedFor = (name: string): number =>
  [...name].reduce((sum, letter) => 31 * sum + letter.charCodeAt(0), 7) | 0;

/** One of a list, drawn with a seeded generator. */
export const pick = <T>(below: RandomBelow, list: readonly T[]): T => list[below(list.length)];
