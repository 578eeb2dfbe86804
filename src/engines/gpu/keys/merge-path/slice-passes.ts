/**
 * Plans the merge of adjacent sorted runs of any length in passes over pairs of neighbours. Knows no keys.
 */

/** A pass over runs of any length: pairs of neighbours as (first tile, begin, middle, end), and the number of tiles. */
export interface SlicePass {
  readonly pairs: readonly (readonly [number, number, number, number])[];
  readonly tiles: number;
}

/** The passes that merge neighbouring runs with these bounds (0, ..., count; empty runs allowed) into one. */
export function planSlices(bounds: readonly number[], tile: number): SlicePass[] {
  const passes: SlicePass[] = [];
  let at = bounds.filter((b, i) => i === 0 || b !== bounds[i - 1]);
  while (at.length > 2) {
    const pairs: [number, number, number, number][] = [];
    const next = [at[0]];
    let tiles = 0;
    for (let i = 0; i + 1 < at.length; i += 2) {
      const end = at[i + 2] ?? at[i + 1];
      pairs.push([tiles, at[i], at[i + 1], end]);
      next.push(end);
      tiles += Math.ceil((end - at[i]) / tile);
    }
    passes.push({ pairs, tiles });
    at = next;
  }
  return passes;
}
