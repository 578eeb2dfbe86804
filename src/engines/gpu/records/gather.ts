/**
 * Writes the text of records in a given order. Knows nothing of how the order was found.
 */

import type { RecordForm } from '../../../contract/engine.js';
import type { Ordering } from '../../../job/ordering.js';
import type { Gpu } from '../device/device.js';
import { type Binding, bind, Kernel, loadKernels, readBack, submitPass } from '../device/dispatch.js';
import type { Scratch } from '../device/pool.js';
import { bytesPerRecord, type Records, recordBindings, textBufferBytes, textConstants } from './records.js';
import { loadScan, scanExclusive, scanSumsBytes } from './scan.js';

const NEWLINE = 10;

/** Bytes of output per workgroup of gather/text.wgsl, and of gather/fixed.wgsl. */
const TILE_BYTES = 8192;
const FIXED_TILE_BYTES = 4096;

/** How records are written, and which ones. */
interface GatherForm {
  /** The length of the result. Null: it is computed first, which waits for the device. */
  readonly bytes: number | null;
  /** The ordering of the records, which may have keys; null: plain lines. */
  readonly ordering?: Ordering | null;
  /** How they are written; absent: unchanged. */
  readonly form?: RecordForm;
  /** Writes records from this number on, in their present order; null: in the order that `gather` is given. */
  readonly from?: number | null;
}

/** Compiles what `gather` needs for records of `ordering`, whose keys it may have to leave out; null: plain lines. */
export function loadGather(gpu: Gpu, ordering: Ordering | null = null): Promise<unknown> {
  if (ordering?.format.kind === 'fixed') return fixedKernel(gpu, ordering.format.size).load();
  return Promise.all([
    loadScan(gpu),
    loadKernels({ whole: kernelsOf(gpu, null).lengths, ...kernelsOf(gpu, ordering) }),
  ]);
}

/** `without`: the ordering of keyed lines that are written without their keys; null: records are written unchanged. */
function kernelsOf(gpu: Gpu, without: Ordering | null) {
  return {
    lengths: new Kernel(gpu, 'records/gather/lengths', textConstants(without)),
    tiles: new Kernel(gpu, 'records/gather/tiles'),
    text: new Kernel(gpu, 'records/gather/text'),
  };
}

function fixedKernel(gpu: Gpu, size: number): Kernel {
  return new Kernel(gpu, 'records/gather/fixed', { overrides: { RECORD_SIZE: size } });
}

/**
 * Submits the writing of records order[0..count) to a new text in `scratch`. Overwrites `order`.
 */
export async function gather(
  scratch: Scratch,
  records: Records,
  order: Binding,
  count: number,
  { bytes, ordering = null, form = 'run', from = null }: GatherForm,
): Promise<Records> {
  const { gpu } = scratch;
  if (records.starts === null) return gatherFixed(scratch, records, order, count);
  const kernels = kernelsOf(gpu, form === 'run' ? null : ordering);
  const begins = recordBindings(records);
  const starts = await scratch.take((count + 1) * 4, 'starts');
  const sums = await scratch.take(scanSumsBytes(count), 'scan sums');
  const lengths = (pass: GPUComputePassEncoder): void => {
    kernels.lengths.dispatch(
      pass,
      { order, starts: begins.starts, text: records.text, lengths: starts },
      { n: count, in_order: from === null ? 0 : 1, first: from ?? 0 },
      Math.ceil(count / 256),
    );
    scanExclusive(gpu, pass, starts, count, sums);
  };
  let textBytes = bytes;
  if (textBytes === null) {
    submitPass(gpu, 'gather', 'gather lengths', lengths);
    textBytes = new Uint32Array((await readBack(gpu, starts, count * 4, 4)).buffer)[0];
  }
  const length = textBytes;
  const tiles = Math.ceil(length / TILE_BYTES);
  const first = await scratch.take(tiles * 4, 'gather tiles');
  const text = await scratch.take(textBufferBytes(length), 'sorted text');
  submitPass(gpu, 'gather', 'gather', (pass) => {
    if (bytes !== null) lengths(pass);
    kernels.tiles.dispatch(pass, { out_starts: starts, first }, { n: count, tiles }, Math.ceil(tiles / 256));
    kernels.text.dispatch(
      pass,
      { text: records.text, sources: order, out_starts: starts, first, out: text },
      { n: count, bytes: length, tiles, last_change: delimiterChange(ordering, form) },
      tiles,
    );
  });
  scratch.drop(sums);
  scratch.drop(first);
  return { text, textBytes: length, starts, count };
}

/** The XOR of the delimiter and the output's delimiter. */
function delimiterChange(ordering: Ordering | null, form: RecordForm): number {
  return form === 'newlines' && ordering?.format.kind === 'lines' ? ordering.format.delimiter ^ NEWLINE : 0;
}

/** The same for records of one size, which have no keys before them. */
async function gatherFixed(scratch: Scratch, records: Records, order: Binding, count: number): Promise<Records> {
  const { gpu } = scratch;
  const size = bytesPerRecord(records);
  const textBytes = count * size;
  const text = await scratch.take(textBufferBytes(textBytes), 'sorted text');
  submitPass(gpu, 'gather', 'gather', (pass) => {
    fixedKernel(gpu, size).dispatch(
      pass,
      { text: recordBindings(records).text, order, out: bind(text, textBufferBytes(textBytes)) },
      { bytes: textBytes },
      Math.ceil(textBytes / FIXED_TILE_BYTES),
    );
  });
  return { text, textBytes, starts: null, count };
}
