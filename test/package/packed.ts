/** Makes the npm package of the built program as `npm pack` does, and unpacks it. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
// @ts-expect-error: a module without types
import { packForNpm as untyped } from '../../tools/release/npm-package.mjs';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

export interface Packed {
  /** The archive. */
  readonly archive: string;
  /** Its unpacked folder. */
  readonly folder: string;
  /** Bytes of the archive, and of all files in it. */
  readonly size: number;
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string; readonly size: number; readonly mode: number }[];
}

/** The message of a newer npm about an older Node, whatever it installs. */
const NPM_ABOUT_NODE = /^npm warn cli npm \S+ does not support Node\.js .*\n/m;

/** Runs npm without the settings of this user and without a network. */
export function npm(args: readonly string[], directory: string) {
  const { PATH } = process.env;
  const outcome = spawnSync(
    'npm',
    [...args, '--offline', '--cache', join(directory, 'cache'), '--no-update-notifier'],
    {
      cwd: ROOT,
      env: { PATH, HOME: directory },
      encoding: 'utf8',
      timeout: 60_000,
    },
  );
  return { ...outcome, stderr: outcome.stderr.replace(NPM_ABOUT_NODE, '') };
}

const packForNpm = untyped as (
  root: string,
  destination: string,
  npm: { readonly env: NodeJS.ProcessEnv; readonly options: readonly string[] },
) => Packed & { readonly filename: string };

/** Packs into `directory`, without a build, as for the registry. */
export function pack(directory: string): Packed {
  mkdirSync(join(directory, 'unpacked'), { recursive: true });
  const packed = packForNpm(ROOT, directory, {
    env: { PATH: process.env.PATH, HOME: directory },
    options: ['--offline', '--cache', join(directory, 'cache')],
  });
  const archive = join(directory, packed.filename);
  const folder = join(directory, 'unpacked');
  const tar = spawnSync('tar', ['-xzf', archive, '-C', folder], { encoding: 'utf8' });
  if (tar.status !== 0) throw new Error(tar.stderr);
  return { ...packed, archive, folder: join(folder, 'package') };
}

export const manifest = (folder: string) =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    readonly bin: Readonly<Record<string, string>>;
    readonly man: readonly string[];
    readonly dependencies?: object;
    readonly optionalDependencies?: object;
    readonly peerDependencies: Readonly<Record<string, string>>;
    readonly peerDependenciesMeta: object;
    readonly exports?: unknown;
    readonly scripts: Readonly<Record<string, string>>;
    readonly version: string;
  };
