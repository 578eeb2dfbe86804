/** Choices made by a seed, for generators of cases: the same on every machine. */
import { random } from '../support/random.js';

export interface Dice {
  /** A whole number below `n`. */
  below(n: number): number;
  /** True so often, of 1. */
  chance(share: number): boolean;
  pick<T>(list: readonly T[]): T;
  /** One of the characters. */
  character(characters: string): string;
  /** `least` to `most` times what `make` gives, as a list. */
  several<T>(least: number, most: number, make: () => T): T[];
}

export function dice(seed: number): Dice {
  const next = random(seed);
  const below = (n: number): number => Math.floor(next() * n);
  return {
    below,
    chance: (share) => next() < share,
    pick: (list) => list[below(list.length)]!,
    character: (characters) => characters[below(characters.length)]!,
    several: (least, most, make) => Array.from({ length: least + below(most - least + 1) }, make),
  };
}
