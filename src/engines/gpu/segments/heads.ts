/**
 * Finds where segments begin among records on the device. Knows nothing of how they are sorted.
 */

import type { SegmentEnds } from '../../../contract/engine.js';
import type { Ordering } from '../../../job/ordering.js';
import { type SegmentMark, sameSegment, segmentMark, segmentNumbers } from '../../../keys/fields.js';
import { textWithoutKey } from '../../../keys/keyed.js';
import type { KernelConstants } from '../device/compose.js';
import type { Gpu } from '../device/device.js';
import { bind, Kernel, loadKernels, readBack, readWords, send, submitPass } from '../device/dispatch.js';
import type { Scratch } from '../device/pool.js';
import {
  keyedOverrides,
  placeBefore,
  type Records,
  recordBindings,
  startOverrides,
  startsOf,
} from '../records/records.js';

const WORKGROUP = 256;
/** A value in `heads`: only the host can decide whether this record begins a segment. */
const UNKNOWN = 2;

type SegmentedOrdering = Ordering & Required<Pick<Ordering, 'segments'>>;

const hasSegments = (ordering: Ordering): ordering is SegmentedOrdering => ordering.segments !== undefined;

function headConstants(ordering: SegmentedOrdering): KernelConstants {
  const { segments } = ordering;
  const { beginField, beginByte, beginBlanks, endField, endByte, endBlanks, separator, separatorBytes } =
    segmentNumbers(segments);
  // The overrides that kernels/wgsl/segments/mark-*.wgsl declare.
  const bytes = { BEGIN_BYTE: beginByte, END_BYTE: endByte };
  const starts = startOverrides(ordering.format);
  const fields = {
    BEGIN_FIELD: beginField,
    BEGIN_BLANKS: beginBlanks,
    END_FIELD: endField,
    END_BLANKS: endBlanks,
    SEPARATOR: separator,
    SEPARATOR_BYTES: separatorBytes,
  };
  const keyed = keyedOverrides(ordering);
  return {
    variants: { SEGMENT_KIND: segments.kind },
    overrides: { blank: keyed, bytes: { ...bytes, ...starts }, fields: { ...keyed, ...bytes, ...fields } }[
      segments.kind
    ],
  };
}

/** Compiles what the segments of `ordering` need, if it has any. */
export function loadHeads(gpu: Gpu, ordering: Ordering): Promise<unknown> {
  if (!hasSegments(ordering)) return Promise.resolve();
  return loadKernels({ heads: headsKernel(gpu, ordering), ends: endsKernel(gpu) });
}

const headsKernel = (gpu: Gpu, ordering: SegmentedOrdering): Kernel =>
  new Kernel(gpu, 'segments/heads', headConstants(ordering));
const endsKernel = (gpu: Gpu): Kernel => new Kernel(gpu, 'segments/ends');

/** A word per record: not 0 if the record begins a segment. If the ordering has no segments, only record 0 does. */
export async function segmentHeads(scratch: Scratch, records: Records, ordering: Ordering): Promise<GPUBuffer> {
  const { gpu } = scratch;
  const { count } = records;
  const heads = await scratch.take(count * 4, 'segment heads');
  if (!hasSegments(ordering)) {
    send(gpu, heads, 0, Uint32Array.of(1));
    const encoder = gpu.device.createCommandEncoder();
    if (count > 1) encoder.clearBuffer(heads, 4, count * 4 - 4);
    gpu.device.queue.submit([encoder.finish()]);
    return heads;
  }
  const unknown = await scratch.take(16, 'unknown heads');
  submitPass(
    gpu,
    'sort',
    'segment heads',
    (pass) => {
      headsKernel(gpu, ordering).dispatch(
        pass,
        { ...recordBindings(records), heads: bind(heads, count * 4), unknown: bind(unknown, 16) },
        { n: count },
        Math.ceil(count / WORKGROUP),
      );
    },
    (encoder) => {
      encoder.clearBuffer(unknown, 0, 16);
    },
  );
  const [any] = await readWords(gpu, [{ buffer: unknown, at: 0 }]);
  if (any !== 0) await settleHeads(gpu, records, ordering, heads);
  scratch.drop(unknown);
  return heads;
}

/** Decides the records that the kernel left undecided: few, since each is longer than 64 KiB. */
async function settleHeads(gpu: Gpu, records: Records, ordering: SegmentedOrdering, heads: GPUBuffer): Promise<void> {
  const states = new Uint32Array((await readBack(gpu, heads, 0, records.count * 4)).buffer as ArrayBuffer);
  let [marked, mark] = [-1, null as SegmentMark];
  const markOf = async (i: number): Promise<SegmentMark> => {
    if (marked !== i) mark = segmentMark(ordering.segments, await recordAt(gpu, records, i, ordering));
    marked = i;
    return mark;
  };
  for (let i = 1; i < states.length; i++) {
    if (states[i] !== UNKNOWN) continue;
    const before = await markOf(i - 1);
    states[i] = sameSegment(before, await markOf(i)) ? 0 : 1;
  }
  send(gpu, heads, 0, states);
}

/** The ends of the segments of sorted records. There must be at least one record. */
export async function segmentEnds(scratch: Scratch, records: Records, ordering: Ordering): Promise<SegmentEnds> {
  const { gpu } = scratch;
  const { count } = records;
  const heads = await segmentHeads(scratch, records, ordering);
  const ends = await scratch.take(16, 'segment ends');
  send(gpu, ends, 0, Uint32Array.of(0xffffffff, 0));
  submitPass(gpu, 'sort', 'segment ends', (pass) => {
    endsKernel(gpu).dispatch(
      pass,
      { heads: bind(heads, count * 4), ends: bind(ends, 8) },
      { n: count },
      Math.ceil(count / WORKGROUP),
    );
  });
  const [first, last] = (await readWords(gpu, [
    { buffer: ends, at: 0 },
    { buffer: ends, at: 1 },
  ])) as unknown as [number, number];
  const firstEnd = Math.min(first, count);
  const [firstByte, lastByte] = (await startsOf(gpu, records, [firstEnd, last])) as [number, number];
  const [firstRecord, lastRecord] = await Promise.all([
    recordAt(gpu, records, 0, ordering),
    recordAt(gpu, records, count - 1, ordering),
  ]);
  return {
    firstEnd: placeBefore(firstEnd, firstByte),
    lastBegin: placeBefore(last, lastByte),
    firstRecord,
    lastRecord,
  };
}

/** The text of record i without its delimiter. */
async function recordAt(gpu: Gpu, records: Records, i: number, ordering: Ordering): Promise<Uint8Array> {
  const [begin, end] = (await startsOf(gpu, records, [i, i + 1])) as [number, number];
  const delimiterBytes = ordering.format.kind === 'lines' ? 1 : 0;
  return textWithoutKey(ordering, await readBack(gpu, records.text, begin, end - begin - delimiterBytes));
}
