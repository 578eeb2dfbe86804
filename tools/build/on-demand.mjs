/**
 * Tools that one command needs. They are installed when it first runs, so that `npm ci` brings only what a build and
 * the tests use. Each folder with such a tool has a lock file of its own.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The exit status if tools cannot be installed because the registry cannot be reached. .ci/run knows it. */
const REGISTRY_LOST = 69;

/**
 * Installs the packages of a lock file in .cache/, unless that is done already; exits if it fails.
 * @param {string} folder the folder of the lock file, in tools/
 * @param {string} name the folder in .cache/
 * @returns {string} the path of node_modules
 */
export function installTools(folder, name) {
  const [from, to] = [join(root, 'tools', folder), join(root, '.cache', name)];
  const modules = join(to, 'node_modules');
  const lock = 'package-lock.json';
  // npm writes this file last.
  const isInstalled =
    existsSync(join(modules, '.package-lock.json')) &&
    readFileSync(join(to, lock)).equals(readFileSync(join(from, lock)));
  if (isInstalled) return modules;
  mkdirSync(to, { recursive: true });
  for (const file of ['package.json', lock]) copyFileSync(join(from, file), join(to, file));
  const status = npm(['ci', '--no-audit', '--no-fund'], to);
  if (status !== 0) {
    console.error(`cannot install ${folder} in ${to}: npm ended with status ${status}`);
    process.exit(npm(['ping', '--fetch-retries=0'], to) === 0 ? 1 : REGISTRY_LOST);
  }
  return modules;
}

/** Runs npm; returns its exit status. */
function npm(words, cwd) {
  return spawnSync('npm', words, { cwd, stdio: 'inherit', shell: process.platform === 'win32' }).status;
}
