/** Jobs, a recorder and small engines for tests. `job` has the command line's defaults without parsing one. */

import type { BlockWriter, Chunk, Engine, Run, Sorted } from '../../src/engines/contract.js';
import { createCpuEngine } from '../../src/engines/cpu/engine.js';
import type { Limit, Ordering, SortJob } from '../../src/job/job.js';
import type { Recorder } from '../../src/report/recorder.js';
import type { LargeRecord } from '../../src/runs/large.js';
import { TemporaryStore } from '../../src/runs/store.js';
import { storeRun } from '../../src/runs/stored-run.js';
import { LINES } from './records.js';

export const silent: Recorder = {
  keepsSpans: false,
  span: () => undefined,
  advance: () => undefined,
  note: () => undefined,
  ties: () => undefined,
  merges: () => undefined,
  traffic: () => undefined,
  verified: () => undefined,
};

export function job(changes: Partial<SortJob> = {}): SortJob {
  return {
    mode: 'sort',
    quietCheck: false,
    explainsCheck: false,
    namesOrders: false,
    inputs: [null],
    output: null,
    sync: false,
    ordering: LINES,
    framing: null,
    genomics: null,
    decompress: false,
    warnsOfCompression: false,
    outputForm: null,
    index: false,
    mates: [],
    contigs: null,
    count: false,
    header: null,
    limit: null,
    verify: false,
    engine: 'auto',
    algorithm: 'auto',
    memoryBytes: null,
    gpuMemoryBytes: null,
    temporaryDirectories: [Buffer.from(process.env.GPUSORT_TEST_TMP ?? '/tmp')],
    parallel: null,
    batchSize: null,
    compressProgram: null,
    randomSource: null,
    debug: false,
    chunkBytes: null,
    explain: 'no',
    stats: 'no',
    progress: 'never',
    color: 'never',
    presets: [],
    cluster: null,
    ...changes,
  };
}

/** Read windows so small that a few kilobytes of stored runs need several. */
export const SMALL_WINDOWS = { bytes: 16 << 10, least: 256 };

/** A CPU engine in the calling thread. */
export function smallEngine(
  ordering: Ordering,
  chunkBytes: number,
  limit: Limit | null = null,
  verify = false,
): Promise<Engine> {
  return createCpuEngine({
    ordering,
    limit,
    chunkBytes,
    rangeBytes: chunkBytes,
    workers: 0,
    residentBytes: null,
    recorder: silent,
    verify,
  });
}

/** Sorts a filled chunk of an engine that does not distribute it. */
export async function sortChunk(engine: Engine, chunk: Chunk, bytes: number): Promise<Sorted[]> {
  return (await engine.order(chunk, bytes)).map((result) => {
    if (result.buckets !== undefined) throw new Error('the chunk was distributed');
    return result;
  });
}

/** Sorts text (whole records) into a run that the engine keeps. */
export async function runOf(engine: Engine, text: Uint8Array): Promise<Run> {
  const chunk = await engine.openChunk();
  const piece = await chunk.openPiece(0);
  piece.bytes.set(text);
  piece.commit(text.length);
  const [sorted] = await sortChunk(engine, chunk, text.length);
  return keptRun(sorted!);
}

/** A run of sorted text: the engine's, or in host memory if the engine keeps none. */
export async function keptRun(sorted: Sorted, ordering: Ordering = LINES): Promise<Run> {
  const kept = await sorted.keep();
  if (kept !== null) return kept;
  const store = new TemporaryStore([]);
  store.allowMemory(Infinity);
  return storeRun(store, sorted, ordering);
}

/** A block writer that collects its blocks; `bytes` returns what was written so far. */
export function collector(): { write: BlockWriter; bytes: () => Buffer } {
  const blocks: Buffer[] = [];
  return {
    write: async (block) => {
      blocks.push(Buffer.from(block));
    },
    bytes: () => Buffer.concat(blocks),
  };
}

/** A record larger than a chunk, in memory. */
export const largeRecord = (record: Uint8Array): LargeRecord => ({
  bytes: record.length,
  readAt: async (byte, target) => {
    target.set(record.subarray(byte, byte + target.length));
  },
});
