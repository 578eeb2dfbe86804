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
 */
const LONG = [
  'battery/battery.gpu',
  'gpu/',
  'differential/differential',
  'battery/faults',
  'battery/battery.cpu',
  'platform/end-to-end',
  'sort/pipes',
  'cluster/slurm.test',
  'cluster/end-to-end',
  'battery/scripts',
  'sort/default-limits',
  'cpu/distribute',
  'merge.test',
  'battery/limit',
  'cpu/keyed',
  'faults/every-call',
  'battery/output',
  'cpu/limit',
  'sort/full-device',
  'cli/limits',
  'battery/order',
  'verify/order',
  'battery/csv',
  'battery/header',
  'runs/damage',
  'sort/fallback',
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
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    // In milliseconds. Long enough for a software GPU on a busy two-core machine, short enough to catch a hang.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    teardownTimeout: 10_000,
  },
});
