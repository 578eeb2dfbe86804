/** Target rates of the sorts on an H200, in millions of keys or strings a second. report.mjs judges them. */

/**
 * A mark has either `least` or `most`.
 * @typedef {object} Mark
 * @property {readonly string[] | null} algorithms the best of these counts; null: of all that sort the case
 * @property {string} case
 * @property {number | null} size null: the largest measured
 * @property {number} [least] a rate; with `over`, a factor
 * @property {boolean} [more] the rate must be above `least`
 * @property {string} [over] `least` times this algorithm's rate on the same case, at the largest size measured for both
 * @property {number} [most] how many passes through the input are allowed. If an algorithm does not count them: how
 *   many device copies of the input may take as long
 */

const rate = (algorithm, name, least, size = 27) => ({
  algorithms: algorithm === null ? null : [algorithm],
  case: name,
  size,
  least,
});

/** @type {readonly Mark[]} */
export const MARKS = [
  rate('radix-sort', 'u64 pairs uniform', 6000),
  rate('radix-sort', 'u32 pairs uniform', 15000),
  rate('merge-sort', 'u32 keys uniform', 10000),
  rate('merge-sort', 'u32 pairs uniform', 5000),
  rate('segmented-sort', 'u32 pairs segments of 1024', 12000),
  rate(null, 'strings random', 3000, 25),
  rate(null, 'strings words', 2000, 25),
  rate(null, 'strings urls', 800, 25),
  rate(null, 'strings dna100', 1500, 25),
  rate(null, 'strings equal', 2000, 25),
  { ...rate('string-merge', 'strings distinct', 901, 25), more: true },
  { algorithms: ['locality-sort'], case: 'u32 pairs near256', size: null, least: 3, over: 'merge-sort' },
  { algorithms: ['quicksort'], case: 'u32 pairs zero', size: null, most: 2 },
];
