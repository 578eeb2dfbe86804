/** The cases that sorts are timed on. A case is a kind of input of any size. Measures nothing and needs no build. */

/** The size of a key in words of 32 bits. */
const WORDS = { u32: 1, i32: 1, f32: 1, u64: 2, i64: 2, f64: 2, prefix: 2, u128: 4 };

/**
 * @typedef {object} Case
 * @property {string} name for example `u32 pairs uniform`, the same for every algorithm
 * @property {import('../../../dist/engines/gpu/keys/key-sort.js').FixedKeySpec} [spec] fixed keys
 * @property {string} [distribution] of keys.mjs
 * @property {number | null} [mean] mean length of segments
 * @property {string} [input] of strings.mjs, or a name for `source`
 * @property {import('./strings.mjs').Source} [source] strings that are not made by strings.mjs
 */
/** A FixedKeySpec from text: `u32 pairs`, `u64 keys` ... */
export function specOf(text) {
  const [type, what, ...more] = text.split(' ');
  if (!(type in WORDS) || (what !== 'keys' && what !== 'pairs') || more.length > 0)
    throw new Error(`not a spec: '${text}'`);
  return { type, values: what === 'pairs' };
}

/** Each spec with each distribution of keys. */
export function keyCases(specs, distributions) {
  return specs.flatMap((text) =>
    distributions.map((distribution) => ({ name: `${text} ${distribution}`, spec: specOf(text), distribution })),
  );
}

/** Each spec in segments of uniform keys, of each mean length. */
export function segmentCases(specs, means) {
  return specs.flatMap((text) =>
    means.map((mean) => ({ name: `${text} segments of ${mean}`, spec: specOf(text), distribution: 'uniform', mean })),
  );
}

/** Two sorted runs by their distribution, and the part of all keys that the second one has. */
export const SECOND_RUN = { runs: 1 / 2, unequalRuns: 1 / 128 };

/** Each spec as two sorted runs that are to be merged, of equal and of very unequal length. */
export function mergeCases(specs) {
  return specs.flatMap((text) => [
    { name: `${text} two runs`, spec: specOf(text), distribution: 'runs' },
    { name: `${text} unequal runs`, spec: specOf(text), distribution: 'unequalRuns' },
  ]);
}

/** The inputs of strings.mjs that every sort of strings is timed on, and those near their order. */
const STRINGS = ['random', 'distinct', 'words', 'urls', 'dna100', 'equal'];
const NEAR_STRINGS = ['log64', 'log4096', 'appended'];

/** The cases of sorts that the planner chooses among. */
export const chosenStringCases = () => stringCases([...STRINGS, ...NEAR_STRINGS]);

/** A case for each input of strings.mjs. */
export function stringCases(inputs = STRINGS) {
  return inputs.map((input) => ({ name: `strings ${input}`, input }));
}

/** Bytes of a key, and of its value if it has one. */
export const pairBytes = ({ spec }) => 4 * (WORDS[spec.type] + Number(spec.values));

/** Bytes of a key alone. */
export const keyBytes = ({ spec }) => 4 * WORDS[spec.type];
