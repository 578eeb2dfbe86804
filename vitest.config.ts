/**
 * How the tests are run. Start them with `npm test` (test/setup/run.mjs): the software GPU has to be in the environment
 * before Node starts, which no configuration file can do.
 */
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take more than half a minute, the longest first: begun last, one would be left when a processor has nothing to do. */
const LONG = [
  'differential/differential', 'battery/battery.gpu', 'battery/battery.cpu', 'gpu/default-limits', 'battery/shapes', 'gpu/msd-radix/msd-radix', 'battery/limit', 'verify/jobs',
  'gpu/keyed', 'battery/faults',
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const found = LONG.findIndex((name) => moduleId.endsWith(`test/${name}.test.ts`));
      return found < 0 ? LONG.length : found;
    };
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Processes, not threads: a driver that crashes or hangs takes one file with it, not the run.
    pool: 'forks',
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    // Software GPUs on a busy two-core machine are slow; a hang is still found.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    teardownTimeout: 10_000,
  },
});
