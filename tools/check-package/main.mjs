/**
 * `npm run check:package`: publint and "Are the types wrong?" on the npm package, packed from the last build. They need
 * TypeScript 5 and 60 packages, so they are installed when this first runs. Status 1: one of them has a complaint.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installTools } from '../build/on-demand.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const modules = installTools('check-package', 'check-package');
const folder = mkdtempSync(join(tmpdir(), 'gpusort-package-'));

/** Whether a command succeeded. */
function succeeds(command, words, options = {}) {
  return spawnSync(command, words, { cwd: root, stdio: 'inherit', ...options }).status === 0;
}

try {
  const words = ['pack', '--ignore-scripts', '--loglevel=error', '--pack-destination', folder];
  const isPacked = succeeds('npm', words, { shell: process.platform === 'win32' });
  const archive = isPacked ? join(folder, readdirSync(folder)[0]) : null;
  const checks = [
    ['publint/src/cli.js', 'run', archive, '--strict'],
    // The package has ES modules only: since 20.19, Node's require() loads them, and import() did before.
    ['@arethetypeswrong/cli/dist/index.js', archive, '--ignore-rules', 'cjs-resolves-to-esm', '--no-definitely-typed'],
  ];
  const passed = isPacked
    ? checks.map(([script, ...args]) => succeeds(process.execPath, [join(modules, script), ...args]))
    : [false];
  process.exitCode = passed.every(Boolean) ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true });
}
