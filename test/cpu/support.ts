/** Shared by the CPU tests: orderings, and the distributions that sorts are tried with. */
import { type CpuKernels, placeTexts } from '../../src/cpu/kernels.js';
import type { Outcome } from '../../src/cpu/outcome.js';
import type { RecordShape } from '../../src/cpu/shape.js';
import { sortText } from '../../src/cpu/sort-text.js';
import type { Limit, Ordering } from '../../src/job.js';
import { compareRecords } from '../../src/keys/compare.js';
import { finish } from '../../src/steps.js';
import { join, LINES, sortedRecords } from '../support/records.js';

type Random = () => number;

const below = (random: Random, n: number): number => Math.floor(random() * n);
const number32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(Math.max(0, Math.min(2 ** 32 - 1, Math.floor(value))));
  return bytes;
};
/** Hexadecimal, so that no value holds a newline; of fixed length, so that text order is numeric order. */
const hex = (value: number): Buffer => Buffer.from(number32(value).toString('hex'));

type Make = (count: number, random: Random) => Buffer[];
const each =
  (make: (i: number, count: number, random: Random) => Buffer): Make =>
  (count, random) =>
    Array.from({ length: count }, (_, i) => make(i, count, random));
const letters = (random: Random, length: number, alphabet: string): Buffer =>
  Buffer.from(Array.from({ length }, () => alphabet[below(random, alphabet.length)]).join(''));
const WORDS = [
  'the',
  'of',
  'and',
  'a',
  'an',
  'to',
  'in',
  'is',
  'you',
  'that',
  'thatched',
  'it',
  'internationalisation',
  '',
  'internationalization',
];

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

export const byLines = (more: Partial<Ordering> = {}): Ordering => ({ ...LINES, ...more });

export const byFixed = (
  size: number,
  key: readonly [number, number] | null,
  more: Partial<Ordering> = {},
): Ordering => ({
  format: { kind: 'fixed', size },
  key: key === null ? { kind: 'record' } : { kind: 'bytes', offset: key[0], length: key[1] },
  reverse: false,
  unique: false,
  lastResort: true,
  ...more,
});

/** Records padded with zeros or cut to `size` bytes. With `numbered`, the last 4 bytes are the record's number. */
export function fixedRecords(records: readonly Buffer[], size: number, numbered: boolean): Buffer[] {
  return records.map((record, i) => {
    const fixed = Buffer.alloc(size);
    record.copy(fixed, 0, 0, size);
    if (numbered) fixed.writeUInt32BE(i, size - 4);
    return fixed;
  });
}

/** Sorts a text in place; what remains is at its beginning. */
export function sortInPlace(
  kernels: CpuKernels,
  shape: RecordShape,
  text: Uint8Array,
  limit: Limit | null = null,
): Outcome {
  return finish(sortText(kernels, shape, placeTexts(kernels, [text]), limit, false, () => text));
}

/**
 * The text of `some`, repeated to at least `bytes` bytes, and its sorted records. They are made from the sorted `some`,
 * because a reference sort of millions of records takes seconds.
 */
export function repeatedRecords(
  some: readonly Buffer[],
  bytes: number,
  ordering: Ordering,
): { readonly text: Buffer; readonly sorted: Buffer[] } {
  const once = join(some, ordering);
  const times = Math.ceil(bytes / once.length);
  const groups: Buffer[][] = [];
  for (const record of sortedRecords(some, { ...ordering, unique: false })) {
    const group = groups.at(-1);
    if (group !== undefined && compareRecords(ordering, group[0], record) === 0) group.push(record);
    else groups.push([record]);
  }
  return {
    text: Buffer.concat(Array.from({ length: times }, () => once)),
    // Records with equal keys keep input order: all of the first repetition come before those of the second.
    sorted: groups.flatMap((group) => (ordering.unique ? group[0] : Array.from({ length: times }, () => group).flat())),
  };
}
