/** Whole sorts by the command line in three processes of this host. */
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { cases, outputOf, prepareCase, sortHere, startGpusort, takeOutput, testCases } from './end-to-end.js';

const MB = 1e6;
const root = mkdtempSync(join(process.env.GPUSORT_TEST_TMP ?? tmpdir(), 'end-to-end-'));
afterAll(() => {
  rmSync(root, { recursive: true });
});

describe('--cluster local:3', () => {
  testCases(cases, root, ['--cluster=local:3', '--tasks=3'], ({ isLarge }) => (isLarge ? 20 : 2) * MB);

  it('takes a broken pipe to a scheduler for no interruption', async () => {
    const directory = join(root, 'pipe');
    mkdirSync(directory);
    const prepared = prepareCase(cases[0], directory, 2 * MB);
    const words = ['--engine=cpu', '--cluster=local:3', '--tasks=3', ...prepared.words, '-o', outputOf(prepared)];
    const { child, ended } = startGpusort(words);
    await expect.poll(() => existsSync(join(directory, 'gpusort-output.job'))).toBe(true);
    child.kill('SIGPIPE');
    expect(await ended).toMatchObject({ status: 0, stderr: '' });
    expect(await takeOutput(prepared)).toBe((await sortHere(prepared)).sha256);
  });
});
