/**
 * The tasks of a codec thread: inflate a group of BGZF blocks (and frame its records, if it is BAM) or a section of
 * gzip, compress a group of text, find the records in a block of FASTQ, or convert alignments. All bytes lie in shared
 * memory. A task is 1 MiB of text or more, so messages cost little compared with the work.
 */

import type { AlignmentFormat, ThreadForm } from '../job/job.js';
import type { FramedPart } from '../records/bam.js';
import { framePart } from '../records/bam-parts.js';
import { AlignmentConverter, type ConvertedRecords } from '../records/convert.js';
import { type BlockStart, type FramedInside, frameInside } from '../records/fastq.js';
import { countBytes } from '../records/fastx-kernels.js';
import { collectYoung } from '../system/garbage.js';
import { copyBytes } from '../system/memory.js';
import { finish, type Resumable } from '../system/resumable.js';
import { zlib } from '../system/zlib.js';
import { BLOCK_TEXT, blocksBytes, blocksRoom, writeBlocks, writeMember } from './bgzf.js';
import { isOwnLevel } from './deflate.js';
import { type GzipOutcome, type GzipTask, gzipTask } from './gzip-tasks.js';
import { Inflater } from './inflate.js';
import { type BrokenBlock, inflateBlocks } from './inflate-blocks.js';
import { zstd } from './zstd.js';

const NEWLINE = 10;

/**
 * Whole BGZF blocks, [at, to) of `from`, whose text of `text` bytes is to be written to `target`. `references`: it is
 * BAM with this number of references, whose whole records become lines; null: it is other text.
 */
interface InflateTask {
  readonly kind: 'inflate';
  readonly from: SharedArrayBuffer;
  readonly at: number;
  readonly to: number;
  readonly target: SharedArrayBuffer;
  readonly text: number;
  readonly references: number | null;
}

/** The first `bytes` bytes of `from`, to be written to `target`, which has compressedRoom(form, bytes) bytes. */
interface CompressTask {
  readonly kind: 'compress';
  readonly form: ThreadForm;
  readonly level: number;
  readonly from: SharedArrayBuffer;
  readonly bytes: number;
  readonly target: SharedArrayBuffer;
}

/** The first `bytes` bytes of `from`, whose newlines are to be counted. */
interface CountNewlinesTask {
  readonly kind: 'count';
  readonly from: SharedArrayBuffer;
  readonly bytes: number;
}

/** The same bytes are a block of FASTQ, whose whole records are to be framed. */
interface FrameTask {
  readonly kind: 'frame';
  readonly from: SharedArrayBuffer;
  readonly bytes: number;
  readonly start: BlockStart;
}

/** The first `bytes` bytes of `from`, whole alignments in the other format, to be converted into `target`. */
interface ConvertTask {
  readonly kind: 'convert';
  readonly to: AlignmentFormat;
  /** The number of the stream: all its tasks have the same contigs. */
  readonly stream: number;
  readonly contigs: Uint8Array;
  readonly from: SharedArrayBuffer;
  readonly bytes: number;
  readonly target: SharedArrayBuffer;
}

export type CodecTask = InflateTask | CompressTask | CountNewlinesTask | FrameTask | ConvertTask | GzipTask;

/** The output of a task: its bytes, and the lengths of its compressed blocks. */
export interface CompressedGroup {
  readonly bytes: number;
  readonly blocks: readonly number[];
}

/** The number of newlines that a task has counted. */
export interface Counted {
  readonly newlines: number;
}

export type CodecOutcome =
  | CompressedGroup
  | BrokenBlock
  | FramedPart
  | Counted
  | FramedInside
  | ConvertedRecords
  | GzipOutcome;

/** Bytes of text that become one member of gzip, one frame of zstd, or a group of BGZF blocks. */
export const GROUP_TEXT: Readonly<Record<ThreadForm, number>> = {
  gzip: 1 << 20,
  bgzf: 16 * BLOCK_TEXT,
  zstd: 4 << 20,
};

/** The maximum room that a compressed group of `bytes` bytes needs. */
export function compressedRoom(form: ThreadForm, bytes: number): number {
  // zlib and zstd add less than a thousandth to text that they cannot compress.
  return form === 'bgzf' ? blocksRoom(bytes) : bytes + (bytes >> 8) + 1024;
}

/** The steps of a task: the calling thread executes them if there are no codec threads. */
export function* codecSteps(task: CodecTask): Resumable<CodecOutcome> {
  if (task.kind === 'inflate') return inflateTask(task);
  if (task.kind === 'guess' || task.kind === 'gunzip' || task.kind === 'resolve') return gzipTask(task);
  const text = new Uint8Array(task.from, 0, task.bytes);
  if (task.kind === 'count') return { newlines: countBytes(text, NEWLINE) };
  if (task.kind === 'frame') return frameInside(text, task.start);
  const target = new Uint8Array(task.target);
  if (task.kind === 'convert') return yield* converterOf(task).steps(text, target);
  if (task.form !== 'bgzf') {
    const end = task.form === 'gzip' ? compressGzip(text, task.level, target) : compressZstd(text, task.level, target);
    return { bytes: end, blocks: [end] };
  }
  const blocks = yield* writeBlocks(text, task.level, target);
  return { bytes: blocksBytes(blocks), blocks };
}

/** This thread's kernels that inflate. */
let inflater: Inflater | undefined;

function inflateTask({ from, at, to, target, text, references }: InflateTask): CodecOutcome {
  const inflated = inflateBlocks({ memory: from, from: at, to }, text, (inflater ??= new Inflater()));
  if ('broken' in inflated) return inflated;
  const memory = new Uint8Array(target);
  const framed = references === null ? null : framePart(inflated, references, memory);
  if (framed !== null) return framed;
  copyBytes(inflated, memory);
  return { bytes: text, blocks: [] };
}

/** This thread's converter for the stream of its last task. */
let converter: { readonly stream: number; readonly converts: AlignmentConverter } | undefined;

function converterOf({ to, stream, contigs }: ConvertTask): AlignmentConverter {
  if (converter?.stream !== stream) converter = { stream, converts: new AlignmentConverter(to, contigs) };
  return converter.converts;
}

/** Writes one member of gzip; returns its end. */
function compressGzip(text: Uint8Array, level: number, target: Uint8Array): number {
  if (isOwnLevel(level)) return writeMember(text, level, target);
  const chunkSize = Math.max(1024, compressedRoom('gzip', text.length));
  const member = zlib().gzipSync(text, { level, chunkSize });
  copyBytes(member, target);
  return member.length;
}

/** Writes one frame of zstd; returns its end. */
function compressZstd(text: Uint8Array, level: number, target: Uint8Array): number {
  const frame = zstd()!.compress(text, level);
  copyBytes(frame, target);
  return frame.length;
}

/**
 * The number of tasks after which a codec thread collects garbage: zlib and messages leave buffers outside the heap.
 */
const TASKS_PER_COLLECTION = 4;

/** The role `codec` of src/run/worker.ts. */
export function openCodecWorker(): (task: CodecTask) => CodecOutcome {
  let tasks = 0;
  return (task) => {
    if (tasks++ % TASKS_PER_COLLECTION === TASKS_PER_COLLECTION - 1) collectYoung();
    return finish(codecSteps(task));
  };
}
