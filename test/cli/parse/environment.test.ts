/** The environment: the memory of which -S takes a percentage, TMPDIR, and the version of POSIX. */
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

it.each([
  [undefined, '/tmp'],
  ['', '/tmp'],
  ['/x \u00e9', '/x \xc3\xa9'],
])('with TMPDIR=%s temporary files go to %s', (directory, expected) => {
  vi.stubEnv('TMPDIR', directory);
  expect(surroundings().temporaryDirectory).toBe(expected);
});

it('treats +POS1 as a key in all versions of POSIX except those from 2001 to 2008', () => {
  const taken = ['199209', '200111', '200112', '200808', '200809', '200112x', ''].map((version) => {
    vi.stubEnv('_POSIX2_VERSION', version);
    return surroundings().obsolescentKeys;
  });
  expect(taken).toEqual([true, true, false, false, true, true, true]);
});
