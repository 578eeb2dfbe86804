/**
 * Cases given to programs: their files on disk, GNU sort or the built gpusort run on many of them by one shell, and what came of it. Where gpusort runs
 * within the test's own process: in-process.ts.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run, withoutDawn } from '../battery/runner.js';
import { fileName, presortWords, quoted, RANDOM_FILE, wordsOf, type Case } from './case.js';

/** What is compared. */
export interface Outcome {
  readonly status: number;
  /** What was written to standard output or, with -o, to its file. */
  readonly output: Buffer;
  /** Standard error, one character a byte; programs call themselves `sort`. */
  readonly messages: string;
}

/** Runs cases whose files lie in a directory of each; the outcomes in their order. */
export type Runner = (cases: readonly Case[], directories: readonly string[]) => Promise<Outcome[]>;

/** Files that cases ask for with -o and that programs write. */
const OUTPUT = 'out';

/** Gives `use` a directory for each case, with its files in it, and removes them at the end. */
export async function withFiles<T>(cases: readonly Case[], use: (directories: readonly string[]) => Promise<T>): Promise<T> {
  const root = mkdtempSync(join(process.env.GPUSORT_TEST_TMP ?? tmpdir(), 'differential-'));
  try {
    const directories = cases.map((of, i) => {
      const directory = join(root, String(i));
      mkdirSync(directory);
      of.files.forEach((bytes, file) => writeFileSync(join(directory, fileName(file)), bytes, 'latin1'));
      if (of.randomSource !== null) writeFileSync(join(directory, RANDOM_FILE), of.randomSource, 'latin1');
      return directory;
    });
    const sorts = cases.flatMap((of, i) => (of.presorted === 'no' ? [] : [inDirectory(directories[i]!, of.files.map((_, file) => (
      `sort ${[...presortWords(of).map(quoted), '-o', fileName(file), fileName(file)].join(' ')} 2> /dev/null < /dev/null`)).join('; '))]));
    if (sorts.length > 0) await run('bash', [scriptFile(root, sorts)]);
    return await use(directories);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** A runner of a program of its own for each case, all started by one shell. `program`: the words that stand for sort; `name`: what it calls itself. */
export function processes(program: readonly string[], name: string, argumentsOf: (of: Case) => readonly string[] = wordsOf): Runner {
  return async (cases, directories) => {
    const lines = cases.map((of, i) => {
      const environment = of.posix ? 'POSIXLY_CORRECT=1 ' : '';
      return inDirectory(directories[i]!, `${environment}${[...program, ...argumentsOf(of)].map(quoted).join(' ')} > .stdout 2> .stderr < /dev/null; echo $? > .status`);
    });
    await run('bash', [scriptFile(directories[0]!, lines)]);
    return directories.map((directory) => {
      const messages = withoutDawn(readFileSync(join(directory, '.stderr'), 'latin1')).replaceAll(new RegExp(`^${name}: |(?<=Try ')${name} `, 'gm'), (own) => own.replace(name, 'sort'));
      return { status: Number(readFileSync(join(directory, '.status'), 'latin1')), output: taken(directory, readFileSync(join(directory, '.stdout'))), messages };
    });
  };
}

export const gnu = processes(['sort'], 'sort');

/** What a program wrote into the file that -o named, which is removed, or else to its standard output. */
export function taken(directory: string, standardOutput: Buffer): Buffer {
  try {
    const bytes = readFileSync(join(directory, OUTPUT));
    rmSync(join(directory, OUTPUT));
    return Buffer.concat([standardOutput, bytes]);
  } catch {
    return standardOutput;
  }
}

/** A subshell, so that nothing else depends on where it was. */
function inDirectory(directory: string, command: string): string { return `cd ${quoted(directory)} && { ${command}; }`; }

/** A file, since arguments of a process may not be as long. */
function scriptFile(directory: string, lines: readonly string[]): string {
  const path = join(directory, '.script');
  writeFileSync(path, `${lines.join('\n')}\n`, 'latin1');
  return path;
}
