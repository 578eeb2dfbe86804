/** How the parser and GNU sort judge command lines. */
import type { Surroundings } from '../../src/cli/parse/environment.js';
import { namingOurs } from '../../src/cli/parse/other-tools.js';
import { parseArguments } from '../../src/cli/request.js';
import type { SortJob } from '../../src/job/job.js';
import { textToBytes } from '../../src/report/names.js';
import { GpusortError } from '../../src/system/errors.js';
import { shell } from './run.js';

const OPEN_FILES = 1000;
/** The facts about the system that tests pass to the parser. */
export const SURROUNDINGS: Surroundings = {
  programName: 'sort',
  temporaryDirectory: '/tmp',
  presets: undefined,
  posixlyCorrect: false,
  obsolescentKeys: true,
  totalMemory: () => 1000,
  openFiles: () => OPEN_FILES,
  version: () => '1.2.3',
};

/** Words, or a text that is split at its spaces. */
export type Arguments = string | readonly string[];

export function wordsOf(args: Arguments): readonly string[] {
  return typeof args === 'string' ? args.split(' ').filter((word) => word !== '') : args;
}

/** The job that arguments request. Throws the parser's errors. */
export function jobOf(args: Arguments, surroundings: Partial<Surroundings> = {}): SortJob {
  const request = parseArguments(wordsOf(args), { ...SURROUNDINGS, ...surroundings });
  if (request.action !== 'sort') throw new Error(`asked for ${request.action}`);
  return request.job;
}

/** The error with which arguments are refused, with the remedy that main.ts adds. */
export function errorOf(args: Arguments, surroundings: Partial<Surroundings> = {}): GpusortError {
  const facts = { ...SURROUNDINGS, ...surroundings };
  try {
    parseArguments(wordsOf(args), facts);
  } catch (thrown) {
    const error = namingOurs(thrown, wordsOf(args), facts.programName);
    if (error instanceof GpusortError) return error;
    throw error;
  }
  throw new Error(`no error: ${args}`);
}

/** Standard error, one character a byte, and the exit status. */
export interface Verdict {
  readonly stderr: string;
  readonly status: number;
}

/** GNU sort's verdict on each command line, all from one shell. Standard input is empty. */
export function gnuVerdicts(commandLines: readonly (readonly string[])[]): Verdict[] {
  const quote = (word: string): string =>
    `$'${word.replace(/[^ -~]|['\\]/g, (byte) => `\\x${byte.charCodeAt(0).toString(16).padStart(2, '0')}`)}'`;
  const script = commandLines.map(
    (args) => `sort ${args.map(quote).join(' ')} 2>&1 >/dev/null </dev/null; printf '\\0%d\\0' $?`,
  );
  // Passed by standard input: the script would be too long for an argument.
  const { stdout } = shell('eval "$(cat)"', { input: [`ulimit -n ${OPEN_FILES}`, ...script].join('\n') });
  const parts = stdout.split('\0');
  return commandLines.map((_, i) => ({ stderr: parts[2 * i], status: Number(parts[2 * i + 1]) }));
}

/** The parser's verdict on a command line: its error, or the warnings of --debug. */
export function ourVerdict(args: readonly string[], programName = 'sort'): Verdict {
  const bytesOf = (text: string): string => textToBytes(text).toString('latin1');
  try {
    const request = parseArguments(args, { ...SURROUNDINGS, programName });
    if (request.action !== 'sort') throw new Error(`asked for ${request.action}`);
    return { stderr: bytesOf(request.warnings.map((warning) => `${programName}: ${warning}\n`).join('')), status: 0 };
  } catch (thrown) {
    const error = namingOurs(thrown, args, programName);
    if (!(error instanceof GpusortError)) throw error;
    return {
      stderr: bytesOf(`${programName}: ${error.message}\n${error.hint === undefined ? '' : `${error.hint}\n`}`),
      status: error.exitCode,
    };
  }
}
