/**
 * Configures vitest. Start the tests with `npm test` (test/setup/run.mjs): it sets the environment of the software GPU,
 * which must be there before Node starts. A configuration file cannot do that.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const FILES = 'test/**/*.test.ts';
/** Tests that need more than `npm test` can spend. */
const SLOW = 'test/**/*.slow.test.ts';
/** Tests of the parts of the GPU engine share a device and its kernels (test/engines/gpu/helpers.ts). */
const GPU_PARTS = 'test/engines/gpu/**/*.test.ts';
/**
 * A file that mocks modules, or says that it changes its process, runs in a process of its own. All others share
 * processes: starting one and loading src takes most of a second.
 */
const OWN_PROCESS = /\bvi\.mock\(|^ \* @own-process\b/m;

const ownProcess = (readdirSync('test', { recursive: true }) as string[])
  .filter((name) => name.endsWith('.test.ts'))
  .map((name) => join('test', name))
  .filter((name) => OWN_PROCESS.test(readFileSync(name, 'utf8')));

/** Files of one project together: a file of another between two of its files would end their process. */
class ProjectByProject extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const ORDER = ['own', 'gpu', 'shared'];
    const rank = ({ project }: TestSpecification): number => ORDER.indexOf(project.name);
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}

export default defineConfig({
  test: {
    setupFiles: ['test/setup/polling.cjs', 'test/setup/notes.ts'],
    reporters: ['default', 'test/setup/reporter.mjs'],
    exclude: process.env.GPUSORT_TEST_SLOW ? [] : [SLOW],
    projects: [
      { extends: true, test: { name: 'own', include: ownProcess } },
      // In the daily run, files share a process. The nightly run has too many kernels for that.
      {
        extends: true,
        test: {
          name: 'gpu',
          include: [GPU_PARTS],
          exclude: ownProcess,
          isolate: process.env.GPUSORT_TEST_TIER === 'nightly',
        },
      },
      {
        extends: true,
        test: { name: 'shared', include: [FILES], exclude: [GPU_PARTS, ...ownProcess], isolate: false },
      },
    ],
    // Processes, not threads: a driver that crashes or hangs takes one file with it, not the run.
    pool: 'forks',
    // Two keep two processors busy. The third is for what waits: for Slurm, for timers, for signals.
    maxWorkers: 3,
    sequence: { sequencer: ProjectByProject },
    // In milliseconds. Long enough for a software GPU on a busy two-core machine, short enough to catch a hang.
    expect: { poll: { timeout: 60_000 } },
    testTimeout: 120_000,
    hookTimeout: 120_000,
    teardownTimeout: 10_000,
  },
});
