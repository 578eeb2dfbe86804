/**
 * gpusort as its command line runs it (src/cli/main.ts), within this process: a thousand cases would wait minutes for a process each. Output goes to a
 * file, messages are returned.
 */
import { surroundings } from '../../src/cli/environment.js';
import { parseArguments } from '../../src/cli/parse.js';
import type { Algorithm, EngineChoice, SortJob } from '../../src/job.js';
import { GpusortError } from '../../src/report/errors.js';
import { textToBytes } from '../../src/report/raw-text.js';
import { runJob } from '../../src/sort.js';
import { silent } from '../support/jobs.js';
import { wordsOf, type Case } from './case.js';
import { taken, type Outcome, type Runner } from './programs.js';

/** How a case is run, beside its own options. */
export interface Way {
  readonly engine: EngineChoice;
  readonly algorithm: Algorithm;
  /** --chunk-size; null: all at once. */
  readonly chunkBytes: number | null;
}

const OUTPUT = Buffer.from('out');
/** That of the others is empty, too. */
const STANDARD_INPUT = Buffer.from('/dev/null');
/** The exit status of errors. */
const TROUBLE = 2;

/** A runner of gpusort in one way. */
export function inProcess(way: Way): Runner {
  return async (cases, directories) => {
    const outcomes: Outcome[] = [];
    const home = process.cwd();
    try {
      for (const [i, of] of cases.entries()) {
        process.chdir(directories[i]!);
        outcomes.push(await outcomeOf(of, way, directories[i]!));
      }
    } finally {
      process.chdir(home);
    }
    return outcomes;
  };
}

/** What a case asks for; null where it is refused. */
export function jobOf(of: Case): SortJob | null {
  try {
    const request = parsed(of);
    return request.action === 'sort' ? request.job : null;
  } catch (error) {
    if (error instanceof GpusortError) return null;
    throw error;
  }
}

function parsed(of: Case): ReturnType<typeof parseArguments> { return parseArguments(wordsOf(of), { ...surroundings(), programName: 'sort', posixlyCorrect: of.posix }); }

async function outcomeOf(of: Case, { engine, algorithm, chunkBytes }: Way, directory: string): Promise<Outcome> {
  let quiet = false;
  let warnings = '';
  try {
    const request = parsed(of);
    if (request.action !== 'sort') throw new Error(`asked for ${request.action}`);
    quiet = request.job.quietCheck;
    warnings = request.warnings.map((warning) => `sort: ${warning}\n`).join('');
    const output = request.job.mode === 'check' ? null : OUTPUT;
    const inputs = request.job.inputs.map((name) => name ?? STANDARD_INPUT);
    const job: SortJob = { ...request.job, inputs, output, engine, algorithm, chunkBytes, progress: 'never' };
    const status = await runJob(job, { ...silent, note: refuseFallback });
    return { status, output: taken(directory, Buffer.alloc(0)), messages: warnings };
  } catch (error) {
    return { status: error instanceof GpusortError ? error.exitCode : TROUBLE, output: taken(directory, Buffer.alloc(0)), messages: textToBytes(warnings + messageOf(error, quiet)).toString('latin1') };
  }
}

/** As src/cli/main.ts and messages.ts have it. */
function messageOf(error: unknown, quiet: boolean): string {
  if (!(error instanceof GpusortError)) return `sort: internal error: ${(error as Error).stack}\n`;
  if (quiet && error.code === 'disorder') return '';
  const { message, end, hint } = error;
  return `sort: ${message}${end}${hint === undefined ? '' : `${hint}\n`}`;
}

/** An engine that fails and leaves the work to another would be tested no more. */
function refuseFallback(note: string): void {
  if (note.includes('going on with')) throw new Error(`the engine failed: ${note}`);
}
