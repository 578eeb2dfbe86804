/**
 * Notes that the quick tier made less of the running test, or of the running file while it lists its tests, than
 * `npm run test:all` does. The reporter (test/setup/reporter.mjs) reads the notes, so that CI can run just the rest.
 */
import { TestRunner } from 'vitest';

/** The notes of a test or a file in vitest's `meta`. */
export interface LeftOut {
  leftOut?: boolean;
}

const files = globalThis as { gpusortLeftOut?: boolean };

export function noteLeftOut(): void {
  const test = TestRunner.getCurrentTest();
  if (test === undefined) files.gpusortLeftOut = true;
  else (test.meta as LeftOut).leftOut = true;
}

/** Whether the file whose tests were listed last left any out; forgets it. */
export function takeLeftOut(): boolean {
  const leftOut = files.gpusortLeftOut ?? false;
  files.gpusortLeftOut = false;
  return leftOut;
}
