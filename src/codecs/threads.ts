/**
 * The codec threads. All streams that ask for the same number of threads share one crew, so that many inputs do not
 * start many threads. The crew exists while a stream uses it. Until a stream calls start(), the calling thread works.
 */

import { GpusortError } from '../report/errors.js';
import { type Crew, createCrew } from '../threads/crew.js';
import { type CodecOutcome, type CodecTask, codecSteps } from './tasks.js';

/** zlib's buffers die young. With more than this, those of a thread amount to 64 MB before they are collected. */
const YOUNG_MEGABYTES = 3;

type CodecCrew = Crew<CodecTask, CodecOutcome>;

/** By number of threads. */
const shared = new Map<number, { readonly crew: CodecCrew; users: number }>();

function join(threads: number): CodecCrew {
  const known = shared.get(threads);
  if (known !== undefined) {
    known.users++;
    return known.crew;
  }
  const crew = createCrew<CodecTask, CodecOutcome>({
    workers: threads,
    role: { name: 'codec', data: null },
    helps: false,
    perform: codecSteps,
    youngMegabytes: YOUNG_MEGABYTES,
    explain: explained,
  });
  shared.set(threads, { crew, users: 1 });
  return crew;
}

async function leave(threads: number): Promise<void> {
  const known = shared.get(threads)!;
  if (--known.users > 0) return;
  shared.delete(threads);
  await known.crew.close();
}

function explained(error: unknown): unknown {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ERR_WORKER_OUT_OF_MEMORY' || /memory/i.test(message))
    return new GpusortError('out-of-memory', 'memory exhausted while compressing or decompressing', {
      cause: error,
      hint: 'Use a smaller -S or --parallel.',
    });
  return error;
}

/** One stream's use of codec threads. */
export class CodecThreads {
  private readonly threads: number;
  /** The numbers of threads of the crews in use: 0 is the calling thread. */
  private readonly joined = new Map<number, CodecCrew>();
  private started = false;
  private closed = false;

  constructor(threads: number) {
    this.threads = threads;
  }

  /** Lets later tasks be executed by the threads: the stream is long enough to pay for their start. */
  start(): void {
    this.started = true;
  }

  perform(task: CodecTask): Promise<CodecOutcome> {
    if (this.closed) return Promise.reject(new Error('the threads are closed'));
    const threads = this.started ? this.threads : 0;
    let crew = this.joined.get(threads);
    if (crew === undefined) {
      crew = join(threads);
      this.joined.set(threads, crew);
    }
    return crew.perform(task);
  }

  /** Gives the threads up. Unfinished tasks are rejected if no other stream uses the crew. May be called again. */
  async close(): Promise<void> {
    this.closed = true;
    const crews = [...this.joined.keys()];
    this.joined.clear();
    for (const threads of crews) await leave(threads);
  }
}
