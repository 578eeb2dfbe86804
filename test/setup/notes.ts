/**
 * Adds to vitest's report of each test file the processor time of it and its child processes, and whether the quick
 * tier left cases out. Skips tests that the run of GPUSORT_TEST_AFTER has passed. Every test file loads this.
 */
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { afterAll, beforeEach, expect, type RunnerTestSuite } from 'vitest';
import { takeLeftOut } from '../support/left-out.js';

/** The report on a file. */
export interface FileNotes {
  /** Seconds without the start of the process, but with loading the file's imports; null where /proc is missing. */
  processorSeconds: number | null;
  leftOut: boolean;
}

const TICKS_PER_SECOND = 100;

/** Seconds of processor time of this process and of those of its children that have ended. */
function processorSeconds(): number | null {
  if (process.platform !== 'linux') return null;
  const line = readFileSync('/proc/self/stat', 'latin1');
  // utime, stime, cutime and cstime are fields 14 to 17; the name in field 2 may hold spaces.
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS_PER_SECOND;
}

/** The names of this file's tests that passed in the run whose notes GPUSORT_TEST_AFTER names. */
function passedBefore(): ReadonlySet<string> {
  const notes = process.env.GPUSORT_TEST_AFTER;
  if (!notes) return new Set();
  const file = relative(process.cwd(), expect.getState().testPath!);
  const { files } = JSON.parse(readFileSync(notes, 'utf8')) as { files: Record<string, { passed: string[] }> };
  return new Set(files[file]?.passed);
}

/** The names of all tests in a suite, as often as they occur. */
const namesIn = (suite: RunnerTestSuite): string[] =>
  suite.tasks.flatMap((task) => (task.type === 'suite' ? namesIn(task) : [task.fullTestName]));

const begin = processorSeconds();
takeLeftOut();
const passed = passedBefore();
if (passed.size > 0) {
  let names: string[] | undefined;
  beforeEach(({ task, skip }) => {
    names ??= namesIn(task.file);
    // Of several tests with one name, not all may have run.
    const isOne = names.indexOf(task.fullTestName) === names.lastIndexOf(task.fullTestName);
    if (isOne && passed.has(task.fullTestName)) skip('passed before');
  });
}

// biome-ignore lint/correctness/noEmptyPattern: vitest wants an object pattern here.
afterAll(({}, file) => {
  const end = processorSeconds();
  const seconds = begin === null || end === null ? null : end - begin;
  Object.assign(file.meta, { processorSeconds: seconds, leftOut: takeLeftOut() } satisfies FileNotes);
});
