/** Sorts that spill, for tests of faults: a directory with a large file, and a sort that waits with runs on disk. */
import { spawn } from 'node:child_process';
import { chmodSync, copyFileSync, linkSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { spilledFiles } from '../support/spilled.js';
import { INPUTS } from './inputs.js';
import { freshDirectory, inputFile, PROGRAM } from './runner.js';

const largeFile = (): Promise<string> => inputFile(INPUTS.find((input) => input.name === 'Gaussian lengths')!);

/**
 * Creates a directory that every user may write to, with two small files and one of some megabytes. The large file is
 * a hard link shared by all directories, so tests must not write to it.
 */
export async function directory(): Promise<string> {
  const path = freshDirectory('faults');
  chmodSync(path, 0o777);
  writeFileSync(join(path, 'f'), 'b\na\n');
  copyFileSync(await inputFile(INPUTS.find((input) => input.name === 'random lines (small)')!), join(path, 'small'));
  linkSync(await largeFile(), join(path, 'large'));
  return path;
}

/** Options for so little memory that the large file spills. */
export const SMALL = '-S 1M --chunk-size 256K';

/** Bytes of input: more than twice what fits in memory, so that runs spill. */
const SPILLED_BYTES = 4 << 20;

/** Starts a sort that spills, with an input pipe that stays open. Waits until its temporary file stops growing. */
export async function spillingSort(args: readonly string[], env: Readonly<Record<string, string>>, temporary: string) {
  const child = spawn(PROGRAM[0], [...PROGRAM.slice(1), '--engine', 'cpu', ...SMALL.split(' '), ...args], {
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const ended = new Promise<{ code: number | null; signal: string | null }>((resolve) =>
    child.on('close', (code, signal) => resolve({ code, signal })),
  );
  child.stdin.on('error', () => {
    /* gpusort ends before it has read its input */
  });
  child.stdin.write(readFileSync(await largeFile()).subarray(0, SPILLED_BYTES));
  const deadline = Date.now() + 30_000;
  let before = 0;
  for (let still = 0; still < 10; await sleep(20)) {
    const [file] = spilledFiles(temporary, child.pid!);
    still = file !== undefined && file.bytes > 0 && file.bytes === before ? still + 1 : 0;
    before = file?.bytes ?? 0;
    if (Date.now() > deadline) {
      child.kill('SIGKILL');
      throw new Error('nothing was spilled in 30 s');
    }
  }
  return { child, ended };
}
