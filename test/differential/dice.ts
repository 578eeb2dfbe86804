/** Seeded random choices for generators of cases: a seed gives the same choices on every machine. */
import { random } from '../support/random.js';

export interface Dice {
  /** An integer from 0 to `n` - 1. */
  below(n: number): number;
  /** True with probability `share`. */
  chance(share: number): boolean;
  pick<T>(list: readonly T[]): T;
  /** One character of `characters`. */
  character(characters: string): string;
  /** A list of `least` to `most` results of `make`. */
  several<T>(least: number, most: number, make: () => T): T[];
}

export function dice(seed: number): Dice {
  const next = random(seed);
  const below = (n: number): number => Math.floor(next() * n);
  return {
    below,
    chance: (share) => next() < share,
    pick: (list) => list[below(list.length)],
    character: (characters) => characters[below(characters.length)],
    several: (least, most, make) => Array.from({ length: least + below(most - least + 1) }, make),
  };
}
