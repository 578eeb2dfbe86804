/**
 * How the tests are run. Start them with `npm test` (test/setup/run.mjs): the software GPU has to be in the environment
 * before Node starts, which no configuration file can do.
 */
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Processes, not threads: a driver that crashes or hangs takes one file with it, not the run.
    pool: 'forks',
    maxWorkers: 2,
    // Software GPUs on a busy two-core machine are slow; a hang is still found.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    teardownTimeout: 10_000,
  },
});
