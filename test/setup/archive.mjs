/**
 * Unpacks the Brotli-compressed tar archives of the development dependency @sparticuz/chromium into
 * node_modules/.cache. Needs neither root nor `tar`.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';

/** Bytes in a block of a tar archive. */
const BLOCK = 512;

/** The directory `name` of unpacked files, in the repository `root`. */
export function cacheDirectory(root, name) {
  return join(root, 'node_modules/.cache/gpusort', name);
}

/**
 * The content of a compressed file of the dependency.
 * @param {string} root the repository
 * @param {string} name such as `chromium.br`
 * @returns {Buffer}
 */
export function readCompressed(root, name) {
  const path = join(root, 'node_modules/@sparticuz/chromium/bin', name);
  if (!existsSync(path)) throw new Error(`the software GPU is missing: ${path} (run npm ci)`);
  return brotliDecompressSync(readFileSync(path));
}

/**
 * The regular files of a tar archive. It ignores the prefix field of names longer than 100 bytes; ours has none.
 * @param {Buffer} archive
 * @returns {Generator<{ name: string, content: Buffer }>}
 */
export function* tarFiles(archive) {
  for (let at = 0; at + BLOCK <= archive.length && archive[at] !== 0; ) {
    const text = (from, length) => archive.toString('latin1', at + from, at + from + length).replace(/\0.*$/s, '');
    const size = parseInt(text(124, 12), 8);
    const type = text(156, 1);
    if (type === '' || type === '0')
      yield { name: text(0, 100), content: archive.subarray(at + BLOCK, at + BLOCK + size) };
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
  }
}

/**
 * Writes files to the directory `target`, all or none: they are written elsewhere and renamed, so that a concurrent run
 * never sees half of them.
 * @param {string} target
 * @param {Iterable<{ name: string, content: Buffer | string }>} files names relative to `target`
 * @param {readonly string[]} needed must be among them
 */
export function writeDirectory(target, files, needed) {
  mkdirSync(dirname(target), { recursive: true });
  const fresh = mkdtempSync(`${target}-`);
  for (const { name, content } of files) {
    mkdirSync(dirname(join(fresh, name)), { recursive: true });
    writeFileSync(join(fresh, name), content, { mode: 0o755 });
  }
  const complete = (directory) => needed.every((name) => existsSync(join(directory, name)));
  if (!complete(fresh)) throw new Error(`the archives of @sparticuz/chromium lack one of ${needed.join(', ')}`);
  try {
    renameSync(fresh, target);
  } catch (error) {
    // A concurrent run was first, with the same files, which it may be using already. Or the existing files are
    // incomplete.
    if (complete(target)) rmSync(fresh, { recursive: true, force: true });
    else if (!existsSync(target)) throw error;
    else {
      rmSync(target, { recursive: true, force: true });
      renameSync(fresh, target);
    }
  }
}
