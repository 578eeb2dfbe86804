/**
 * -o FILE: directories to write to, scripts that print the resulting state, and sorts that wait while a test changes
 * FILE.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { freshDirectory, gnuScript, PROGRAM, sameAsGnu, script, withoutDawn } from './runner.js';

/** Creates a directory that everyone may write to, with the file f and a longer file named old. */
export function directory(): string {
  const path = freshDirectory('output');
  chmodSync(path, 0o777);
  writeFileSync(join(path, 'f'), 'b\na\n');
  writeFileSync(join(path, 'old'), 'one\ntwo\nthree\n');
  return path;
}

/** Shell function `state FILE...`: prints everything that -o may change, except times and inode numbers. */
export const STATE = 'state() { for n; do echo "$n: $(stat -c "%F %a %u:%g %h %s" "$n")"; cat "$n"; done; };';

/** Runs a script with both programs, each in a new directory. Expects the same outcome and no temporary files. */
export async function asGnu(text: string): Promise<void> {
  const [cwd, other] = [directory(), directory()];
  sameAsGnu(await script(`${STATE} ${text}`, { cwd }), await gnuScript(`${STATE} ${text}`, { cwd: other }));
  expect(temporaryFiles(cwd)).toEqual([]);
}

export function temporaryFiles(cwd: string): string[] {
  return (readdirSync(cwd, { recursive: true }) as string[]).filter((name) => name.includes('gpusort'));
}

/** Starts gpusort with a standard input that stays open, and waits until the output's temporary file exists. */
export async function waiting(
  args: readonly string[],
  where: string,
  options: { readonly cwd: string; readonly prefix?: readonly string[] },
) {
  // Small sorts (src/run/at-once.ts) create the file when they have read all.
  const words = [...(options.prefix ?? []), ...PROGRAM, '--engine=cpu', ...args];
  const child = spawn(words[0], words.slice(1), {
    cwd: options.cwd,
    env: { ...process.env, LC_ALL: 'C' },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let stderr = '';
  child.stderr.on('data', (data: Buffer) => {
    stderr += data.toString('latin1');
  });
  const ended = new Promise<{ code: number | null; signal: string | null; stderr: string }>((resolve) => {
    child.on('close', (code, signal) => {
      resolve({ code, signal, stderr: withoutDawn(stderr) });
    });
  });
  await until(child, () => readdirSync(where).some((name) => name.startsWith('.gpusort-')));
  return { child, ended };
}

export async function until(child: ChildProcess, holds: () => boolean): Promise<void> {
  for (let tries = 0; !holds(); tries++) {
    if (tries > 1500) {
      child.kill('SIGKILL');
      throw new Error('nothing happened in 30 s');
    }
    await sleep(20);
  }
}
