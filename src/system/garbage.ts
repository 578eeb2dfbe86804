/**
 * Collects garbage early. When V8 decides to collect, it does not count the memory of zlib and of buffers outside its
 * heap.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

type Collect = (options?: { readonly type: 'minor' }) => void;

let collect: Collect | undefined;

/** V8's own function, which exists in contexts that are created while a flag is set. */
function collector(): Collect | undefined {
  if (collect === undefined) {
    // All threads share the flag, so another one may just have reset it. Then the next call tries again.
    setFlagsFromString('--expose-gc');
    collect = runInNewContext('globalThis.gc') as Collect | undefined;
    setFlagsFromString('--no-expose-gc');
  }
  return collect;
}

/** Collects the young objects of this thread, which earlier work has left behind. Takes less than a millisecond. */
export function collectYoung(): void {
  collector()?.({ type: 'minor' });
}

/** Collects all garbage of this thread: memory that it shared with threads which have ended is freed. */
export function collectAll(): void {
  collector()?.();
}

/** The same for what failed with `error`. Until its stack is read, that keeps all objects whose methods it lists. */
export function collectAfter(error: Error): void {
  if (error.stack !== undefined) collectAll();
}
