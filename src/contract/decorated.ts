/** Engines that change some functions of another engine. */

import type { Engine } from './engine.js';

/** `engine` with `changes` instead of its own properties. */
export function decorated(engine: Engine, changes: Partial<Engine>): Engine {
  // Copies own properties only, so an engine must be a plain object whose functions do not use `this`.
  return { ...engine, ...changes };
}
