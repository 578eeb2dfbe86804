/**
 * What the sorts are to reach on an H200: rates in millions of keys or strings a second. Judged by report.mjs, which measures nothing.
 */

/**
 * One of `least` (a rate; with `over`, how many times the rate of that algorithm on the same case, at the largest size that both were
 * measured at) and `most` (how often the input may be gone
 * through; of an algorithm that cannot tell, how many device copies of its input it may take as long as).
 * @typedef {object} Mark
 * @property {readonly string[] | null} algorithms the best of these; null: of all that sort the case
 * @property {string} case
 * @property {number | null} size null: the largest measured
 * @property {number} [least]
 * @property {boolean} [more] `least` itself is not enough
 * @property {string} [over]
 * @property {number} [most]
 */

const rate = (algorithm, name, least, size = 27) => ({ algorithms: algorithm === null ? null : [algorithm], case: name, size, least });

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
