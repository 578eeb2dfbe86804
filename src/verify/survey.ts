/**
 * Surveys sorted text of a file: checksums of its blocks, and marks, which are places between records with the digest of
 * the records up to the next mark. A record of MARK_BYTES or more begins at a mark and ends at one. Each thread has a
 * surveyor of its own.
 */
import { crc32 } from '../crc32.js';
import { addDigests, type Digest, NO_RECORDS } from '../digest.js';
import { COLLATED_SAMPLE_BYTES, type RecordForm, SAMPLE_BYTES } from '../engine.js';
import { fileSystem } from '../file-system.js';
import type { Ordering } from '../job.js';
import { isCollated } from '../keys/collation/collation.js';
import { HEADER_BYTES, isKeyed, keyLength } from '../keys/keyed.js';
import { RecordEncoder } from '../keys/record-encoder.js';
import { recordFinder } from '../records/format.js';
import { delimiterBytes, type RecordFinder } from '../records/record-finder.js';
import { internalError } from '../report/errors.js';
import { sampleHead } from '../runs/sample-head.js';
import { newMemory } from '../wasm-memory.js';
import { checkerModules } from './checkers.js';
import { copyTo, digestAt, keyedDigestAt, openVerifyKernels, type VerifyKernels } from './kernels.js';
import { pieceEnd } from './pieces.js';
import { Summer } from './summer.js';

/** Bytes covered by one checksum. */
export const BLOCK_BYTES = 64 << 10;
/** Least distance between marks. */
export const MARK_BYTES = 128 << 10;
/** Bytes surveyed by one task; a multiple of BLOCK_BYTES. */
export const SURVEY_BYTES = 8 << 20;
/** A record that ends later than this after its task's bytes is hashed in pieces. */
const LONG_BYTES = 64 << 20;

/** A place where a record begins. */
export interface Mark {
  readonly begin: number;
  /** The record's length without its delimiter, and its first ordered bytes (SampledRecord of src/engine.ts). */
  readonly bytes: number;
  readonly head: Uint8Array;
  /** Of the records from this mark to the next one, as output: bytes count no keys. */
  readonly digest: Digest;
}

/** Bytes [from, to) of an open file, of which `end` bytes are written. `from` is a multiple of BLOCK_BYTES. */
export interface SurveyTask {
  readonly fd: number;
  readonly from: number;
  readonly to: number;
  readonly end: number;
}

/** `checksums`: of the blocks of the task. `marks`: those of the records that begin in the task's bytes. */
export interface Survey {
  readonly checksums: Uint32Array;
  readonly marks: readonly Mark[];
}

interface SurveyRole {
  readonly ordering: Ordering;
  readonly form: RecordForm;
  readonly modules: ReturnType<typeof checkerModules>;
}

/** What threads that survey text of this ordering are started with. `form`: the form of its records. */
export function surveyRole(ordering: Ordering, form: RecordForm): SurveyRole {
  return { ordering, form, modules: checkerModules(ordering) };
}

/** The role `survey` of src/worker.ts. Null: a record ends after what is written. */
export function openSurveyWorker(role: SurveyRole): (task: SurveyTask) => Survey | null {
  const surveyor = new Surveyor(role);
  return (task) => surveyor.survey(task);
}

/** The maximum length of a mark's head. */
export function headBytes(ordering: Ordering): number {
  return isCollated(ordering) ? COLLATED_SAMPLE_BYTES : SAMPLE_BYTES;
}

export class Surveyor {
  private readonly ordering: Ordering;
  private readonly isKeyed: boolean;
  private readonly finder: RecordFinder;
  private readonly memory = newMemory();
  private readonly kernels: VerifyKernels;
  /** Decodes records before they are hashed; null: they are hashed as they are. */
  private readonly encoder: RecordEncoder | null;
  private buffer = Buffer.alloc(0);

  constructor({ ordering, form, modules }: SurveyRole) {
    this.ordering = ordering;
    this.isKeyed = isKeyed(ordering) && form === 'run';
    this.finder = recordFinder(ordering.format);
    this.kernels = openVerifyKernels(modules.verify, ordering.format, this.memory);
    this.encoder =
      ordering.encoding === undefined || form === 'output' ? null : new RecordEncoder(ordering.encoding, modules.keys!);
  }

  /** The digest of `text`, whole records, as output. */
  digest(text: Buffer): Digest {
    let digest = NO_RECORDS;
    for (let at = 0; at < text.length; ) {
      const end = pieceEnd(this.ordering.format, text, at);
      digest = addDigests(digest, this.pieceDigest(text.subarray(at, end)));
      at = end;
    }
    return digest;
  }

  /** Null if a record that begins in the task's bytes ends after what is written. */
  survey({ fd, from, to, end }: SurveyTask): Survey | null {
    const { finder } = this;
    // The byte before shows whether a record begins at `from`.
    const first = Math.max(0, from - 1);
    let text = this.read(fd, first, to);
    const checksums = new Uint32Array(Math.ceil((to - from) / BLOCK_BYTES));
    for (let i = 0; i < checksums.length; i++)
      checksums[i] = crc32(
        text.subarray(from - first + i * BLOCK_BYTES, Math.min(from + (i + 1) * BLOCK_BYTES, to) - first),
      );
    const firstEnd = from === 0 ? 0 : finder.firstEnd(text, first);
    const begin = from === 0 ? 0 : first + firstEnd;
    if (firstEnd < 0 || begin >= to) return { checksums, marks: [] };
    // The last record may end after the task's bytes.
    let last = finder.lastEnd(text.subarray(begin - first), 0);
    let whole = begin + Math.max(0, last);
    let marksEnd = to;
    if (whole < to) {
      const open = whole;
      for (let more = BLOCK_BYTES; ; more *= 2) {
        const readTo = Math.min(end, to + more);
        text = this.read(fd, first, readTo);
        last = finder.firstEnd(text.subarray(open - first), 0);
        if (last >= 0) {
          whole = open + last;
          break;
        }
        if (readTo === end) return null;
        if (more >= LONG_BYTES) {
          marksEnd = open;
          break;
        }
      }
      if (marksEnd === open) {
        const long = this.longRecord(fd, open, end);
        if (long === null) return null;
        const marks = begin < open ? this.marks(text.subarray(begin - first, open - first), begin, open) : [];
        return { checksums, marks: [...marks, long] };
      }
    }
    return { checksums, marks: this.marks(text.subarray(begin - first, whole - first), begin, marksEnd) };
  }

  /** The marks of `text`, whole records that lie from byte `begin` of the file on. Records begin before `to`. */
  private marks(text: Buffer, begin: number, to: number): Mark[] {
    const { finder } = this;
    const marks: Mark[] = [];
    for (let at = 0; at < text.length && begin + at < to; ) {
      const next = this.nextMark(text, at);
      const end = at + finder.firstEnd(text.subarray(at), 0);
      const record = text.subarray(at, end - delimiterBytes(finder));
      marks.push({
        begin: begin + at,
        bytes: record.length,
        head: new Uint8Array(sampleHead(this.ordering, record)),
        digest: this.digest(text.subarray(at, next)),
      });
      at = next;
    }
    return marks;
  }

  /** Where the mark after the one at `at` lies: before a record of MARK_BYTES, or after MARK_BYTES. */
  private nextMark(text: Buffer, at: number): number {
    const { finder } = this;
    const head = text.subarray(at, at + MARK_BYTES);
    if (head.length < MARK_BYTES) {
      return text.length;
    }
    const last = Math.max(0, finder.lastEnd(head, 0));
    if (last === MARK_BYTES) return at + last;
    // The record in which MARK_BYTES end.
    const end = last + finder.firstEnd(text.subarray(at + last), 0);
    return at + (last > 0 && end - last >= MARK_BYTES ? last : end);
  }

  private pieceDigest(piece: Buffer): Digest {
    const { kernels, memory, encoder } = this;
    let text: Uint8Array = piece;
    if (encoder !== null) {
      text = new Uint8Array(piece);
      encoder.decode(text);
    }
    const to = copyTo(memory, text, 0);
    return this.isKeyed ? keyedDigestAt(kernels, 0, to) : digestAt(kernels, 0, to);
  }

  /** A line too long to be held. Null if it ends after what is written. */
  private longRecord(fd: number, begin: number, end: number): Mark | null {
    const { finder, ordering } = this;
    const start = new Uint8Array(this.read(fd, begin, Math.min(end, begin + LONG_BYTES)));
    const textBegin = this.isKeyed ? HEADER_BYTES + keyLength(ordering, start) : 0;
    const sum = new Summer(ordering.format).openRecord();
    for (let at = begin; at < end; ) {
      const piece = this.read(fd, at, Math.min(end, at + SURVEY_BYTES));
      const found = finder.firstEnd(piece, at - begin);
      const text = found < 0 ? piece : piece.subarray(0, found - delimiterBytes(finder));
      sum.add(text.subarray(Math.min(text.length, Math.max(0, begin + textBegin - at))));
      if (found >= 0)
        return {
          begin,
          bytes: at + text.length - begin,
          head: new Uint8Array(sampleHead(ordering, start)),
          digest: sum.close(),
        };
      at += piece.length;
    }
    return null;
  }

  /** Bytes [from, to) of the file: valid until the next call. */
  private read(fd: number, from: number, to: number): Buffer {
    if (this.buffer.length < to - from) this.buffer = Buffer.allocUnsafe(to - from);
    const target = this.buffer.subarray(0, to - from);
    for (let done = 0; done < target.length; ) {
      const count = fileSystem.readSync(fd, target.subarray(done), from + done);
      if (count === 0) throw internalError(`a run ends at byte ${from + done} while it is surveyed, before ${to}`);
      done += count;
    }
    return target;
  }
}
