/**
 * Puts a finished build in place while programs that use the last one start and run. Each build of the program has a
 * folder, dist/builds/ID/, that no later build changes; the file dist/current names the one that starts use
 * (bin/load.cjs), and a process stays with the one that it started with. The other files of dist/ are replaced one by
 * one. A folder or a symbolic link would not do: neither can be replaced at once on every system.
 */
import { createHash } from 'node:crypto';
import {
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

/** What other commands keep in dist/, and folders of builds and releases that are under way. */
const OTHERS = /^(?:api|release)$|^(?:build|release)-/;
const [BUILDS, CURRENT, STAMP, LOCK] = ['builds', 'current', 'built-from', 'build-lock'];
/** Builds of the program that stay, with the current one: a sort may run for as long as two more builds. */
const MOST_BUILDS = 3;
/** Putting a build in place takes less than a second. A lock this old belongs to a process that died. */
const STALE_LOCK_MS = 60_000;
/** Windows refuses to replace a file while another program has it open. */
const BUSY = new Set(['EACCES', 'EBUSY', 'EPERM']);
const BUSY_TRIES = process.platform === 'win32' ? 50 : 0;
const WAIT_MS = 50;

/** The name of a build: a digest of the program's bundles and kernels. */
export function buildId(built) {
  const hash = createHash('sha256');
  for (const file of filesIn(built).filter((name) => /^(?:bundle\/.*\.cjs|wasm\/.*)$/.test(name)))
    hash.update(`\0${file}\0`).update(readFileSync(join(built, file)));
  return hash.digest('hex').slice(0, 16);
}

/** Whether `dist` holds all files of the build of these sources. `sources`: their digest. */
export function isCurrent(dist, sources) {
  if (!existsSync(join(dist, STAMP))) return false;
  const [from, ...files] = readFileSync(join(dist, STAMP), 'utf8').split('\n');
  return (
    from === sources &&
    files.every((line) => {
      const [size, path] = line.split('\t');
      return statSync(join(dist, path), { throwIfNoEntry: false })?.size === Number(size);
    })
  );
}

/** Copies the files of the last build to the folder `built`. */
export function copyBuild(dist, built) {
  const isBuilt = (name) => !OTHERS.test(name) && ![BUILDS, CURRENT, STAMP].includes(name);
  for (const name of readdirSync(dist).filter(isBuilt))
    cpSync(join(dist, name), join(built, name), { recursive: true });
}

/**
 * Moves the files of the folder `built` to `dist`, in the same file system, and removes those of earlier builds.
 * `sources`: the digest of the sources; null if they may be others than those of all files.
 */
export function publish(built, dist, sources) {
  const unlock = lock(join(dist, LOCK));
  try {
    rmSync(join(dist, STAMP), { force: true });
    const files = filesIn(built);
    const program = keepProgram(built, join(dist, BUILDS));
    writeFileSync(join(built, CURRENT), program);
    replace(built, dist, CURRENT);
    for (const file of files) replace(built, dist, file);
    removeStale(dist, new Set([...files, CURRENT]), program);
    if (sources === null) return;
    const folder = join(BUILDS, program);
    const kept = [...files, CURRENT, ...filesIn(join(dist, folder)).map((file) => join(folder, file))];
    const lines = kept.map((file) => `\n${statSync(join(dist, file)).size}\t${file}`);
    writeFileSync(join(built, STAMP), sources + lines.join(''));
    replace(built, dist, STAMP);
  } finally {
    unlock();
  }
}

/** Adds the program to the folder of builds, unless it is there; returns its name. */
function keepProgram(built, builds) {
  const id = buildId(built);
  const [folder, fresh] = [join(builds, id), join(dirname(built), 'program')];
  for (const part of ['bundle', 'wasm'])
    cpSync(join(built, part), join(fresh, part), {
      recursive: true,
      filter: (path) => !/\.(?:mjs|txt)$/.test(path),
    });
  if (existsSync(folder)) {
    // The same program, with code of this version of Node.
    for (const file of filesIn(fresh).filter((name) => name.endsWith('.code'))) replace(fresh, folder, file);
    utimesSync(folder, new Date(), new Date());
  } else {
    mkdirSync(builds, { recursive: true });
    move(fresh, folder);
  }
  return id;
}

/** Moves a file into `to` unless an equal one is there: other programs see either all of the old one or of the new. */
function replace(from, to, file) {
  const [source, target] = [join(from, file), join(to, file)];
  if (existsSync(target) && readFileSync(target).equals(readFileSync(source))) return;
  mkdirSync(dirname(target), { recursive: true });
  move(source, target);
}

function move(from, to) {
  for (let tries = 0; ; tries++) {
    try {
      return renameSync(from, to);
    } catch (error) {
      if (!BUSY.has(error.code) || tries >= BUSY_TRIES) throw error;
      wait();
    }
  }
}

/** Removes files of earlier builds from `dist`, folders that this leaves empty, and the oldest programs. */
function removeStale(dist, files, program) {
  for (const { name } of readdirSync(dist, { withFileTypes: true })) {
    if (OTHERS.test(name) || name === BUILDS || files.has(name)) continue;
    const path = join(dist, name);
    if (!statSync(path).isDirectory()) rmSync(path);
    else for (const file of filesIn(path)) if (!files.has(`${name}/${file}`)) rmSync(join(path, file));
    removeEmpty(path);
  }
  const age = (name) => statSync(join(dist, BUILDS, name)).mtimeMs;
  const earlier = readdirSync(join(dist, BUILDS)).filter((name) => name !== program);
  for (const name of earlier.sort((a, b) => age(b) - age(a)).slice(MOST_BUILDS - 1))
    rmSync(join(dist, BUILDS, name), { recursive: true });
}

function removeEmpty(folder) {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return;
  for (const name of readdirSync(folder)) removeEmpty(join(folder, name));
  if (readdirSync(folder).length === 0) rmdirSync(folder);
}

/** The paths of all files below a folder, in a fixed order. */
function filesIn(folder) {
  return readdirSync(folder, { recursive: true })
    .filter((name) => statSync(join(folder, name)).isFile())
    .map((name) => name.replaceAll('\\', '/'))
    .sort();
}

/** Waits until no other build is being put in place; returns the function that lets the next one go on. */
function lock(file) {
  for (;;) {
    try {
      closeSync(openSync(file, 'wx'));
      return () => rmSync(file, { force: true });
    } catch (error) {
      if (error.code !== 'EEXIST' && !BUSY.has(error.code)) throw error;
    }
    const made = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
    if (Date.now() - made > STALE_LOCK_MS) rmSync(file, { force: true });
    else wait();
  }
}

function wait() {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, WAIT_MS);
}
