/** Adds to vitest's report of each test file the processor time of it and its child processes. Every file loads this. */
import { afterAll } from 'vitest';
// @ts-expect-error: plain JavaScript, because the launcher runs without a build
import { processorSeconds } from './processor-time.mjs';

/** The report on a file. */
export interface FileNotes {
  /** Seconds without the start of the process, but with loading the file's imports; null where /proc is missing. */
  processorSeconds: number | null;
}

const begin: number | null = processorSeconds();

// biome-ignore lint/correctness/noEmptyPattern: vitest wants an object pattern here.
afterAll(({}, file) => {
  const end: number | null = processorSeconds();
  const seconds = begin === null || end === null ? null : end - begin;
  Object.assign(file.meta, { processorSeconds: seconds } satisfies FileNotes);
});
