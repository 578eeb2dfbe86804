/**
 * Unpacks the software GPU for the tests: SwiftShader, its ICD file and a Vulkan loader, from the archive in the
 * development dependency @sparticuz/chromium (linux x64).
 */
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { cacheDirectory, readCompressed, tarFiles, writeDirectory } from './archive.mjs';

const NEEDED = ['libvk_swiftshader.so', 'vk_swiftshader_icd.json', 'libvulkan.so.1'];

/**
 * Unpacks the three files into node_modules/.cache if they are not there yet; returns their directory.
 * @param {string} root the repository
 * @returns {string}
 */
export function unpackSwiftshader(root) {
  const target = cacheDirectory(root, 'swiftshader');
  if (!NEEDED.every((name) => existsSync(join(target, name)))) writeDirectory(target, swiftshaderFiles(root), NEEDED);
  return target;
}

function* swiftshaderFiles(root) {
  for (const { name, content } of tarFiles(readCompressed(root, 'swiftshader.tar.br')))
    if (NEEDED.includes(basename(name))) yield { name: basename(name), content };
}
