/** Text for codecs, and the programs of the system for the same formats. */
import { spawnSync } from 'node:child_process';
import { randomBelow } from './random.js';

/** Seeded bytes: random letters of an alphabet of `letters` letters. */
export function randomBytes(seed: number, count: number, letters: number): Buffer {
  const below = randomBelow(seed);
  return Buffer.from(Uint8Array.from({ length: count }, () => (letters > 26 ? 0 : 65) + below(letters)));
}

/** Whether the system has a program. */
export function hasProgram(name: string): boolean {
  return spawnSync(name, ['--version']).error === undefined;
}

/** The output of a program for `input`. Throws if it fails. */
export function piped(name: string, args: readonly string[], input: Uint8Array): Buffer {
  const { status, stdout, stderr } = spawnSync(name, args, { input, maxBuffer: 1 << 28 });
  if (status !== 0) throw new Error(`${name}: ${stderr}`);
  return stdout;
}
