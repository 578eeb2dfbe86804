/**
 * Makes keyed lines (src/keys/keyed.ts) on the device, byte for byte like the host (src/keys/key-maker.ts). Knows
 * nothing of what they are used for.
 */
import type { Ordering } from '../../../../job/job.js';
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
  readonly partitionBytes: number;
  readonly tables: GPUBuffer;
  readonly tablesBytes: number;
  readonly kernels: ReturnType<typeof kernelsOf>;
}

/** The outcome: keyed lines; `long`: a key would take its thread too long; `many`: keyed lines exceed the maximum. */
export type Keyed =
  | { readonly kind: 'keyed'; readonly records: Records }
  /** All lines are bytes [from, to) of the text. */
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
    partitionBytes: parts.byteLength,
    tables: await pool.take(tables.byteLength, 'tables of keys'),
    tablesBytes: tables.byteLength,
    kernels: kernelsOf(gpu, ordering),
  };
  send(gpu, taken.parts, 0, parts);
  send(gpu, taken.tables, 0, tables);
  return taken;
}

/**
 * Makes keyed lines from all of `lines`, of at most `most` bytes, in buffers of `scratch`. Waits once for the device.
 */
export async function makeKeyedLines(
  gpu: Gpu,
  scratch: Scratch,
  lines: Records,
  parts: DeviceParts,
  most: number,
): Promise<Keyed> {
  const { count } = lines;
  const { kernels } = parts;
  const outStarts = await scratch.take((count + 1) * 4, 'starts of keyed lines');
  const totals = await scratch.take(16, 'totals of keys');
  const sums = await scratch.take(scanSumsBytes(count), 'scan sums');
  const inputs: Bindings = {
    ...recordBindings(lines),
    parts: bind(parts.parts, parts.partitionBytes),
    tables: bind(parts.tables, parts.tablesBytes),
  };
  eachSlice(lines, parts.count, (first, last) => {
    submitPass(
      gpu,
      'keys',
      'lengths of keyed lines',
      (pass) => {
        kernels.lengths.dispatch(
          pass,
          { ...inputs, lengths: bind(outStarts, count * 4), totals: bind(totals, 8) },
          { first, last, parts: parts.count },
          Math.ceil((last - first) / WORKGROUP),
        );
      },
      (encoder) => {
        if (first === 0) encoder.clearBuffer(totals, 0, 8);
      },
    );
  });
  submitPass(gpu, 'keys', 'starts of keyed lines', (pass) => {
    scanExclusive(gpu, pass, outStarts, count, sums);
  });
  const [from, to, bytes, incomplete, steps] = (await readWords(gpu, [
    { buffer: lines.starts!, at: 0 },
    { buffer: lines.starts!, at: count },
    { buffer: outStarts, at: count },
    { buffer: totals, at: 0 },
    { buffer: totals, at: 1 },
  ])) as unknown as [number, number, number, number, number];
  scratch.drop(totals);
  scratch.drop(sums);
  const keyBytes = 4 * (((bytes - (to - from)) >>> 2) + count + 1);
  if (incomplete > 0 || steps * STEP_BYTES >= SUM_LIMIT || bytes > most || keyBytes > gpu.maxBindingBytes) {
    scratch.drop(outStarts);
    return incomplete > 0 ? { kind: 'long', from, to } : { kind: 'many' };
  }

  const keys = await scratch.take(keyBytes, 'keys');
  const tiles = Math.ceil(bytes / TILE_BYTES);
  const first = await scratch.take(tiles * 4, 'tiles of keyed lines');
  const out = await scratch.take(textBufferBytes(bytes), 'keyed lines');
  const outPart = bind(outStarts, (count + 1) * 4);
  eachSlice(lines, parts.count, (begin, end) => {
    submitPass(gpu, 'keys', 'keys', (pass) => {
      kernels.keys.dispatch(
        pass,
        { ...inputs, out_starts: outPart, keys: bind(keys, keyBytes) },
        { first: begin, last: end, parts: parts.count },
        Math.ceil((end - begin) / WORKGROUP),
      );
    });
  });
  submitPass(gpu, 'keys', 'keyed lines', (pass) => {
    kernels.tiles.dispatch(
      pass,
      { out_starts: outPart, first: bind(first, tiles * 4) },
      { n: count, tiles },
      Math.ceil(tiles / 256),
    );
    kernels.text.dispatch(
      pass,
      {
        ...recordBindings(lines),
        keys: bind(keys, keyBytes),
        out_starts: outPart,
        first: bind(first, tiles * 4),
        out: bind(out, textBufferBytes(bytes)),
      },
      { n: count, bytes, tiles },
      tiles,
    );
  });
  scratch.drop(keys);
  scratch.drop(first);
  return { kind: 'keyed', records: { text: out, textBytes: bytes, starts: outStarts, count } };
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
