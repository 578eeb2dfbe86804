/** Garbage outside V8's heap is collected with the young objects of a thread. */
import { constants, PerformanceObserver } from 'node:perf_hooks';
import { expect, it } from 'vitest';
import { collectYoung } from '../../src/system/garbage.js';

interface Collection {
  readonly kind: number;
  readonly flags: number;
}

it('young objects are collected at once', async () => {
  const collected = new Promise<Collection>((resolve) => {
    const observer = new PerformanceObserver((list) => {
      const forced = list
        .getEntries()
        .map((entry) => (entry as unknown as { detail: Collection }).detail)
        .find(({ flags }) => (flags & constants.NODE_PERFORMANCE_GC_FLAGS_FORCED) !== 0);
      if (forced === undefined) return;
      observer.disconnect();
      resolve(forced);
    });
    observer.observe({ entryTypes: ['gc'] });
  });
  collectYoung();
  expect((await collected).kind).toBe(constants.NODE_PERFORMANCE_GC_MINOR);
});
