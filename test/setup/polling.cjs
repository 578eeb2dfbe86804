/**
 * Lets a process sleep while it waits for the GPU. The `webgpu` package asks Dawn for news in every turn of the event loop, by
 * `setImmediate`, and so takes as much of a processor as a GPU in software does: a third to a half of a test's time. Here it asks
 * once a millisecond. All other callbacks run as ever. For tests only; loaded before the package (vitest.config.ts, runner.ts).
 */
const POLL_MS = 1;
const { setImmediate: next, setTimeout: later } = globalThis;
const sourceOf = Function.prototype.toString;

/** Whether the package's library made the callback: its functions have no name and no source; those of `bind` have a name. */
const isNative = (callback) => callback.name === '' && sourceOf.call(callback).endsWith('{ [native code] }');

const politely = Object.assign((callback, ...args) => (isNative(callback) ? later(callback, POLL_MS) : next(callback, ...args)), next);

// Once in a process, also where several test files share it.
if (next.name !== politely.name) globalThis.setImmediate = politely;
