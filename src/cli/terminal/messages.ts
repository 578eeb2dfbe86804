/**
 * Writes messages to standard error, and the output of --help, --version, --adapters and --explain to standard output.
 * Each is written completely and synchronously, so that the process can end right after it. Sorted data is not written
 * here.
 */

import type { When } from '../../job/job.js';
import { displayName, textToBytes } from '../../report/names.js';
import { GpusortError, isOutOfMemory, systemText } from '../../system/errors.js';
import { isTerminal } from '../../system/file-system.js';
import { isClosedPipe, writeAtOnce } from '../../system/transfer.js';
import { bold } from './colors.js';
import { dieOf, isIgnored } from './signals.js';

const STANDARD_OUTPUT = 1;
const STANDARD_ERROR = 2;

/**
 * Writes text to standard output. Throws GNU's `write error`; for a closed pipe `broken-pipe`, which ends the program
 * silently.
 */
export function printOutput(text: string): void {
  try {
    writeAtOnce(STANDARD_OUTPUT, textToBytes(text));
  } catch (error) {
    throw new GpusortError(isClosedPipe(error) ? 'broken-pipe' : 'write-failed', `write error: ${systemText(error)}`, {
      cause: error,
    });
  }
}

let lost = false;

/** Writes text to standard error. A failure cannot be reported: only the exit status, or death by PIPE, shows it. */
export function printError(text: string): void {
  try {
    writeAtOnce(STANDARD_ERROR, textToBytes(text));
  } catch (error) {
    if (isClosedPipe(error) && !isIgnored('SIGPIPE')) dieOf('SIGPIPE');
    lost = true;
  }
}

/** Whether a message could not be written to standard error. */
export const isMessageLost = (): boolean => lost;

/** Prints `gpusort: cannot read: x: No such file or directory`, and the remedy on a second line. */
export function reportError(error: unknown, programName: string, when: When): void {
  const { message, hint } = describe(error, process.env.GPUSORT_DEBUG);
  const label = labelOf(programName, 'red', when);
  const end = error instanceof GpusortError ? error.end : '\n';
  printError(`${label} ${message}${end}${hint === undefined ? '' : `${hint}\n`}`);
}

/** Prints each warning on its own line, for example `gpusort: key 1 has zero width and will be ignored`. */
export function reportWarnings(warnings: readonly string[], programName: string, when: When): void {
  if (warnings.length === 0) return;
  const label = labelOf(programName, 'yellow', when);
  printError(warnings.map((warning) => `${label} ${warning}\n`).join(''));
}

function labelOf(programName: string, color: 'red' | 'yellow', when: When): string {
  const label = `${programName}:`;
  return isColored(when, process.env) ? bold(label, color) : label;
}

function describe(error: unknown, debug: string | undefined): { message: string; hint: string | undefined } {
  const stack = debug && error instanceof Error ? error.stack : undefined;
  if (error instanceof GpusortError)
    return { message: error.message, hint: [error.hint, stack].filter(Boolean).join('\n') || undefined };
  if (isOutOfMemory(error)) return { message: 'memory exhausted', hint: stack ?? 'Use a smaller -S or --parallel.' };
  // This is a file of the program itself. Errors of other files are reported where they are opened.
  const { code, path } = (error ?? {}) as NodeJS.ErrnoException;
  if (path !== undefined && (code === 'EMFILE' || code === 'ENFILE'))
    return {
      message: `open failed: ${displayName(textToBytes(path))}: ${systemText(error)}`,
      hint: stack ?? 'Raise the limit on open files (ulimit -n).',
    };
  return {
    message: `internal error: ${systemText(error)}`,
    hint: stack ?? 'Please report this, with the command and what it prints if GPUSORT_DEBUG=1 is set.',
  };
}

/**
 * Whether messages on standard error are colored; sorted data never is. In order of precedence: --color, NO_COLOR,
 * FORCE_COLOR, CLICOLOR_FORCE, a standard error that is a terminal with colors.
 */
export function isColored(
  when: When,
  environment: NodeJS.ProcessEnv,
  isOnTerminal = isTerminal(STANDARD_ERROR),
): boolean {
  if (when !== 'auto') return when === 'always';
  if (environment.NO_COLOR) return false;
  const forced = environment.FORCE_COLOR;
  if (forced === '0' || forced === 'false') return false;
  if (forced !== undefined) return true;
  if (environment.CLICOLOR_FORCE && environment.CLICOLOR_FORCE !== '0') return true;
  return isOnTerminal && environment.TERM !== 'dumb';
}
