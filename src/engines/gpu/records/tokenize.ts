/**
 * Finds where records begin in a text on the device. Knows nothing of keys or order.
 */
import { delimiterOf, type RecordFormat } from '../../../job/ordering.js';
import { internalError } from '../../../system/errors.js';
import type { Gpu } from '../device/device.js';
import { Kernel, loadKernels, readBack, send, submitPass } from '../device/dispatch.js';
import type { Scratch } from '../device/pool.js';
import type { Records } from './records.js';
import { loadScan, scanExclusive, scanSumsBytes } from './scan.js';

/** Bytes of text per workgroup of the tokenize kernels (kernels/wgsl/records/tokenize/delimiters.wgsl). */
const TILE_BYTES = 16384;

/** A text whose records have been counted. */
export interface Tokenized {
  readonly text: GPUBuffer;
  readonly textBytes: number;
  readonly format: RecordFormat;
  /** Records of the whole text. */
  readonly count: number;
  /** The number of records before each requested boundary. */
  readonly boundaries: readonly number[];
  /** Scanned counts of delimiters, one per tile; null for fixed records. */
  readonly counts: GPUBuffer | null;
}

/** Compiles what tokenizing `format` needs. */
export function loadTokenize(gpu: Gpu, format: RecordFormat): Promise<unknown> {
  if (format.kind === 'fixed') return Promise.resolve();
  return Promise.all([loadScan(gpu), loadKernels(kernelsOf(gpu, format))]);
}

/**
 * Counts the records of a text, in total and before each of `boundaries` (bytes at which records begin). Waits once for
 * the device; for fixed records not at all.
 */
export async function countRecords(
  scratch: Scratch,
  text: GPUBuffer,
  textBytes: number,
  format: RecordFormat,
  boundaries: readonly number[],
): Promise<Tokenized> {
  const { gpu } = scratch;
  if (format.kind === 'fixed') {
    return {
      text,
      textBytes,
      format,
      count: textBytes / format.size,
      boundaries: boundaries.map((b) => b / format.size),
      counts: null,
    };
  }
  const asked = [...boundaries, textBytes];
  const counts = await countDelimiters(scratch, text, textBytes, format, asked);
  const answer = new Uint32Array((await readBack(gpu, counts.places, 0, asked.length * 4)).buffer);
  scratch.drop(counts.places);
  return {
    text,
    textBytes,
    format,
    count: answer[asked.length - 1],
    boundaries: [...answer.subarray(0, -1)],
    counts: counts.tiles,
  };
}

/** Like countRecords, for a text whose count and boundaries (in records) are known. Does not wait. */
export async function assumeRecords(
  scratch: Scratch,
  text: GPUBuffer,
  textBytes: number,
  format: RecordFormat,
  { count, boundaries }: Pick<Tokenized, 'count' | 'boundaries'>,
): Promise<Tokenized> {
  const counts = format.kind === 'fixed' ? null : (await countDelimiters(scratch, text, textBytes, format, [])).tiles;
  return { text, textBytes, format, count, boundaries, counts };
}

/**
 * Submits the writing of the starts of `count` records from number `first` on, as offsets into the whole text. Fixed
 * records have no starts, and are always taken all at once.
 */
export async function writeStarts(
  scratch: Scratch,
  tokenized: Tokenized,
  first: number,
  count: number,
): Promise<Records> {
  const { gpu } = scratch;
  const { text, textBytes, format, counts } = tokenized;
  if (format.kind === 'fixed') {
    if (count !== tokenized.count) throw internalError('fixed records are sorted all at once');
    return { text, textBytes, starts: null, count };
  }
  const starts = await scratch.take((count + 1) * 4, 'starts');
  const tiles = Math.ceil(textBytes / TILE_BYTES);
  submitPass(gpu, 'tokenize', 'tokenize', (pass) => {
    kernelsOf(gpu, format).starts.dispatch(
      pass,
      { text, counts: counts!, starts },
      { bytes: textBytes, tiles, first, records: count },
      tiles,
    );
  });
  return { text, textBytes, starts, count };
}

async function countDelimiters(
  scratch: Scratch,
  text: GPUBuffer,
  textBytes: number,
  format: Exclude<RecordFormat, { kind: 'fixed' }>,
  places: readonly number[],
): Promise<{ tiles: GPUBuffer; places: GPUBuffer }> {
  const { gpu } = scratch;
  const count = Math.ceil(textBytes / TILE_BYTES);
  const tiles = await scratch.take((count + 1) * 4, 'tile counts');
  const sums = await scratch.take(scanSumsBytes(count), 'scan sums');
  const at = await scratch.take(Math.max(places.length, 1) * 4, 'boundaries');
  if (places.length > 0) send(gpu, at, 0, new Uint32Array(places));
  const kernels = kernelsOf(gpu, format);
  submitPass(gpu, 'tokenize', 'count records', (pass) => {
    kernels.count.dispatch(pass, { text, counts: tiles }, { bytes: textBytes, tiles: count }, count);
    scanExclusive(gpu, pass, tiles, count, sums);
    kernels.boundaries.dispatch(pass, { text, counts: tiles, boundaries: at }, { n: places.length }, places.length);
  });
  scratch.drop(sums);
  return { tiles, places: at };
}

function kernelsOf(gpu: Gpu, format: Exclude<RecordFormat, { kind: 'fixed' }>) {
  const constants = { overrides: { DELIMITER: delimiterOf(format) } };
  return {
    count: new Kernel(gpu, 'records/tokenize/count', constants),
    starts: new Kernel(gpu, 'records/tokenize/starts', constants),
    boundaries: new Kernel(gpu, 'records/tokenize/boundaries', constants),
  };
}
