/** Seeded random numbers for tests: a seed gives the same numbers on every machine. */

/** Numbers in [0, 1) from mulberry32, which is short, fast and random enough for tests. */
export function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Returns uniform integers from 0 to `n` - 1. */
export type RandomBelow = (n: number) => number;

export function randomBelow(seed: number): RandomBelow {
  const next = random(seed);
  return (n) => Math.floor(next() * n);
}

/** The entries in random order (Fisher and Yates); `next` gives numbers in [0, 1). */
export function shuffled<T>(entries: readonly T[], next: () => number): T[] {
  const order = [...entries];
  for (let i = order.length - 1; i > 0; i--) {
    const j = Math.floor(next() * (i + 1));
    [order[i], order[j]] = [order[j], order[i]];
  }
  return order;
}
