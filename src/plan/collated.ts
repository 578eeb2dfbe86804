/**
 * The plan where records are collated: threads compare strings, which takes some ten times as long as sorting by bytes and several times the memory of their text.
 */
import { COLLATED_ALGORITHM, type Ordering, type SortJob } from '../job.js';
import { amount, KiB, MiB } from './amount.js';
import type { InputFacts, MachineFacts } from './facts.js';
import type { Plan } from './plan.js';
import { windowsOf } from './windows.js';

/** Below this a worker's start and what it has to find out of the language (50 ms of a processor) cost more than they save. */
const ONE_THREAD_BYTES = 1 * MiB;
/** What a worker must have to do for its start to pay. */
const WORKER_BYTES = 512 * KiB;
/** The smallest chunk is ordered in a third of a second; a larger one takes memory: 50 bytes a line, and 40 more for each string of one. */
const CHUNK_BYTES = { least: 2 * MiB, most: 16 * MiB, unknown: 4 * MiB } as const;
/** Chunks in flight, or merges, with the strings of their lines, are to take half of the memory. */
const GROWTH = 10;
/** Runs at most, as long as chunks may grow. */
const RUNS = 64;

/** How records compare, and so where. */
export function collatingReason({ key }: Ordering): string {
  const tag = key.kind === 'collated' ? key.locale : '';
  return `--locale ${tag}: records are compared by the collation of ICU ${process.versions['icu'] ?? ''} on the CPU, because it makes no keys that a GPU could sort by`;
}

export function collatedPlan(job: SortJob, machine: MachineFacts, memory: number, input: InputFacts, reasons: string[]): Omit<Plan, 'limit'> {
  const needed = input.bytes === null ? machine.processors : Math.ceil(input.bytes / WORKER_BYTES);
  const threads = job.parallel ?? Math.max(Math.min(2, machine.processors), Math.min(machine.processors, needed));
  const small = input.bytes !== null && input.bytes < ONE_THREAD_BYTES;
  reasons.push(small ? `one thread: only ${amount(input.bytes!)}` : `${threads} threads${job.parallel === null ? '' : ', as asked'}`);
  const fits = Math.max(64 * KiB, Math.floor(memory / (2 * GROWTH * (threads + 1))));
  const usual = input.bytes === null ? CHUNK_BYTES.unknown : Math.min(CHUNK_BYTES.most, Math.max(CHUNK_BYTES.least, Math.ceil(input.bytes / RUNS)));
  // Two chunks a thread balance the load of small inputs.
  const even = input.bytes === null ? Infinity : Math.ceil(input.bytes / (small ? 1 : 2 * threads)) + 64 * KiB;
  const chunkBytes = Math.min(CHUNK_BYTES.most, job.chunkBytes ?? Math.min(usual, fits, even));
  return {
    engine: 'cpu', algorithm: COLLATED_ALGORITHM, buckets: 0, splitters: null, distributed: null, streamBytes: null, estimates: [], deviceKeys: false, chunkBytes, mergeBytes: chunkBytes, pieceBytes: chunkBytes, rangeBytes: chunkBytes,
    // The main thread would answer nothing, signals included, for as long as a chunk takes.
    workers: small ? 0 : Math.min(machine.mostWorkers, threads), helps: small || machine.mostWorkers === 0,
    mostRecords: null,
    residentBytes: Math.floor(memory / 2),
    windows: windowsOf(job, memory / 2),
    smallHeap: false,
    hostBytes: 0,
    reasons: [...reasons, `chunks of ${amount(chunkBytes)}${chunkBytes === job.chunkBytes ? ': as asked' : ''}`,
      `runs of up to ${amount(Math.floor(memory / 2))} in all stay in memory, further runs go to temporary files`],
  };
}
