/**
 * The tasks of a worker and their execution. The same function runs in workers and in the calling thread. Knows shared
 * memory, but no engine and no files.
 */

import type { MergedBlocks, RecordForm } from '../../contract/engine.js';
import type { Limit } from '../../job/job.js';
import type { KeyMaker } from '../../keys/key-maker.js';
import type { Digest } from '../../report/digest.js';
import { KERNEL_SLACK } from '../../system/memory.js';
import type { Resumable } from '../../system/resumable.js';
import { digestAt, type VerifyKernels } from '../../verify/kernels.js';
import { blockSums } from './checksums.js';
import { distributeSmall, distributeText, type PlacedSplitters } from './distribute.js';
import { type CompressedText, sortToBlocks } from './compress-text.js';
import { decodeText, encodeText } from './encode-text.js';
import { type GroupReport, type GroupTask, type GroupTools, orderGroup } from './group.js';
import { type CpuKernels, copyOut, type PlacedText, placeTexts } from './kernels.js';
import { mergeTexts } from './merge-texts.js';
import type { Into, Outcome } from './outcome.js';
import type { RecordShape } from './shape.js';
import { sortBucket } from './sort-bucket.js';
import { sortSegments } from './sort-segments.js';
import { isDistributed, sortSmall } from './sort-small.js';
import { sortText } from './sort-text.js';

export type Task =
  /**
   * Sorts the first `bytes` bytes of `text`, or distributes them by the splitters. Without keys, in place. If keys are
   * made first, keyed lines come in pieces of at most `most` bytes. The first goes to `target` if it fits, others to
   * new memory, which is freed only when this thread collects garbage.
   */
  | {
      readonly kind: 'order';
      readonly text: SharedArrayBuffer;
      readonly bytes: number;
      readonly most: number;
      readonly target: SharedArrayBuffer | null;
      readonly distribute: boolean;
      /** Whether text that is in order as it was read gets checksums. */
      readonly sums: boolean;
    }
  /**
   * Merges `slices` into `target` from byte 0. Their keys share `depth` bytes. `form`: `run` writes them as they are.
   */
  | {
      readonly kind: 'merge';
      readonly slices: TaskSlices;
      readonly depth: number;
      readonly target: SharedArrayBuffer;
      readonly form: RecordForm;
    }
  /**
   * Sorts `slices` of distributed chunks, or of runs, laid end to end, into `target`. `form`: see `merge`. `blocks`: the
   * text is compressed there (compress-text.ts).
   */
  | {
      readonly kind: 'bucket';
      readonly slices: TaskSlices;
      readonly target: SharedArrayBuffer;
      readonly form: RecordForm;
      readonly blocks: MergedBlocks | null;
    }
  /** Copies `slices` to `target`, one after another, decoded. */
  | {
      readonly kind: 'decode';
      readonly slices: TaskSlices;
      readonly target: SharedArrayBuffer;
    }
  | GroupTask;

/** Whole records: bytes [from, to) of a buffer. */
export interface TaskSlice {
  readonly buffer: SharedArrayBuffer;
  readonly from: number;
  readonly to: number;
  readonly entriesFrom?: number;
  readonly entriesTo?: number;
}

/** Slices for a message: buffers and lists of numbers are posted quickly. */
export interface TaskSlices {
  readonly buffers: readonly SharedArrayBuffer[];
  /** For each slice, the number of its buffer, and where it begins and ends. */
  readonly places: Float64Array;
}

const PLACE_NUMBERS = 5;

export function packSlices(slices: readonly TaskSlice[]): TaskSlices {
  const buffers: SharedArrayBuffer[] = [];
  const numbers = new Map<SharedArrayBuffer, number>();
  const places = new Float64Array(PLACE_NUMBERS * slices.length);
  for (const [i, { buffer, from, to, entriesFrom = 0, entriesTo = 0 }] of slices.entries()) {
    let number = numbers.get(buffer);
    if (number === undefined) {
      number = buffers.push(buffer) - 1;
      numbers.set(buffer, number);
    }
    places[PLACE_NUMBERS * i] = number;
    places[PLACE_NUMBERS * i + 1] = from;
    places[PLACE_NUMBERS * i + 2] = to;
    places[PLACE_NUMBERS * i + 3] = entriesFrom;
    places[PLACE_NUMBERS * i + 4] = entriesTo;
  }
  return { buffers, places };
}

/** The texts of slices. */
export function textsOf(shape: RecordShape, { buffers, places }: TaskSlices): Uint8Array[] {
  return Array.from({ length: places.length / PLACE_NUMBERS }, (_, i) => {
    const [buffer, from, to] = places.subarray(PLACE_NUMBERS * i) as unknown as [number, number, number];
    return wholeRecords(shape, buffers[buffer], from, to);
  });
}

/** An outcome at byte `at` of a buffer, or at its beginning. */
export interface Result {
  readonly outcome: Outcome;
  readonly buffer: SharedArrayBuffer;
  readonly at?: number;
  /** Of a group. */
  readonly report?: GroupReport;
  /** Of text that was compressed. */
  readonly compressed?: CompressedText;
  /** The digest of the records as they were read, with the first result of a verified order. */
  readonly input?: Digest;
  /** Whether the buffer is the target of an order. (A message turns the same memory into a new object.) */
  readonly inTarget?: boolean;
}

/** The tools of a thread that executes tasks. `keys` makes keyed lines; null if records have none. */
export interface Tools {
  readonly kernels: CpuKernels;
  readonly shape: RecordShape;
  readonly keys: KeyMaker | null;
  /** Splitters that distribute chunks into buckets; null: chunks are sorted. */
  readonly splitters: PlacedSplitters | null;
  /** The records of the whole sort to keep; null: all. */
  readonly limit: Limit | null;
  /** Hashes chunks in the same memory; null: no verification. */
  readonly verify: VerifyKernels | null;
  /** Reads groups; null: there are only chunks of text. */
  readonly groups: GroupTools | null;
}

/**
 * The steps of a task in this thread. A merge has one result. The order of a chunk has one, or several in input order.
 */
export function* performTask(tools: Tools, task: Task): Resumable<Result[]> {
  const { kernels, shape, keys, limit } = tools;
  if (task.kind === 'group') return [yield* orderGroup(kernels, keys!, tools.groups!, task)];
  if (task.kind === 'order') {
    const { text, bytes, distribute } = task;
    const placed = placeTexts(kernels, [wholeRecords(shape, text, 0, bytes)]);
    const input = tools.verify && digestAt(tools.verify, placed.begin, placed.end);
    if (input !== null) yield;
    yield* encodeText(kernels, shape, placed);
    const results =
      keys === null
        ? [withSums(kernels, placed, task, yield* orderText(tools, placed, distribute, () => text, !shape.encoded))]
        : yield* orderKeyed(tools, keys, placed, task);
    return input === null ? results : results.map((result, i) => (i === 0 ? { ...result, input } : result));
  }
  if (task.kind === 'bucket') {
    const target = new Uint8Array(task.target);
    if (task.blocks !== null) {
      const { outcome, compressed } = yield* sortToBlocks(kernels, task.slices, task.blocks, target);
      return [{ outcome, buffer: task.target, compressed }];
    }
    const placed = placeTexts(kernels, textsOf(shape, task.slices));
    const outcome = yield* shape.small !== null && limit === null
      ? sortSmall(kernels, shape, placed, task.form, () => target)
      : shape.sized
        ? sortText(kernels, shape, placed, { limit, form: task.form }, () => target)
        : sortBucket(kernels, shape, placed, { limit, form: task.form }, target);
    return [{ outcome, buffer: task.target }];
  }
  if (task.kind === 'decode') return [yield* decodeSlices(tools, task)];
  // Merges do not apply a limit to the last records: after a failure, the output must repeat the same bytes, however
  // merges are cut.
  const mergeLimit = limit?.end === 'first' ? limit : null;
  const texts = textsOf(shape, task.slices);
  const { depth, form } = task;
  const merge = { texts, depth, target: new Uint8Array(task.target), form, limit: mergeLimit };
  return [{ outcome: yield* mergeTexts(kernels, shape, merge), buffer: task.target }];
}

/** The result of ordering `text`, with its checksums if they are requested and the text stayed as it was. */
function withSums(
  kernels: CpuKernels,
  text: PlacedText,
  { sums }: Extract<Task, { kind: 'order' }>,
  result: Result,
): Result {
  const { outcome } = result;
  const isAsRead = outcome.natural === 'in order' && outcome.bytes === text.end - text.begin;
  return sums && isAsRead ? { ...result, outcome: { ...outcome, sums: blockSums(kernels, text) } } : result;
}

function* decodeSlices(
  { kernels, shape }: Tools,
  { slices, target }: Extract<Task, { kind: 'decode' }>,
): Resumable<Result> {
  const text = placeTexts(kernels, textsOf(shape, slices));
  yield* decodeText(kernels, shape, text);
  copyOut(kernels, text.begin, text.end, new Uint8Array(target));
  const bytes = text.end - text.begin;
  return { outcome: { bytes, records: bytes / shape.size }, buffer: target };
}

/** Makes keyed lines of a text and sorts them, in as many pieces as necessary. */
function* orderKeyed(
  tools: Tools,
  keys: KeyMaker,
  { begin, end }: PlacedText,
  { most, target, distribute }: Extract<Task, { kind: 'order' }>,
): Resumable<Result[]> {
  const results: Result[] = [];
  const place = end + KERNEL_SLACK;
  do {
    const keyed = yield* keys.keySteps(begin, end, place, most);
    const given = results.length === 0 ? target : null;
    const result = yield* orderText(tools, { begin: place, end: keyed.end }, distribute, (size) =>
      given !== null && size <= given.byteLength ? given : new SharedArrayBuffer(size),
    );
    results.push({ ...result, inTarget: result.buffer === given });
    begin = keyed.next;
  } while (begin < end);
  return results;
}

/**
 * Sorts or distributes records to the beginning of the buffer that `open` returns for their size. `copied`: that buffer
 * already holds the records as they were read.
 */
function* orderText(
  tools: Tools,
  text: PlacedText,
  distribute: boolean,
  open: (size: number) => SharedArrayBuffer,
  copied = false,
): Resumable<Result> {
  const { kernels, shape, splitters } = tools;
  let buffer: SharedArrayBuffer | undefined;
  const place = (size: number): Uint8Array => new Uint8Array((buffer = open(size)));
  const into = (size: number, inPlace: boolean): Uint8Array | null => {
    const target = place(size);
    return copied && inPlace ? null : target;
  };
  const outcome = yield* distribute
    ? shape.small !== null && isDistributed(shape.small)
      ? distributeSmall(kernels, shape, text, splitters!, place)
      : distributeText(kernels, shape, text, splitters!, place)
    : shape.segments === null
      ? sortRecords(tools, text, into)
      : sortSegments(kernels, shape, text, into);
  return { outcome, buffer: buffer ?? open(0) };
}

/** Sorts a text that is one segment. */
function sortRecords({ kernels, shape, limit }: Tools, text: PlacedText, into: Into): Resumable<Outcome> {
  return shape.small !== null && limit === null
    ? sortSmall(kernels, shape, text, 'run', into)
    : sortText(kernels, shape, text, { limit, form: 'run' }, into);
}

/** Bytes [from, to) of a buffer. Throws unless they can be whole records, which the kernels rely on. */
export function wholeRecords(
  { delimiter, size, sized }: RecordShape,
  buffer: SharedArrayBuffer,
  from: number,
  to: number,
): Uint8Array {
  const text = new Uint8Array(buffer, from, to - from);
  const whole = text.length === 0 || sized || (size > 0 ? text.length % size === 0 : text[text.length - 1] === delimiter);
  if (!whole) throw new Error(`bytes ${from} to ${to} of a text are not whole records`);
  return text;
}
