/** Jobs, a recorder and small engines for tests. `job` has the defaults of the command line, without parsing one. */

import type { BlockWriter, Chunk, Engine, Run, Sorted } from '../../src/contract/engine.js';
import { createCpuEngine } from '../../src/engines/cpu/engine.js';
import type { CpuEngineOptions } from '../../src/engines/cpu/options.js';
import type {
  CheckRequest,
  FileName,
  InputRequest,
  Limit,
  OutputRequest,
  ReportRequest,
  Resources,
  SortJob,
} from '../../src/job/job.js';
import type { Ordering } from '../../src/job/ordering.js';
import { createRecorder, type Recorder } from '../../src/report/recorder.js';
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
  kernels: () => undefined,
  watchParts: () => undefined,
  presence: null,
  verified: () => undefined,
};

/** A recorder of one job, which keeps nothing but what records lack. */
export const ownRecorder = (): Recorder => createRecorder(() => undefined);

/** Settings of a job, whichever of its records they lie in. */
export type JobSettings = Partial<
  Pick<SortJob, 'mode' | 'ordering' | 'cluster'> &
    Omit<InputRequest, 'files' | 'mates'> &
    Omit<OutputRequest, 'file' | 'mates'> &
    CheckRequest &
    Resources &
    ReportRequest & {
      readonly inputs: readonly FileName[];
      readonly output: FileName;
      readonly mates: readonly { readonly input: FileName; readonly output: FileName }[];
    }
>;

const DEFAULTS: SortJob = {
  mode: 'sort',
  input: {
    files: [null],
    mates: [],
    decompress: false,
    recognizes: false,
    warnsOfCompression: false,
    framing: null,
    genomics: null,
    header: null,
    combined: null,
    contigs: null,
    randomSource: null,
    seed: null,
    shuffle: null,
  },
  ordering: LINES,
  output: {
    file: null,
    mates: [],
    sync: false,
    convertsTo: null,
    compression: null,
    index: null,
    count: false,
    keepsLast: false,
    duplicates: null,
    inInputOrder: false,
    limit: null,
    groups: null,
    underline: false,
    verify: false,
  },
  check: { quiet: false, explains: false, orders: false },
  resources: {
    engine: 'auto',
    algorithm: 'auto',
    tunings: [],
    memoryBytes: null,
    gpuMemoryBytes: null,
    temporaryDirectories: [Buffer.from(process.env.GPUSORT_TEST_TMP ?? '/tmp')],
    parallel: null,
    batchSize: null,
    compressProgram: null,
    chunkBytes: null,
  },
  report: { explain: 'no', stats: 'no', progress: 'never', color: 'never', presets: [] },
  cluster: null,
};

export const job = (settings: JobSettings = {}): SortJob => changed(DEFAULTS, settings);

/** The job with other settings. */
export function changed(job: SortJob, { inputs, output, mates, ...settings }: JobSettings): SortJob {
  const part = <Part extends object>(old: Part): Part =>
    Object.fromEntries(
      Object.entries(old).map(([name, value]) => [name, name in settings ? settings[name as never] : value]),
    ) as Part;
  return {
    ...part(job),
    input: {
      ...part(job.input),
      ...(inputs && { files: inputs }),
      ...(mates && { mates: mates.map((mate) => mate.input) }),
    },
    output: {
      ...part(job.output),
      ...(output !== undefined && { file: output }),
      ...(mates && { mates: mates.map((mate) => mate.output) }),
    },
    check: part(job.check),
    resources: part(job.resources),
    report: part(job.report),
  };
}

/** Read windows so small that a few kilobytes of stored runs need several. */
export const SMALL_WINDOWS = { bytes: 16 << 10, least: 256 };

/** How a small engine is used. */
interface SmallUse {
  readonly limit?: Limit | null;
  /** Whether it hashes its input. */
  readonly verify?: boolean;
}

/** A CPU engine in the calling thread. */
export const smallEngine = (ordering: Ordering, chunkBytes: number, use: SmallUse = {}): Promise<Engine> =>
  createCpuEngine(smallOptions(ordering, chunkBytes, use));

/** The options of an engine in the calling thread. */
export function smallOptions(ordering: Ordering, chunkBytes: number, use: SmallUse): CpuEngineOptions {
  return { ordering, chunkBytes, rangeBytes: chunkBytes, workers: 0, residentBytes: null, recorder: silent, ...use };
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
