/**
 * Surveys sorted text of a file: computes checksums of its blocks, and checkpoints. A checkpoint is a place between
 * records, with the digest of the records up to the next checkpoint. A record of CHECKPOINT_BYTES or more begins at a
 * checkpoint and ends at one. Each thread has a surveyor of its own.
 */

import { COLLATED_SAMPLE_BYTES, type RecordForm } from '../contract/engine.js';
import type { Ordering } from '../job/ordering.js';
import { isKeyed, KEY_HEADER_BYTES, keyLength } from '../keys/keyed.js';
import { RecordEncoder } from '../keys/record-encoding.js';
import { delimiterBytes, type RecordFinder, recordFinder } from '../records/record-finder.js';
import type { Digest } from '../report/digest.js';
import { sampleHead } from '../runs/run-index.js';
import { internalError } from '../system/errors.js';
import { fileSystem } from '../system/file-system.js';
import { growTo, KERNEL_SLACK, newMemory } from '../system/memory.js';
import { crc32 } from '../system/zlib.js';
import { checkerModules } from './checkers.js';
import { copyTo, digestAt, keyedDigestAt, openVerifyKernels, type VerifyKernels } from './kernels.js';
import { Summer } from './summer.js';

/** Bytes covered by one checksum. */
export const BLOCK_BYTES = 64 << 10;
/** Minimum distance between checkpoints. */
export const CHECKPOINT_BYTES = 128 << 10;
/** Bytes surveyed by one task; a multiple of BLOCK_BYTES. */
export const SURVEY_BYTES = 8 << 20;
/**
 * Records that end more than LONG_BYTES after their task's bytes are hashed in pieces. LONG_PIECES pieces have
 * LONG_BYTES.
 */
const LONG_BYTES = 64 << 20;
const LONG_PIECES = 8;

const PAGE_BYTES = 4096;

interface SurveySizes {
  /** BLOCK_BYTES. */
  readonly block: number;
  /** CHECKPOINT_BYTES. */
  readonly checkpoint: number;
  /** LONG_BYTES. */
  readonly long: number;
}
const SIZES: SurveySizes = { block: BLOCK_BYTES, checkpoint: CHECKPOINT_BYTES, long: LONG_BYTES };

/** A place where a record begins. */
export interface Checkpoint {
  readonly begin: number;
  /**
   * The record's length without its delimiter, and its first ordered bytes (SampledRecord of src/contract/engine.ts).
   */
  readonly bytes: number;
  readonly head: Uint8Array;
  /** The digest of the records from this checkpoint to the next one, as output: without the bytes of keys. */
  readonly digest: Digest;
}

/** Bytes [from, to) of an open file, of which `end` bytes are written. `from` is a multiple of BLOCK_BYTES. */
export interface SurveyTask {
  readonly fd: number;
  readonly from: number;
  readonly to: number;
  readonly end: number;
}

/**
 * `checksums`: of the blocks of the task. `checkpoints`: the checkpoints of the records that begin in the task's bytes.
 */
export interface FileSurvey {
  readonly checksums: Uint32Array;
  readonly checkpoints: readonly Checkpoint[];
}

interface SurveyRole {
  readonly ordering: Ordering;
  readonly form: RecordForm;
  readonly modules: ReturnType<typeof checkerModules>;
}

/** The data with which threads that survey text of this ordering are started. `form`: the form of its records. */
export function surveyRole(ordering: Ordering, form: RecordForm): SurveyRole {
  return { ordering, form, modules: checkerModules(ordering) };
}

/** The role `survey` of src/run/worker.ts. Null: a record ends after the written bytes. */
export function openSurveyWorker(role: SurveyRole): (task: SurveyTask) => FileSurvey | null {
  const surveyor = new Surveyor(role);
  return (task) => surveyor.survey(task);
}

export class Surveyor {
  private readonly ordering: Ordering;
  private readonly isKeyed: boolean;
  private readonly finder: RecordFinder;
  /** The kernels' memory. Text is read into it and hashed there. */
  private readonly memory = newMemory();
  private readonly kernels: VerifyKernels;
  /** Decodes records before they are hashed; null: they are hashed as they are. */
  private readonly encoder: RecordEncoder | null;
  private readonly sizes: SurveySizes;

  /** `sizes`: for tests. */
  constructor({ ordering, form, modules }: SurveyRole, sizes: SurveySizes = SIZES) {
    this.ordering = ordering;
    this.isKeyed = isKeyed(ordering) && form === 'run';
    this.finder = recordFinder(ordering.format);
    this.kernels = openVerifyKernels(modules.verify, ordering.format, this.memory);
    this.encoder =
      ordering.encoding === undefined || form === 'plain' ? null : new RecordEncoder(ordering.encoding, modules.keys!);
    this.sizes = sizes;
  }

  /** The digest of `text`, whole records, as output. */
  digest(text: Uint8Array): Digest {
    const bytes = copyTo(this.memory, text, 0);
    return this.digestHere(Buffer.from(this.memory.buffer, 0, bytes));
  }

  /** Null if a record that begins in the task's bytes ends after the written bytes. */
  survey({ fd, from, to, end }: SurveyTask): FileSurvey | null {
    const { finder, sizes } = this;
    // The byte before `from` shows whether a record begins there. Most records end soon after `to`.
    const first = Math.max(0, from - 1);
    let readTo = Math.min(end, to + sizes.block);
    let text = this.read(fd, first, readTo);
    const checksums = this.checksums(text.subarray(from - first, to - first));
    const firstEnd = from === 0 ? 0 : finder.firstEnd(text, first);
    const begin = first + firstEnd;
    if (firstEnd < 0 || begin >= to) return { checksums, checkpoints: [] };
    // The last record that begins in the task's bytes; `to` if one ends there.
    const last = begin + Math.max(0, finder.lastEnd(text.subarray(begin - first, to - first), 0));
    let size = last === to ? 0 : finder.firstEnd(text.subarray(last - first), 0);
    while (size < 0 && readTo < end && readTo - to < sizes.long) {
      const already = readTo - first;
      readTo = Math.min(end, to + 2 * (readTo - to));
      text = this.read(fd, first, readTo, already);
      size = finder.firstEnd(text.subarray(last - first), 0);
    }
    if (size >= 0)
      return { checksums, checkpoints: this.checkpoints(text.subarray(begin - first, last + size - first), begin) };
    if (readTo === end) return null;
    const checkpoints = this.checkpoints(text.subarray(begin - first, last - first), begin);
    const long = this.longRecord(fd, last, end);
    return long === null ? null : { checksums, checkpoints: [...checkpoints, long] };
  }

  private checksums(text: Buffer): Uint32Array {
    const { block } = this.sizes;
    return Uint32Array.from({ length: Math.ceil(text.length / block) }, (_, i) =>
      crc32(text.subarray(i * block, (i + 1) * block)),
    );
  }

  /** The checkpoints of `text`, whole records in the memory that lie from byte `begin` of the file on. */
  private checkpoints(text: Buffer, begin: number): Checkpoint[] {
    const { finder } = this;
    const checkpoints: Checkpoint[] = [];
    for (let at = 0; at < text.length; ) {
      const next = this.nextCheckpoint(text, at);
      const end = at + finder.firstEnd(text.subarray(at), 0);
      const record = text.subarray(at, end - delimiterBytes(finder));
      checkpoints.push({
        begin: begin + at,
        bytes: record.length,
        head: new Uint8Array(sampleHead(this.ordering, record)),
        digest: this.digestHere(text.subarray(at, next)),
      });
      at = next;
    }
    return checkpoints;
  }

  /**
   * Where the checkpoint after the one at `at` lies: before a record of at least `sizes.checkpoint` bytes, or after
   * that many bytes.
   */
  private nextCheckpoint(text: Buffer, at: number): number {
    const {
      finder,
      sizes: { checkpoint },
    } = this;
    const head = text.subarray(at, at + checkpoint);
    if (head.length < checkpoint) return text.length;
    const last = Math.max(0, finder.lastEnd(head, 0));
    if (last === checkpoint) return at + last;
    // The record in which these bytes end.
    const end = last + finder.firstEnd(text.subarray(at + last), 0);
    return at + (last > 0 && end - last >= checkpoint ? last : end);
  }

  /** The digest of `text`, whole records in the memory. They are changed to the form of the output. */
  private digestHere(text: Buffer): Digest {
    const { kernels, encoder } = this;
    encoder?.decode(text);
    const [from, to] = [text.byteOffset, text.byteOffset + text.length];
    return this.isKeyed ? keyedDigestAt(kernels, from, to) : digestAt(kernels, from, to);
  }

  /** The checkpoint of a line that is too long to be held. Null if the line ends after the written bytes. */
  private longRecord(fd: number, begin: number, end: number): Checkpoint | null {
    const { finder, ordering, sizes } = this;
    const start = new Uint8Array(this.read(fd, begin, Math.min(end, begin + KEY_HEADER_BYTES + COLLATED_SAMPLE_BYTES)));
    const textBegin = this.isKeyed ? KEY_HEADER_BYTES + keyLength(ordering, start) : 0;
    const sum = new Summer(ordering.format).openRecord();
    for (let at = begin; at < end; ) {
      const piece = this.read(fd, at, Math.min(end, at + sizes.long / LONG_PIECES));
      const found = finder.firstEnd(piece, at - begin);
      const text = found < 0 ? piece : piece.subarray(0, found - delimiterBytes(finder));
      sum.add(text.subarray(Math.min(text.length, Math.max(0, begin + textBegin - at))));
      const bytes = at + text.length - begin;
      if (found >= 0) {
        const head = new Uint8Array(sampleHead(ordering, start.subarray(0, bytes)));
        return { begin, bytes, head, digest: sum.close() };
      }
      at += piece.length;
    }
    return null;
  }

  /**
   * Bytes [from, to) of the file, the first `already` of which are in memory. Valid until the next call, and until the
   * memory grows.
   */
  private read(fd: number, from: number, to: number, already = 0): Buffer {
    // The system copies at half the speed if a byte has different offsets within a page of the file and of memory.
    const place = from % PAGE_BYTES;
    growTo(this.memory, place + to - from + KERNEL_SLACK);
    const target = Buffer.from(this.memory.buffer, place, to - from);
    for (let done = already; done < target.length; ) {
      const count = fileSystem.readSync(fd, target.subarray(done), from + done);
      if (count === 0) throw internalError(`a run ends at byte ${from + done} while it is surveyed, before ${to}`);
      done += count;
    }
    return target;
  }
}
