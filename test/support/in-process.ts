/**
 * Runs gpusort command lines in this process, as src/cli/main.ts does. A separate process takes a tenth of a second to
 * start, and seconds on a software GPU. The output goes to a file; messages are returned.
 */
import { surroundings } from '../../src/cli/parse/environment.js';
import { readNames } from '../../src/cli/parse/files0.js';
import { namingOurs } from '../../src/cli/parse/other-tools.js';
import { parseArguments, type Request } from '../../src/cli/request.js';
import { guessFormat } from '../../src/input/guess-format.js';
import type { SortJob } from '../../src/job/job.js';
import { textToBytes } from '../../src/report/names.js';
import { showWarnings } from '../../src/report/warnings.js';
import { runJob } from '../../src/run/run-job.js';
import { GpusortError } from '../../src/system/errors.js';
import { changed, ownRecorder } from './jobs.js';

/** The exit status of errors. */
const TROUBLE = 2;

export interface Ended {
  readonly status: number;
  /** Standard error, one character a byte. */
  readonly messages: string;
}

/** Parses arguments in this process's surroundings. Throws what `parseArguments` throws, with the remedy of main.ts. */
export function parsed(words: readonly string[], programName: string, posixlyCorrect = false): Request {
  const recognizes = programName !== 'sort';
  try {
    return parseArguments(words, { ...surroundings(), programName, posixlyCorrect, recognizes });
  } catch (error) {
    throw namingOurs(error, words, programName);
  }
}

/**
 * Runs the job of `request` after `change` was applied to it. Fallback to another engine is an error. `run`: replaces
 * the function that does the job.
 */
export async function runHere(
  request: () => Request,
  programName: string,
  change: (job: SortJob) => SortJob = (job) => job,
  run: (job: SortJob) => Promise<number> = (job) => runJob(job, Object.assign(ownRecorder(), { note: refuseFallback })),
): Promise<Ended> {
  let quiet = false;
  let messages = '';
  showWarnings((sentence) => {
    messages += `${programName}: warning: ${sentence}\n`;
  });
  try {
    const requested = request();
    if (requested.action !== 'sort') throw new Error(`the arguments request ${requested.action}`);
    quiet = requested.job.check.quiet;
    messages += requested.warnings.map((warning) => `${programName}: ${warning}\n`).join('');
    const status = await run(await jobOf(requested, change));
    return { status, messages: textToBytes(messages).toString('latin1') };
  } catch (error) {
    return {
      status: error instanceof GpusortError ? error.exitCode : TROUBLE,
      messages: textToBytes(messages + messageOf(error, programName, quiet)).toString('latin1'),
    };
  } finally {
    showWarnings(() => {});
  }
}

/** The job of a request, with the inputs that a file names, and the format of its input if that is to be guessed. */
async function jobOf(
  { job, namesFrom, guesses, completed }: Extract<Request, { action: 'sort' }>,
  change: (job: SortJob) => SortJob,
): Promise<SortJob> {
  const named = namesFrom === undefined ? job : completed(await readNames(namesFrom), null);
  const plain = change(changed(named, { progress: 'never' }));
  if (!guesses) return plain;
  const { format } = await guessFormat(plain.input.files[0]);
  return change(changed(completed(plain.input.files, format), { progress: 'never' }));
}

/** The text for standard error, formatted as in src/cli/main.ts and terminal/messages.ts. */
function messageOf(error: unknown, programName: string, quiet: boolean): string {
  if (!(error instanceof GpusortError)) return `${programName}: internal error: ${(error as Error).stack}\n`;
  if (quiet && error.code === 'disorder') return '';
  const { message, end, hint } = error;
  return `${programName}: ${message}${end}${hint === undefined ? '' : `${hint}\n`}`;
}

/** Turns fallback to another engine into an error: the test would no longer cover the engine it chose. */
function refuseFallback(note: string): void {
  if (note.includes('continuing with')) throw new Error(`the engine failed: ${note}`);
}
