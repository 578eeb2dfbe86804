/** The files that `tools/build/main.mjs --clean` removes. */
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** The output of `npm run release`. A build does not remake it. */
const KEPT = 'release';

/**
 * Removes everything that a build makes.
 * @param {string} dist the folder dist/, which need not exist
 */
export function clean(dist) {
  if (!existsSync(dist)) return;
  for (const name of readdirSync(dist)) if (name !== KEPT) rmSync(join(dist, name), { recursive: true, force: true });
}
