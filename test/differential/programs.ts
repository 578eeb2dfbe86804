/**
 * Runs cases: as separate processes, GNU sort's or the built gpusort's, all from one shell, which starts them faster
 * than Node does; or in this process.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Algorithm } from '../../src/job/algorithm-table.js';
import type { EngineChoice } from '../../src/job/job.js';
import { withoutDawn } from '../battery/runner.js';
import { distributed, type Tasks } from '../cluster/in-process.js';
import { parsed, runHere } from '../support/in-process.js';
import { changed } from '../support/jobs.js';
import { type Case, fileName, presortWords, quoted, RANDOM_FILE, wordsOf } from './case.js';

/** The outcome that the test compares. */
export interface Outcome {
  readonly status: number;
  /** Standard output, followed by the file of -o if there is one. */
  readonly output: Buffer;
  /** Standard error, one character a byte. The program's own name is replaced by `sort`. */
  readonly messages: string;
}

/** Runs a case in the directory that has its files. */
export type Runner = (of: Case, directory: string) => Promise<Outcome>;

/** The file name that cases pass to -o. */
const OUTPUT = 'out';
/** A command that runs longer counts as hung. */
const HANG_MS = 90_000;

/** A shell that runs commands one after another. */
let shell: ChildProcess | null = null;

/** Runs a command, and resolves to what it prints in a line of its own. Bytes of the command are characters. */
async function inShell(command: string): Promise<string> {
  shell ??= spawn('bash', [], { env: { ...process.env, LC_ALL: 'C' }, stdio: ['pipe', 'pipe', 'inherit'] });
  const { stdin, stdout } = shell;
  stdin!.write(`${command}\n`, 'latin1');
  const timeout = AbortSignal.timeout(HANG_MS);
  const [line] = await once(stdout!, 'data', { signal: timeout }).catch(() => {
    shell!.kill('SIGKILL');
    throw new Error(`hangs: ${command}`);
  });
  return String(line);
}

/** Ends the shell, if there is one. */
export async function endShell(): Promise<void> {
  if (shell === null) return;
  const ended = once(shell, 'close');
  shell.stdin!.end();
  shell = null;
  await ended;
}

/** Calls `use` with a directory that has the files of a case, presorted if asked, and removes it at the end. */
export async function withFiles<T>(of: Case, use: (directory: string) => Promise<T>): Promise<T> {
  const directory = mkdtempSync(join(process.env.GPUSORT_TEST_TMP ?? tmpdir(), 'differential-'));
  try {
    of.files.forEach((bytes, file) => writeFileSync(join(directory, fileName(file)), bytes, 'latin1'));
    if (of.randomSource !== null) writeFileSync(join(directory, RANDOM_FILE), of.randomSource, 'latin1');
    if (of.presorted !== 'no') {
      const sorts = of.files.map(
        (_, file) => `sort ${presortWords(of).map(quoted).join(' ')} -o ${fileName(file)} ${fileName(file)}`,
      );
      await inShell(`(cd ${quoted(directory)} && { ${sorts.join('; ')}; }) 2> /dev/null < /dev/null; echo`);
    }
    return await use(directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** `program`: the words in place of sort. `name`: the program's name in its messages. */
export function separate(
  program: readonly string[],
  name: string,
  argumentsOf: (of: Case) => readonly string[] = wordsOf,
): Runner {
  return async (of, directory) => {
    const command = [...program, ...argumentsOf(of)].map(quoted).join(' ');
    const status = await inShell(
      `(cd ${quoted(directory)} && ${of.posix ? 'POSIXLY_CORRECT=1 ' : ''}${command} > .stdout 2> .stderr < /dev/null); echo $?`,
    );
    const messages = withoutDawn(readFileSync(join(directory, '.stderr'), 'latin1')).replaceAll(
      new RegExp(`^${name}: |(?<=Try ')${name} `, 'gm'),
      (own) => own.replace(name, 'sort'),
    );
    return { status: Number(status), output: taken(directory, readFileSync(join(directory, '.stdout'))), messages };
  };
}

export const gnu = separate(['sort'], 'sort');

/** Standard output, followed by the content of the file of -o if there is one. Removes that file. */
function taken(directory: string, standardOutput: Buffer): Buffer {
  try {
    const bytes = readFileSync(join(directory, OUTPUT));
    rmSync(join(directory, OUTPUT));
    return Buffer.concat([standardOutput, bytes]);
  } catch {
    return standardOutput;
  }
}

/** How a case runs in this process, in addition to its own options. */
export interface Way {
  readonly engine: EngineChoice;
  readonly algorithm: Algorithm;
  /** --chunk-size in bytes; null: the default, one chunk. */
  readonly chunkBytes: number | null;
  /** The number of tasks that the sort is distributed over; absent: it is not distributed. */
  readonly tasks?: Tasks;
}

/** Empty, as for separate processes. */
const STANDARD_INPUT = Buffer.from('/dev/null');

/** A runner of gpusort in this process: starting a process for each of a thousand cases would take minutes. */
export function inProcess({ engine, algorithm, chunkBytes, tasks }: Way): Runner {
  return async (of, directory) => {
    const home = process.cwd();
    process.chdir(directory);
    try {
      const ended = await runHere(
        () => parsed(wordsOf(of), 'sort', of.posix),
        'sort',
        (job) =>
          changed(job, {
            inputs: job.input.files.map((name) => name ?? STANDARD_INPUT),
            output: job.mode === 'check' ? null : Buffer.from(OUTPUT),
            engine,
            algorithm,
            chunkBytes,
          }),
        tasks && distributed({ ...tasks, merges: of.presorted === 'same' && !wordsOf(of).includes('-o') }),
      );
      return { ...ended, output: taken(directory, Buffer.alloc(0)) };
    } finally {
      process.chdir(home);
    }
  };
}
