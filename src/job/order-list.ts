/**
 * The orders that --by names: one, or several separated by commas; `:r` after an order reverses it. Records are
 * compared by one order after another. Knows no format.
 */

interface NamedOrder {
  readonly name: string;
  readonly reverse: boolean;
}

const REVERSED = ':r';
const TAG = 'tag:';

/** The orders as named. */
export function namedOrders(by: string): NamedOrder[] {
  return by.split(',').map((word) => {
    const reverse = word.endsWith(REVERSED);
    return { name: reverse ? word.slice(0, -REVERSED.length) : word, reverse };
  });
}

/** The list with other names for its orders. */
export function renamedOrders(by: string, rename: (name: string) => string): string {
  return namedOrders(by)
    .map(({ name, reverse }) => rename(name) + (reverse ? REVERSED : ''))
    .join();
}

/** The orders by which records are compared: `tag:XX` alone is short for `tag:XX,coordinate`, as in samtools. */
export function comparedOrders(by: string): NamedOrder[] {
  const named = namedOrders(by);
  const isTagAlone = named.length === 1 && tagOf(by) !== null && !named[0].reverse;
  return isTagAlone ? [...named, { name: 'coordinate', reverse: false }] : named;
}

/** The two characters of an optional field's name, in the order `tag:XX`; null: another order. */
export function tagOf(name: string): string | null {
  return name.startsWith(TAG) ? name.slice(TAG.length) : null;
}

/** Whether records are in the order of their places, contig by contig, as an index needs them. */
export function isByPlace(by: string): boolean {
  const [first, second] = comparedOrders(by).map(({ name, reverse }) => (reverse ? null : name));
  return (
    first === 'coordinate' ||
    first === 'position' ||
    first === 'minimiser' ||
    (first === 'contig' && second === 'start')
  );
}
