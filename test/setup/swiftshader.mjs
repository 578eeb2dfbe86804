/**
 * Unpacks the software GPU for the tests: SwiftShader, its ICD file and a Vulkan loader, from the archive in the
 * development dependency @sparticuz/chromium (linux x64). Needs neither root nor `tar`.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';

const NEEDED = ['libvk_swiftshader.so', 'vk_swiftshader_icd.json', 'libvulkan.so.1'];
/** Bytes in a block of a tar archive. */
const BLOCK = 512;

/**
 * The regular files of a tar archive. It ignores the prefix field of names longer than 100 bytes; ours has none.
 * @param {Buffer} archive
 * @returns {Generator<{ name: string, content: Buffer }>}
 */
function* tarFiles(archive) {
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
 * Unpacks the three files into node_modules/.cache if they are not there yet; returns their directory.
 * @param {string} root the repository
 * @returns {string}
 */
export function unpackSwiftshader(root) {
  const target = join(root, 'node_modules/.cache/gpusort/swiftshader');
  if (NEEDED.every((name) => existsSync(join(target, name)))) return target;
  const archive = join(root, 'node_modules/@sparticuz/chromium/bin/swiftshader.tar.br');
  if (!existsSync(archive)) throw new Error(`the software GPU is missing: ${archive} (run npm ci)`);
  mkdirSync(join(target, '..'), { recursive: true });
  // Unpacked elsewhere and renamed, so that a concurrent run never sees half of it.
  const fresh = mkdtempSync(`${target}-`);
  for (const { name, content } of tarFiles(brotliDecompressSync(readFileSync(archive)))) {
    if (NEEDED.includes(basename(name))) writeFileSync(join(fresh, basename(name)), content, { mode: 0o755 });
  }
  const missing = NEEDED.filter((name) => !existsSync(join(fresh, name)));
  if (missing.length > 0) throw new Error(`${archive} lacks ${missing.join(', ')}`);
  try {
    rmSync(target, { recursive: true, force: true });
    renameSync(fresh, target);
  } catch (error) {
    // A concurrent run was first. Its files are the same.
    rmSync(fresh, { recursive: true, force: true });
    if (!existsSync(join(target, NEEDED[0]))) throw error;
  }
  return target;
}
