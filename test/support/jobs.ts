/** Jobs, recorders and small engines for tests: the defaults of the command line without reading one. */
import { createCpuEngine } from '../../src/cpu/engine.js';
import type { BlockWriter, Engine, Run } from '../../src/engine.js';
import type { Ordering, SortJob } from '../../src/job.js';
import type { Recorder } from '../../src/report/stats.js';

export const LINES: Ordering = {
  format: { kind: 'lines', delimiter: 10 }, key: { kind: 'record' }, reverse: false, unique: false, lastResort: true,
};

export const silent: Recorder = { keepsSpans: false, span: () => undefined, advance: () => undefined, note: () => undefined };

export function job(changes: Partial<SortJob> = {}): SortJob {
  return {
    mode: 'sort', quietCheck: false, inputs: [null], output: null, ordering: LINES, engine: 'auto', algorithm: 'auto', memoryBytes: null, gpuMemoryBytes: null,
    temporaryDirectories: [Buffer.from(process.env.GPUSORT_TEST_TMP ?? '/tmp')], parallel: null, chunkBytes: null, explain: 'no',
    stats: 'no', progress: 'never', color: 'never', ...changes,
  };
}

/** A CPU engine in the calling thread. */
export function smallEngine(ordering: Ordering, chunkBytes: number): Promise<Engine> {
  return createCpuEngine({ ordering, chunkBytes, rangeBytes: chunkBytes, workers: 0, residentBytes: null, recorder: silent });
}

/** Sorts text (whole records) into a run that stays in the engine. */
export async function runOf(engine: Engine, text: Uint8Array): Promise<Run> {
  const chunk = await engine.openChunk();
  const piece = await chunk.openPiece(0);
  piece.bytes.set(text);
  piece.commit(text.length);
  const [sorted] = await engine.order(chunk, text.length);
  return (await sorted!.keep())!;
}

/** A block writer that collects, and what it has collected. */
export function collector(): { write: BlockWriter; bytes: () => Buffer } {
  const blocks: Buffer[] = [];
  return { write: async (block) => { blocks.push(Buffer.from(block)); }, bytes: () => Buffer.concat(blocks) };
}

/** Splits lines' text into records without delimiters. */
export function recordsOf(text: Buffer, delimiter = 10): Buffer[] {
  const records: Buffer[] = [];
  for (let at = 0; at < text.length;) {
    const end = text.indexOf(delimiter, at);
    records.push(text.subarray(at, end < 0 ? text.length : end));
    at = end < 0 ? text.length : end + 1;
  }
  return records;
}

/** Joins records with a delimiter after each. */
export function textOf(records: readonly Uint8Array[], delimiter = 10): Buffer {
  return Buffer.concat(records.flatMap((record) => [record, Uint8Array.of(delimiter)]));
}

/** Seeded pseudo-random numbers in [0, 1): mulberry32. */
export function random(seed: number): () => number {
  let a = seed >>> 0;
  return () => {
    a = (a + 0x6d2b79f5) >>> 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
