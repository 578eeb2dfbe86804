/** Runs cases in this process: starting a process for each of a thousand cases would take minutes. */
import type { Algorithm } from '../../src/algorithm-table.js';
import type { EngineChoice, SortJob } from '../../src/job.js';
import { GpusortError } from '../../src/report/errors.js';
import { distributed, type Tasks } from '../cluster/in-process.js';
import { parsed, runHere } from '../support/in-process.js';
import { type Case, wordsOf } from './case.js';
import { type Outcome, type Runner, taken } from './programs.js';

/** How a case runs, in addition to its own options. */
export interface Way {
  readonly engine: EngineChoice;
  readonly algorithm: Algorithm;
  /** --chunk-size in bytes; null: the default, one chunk. */
  readonly chunkBytes: number | null;
  /** Distributes the sort over so many tasks; absent: it is not distributed. */
  readonly tasks?: Tasks;
}

const OUTPUT = Buffer.from('out');
/** Empty, as for separate processes. */
const STANDARD_INPUT = Buffer.from('/dev/null');

/** A runner of gpusort that runs all cases in one way. */
export function inProcess(way: Way): Runner {
  return async (cases, directories) => {
    const outcomes: Outcome[] = [];
    const home = process.cwd();
    try {
      for (const [i, of] of cases.entries()) {
        process.chdir(directories[i]);
        outcomes.push(await outcomeOf(of, way, directories[i]));
      }
    } finally {
      process.chdir(home);
    }
    return outcomes;
  };
}

/** The job of a case; null if its arguments are refused. */
export function jobOf(of: Case): SortJob | null {
  try {
    const request = requestOf(of);
    return request.action === 'sort' ? request.job : null;
  } catch (error) {
    if (error instanceof GpusortError) return null;
    throw error;
  }
}

function requestOf(of: Case): ReturnType<typeof parsed> {
  return parsed(wordsOf(of), 'sort', of.posix);
}

async function outcomeOf(of: Case, { engine, algorithm, chunkBytes, tasks }: Way, directory: string): Promise<Outcome> {
  const ended = await runHere(
    () => requestOf(of),
    'sort',
    (job) => ({
      ...job,
      inputs: job.inputs.map((name) => name ?? STANDARD_INPUT),
      output: job.mode === 'check' ? null : OUTPUT,
      engine,
      algorithm,
      chunkBytes,
    }),
    tasks && distributed(tasks),
  );
  return { ...ended, output: taken(directory, Buffer.alloc(0)) };
}
