/**
 * Runs cases as separate processes: creates their files, runs GNU sort or the built gpusort on many cases from one
 * shell, and collects the outcomes. in-process.ts runs gpusort in the test's own process instead.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run, withoutDawn } from '../battery/runner.js';
import { type Case, fileName, presortWords, quoted, RANDOM_FILE, wordsOf } from './case.js';

/** What the test compares. */
export interface Outcome {
  readonly status: number;
  /** Standard output, followed by the file of -o if there is one. */
  readonly output: Buffer;
  /** Standard error, one character a byte. The program's own name is replaced by `sort`. */
  readonly messages: string;
}

/** Runs cases, each in its own directory with its files; resolves to the outcomes in the same order. */
export type Runner = (cases: readonly Case[], directories: readonly string[]) => Promise<Outcome[]>;

/** The file name that cases pass to -o. */
const OUTPUT = 'out';

/** Calls `use` with a directory for each case that contains its files, presorted if asked; removes them at the end. */
export async function withFiles<T>(
  cases: readonly Case[],
  use: (directories: readonly string[]) => Promise<T>,
): Promise<T> {
  const root = mkdtempSync(join(process.env.GPUSORT_TEST_TMP ?? tmpdir(), 'differential-'));
  try {
    const directories = cases.map((of, i) => {
      const directory = join(root, String(i));
      mkdirSync(directory);
      of.files.forEach((bytes, file) => writeFileSync(join(directory, fileName(file)), bytes, 'latin1'));
      if (of.randomSource !== null) writeFileSync(join(directory, RANDOM_FILE), of.randomSource, 'latin1');
      return directory;
    });
    const sorts = cases.flatMap((of, i) =>
      of.presorted === 'no'
        ? []
        : [
            inDirectory(
              directories[i],
              of.files
                .map(
                  (_, file) =>
                    `sort ${[...presortWords(of).map(quoted), '-o', fileName(file), fileName(file)].join(' ')} 2> /dev/null < /dev/null`,
                )
                .join('; '),
            ),
          ],
    );
    if (sorts.length > 0) await run('bash', [scriptFile(root, sorts)]);
    return await use(directories);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/**
 * A runner that starts a process for each case, all from one shell. `program`: the words in place of sort; `name`: the
 * program's name in its messages.
 */
export function processes(
  program: readonly string[],
  name: string,
  argumentsOf: (of: Case) => readonly string[] = wordsOf,
): Runner {
  return async (cases, directories) => {
    const lines = cases.map((of, i) => {
      const environment = of.posix ? 'POSIXLY_CORRECT=1 ' : '';
      return inDirectory(
        directories[i],
        `${environment}${[...program, ...argumentsOf(of)].map(quoted).join(' ')} > .stdout 2> .stderr < /dev/null; echo $? > .status`,
      );
    });
    await run('bash', [scriptFile(directories[0], lines)]);
    return directories.map((directory) => {
      const messages = withoutDawn(readFileSync(join(directory, '.stderr'), 'latin1')).replaceAll(
        new RegExp(`^${name}: |(?<=Try ')${name} `, 'gm'),
        (own) => own.replace(name, 'sort'),
      );
      return {
        status: Number(readFileSync(join(directory, '.status'), 'latin1')),
        output: taken(directory, readFileSync(join(directory, '.stdout'))),
        messages,
      };
    });
  };
}

export const gnu = processes(['sort'], 'sort');

/** Standard output, followed by the content of the file of -o if there is one. Removes that file. */
export function taken(directory: string, standardOutput: Buffer): Buffer {
  try {
    const bytes = readFileSync(join(directory, OUTPUT));
    rmSync(join(directory, OUTPUT));
    return Buffer.concat([standardOutput, bytes]);
  } catch {
    return standardOutput;
  }
}

/** A command that first changes to a directory, given by its absolute path: all commands share one shell. */
function inDirectory(directory: string, command: string): string {
  return `cd ${quoted(directory)} && { ${command}; }`;
}

/** Writes the lines to a file: a process's arguments may not be that long. */
function scriptFile(directory: string, lines: readonly string[]): string {
  const path = join(directory, '.script');
  writeFileSync(path, `${lines.join('\n')}\n`, 'latin1');
  return path;
}
