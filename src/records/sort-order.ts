/**
 * How the @HD line of SAM and BAM describes orders of records. Source: SAM specification, section 1.3, and samtools
 * 1.19 and later.
 */
import { comparedOrders, tagOf } from '../job/order-list.js';

/** The fields SO, SS and GO; null: the field is absent. */
interface DescribedOrder {
  readonly sorted: string;
  readonly within: string | null;
  readonly grouped: string | null;
}

export const UNKNOWN: DescribedOrder = { sorted: 'unknown', within: null, grouped: null };

/** The words of SS for orders whose names are not these words. */
const WORDS: Readonly<Record<string, readonly string[]>> = {
  queryname: ['queryname', 'natural'],
  'queryname-ascii': ['queryname', 'lexicographical'],
  // Records with a contig come first, by coordinate.
  minimiser: ['coordinate', 'minhash'],
};

/** SO names an order that the specification knows if it comes first; SS lists all orders. */
export function describedOrder(by: string): DescribedOrder {
  const orders = comparedOrders(by);
  const reversed = orders.findIndex(({ reverse }) => reverse);
  // The fields cannot express a reversed order, or any order after it.
  const names = orders.slice(0, reversed < 0 ? orders.length : reversed).map(({ name }) => name);
  if (names.length === 0) return UNKNOWN;
  const words = names.flatMap((name) => WORDS[name] ?? [tagOf(name) ?? name]);
  const isKnown = words[0] === 'coordinate' || words[0] === 'queryname';
  const sorted = isKnown ? words[0] : 'unsorted';
  const within = isKnown ? words.slice(1) : words;
  return {
    sorted,
    within: within.length === 0 ? null : [sorted, ...within].join(':'),
    grouped: names[0] === 'template-coordinate' ? 'query' : null,
  };
}
