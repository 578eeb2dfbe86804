/**
 * Lets a process sleep while it waits for the GPU. The `webgpu` package polls Dawn in every turn of the event loop, by
 * `setImmediate`. On a software GPU this takes a third to a half of a test's processor time. This file makes the
 * package poll once a millisecond; other callbacks are unaffected. For tests only. It must load before the package.
 */
const POLL_MS = 1;
const { setImmediate: next, setTimeout: later } = globalThis;
const sourceOf = Function.prototype.toString;

/** Whether the callback is native code. Native functions have no name and no source; those of `bind` have a name. */
const isNative = (callback) => callback.name === '' && sourceOf.call(callback).endsWith('{ [native code] }');

const politely = Object.assign(
  (callback, ...args) => (isNative(callback) ? later(callback, POLL_MS) : next(callback, ...args)),
  next,
);

// Installed once, even if several test files share the process.
if (next.name !== politely.name) globalThis.setImmediate = politely;
