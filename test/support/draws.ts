/** Arbitraries that generators of texts are made of. Texts have one character a byte. */
import fc, { type Arbitrary } from 'fast-check';

/** One of the entries. A list with repeated entries gives them more weight. */
export const pick = <const T>(entries: readonly T[]): Arbitrary<T> => fc.constantFrom(...entries);

/** True in `percent` cases of a hundred. Shrinks to false. */
export const chance = (percent: number): Arbitrary<boolean> => fc.nat(99).map((n) => n >= 100 - percent);

/** A draw of `some` in `percent` cases of a hundred, otherwise of `none`. Shrinks to `none`. */
export function maybe<T, N>(percent: number, some: Arbitrary<T>, none: N): Arbitrary<T | N> {
  const weights = [
    { weight: 100 - percent, arbitrary: fc.constant(none) },
    { weight: percent, arbitrary: some },
  ];
  return fc.oneof({ withCrossShrink: true }, ...(weights as { weight: number; arbitrary: Arbitrary<T | N> }[]));
}

/** One of the arbitraries. Shrinks to the first. */
export const either = <T>(...some: readonly Arbitrary<T>[]): Arbitrary<T> =>
  fc.oneof({ withCrossShrink: true }, ...some);

/** `least` to `most` entries; all lengths are equally likely. */
export const several = <T>(least: number, most: number, entry: Arbitrary<T>): Arbitrary<T[]> =>
  fc.array(entry, { minLength: least, maxLength: most, size: 'max' });

/** A text of `least` to `most` of these characters. */
export const characters = (least: number, most: number, of: string | readonly string[]): Arbitrary<string> =>
  several(least, most, pick([...of])).map((text) => text.join(''));

export const digits = (least: number, most: number): Arbitrary<string> => characters(least, most, '0123456789');

/** The texts of its parts one after another. A part is a text, a list of texts to pick from, or an arbitrary. */
export function joined(...parts: readonly (string | readonly string[] | Arbitrary<string>)[]): Arbitrary<string> {
  const arbitraries = parts.map((part) =>
    typeof part === 'string' ? fc.constant(part) : part instanceof fc.Arbitrary ? part : pick(part),
  );
  return fc.tuple(...arbitraries).map((texts) => texts.join(''));
}

/** A text `least` to `most` times. */
export const repeated = (text: string, least: number, most: number): Arbitrary<string> =>
  fc.integer({ min: least, max: most }).map((times) => text.repeat(times));

/** A byte as a character. */
export const byte = (min = 0, max = 255): Arbitrary<string> =>
  fc.integer({ min, max }).map((code) => String.fromCharCode(code));

/** One of the arbitraries, by weights. Shrinks to the first. */
export const weighted = <T>(...some: readonly (readonly [weight: number, arbitrary: Arbitrary<T>])[]): Arbitrary<T> =>
  fc.oneof({ withCrossShrink: true }, ...some.map(([weight, arbitrary]) => ({ weight, arbitrary })));
