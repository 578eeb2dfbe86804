/** The memory of which -S takes a percentage: the machine's, or a Slurm job's if that is less. */
import { totalmem } from 'node:os';
import { afterEach, expect, it, vi } from 'vitest';
import { surroundings } from '../../../src/cli/parse/environment.js';

afterEach(() => {
  vi.unstubAllEnvs();
});

it.each([
  ['no job', undefined, '100', totalmem()],
  ['a job with less', '7', '100', 100 * 2 ** 20],
  ['a job with more', '7', '999999999', totalmem()],
  ['a job with all memory', '7', '0', totalmem()],
] as const)('knows the memory in %s', (_, id, mebibytes, bytes) => {
  vi.stubEnv('SLURM_JOB_ID', id);
  vi.stubEnv('SLURM_STEP_ID', undefined);
  vi.stubEnv('SLURM_MEM_PER_NODE', mebibytes);
  expect(surroundings().totalMemory()).toBe(bytes);
});
