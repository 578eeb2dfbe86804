/** The linters accept the workflows of GitHub (`npm run lint:workflows`). They take seconds. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

it('the linters have no complaints', () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['.github/scripts/lint-workflows.mjs'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  for (const line of stdout.split('\n').filter((text) => text.includes('left out'))) console.log(line);
  expect(status, stdout + stderr).toBe(0);
});
