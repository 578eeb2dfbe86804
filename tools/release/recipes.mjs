/**
 * The recipes of packaging/ with the facts of a release: version, addresses and hashes. Recipes contain only
 * placeholders, @NAME@, so no recipe can differ from the release.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const REGISTRY = 'https://registry.npmjs.org';

/**
 * Writes all recipes into `target`.
 * @param {string} packaging the folder of the recipes
 * @param {string} target
 * @param {{ version: string, npmHash: string, webgpuVersion: string, webgpuHash: string }} facts hashes: SHA-256, hex
 */
export function writeRecipes(packaging, target, { version, npmHash, webgpuVersion, webgpuHash }) {
  const values = {
    VERSION: version,
    URL: `${REGISTRY}/gpusort/-/gpusort-${version}.tgz`,
    SHA256: npmHash,
    WEBGPU_VERSION: webgpuVersion,
    WEBGPU_URL: `${REGISTRY}/webgpu/-/webgpu-${webgpuVersion}.tgz`,
    WEBGPU_SHA256: webgpuHash,
  };
  for (const { name, parentPath } of filesIn(packaging)) {
    const file = join(parentPath, name);
    const text = readFileSync(file, 'utf8').replace(/@([A-Z][A-Z0-9_]+)@/g, (_, key) => {
      if (values[key] === undefined) throw new Error(`${file} names @${key}@, which nothing defines`);
      return values[key];
    });
    const written = join(target, file.slice(packaging.length + 1));
    mkdirSync(dirname(written), { recursive: true });
    writeFileSync(written, text);
  }
}

function filesIn(directory) {
  return readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
}
