/**
 * Other people's work in an archive: npm packages that the bundles hold, the standard library of AssemblyScript in the
 * WebAssembly modules, webgpu and Node. Their licenses go into one file; the list of components uses the same facts.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The comment for each package at the beginning of a bundle (tools/build/program.mjs). */
const PACKAGE = /^\/\/ node_modules\/((?:@[^/\n]+\/)?[^/\n]+)\//gm;

/**
 * @typedef {{
 *   name: string, version: string, integrity: string, licenses: string[], texts: string[],
 *   files?: Record<string, Buffer>,
 * }} Component `licenses`: SPDX identifiers; `files`: unmodified files of the component in the archive
 */

/**
 * The npm packages whose code is in the program.
 * @param {string} root the repository, with node_modules
 * @param {string} bundles the folder of the program's bundles
 * @returns {Component[]}
 */
export function bundledPackages(root, bundles = join(root, 'dist/bundle')) {
  const names = new Set(
    readdirSync(bundles)
      .filter((file) => /\.[cm]?js$/.test(file))
      .flatMap((file) => [...readFileSync(join(bundles, file), 'utf8').matchAll(PACKAGE)].map((match) => match[1])),
  );
  if (names.size === 0) throw new Error(`no bundle of ${bundles} names its packages`);
  const { packages } = readLock(root);
  return [...names, 'assemblyscript'].sort().map((name) => {
    const { version, license, integrity } = packages[`node_modules/${name}`];
    return { name, version, integrity, licenses: [license], texts: licenseTexts(join(root, 'node_modules', name)) };
  });
}

/** The version and the hash of the webgpu package. */
export function pinnedWebGpu(root) {
  const { version, integrity } = readLock(root).packages['node_modules/webgpu'];
  return { name: 'webgpu', version, integrity };
}

function readLock(root) {
  return JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
}

/** The texts of licenses and notices in a folder. */
export function licenseTexts(directory) {
  return readdirSync(directory)
    .filter((name) => /(^|-)(licen[cs]e|notice|thirdpartynotices)[^/]*$/i.test(name))
    .sort()
    .map((name) => readFileSync(join(directory, name), 'utf8').replaceAll('\r\n', '\n').trim());
}

/** One file with the licenses of all components. */
export function licenseFile(components) {
  const rule = '='.repeat(80);
  const parts = components.map(({ name, version, licenses, texts }) => {
    if (texts.length === 0) throw new Error(`${name} has no license`);
    return `${rule}\n${name} ${version} (${licenses.join(', ')})\n${rule}\n\n${texts.join('\n\n')}\n`;
  });
  return `gpusort itself is under the license in the file LICENSE. It contains:\n\n${parts.join('\n')}`;
}
