/** Whole sorts by the command line in three processes of this host. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe } from 'vitest';
import { cases, testCases } from './end-to-end.js';

const MB = 1e6;
const root = mkdtempSync(join(process.env.GPUSORT_TEST_TMP ?? tmpdir(), 'end-to-end-'));
afterAll(() => {
  rmSync(root, { recursive: true });
});

describe('--cluster local:3', () => {
  testCases(cases, root, ['--cluster=local:3', '--tasks=4'], ({ isLarge }) => (isLarge ? 20 : 2) * MB);
});
