/**
 * The codec threads. All streams that request the same number of threads share one crew. A job with many inputs
 * therefore does not start many threads, and its output uses the threads of its inputs. Threads start when tasks need
 * them and end with the last stream. Until a stream calls start(), its tasks run in the calling thread.
 */

import { explainMemory } from '../system/errors.js';
import { type Crew, createCrew } from '../system/threads/crew.js';
import { type CodecOutcome, type CodecTask, codecSteps } from './tasks.js';

/** zlib's buffers are short-lived. With a larger heap, a thread accumulates 64 MB of them before they are collected. */
const YOUNG_MEGABYTES = 3;

type CodecCrew = Crew<CodecTask, CodecOutcome>;

/** A crew, which is created for its first task, and the number of streams that may use it. */
interface Shared {
  crew: CodecCrew | null;
  users: number;
}

/** The crews, by number of threads. */
const shared = new Map<number, Shared>();

function join(threads: number): Shared {
  const known = shared.get(threads) ?? { crew: null, users: 0 };
  known.users++;
  shared.set(threads, known);
  return known;
}

function crewOf(known: Shared, workers: number): CodecCrew {
  return (known.crew ??= createCrew<CodecTask, CodecOutcome>({
    workers,
    // A short stream has no work for all threads.
    startsOnDemand: true,
    role: { name: 'codec', data: null },
    helps: false,
    perform: codecSteps,
    youngMegabytes: YOUNG_MEGABYTES,
    explain: (error) => explainMemory(error, 'memory exhausted while compressing or decompressing'),
  }));
}

async function leave(threads: number): Promise<void> {
  const known = shared.get(threads)!;
  if (--known.users > 0) return;
  shared.delete(threads);
  await known.crew?.close();
}

/** One stream's use of codec threads, from its beginning to close(). */
export class CodecThreads {
  private readonly threads: number;
  /** By number of threads: 0 is the calling thread. */
  private readonly joined = new Map<number, Shared>();
  private started = false;
  private closed = false;

  constructor(threads: number) {
    this.threads = threads;
    this.joined.set(threads, join(threads));
  }

  /**
   * Makes the threads execute the tasks from now on, because the stream is long enough to outweigh their start-up time.
   */
  start(): void {
    this.started = true;
  }

  /** Rejects once the stream is closed. */
  async perform(task: CodecTask): Promise<CodecOutcome> {
    if (this.closed) throw new Error('the threads are closed');
    const threads = this.started ? this.threads : 0;
    let known = this.joined.get(threads);
    if (known === undefined) {
      known = join(threads);
      this.joined.set(threads, known);
    }
    return crewOf(known, threads).perform(task);
  }

  /**
   * Releases the threads. If no other stream uses the crew, unfinished tasks are rejected. May be called more than
   * once.
   */
  async close(): Promise<void> {
    this.closed = true;
    const crews = [...this.joined.keys()];
    this.joined.clear();
    for (const threads of crews) await leave(threads);
  }
}
