/**
 * Keeps compiled code in the user's cache directory, one file for each version of Node and of the program.
 * Code is executed, so it is only read from a file and a directory that this user owns and no one else can write or
 * read. V8 does not check its bytes: a file holds two copies of the code, because comparing them takes less time than
 * loading node:zlib for a checksum. If there is no such file, the program is compiled as if there were no cache.
 * NODE_DISABLE_COMPILE_CACHE=1 turns the cache off, as it does Node's own.
 */
const fs = require('node:fs');
const { dirname, isAbsolute, join } = require('node:path');

/** Up to this many files are kept, including those of older programs and other versions of Node. */
const MOST_FILES = 24;
/** A temporary file this old belongs to a process that died, in milliseconds. */
const STALE_MS = 3_600_000;
const { O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = fs.constants;
/** Bits of a mode that let others read or write. */
const OTHERS = 0o077;

/**
 * The cache of a program's code for `runtime`; null if this user has no safe directory. `program`: a text that changes
 * when the program does. `code` of the result is undefined if nothing is cached, and `keep` caches code.
 */
exports.openCache = (runtime, program) => {
  const directory = cacheDirectory();
  if (directory === null) return null;
  const label = `${runtime} ${program}`.replaceAll('\n', ' ');
  const file = join(directory, `${process.versions.node}-${hash(label)}.code`);
  const head = Buffer.from(`${label}\n`);
  return { code: readCode(file, head), keep: (make) => keepCode(directory, file, head, make) };
};

/** A name for a short text: its 32-bit FNV-1a hash. */
function hash(text) {
  let value = 0x811c9dc5;
  for (const byte of Buffer.from(text)) value = Math.imul(value ^ byte, 0x01000193);
  return (value >>> 0).toString(16);
}

/** $XDG_CACHE_HOME/gpusort or ~/.cache/gpusort, which need not exist. Null if it cannot be safe. */
function cacheDirectory() {
  if (process.env.NODE_DISABLE_COMPILE_CACHE || process.geteuid === undefined) return null;
  const { XDG_CACHE_HOME: cache = '', HOME: home = '' } = process.env;
  if (process.geteuid() !== process.getuid()) return null;
  if (isAbsolute(cache)) return join(cache, 'gpusort');
  return isAbsolute(home) ? join(home, '.cache/gpusort') : null;
}

/** Whether the directory is private and lies in a safe place. */
function isSafe(directory) {
  const { mode, uid } = fs.lstatSync(directory);
  const isPrivate = (mode & fs.constants.S_IFMT) === fs.constants.S_IFDIR && (mode & OTHERS) === 0;
  return isPrivate && uid === process.geteuid() && isSafePlace(dirname(directory));
}

/**
 * Whether this user owns the cache directory, and this user or root its parent: sudo may keep another user's HOME.
 */
function isSafePlace(cache) {
  const us = process.geteuid();
  return fs.statSync(cache).uid === us && [0, us].includes(fs.statSync(dirname(cache)).uid);
}

/** The code in `file`, if it is safe, whole and after `head`. */
function readCode(file, head) {
  let fd;
  try {
    if (!isSafe(dirname(file))) return undefined;
    fd = fs.openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    const { mode, uid } = fs.fstatSync(fd);
    if (uid !== process.geteuid() || (mode & OTHERS) !== 0 || (mode & fs.constants.S_IFMT) !== fs.constants.S_IFREG)
      return undefined;
    const bytes = fs.readFileSync(fd);
    const end = (head.length + bytes.length) / 2;
    const code = bytes.subarray(head.length, end);
    const isWhole = code.length > 0 && bytes.subarray(0, head.length).equals(head) && bytes.subarray(end).equals(code);
    return isWhole ? code : undefined;
  } catch {
    return undefined;
  } finally {
    if (fd !== undefined) fs.closeSync(fd);
  }
}

/**
 * Writes `file` under another name and renames it: other processes see all of it or nothing. `make` returns the code,
 * and is called only if the file can be written. May throw.
 */
function keepCode(directory, file, head, make) {
  makeDirectory(directory);
  if (!isSafe(directory)) return;
  const temporary = `${file}.${process.pid}.new`;
  try {
    const fd = fs.openSync(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
    try {
      fs.fchmodSync(fd, 0o600); // whatever the umask
      const code = make();
      fs.writeFileSync(fd, Buffer.concat([head, code, code]));
    } finally {
      fs.closeSync(fd);
    }
    fs.renameSync(temporary, file);
    removeOld(directory);
  } catch (error) {
    fs.rmSync(temporary, { force: true });
    throw error;
  }
}

/**
 * Makes the directory and, if it is missing, the cache directory above it, if that would be in a directory of this
 * user.
 */
function makeDirectory(directory) {
  const cache = dirname(directory);
  if (fs.statSync(dirname(cache)).uid === process.geteuid() && !fs.existsSync(cache)) makeOwn(cache);
  if (isSafePlace(cache) && !fs.existsSync(directory)) makeOwn(directory);
}

/** Makes a directory that its owner may use, whatever the umask. */
function makeOwn(directory) {
  fs.mkdirSync(directory, { mode: 0o700 });
  fs.chmodSync(directory, 0o700);
}

/** Removes all but the newest files, and temporary files of processes that died. */
function removeOld(directory) {
  const files = fs
    .readdirSync(directory)
    .filter((name) => /\.(code|new)$/.test(name))
    .map((name) => join(directory, name))
    .map((path) => ({ path, changed: fs.statSync(path).mtimeMs }))
    .sort((a, b) => b.changed - a.changed);
  const stale = files.filter(({ path, changed }) => path.endsWith('.new') && changed < Date.now() - STALE_MS);
  const old = files.filter(({ path }) => path.endsWith('.code')).slice(MOST_FILES);
  for (const { path } of [...stale, ...old]) fs.rmSync(path, { force: true });
}
