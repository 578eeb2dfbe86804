/** Paths near the system's limit. */
import { mkdirSync } from 'node:fs';

/** The longest path that calls of Linux take (PATH_MAX, less its NUL). */
export const LONGEST_PATH = 4095;
const MOST_NAME = 250;

/** Creates directories in `base`; returns the innermost, whose path has `length` bytes. */
export function longDirectory(base: string, length: number): string {
  let path = base;
  for (let left = length - path.length; left > 0; left = length - path.length) {
    // No name may be empty.
    const name = Math.min(left - 1, left - 1 > MOST_NAME && left - 1 < MOST_NAME + 2 ? MOST_NAME - 2 : MOST_NAME);
    path += `/${'n'.repeat(name)}`;
  }
  mkdirSync(path, { recursive: true });
  return path;
}
