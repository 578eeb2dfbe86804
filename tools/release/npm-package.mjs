/**
 * The npm package as it is published. In this repository webgpu is an optional dependency, which `npm ci` installs.
 * Users ask for it if they have a GPU (docs/install.md says why), so there it is an optional peer. npm cannot publish
 * another package.json than that of the folder, so the package is unpacked, changed and packed again.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from './problem.mjs';

/** The contents of package.json as published. */
export function publishedManifest({ optionalDependencies, ...manifest }) {
  const names = Object.keys(optionalDependencies);
  return {
    ...manifest,
    peerDependencies: optionalDependencies,
    peerDependenciesMeta: Object.fromEntries(names.map((name) => [name, { optional: true }])),
  };
}

/**
 * Packs the folder `root` into `destination`. Returns what `npm pack --json` says of the package, with the name of the
 * file as `filename`. `env`: the environment of npm. `options`: more options for it.
 */
export function packForNpm(root, destination, { env = process.env, options = [] } = {}) {
  const work = mkdtempSync(join(tmpdir(), 'gpusort-npm-'));
  const pack = (folder, target) => {
    const args = ['pack', '--json', '--ignore-scripts', '--loglevel=error', '--pack-destination', target, ...options];
    return JSON.parse(run('npm', args, { cwd: folder, env }))[0];
  };
  try {
    run('tar', ['-xzf', join(work, pack(root, work).filename), '-C', work]);
    const file = join(work, 'package/package.json');
    writeFileSync(file, `${JSON.stringify(publishedManifest(JSON.parse(readFileSync(file, 'utf8'))), null, 2)}\n`);
    return pack(join(work, 'package'), destination);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
