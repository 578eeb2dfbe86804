/**
 * Makes keyed lines (src/keys/keyed.ts) on the device, byte for byte like the host (src/keys/key-maker.ts). Knows
 * nothing of what they are used for.
 */
import type { Ordering } from '../../../../job/ordering.js';
import type { Gpu } from '../../device/device.js';
import { type Bindings, bind, Kernel, loadKernels, readWords, send, submitPass } from '../../device/dispatch.js';
import type { DevicePool, Scratch } from '../../device/pool.js';
import { keyedOverrides, type Records, recordBindings, textBufferBytes } from '../records.js';
import { loadScan, scanExclusive, scanSumsBytes } from '../scan.js';
import { partTable } from './part-table.js';

const WORKGROUP = 256;
/** Bytes of output per workgroup of text.wgsl, as in records/gather/tiles.wgsl. */
const TILE_BYTES = 8192;
/** Maximum bytes of text, times key parts, per submission, so that a small GPU finishes in a fraction of a second. */
const SUBMISSION_BYTES = 2 ** 30;
/**
 * lengths.wgsl also adds up lengths in units of this many bytes, so that the host can check that the 32-bit sum of
 * bytes did not overflow.
 */
const STEP_BYTES = 16;
const SUM_LIMIT = 2 ** 32;

/** The key parts in device memory. */
export interface DeviceParts {
  readonly count: number;
  readonly parts: GPUBuffer;
  readonly partsBytes: number;
  readonly tables: GPUBuffer;
  readonly tablesBytes: number;
  readonly kernels: ReturnType<typeof kernelsOf>;
}

/** The outcome: keyed lines; `long`: a key would take its thread too long; `many`: keyed lines exceed the maximum. */
export type Keyed =
  | { readonly kind: 'keyed'; readonly records: Records }
  /** The lines are bytes [from, to) of the text. */
  | { readonly kind: 'long'; readonly from: number; readonly to: number }
  | { readonly kind: 'many' };

/** Compiles what `makeKeyedLines` needs. */
export function loadKeyedLines(gpu: Gpu, ordering: Ordering): Promise<unknown> {
  return Promise.all([loadScan(gpu), loadKernels(kernelsOf(gpu, ordering))]);
}

/** The key parts of an ordering that the device supports, in buffers of the pool. */
export async function takeParts(gpu: Gpu, pool: DevicePool, ordering: Ordering): Promise<DeviceParts> {
  const { count, parts, tables } = partTable(ordering);
  const taken: DeviceParts = {
    count,
    parts: await pool.take(parts.byteLength, 'parts of keys'),
    partsBytes: parts.byteLength,
    tables: await pool.take(tables.byteLength, 'tables of keys'),
    tablesBytes: tables.byteLength,
    kernels: kernelsOf(gpu, ordering),
  };
  send(gpu, taken.parts, 0, parts);
  send(gpu, taken.tables, 0, tables);
  return taken;
}

/**
 * Makes keyed lines of all `lines`, in buffers of `scratch`. They may have at most `most` bytes. Waits once for the
 * device.
 */
export async function makeKeyedLines(
  scratch: Scratch,
  lines: Records,
  parts: DeviceParts,
  most: number,
): Promise<Keyed> {
  const { count } = lines;
  const starts = await scratch.take((count + 1) * 4, 'starts of keyed lines');
  const totals = await scratch.take(16, 'totals of keys');
  await submitLengths(scratch, lines, parts, starts, totals);
  const [from, to, bytes, incomplete, steps] = (await readWords(scratch.gpu, [
    { buffer: lines.starts!, at: 0 },
    { buffer: lines.starts!, at: count },
    { buffer: starts, at: count },
    { buffer: totals, at: 0 },
    { buffer: totals, at: 1 },
  ])) as unknown as [number, number, number, number, number];
  scratch.drop(totals);
  const keyBytes = 4 * (((bytes - (to - from)) >>> 2) + count + 1);
  if (incomplete > 0 || steps * STEP_BYTES >= SUM_LIMIT || bytes > most || keyBytes > scratch.gpu.maxBindingBytes) {
    scratch.drop(starts);
    return incomplete > 0 ? { kind: 'long', from, to } : { kind: 'many' };
  }
  return { kind: 'keyed', records: await writeKeyed(scratch, lines, parts, starts, { bytes, keyBytes }) };
}

/** What the kernels that read lines and their key parts bind. */
function keyInputs(lines: Records, { parts, partsBytes, tables, tablesBytes }: DeviceParts): Bindings {
  return { ...recordBindings(lines), parts: bind(parts, partsBytes), tables: bind(tables, tablesBytes) };
}

/** Submits the computation of the starts of keyed lines, and of totals over all lengths. */
async function submitLengths(
  scratch: Scratch,
  lines: Records,
  parts: DeviceParts,
  starts: GPUBuffer,
  totals: GPUBuffer,
): Promise<void> {
  const { gpu } = scratch;
  const { count } = lines;
  const sums = await scratch.take(scanSumsBytes(count), 'scan sums');
  const bindings = { ...keyInputs(lines, parts), lengths: bind(starts, count * 4), totals: bind(totals, 8) };
  eachSlice(lines, parts.count, (first, last) => {
    submitPass(
      gpu,
      'keys',
      'lengths of keyed lines',
      (pass) => {
        const words = { first, last, parts: parts.count };
        parts.kernels.lengths.dispatch(pass, bindings, words, Math.ceil((last - first) / WORKGROUP));
      },
      (encoder) => {
        if (first === 0) encoder.clearBuffer(totals, 0, 8);
      },
    );
  });
  submitPass(gpu, 'keys', 'starts of keyed lines', (pass) => {
    scanExclusive(gpu, pass, starts, count, sums);
  });
  scratch.drop(sums);
}

/** Submits the writing of keyed lines of `bytes` bytes, whose keys take `keyBytes`. */
async function writeKeyed(
  scratch: Scratch,
  lines: Records,
  parts: DeviceParts,
  starts: GPUBuffer,
  { bytes, keyBytes }: { readonly bytes: number; readonly keyBytes: number },
): Promise<Records> {
  const { gpu } = scratch;
  const { kernels } = parts;
  const { count } = lines;
  const tiles = Math.ceil(bytes / TILE_BYTES);
  const keyBuffer = await scratch.take(keyBytes, 'keys');
  const firstBuffer = await scratch.take(tiles * 4, 'tiles of keyed lines');
  const text = await scratch.take(textBufferBytes(bytes), 'keyed lines');
  const [keys, first] = [bind(keyBuffer, keyBytes), bind(firstBuffer, tiles * 4)];
  const out_starts = bind(starts, (count + 1) * 4);
  const bindings = { ...keyInputs(lines, parts), out_starts, keys };
  eachSlice(lines, parts.count, (begin, end) => {
    submitPass(gpu, 'keys', 'keys', (pass) => {
      const words = { first: begin, last: end, parts: parts.count };
      kernels.keys.dispatch(pass, bindings, words, Math.ceil((end - begin) / WORKGROUP));
    });
  });
  submitPass(gpu, 'keys', 'keyed lines', (pass) => {
    kernels.tiles.dispatch(pass, { out_starts, first }, { n: count, tiles }, Math.ceil(tiles / 256));
    kernels.text.dispatch(
      pass,
      { ...recordBindings(lines), keys, out_starts, first, out: bind(text, textBufferBytes(bytes)) },
      { n: count, bytes, tiles },
      tiles,
    );
  });
  scratch.drop(keyBuffer);
  scratch.drop(firstBuffer);
  return { text, textBytes: bytes, starts, count };
}

/** Calls `submit` with the lines [first, last) of each submission in turn. */
function eachSlice({ count, textBytes }: Records, parts: number, submit: (first: number, last: number) => void): void {
  const slices = Math.ceil((textBytes * parts) / SUBMISSION_BYTES);
  const lines = Math.ceil(count / slices);
  for (let first = 0; first < count; first += lines) submit(first, Math.min(count, first + lines));
}

function kernelsOf(gpu: Gpu, ordering: Ordering) {
  const { DELIMITER } = keyedOverrides(ordering);
  const constants = { overrides: { DELIMITER: DELIMITER! } };
  return {
    lengths: new Kernel(gpu, 'records/keyed-lines/lengths', constants),
    keys: new Kernel(gpu, 'records/keyed-lines/keys', constants),
    tiles: new Kernel(gpu, 'records/gather/tiles'),
    text: new Kernel(gpu, 'records/keyed-lines/text'),
  };
}
