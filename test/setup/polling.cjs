/**
 * Lets a process sleep while it waits for the GPU. The `webgpu` package polls Dawn in every turn of the event loop, by
 * `setImmediate`. On a software GPU this takes a third to a half of a test's processor time. This file polls once a
 * millisecond instead; all other callbacks run as ever. For tests only. It must load before the package.
 */
const POLL_MS = 1;
const { setImmediate: next, setTimeout: later } = globalThis;
const sourceOf = Function.prototype.toString;

/** Whether native code made the callback: such a function has neither name nor source; those of `bind` have a name. */
const isNative = (callback) => callback.name === '' && sourceOf.call(callback).endsWith('{ [native code] }');

const politely = Object.assign(
  (callback, ...args) => (isNative(callback) ? later(callback, POLL_MS) : next(callback, ...args)), next);

// Installed once, even if several test files share the process.
if (next.name !== politely.name) globalThis.setImmediate = politely;
