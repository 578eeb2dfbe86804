/**
 * Configures vitest. Start the tests with `npm test` (test/setup/run.mjs): it sets the environment of the software GPU,
 * which must be there before Node starts. A configuration file cannot do that.
 */
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Tests of the parts of the GPU engine. They mock no module, so they can share a process. */
const GPU_PARTS = 'test/gpu/**/*.test.ts';

/**
 * Files that take more than ten seconds of processor time, longest first. A long file that starts last leaves a
 * processor idle. `gpu/` stays together: a file of the other project between two of its files would end their process.
 * The files of Slurm mostly wait, for a minute each: one at the beginning, one later, beside files that compute.
 */
const LONG = [
  'cluster/slurm.test',
  'battery/battery.gpu',
  'gpu/',
  'cluster/end-to-end-slurm',
  'battery/battery.cpu',
  'differential/differential',
  'battery/faults',
  'browser/',
  'platform/end-to-end',
  'battery/scripts',
  'sort/pipes',
  'cpu/typed-records',
  'cpu/distribute',
  'sort/default-limits',
  'cluster/end-to-end.test',
  'battery/output',
  'cluster/faults',
  'cluster/matrix',
  'cluster/differential',
  'cli/limits',
  'sort/full-device',
  'battery/header',
  'cli/memory',
  'cli/terminal/signals',
  'merge.test',
  'battery/csv',
  'sort/fallback',
  'bench/genomics-rows',
  'battery/limit',
  'genomics/orders',
  'bench/smoke',
  'faults/every-call',
  'differential/binary',
  'cpu/keyed',
  'runs/damage',
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const found = LONG.findIndex((name) => moduleId.includes(`/test/${name}`));
      return found < 0 ? LONG.length : found;
    };
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}

export default defineConfig({
  test: {
    setupFiles: ['test/setup/polling.cjs'],
    projects: [
      // In the daily run, files share a process, a device and its kernels (test/gpu/helpers.ts). The nightly run has
      // too many kernels for that.
      { extends: true, test: { name: 'gpu', include: [GPU_PARTS], isolate: process.env.GPUSORT_NIGHTLY === '1' } },
      { extends: true, test: { name: 'gpusort', include: ['test/**/*.test.ts'], exclude: [GPU_PARTS] } },
    ],
    // Processes, not threads: a driver that crashes or hangs takes one file with it, not the run.
    pool: 'forks',
    // Two keep two processors busy. The third is for what waits: for Slurm, for timers, for signals.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    // In milliseconds. Long enough for a software GPU on a busy two-core machine, short enough to catch a hang.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    teardownTimeout: 10_000,
  },
});
