/**
 * Removes files of development packages that nothing here uses, 195 of 420 MB: the libraries of other platforms in
 * webgpu, and the command-line programs of Binaryen, of which the AssemblyScript compiler uses the library. npm cannot
 * leave out a part of a package. `npm ci` runs this before the build. Archives of a release use packages of their own
 * (tools/release/packages.mjs).
 *
 *     node tools/build/prune.mjs [NODE_MODULES]
 */
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const { platform, arch } = process;
/** Folders of node_modules/, and what stays in them. */
const PRUNED = {
  'webgpu/dist': [`${platform}-${arch}`, `${platform}-universal`],
  'binaryen/bin': ['package.json'],
};

const [modules = fileURLToPath(new URL('../../node_modules', import.meta.url))] = process.argv.slice(2);
for (const [folder, kept] of Object.entries(PRUNED)) {
  const path = join(modules, folder);
  if (!existsSync(path)) continue;
  for (const name of readdirSync(path))
    if (!kept.includes(name)) rmSync(join(path, name), { recursive: true, force: true });
}
