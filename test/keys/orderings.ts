/**
 * The references for every ordering of key parts (kernels/wasm/keys/): a plain comparison of two lines, and the
 * system's GNU sort.
 */
import fc, { type Arbitrary } from 'fast-check';
import { expect, it } from 'vitest';
import type { KeyPart, Ordering } from '../../src/job/ordering.js';
import { compareBytes } from '../../src/keys/compare.js';
import { KeyMaker } from '../../src/keys/key-maker.js';
import { KEY_HEADER_BYTES, keyedBound, keyLength } from '../../src/keys/keyed.js';
import { gnuSort } from '../cli/run.js';
import { property } from '../support/property.js';
import type { RandomBelow } from '../support/random.js';
import { join, split } from '../support/records.js';

/** The seed of -R in tests. */
export const SEED = Buffer.from('sixteen \n\0bytes.', 'latin1');
/** Every byte, as a string. Lines in these tests are strings of one character a byte. */
export const ALL_BYTES = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)).toString('latin1');

/** An ordering of whole lines. */
export interface Tested {
  readonly part: Partial<KeyPart>;
  /** The options of GNU sort for it; null: the system's version does not support all of it. */
  readonly options: readonly string[] | null;
  readonly compare: (a: string, b: string) => number;
  /** The lines that can be compared, or similar ones, if not all can. */
  readonly comparable?: (lines: readonly string[]) => readonly string[];
}

/** A key part that spans the whole line. */
export function wholeLine(part: Partial<KeyPart>): KeyPart {
  const span = { begin: { field: 0, byte: 0, skipBlanks: false }, end: null, separator: null };
  return { span, order: 'bytes', dictionary: false, printing: false, fold: false, reverse: false, ...part };
}

export function orderingOf(parts: readonly KeyPart[], delimiter = 10): Ordering {
  return {
    format: { kind: 'lines', delimiter },
    key: { kind: 'normalized', parts, seed: SEED },
    reverse: false,
    unique: false,
    lastResort: false,
  };
}

/** Random lines of up to `most` pieces from an alphabet. */
export function drawn(below: RandomBelow, count: number, most: number, alphabet: string | readonly string[]): string[] {
  return Array.from({ length: count }, () =>
    Array.from({ length: below(most + 1) }, () => alphabet[below(alphabet.length)]).join(''),
  );
}

/** A text of up to `most` pieces from an alphabet. */
export function textOf(most: number, alphabet: string | readonly string[]): Arbitrary<string> {
  return fc.array(fc.constantFrom(...alphabet), { maxLength: most, size: 'max' }).map((pieces) => pieces.join(''));
}

/** One of the texts. */
export const oneOf = (...texts: readonly string[]): Arbitrary<string> => fc.constantFrom(...texts);

/** Texts one after another. */
export const inRow = (...texts: readonly Arbitrary<string>[]): Arbitrary<string> =>
  fc.tuple(...texts).map((pieces) => pieces.join(''));

/** Lines are checked against their neighbors in key order; the more lines, the more alike neighbors are. */
const MOST_LINES = 600;
const DELIMITERS: readonly (readonly [byte: string, delimiter: number])[] = [
  ['newline', 10],
  ['NUL', 0],
];

/**
 * Tests an ordering, forward and in reverse, with newline and with NUL as delimiter: with all of `texts`, and with
 * random lists of lines.
 */
export function testOrdering(
  what: string,
  tested: Tested,
  { texts = [], line, runs = 20 }: { texts?: readonly string[]; line?: Arbitrary<string>; runs?: number },
): void {
  const like = tested.options === null ? 'the model' : 'GNU sort';
  if (texts.length > 0)
    it.each(DELIMITERS)(`sorts ${what} like ${like}, with delimiter %s`, (_, delimiter) => {
      for (const reverse of [false, true]) checkOrdering(tested, texts, delimiter, reverse);
    });
  if (line !== undefined)
    property(
      `sorts random ${what} like ${like}`,
      [fc.array(line, { maxLength: MOST_LINES, size: 'max' }), fc.constantFrom(10, 0), fc.boolean()],
      (lines, delimiter, reverse) => {
        checkOrdering(tested, lines, delimiter, reverse);
      },
      { runs },
    );
}

/** Lines that contain the delimiter are left out. */
export function checkOrdering(
  { part, options, compare, comparable = (lines) => lines }: Tested,
  texts: readonly string[],
  delimiter: number,
  reverse: boolean,
): void {
  const lines = comparable(texts.filter((line) => !line.includes(String.fromCharCode(delimiter))));
  const ordering = orderingOf([wholeLine({ ...part, reverse })], delimiter);
  const keys = keysOf(ordering, lines);
  const order = lines.map((_, i) => i).sort((a, b) => compareBytes(keys[a], keys[b]));
  const sorted = order.map((i) => lines[i]);
  checkNeighbors(
    sorted,
    order.map((i) => keys[i]),
    reverse ? (a, b) => compare(b, a) : compare,
  );
  if (options === null) return;
  const others = [...(delimiter === 0 ? ['-z'] : []), ...(reverse ? ['-r'] : [])];
  expect(sorted).toEqual(sortedByGnu(ordering, lines, ['-s', ...others, ...options]));
}

export function keyedBy(maker: KeyMaker, text: Uint8Array): Buffer {
  return Buffer.concat(maker.keyed(text).map((piece) => new Uint8Array(piece)));
}

/** The keys of the lines. Checks that each line follows its key unchanged, and that its length is within the bound. */
export function keysOf(ordering: Ordering, lines: readonly string[]): Uint8Array[] {
  const records = lines.map((line) => Buffer.from(line, 'latin1'));
  const keyed = split(keyedBy(new KeyMaker(ordering), join(records, ordering)), ordering);
  const { factor, constant } = keyedBound(ordering.key);
  expect(keyed.length).toBe(lines.length);
  return keyed.map((line, i) => {
    const end = KEY_HEADER_BYTES + keyLength(ordering, line);
    if (compareBytes(line.subarray(end), records[i]) !== 0)
      throw new Error(
        `after its key ${JSON.stringify(lines[i])} is ${JSON.stringify(Buffer.from(line.subarray(end)).toString('latin1'))}`,
      );
    if (line.length + 1 > factor * (records[i].length + 1) + constant)
      throw new Error(`the key of ${JSON.stringify(lines[i])} is too long: ${end - KEY_HEADER_BYTES} bytes`);
    return line.subarray(KEY_HEADER_BYTES, end);
  });
}

/**
 * Checks neighbors in key order: lines compare as their keys do, and no key is a prefix of the next. Both comparisons
 * are transitive, so this holds for all pairs.
 */
export function checkNeighbors(
  lines: readonly string[],
  keys: readonly Uint8Array[],
  compare: (a: string, b: string) => number,
): void {
  for (let i = 1; i < lines.length; i++) {
    const [before, key] = [keys[i - 1], keys[i]];
    const [found, expected] = [compareBytes(before, key), Math.sign(compare(lines[i - 1], lines[i]))];
    const pair = `${JSON.stringify(lines[i - 1])} to ${JSON.stringify(lines[i])}`;
    if (found !== expected) throw new Error(`${pair}: ${found} by keys, ${expected} by the lines`);
    if (found !== 0 && compareBytes(key.subarray(0, before.length), before) === 0)
      throw new Error(`${pair}: the key of one is a prefix of the other's`);
  }
}

function sortedByGnu(ordering: Ordering, lines: readonly string[], options: readonly string[]): string[] {
  const { stdout, stderr } = gnuSort(options, {
    input: join(
      lines.map((line) => Buffer.from(line, 'latin1')),
      ordering,
    ).toString('latin1'),
  });
  expect(stderr).toBe('');
  return split(Buffer.from(stdout, 'latin1'), ordering).map((line) => (line as Buffer).toString('latin1'));
}
