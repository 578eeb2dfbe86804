/** What `tools/build/main.mjs --clean` removes. */
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** What `npm run release` makes. A build makes nothing of it again. */
const KEPT = 'release';

/**
 * Removes everything that a build makes.
 * @param {string} dist the folder dist/, which need not exist
 */
export function clean(dist) {
  if (!existsSync(dist)) return;
  for (const name of readdirSync(dist)) if (name !== KEPT) rmSync(join(dist, name), { recursive: true, force: true });
}
