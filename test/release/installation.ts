/** A small archive without Node: the launcher, the program of this repository, and the Node of this test. */
import { cpSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
// @ts-expect-error: plain JavaScript, which runs without a build
import { PLATFORMS } from '../../tools/release/platforms.mjs';
// @ts-expect-error
import { launcher } from '../../tools/release/stage.mjs';

/** The platform whose Node runs here; undefined if there is none. */
export function hostPlatform(): string | undefined {
  const system = process.platform === 'win32' ? 'win' : process.platform;
  const name = `${system}-${process.arch}`;
  return name in PLATFORMS ? name : undefined;
}

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** The platform of this machine; undefined if there is no archive with a launcher of sh for it. */
export const UNIX_HOST: string | undefined = hostPlatform()?.startsWith('win-') ? undefined : hostPlatform();

export function temporaryFolder(): string {
  return mkdtempSync(join(process.env.GPUSORT_TEST_TMP ?? tmpdir(), 'gpusort-release-'));
}

/** Unpacks the archive's likeness into `directory`. `loader` replaces the file that the launcher looks for. */
export function install(directory: string, loader: string = PLATFORMS[UNIX_HOST!].loader): void {
  const program = join(directory, 'lib/gpusort');
  mkdirSync(join(directory, 'bin'), { recursive: true });
  mkdirSync(program, { recursive: true });
  writeFileSync(join(directory, 'bin/gpusort'), launcher(UNIX_HOST!, loader), { mode: 0o755 });
  const node = join(program, 'node');
  // The Node of the archives knows this option.
  if (process.allowedNodeEnvironmentFlags.has('--disable-sigusr1')) symlinkSync(process.execPath, node);
  else writeFileSync(node, `#!/bin/sh\nshift\nexec '${process.execPath}' "$@"\n`, { mode: 0o755 });
  for (const path of ['bin', 'dist/bundle', 'dist/wasm', 'package.json'])
    cpSync(join(ROOT, path), join(program, path), { recursive: true });
}
