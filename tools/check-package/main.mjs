/**
 * `npm run check:package`: publint and "Are the types wrong?" on the npm package as it is published, packed from the
 * last build. They need TypeScript 5 and 60 packages, so they are installed when this first runs. Status 1: one of them
 * has a complaint.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installTools } from '../build/on-demand.mjs';
import { packForNpm } from '../release/npm-package.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const modules = installTools('check-package', 'check-package');
const folder = mkdtempSync(join(tmpdir(), 'gpusort-package-'));

try {
  const archive = join(folder, packForNpm(root, folder).filename);
  const checks = [
    ['publint/src/cli.js', 'run', archive, '--strict'],
    // The package has ES modules only: since 20.19, Node's require() loads them, and import() did before.
    ['@arethetypeswrong/cli/dist/index.js', archive, '--ignore-rules', 'cjs-resolves-to-esm', '--no-definitely-typed'],
  ];
  const statuses = checks.map(
    ([script, ...words]) => spawnSync(process.execPath, [join(modules, script), ...words], { stdio: 'inherit' }).status,
  );
  process.exitCode = statuses.every((status) => status === 0) ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true });
}
