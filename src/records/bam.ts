/**
 * Turns the records of BAM (SAM specification, section 4.2) into lines, and back. A line is a record with its length,
 * encoded so that no byte of it is a newline (kernels/wasm/keys/cobs.ts). Knows no files: input is decompressed, and
 * begins after the header (headers.ts). All inputs and outputs share one instance of the kernels.
 */

import { compileKeyKernels, openKeyKernels } from '../keys/key-maker.js';
import { GpusortError } from '../system/errors.js';
import { copyBytes, growTo, KERNEL_SLACK, newMemory } from '../system/memory.js';
import type { BamHeader } from './headers.js';
import type { Framer, Restorer } from './record-finder.js';

interface BamKernels {
  firstFree(): number;
  resumeEncoding(missing: number, open: number): void;
  encodeBam(at: number, end: number, target: number, references: number): number;
  missingBytes(): number;
  openBytes(): number;
  stoppedAt(): number;
  recordsBegun(): number;
  lastRecord(): number;
  recordProblem(): number;
  resumeDecoding(rest: number, due: boolean): void;
  decodeLines(at: number, end: number, target: number): number;
  restOfBlock(): number;
  newlineDue(): number;
}

/** Text passes through the kernels' memory in parts; both texts fit a processor's own cache. */
const PART_BYTES = 1 << 18;
/** The bytes read of a record before its length is known to be right, and the longest open block with its code. */
const FIXED_BYTES = 36;
const BLOCK_BYTES = 255;

/** The problems of records, numbered as in kernels/wasm/keys/cobs.ts. */
const SIZE_PROBLEM = 1;
const NAME_PROBLEM = 2;
const FIT_PROBLEM = 3;

/** The most bytes of lines that `bytes` of BAM become: 1 more for each 254, and 2 for each record. */
function mostLineBytes(bytes: number): number {
  return bytes + Math.ceil(bytes / 16) + 2 * BLOCK_BYTES;
}

/** The kernels, and the addresses of the texts that they read and write. */
interface Workbench {
  readonly bam: BamKernels;
  readonly memory: WebAssembly.Memory;
  readonly source: number;
  readonly target: number;
}

let loaded: Workbench | undefined;

function workbench(): Workbench {
  if (loaded !== undefined) return loaded;
  const memory = newMemory();
  const bam = openKeyKernels<BamKernels>(compileKeyKernels(), memory);
  const source = bam.firstFree();
  const target = source + PART_BYTES + KERNEL_SLACK;
  growTo(memory, target + mostLineBytes(PART_BYTES) + KERNEL_SLACK);
  return (loaded = { bam, memory, source, target });
}

/**
 * Makes lines of the records of one input. `label` names it in messages; places count from the input's beginning.
 * `bytes`: those before the records; null: places in the input are not known, because its records were changed.
 */
export function bamFramer(
  label: string,
  header: Pick<BamHeader, 'references'> & { readonly bytes: number | null },
): Framer {
  const references = header.references.length;
  const placeOf = (record: number, at: number): string =>
    `${label}: record ${record}${header.bytes === null ? '' : `, at byte ${at + 1} of the uncompressed data,`}`;
  /** The bytes of the input before `kept`, the records that began there, and the place of the last one. */
  let done = header.bytes ?? 0;
  let records = 0;
  let lastAt = done;
  /** The bytes that the last record lacks, and those of its unfinished block, after room for a code. */
  let missing = 0;
  let openBytes = 0;
  const open = new Uint8Array(BLOCK_BYTES);
  /** Input that does not yet contain a record's fixed fields. */
  let kept = new Uint8Array();
  let lines = new Uint8Array();

  /** Encodes `kept` and `part`, except an incomplete end, which it keeps; returns the lines, in the kernels' memory. */
  function encode(part: Uint8Array): Uint8Array {
    const { bam, memory, source, target } = workbench();
    const text = new Uint8Array(memory.buffer, source, kept.length + part.length);
    text.set(kept);
    copyBytes(part, text, kept.length);
    new Uint8Array(memory.buffer, target).set(open.subarray(0, 1 + openBytes));
    bam.resumeEncoding(missing, openBytes);
    const end = bam.encodeBam(source, source + text.length, target, references);
    const stop = bam.stoppedAt() - source;
    if (bam.recordsBegun() > 0) lastAt = done + bam.lastRecord() - source;
    records += bam.recordsBegun();
    missing = bam.missingBytes() >>> 0;
    done += stop;
    kept = text.slice(stop, stop + FIXED_BYTES);
    if (bam.recordProblem() !== 0) throw badRecord(placeOf(records + 1, done), bam.recordProblem(), kept, references);
    openBytes = bam.openBytes();
    open.set(new Uint8Array(memory.buffer, end, 1 + openBytes));
    return new Uint8Array(memory.buffer, target, end - target);
  }

  return {
    next(bytes) {
      const most = mostLineBytes(bytes.length + FIXED_BYTES);
      if (lines.length < most) lines = Buffer.allocUnsafeSlow(most);
      let filled = 0;
      for (let at = 0; at < bytes.length; ) {
        const part = bytes.subarray(at, at + PART_BYTES - kept.length);
        at += part.length;
        const encoded = encode(part);
        lines.set(encoded, filled);
        filled += encoded.length;
      }
      return lines.subarray(0, filled);
    },
    end() {
      if (missing === 0 && kept.length === 0) return new Uint8Array();
      const place = missing > 0 ? placeOf(records, lastAt) : placeOf(records + 1, done);
      throw new GpusortError('bad-records', `${place} is cut off`, {
        hint: 'Get the whole file: this one is truncated.',
      });
    },
  };
}

/** `fixed`: the fixed fields of the record, `block_size` included. */
function badRecord(place: string, problem: number, fixed: Uint8Array, references: number): GpusortError {
  const view = new DataView(fixed.buffer, fixed.byteOffset, fixed.length);
  const size = view.getInt32(0, true);
  const sequence = view.getUint32(20, true);
  const needed = 32 + view.getUint8(12) + 4 * view.getUint16(16, true) + Math.ceil(sequence / 2) + sequence;
  const ids = [view.getInt32(4, true), view.getInt32(24, true)];
  const foreign = ids.find((id) => id < -1 || id >= references);
  const what =
    problem === SIZE_PROBLEM
      ? `has a length of ${size}, but a BAM record has 32 bytes or more`
      : problem === NAME_PROBLEM
        ? 'has a read name of no bytes, but even an empty one ends in NUL'
        : problem === FIT_PROBLEM
          ? `has ${size} bytes, but its fields need ${needed}`
          : `refers to reference ${foreign}, but the header lists ${references}`;
  return new GpusortError('bad-records', `${place} ${what}`);
}

/** Turns lines back into the records. */
export function bamRestorer(): Restorer {
  /** The bytes still to come of a block, and whether a newline follows it. */
  let rest = 0;
  let due = false;
  return {
    next(block, records) {
      const { bam, memory, source, target } = workbench();
      let filled = 0;
      bam.resumeDecoding(rest, due);
      for (let at = 0; at < block.length; at += PART_BYTES) {
        const part = block.subarray(at, at + PART_BYTES);
        copyBytes(part, new Uint8Array(memory.buffer), source);
        const end = bam.decodeLines(source, source + part.length, target);
        copyBytes(new Uint8Array(memory.buffer, target, end - target), records, filled);
        filled += end - target;
      }
      rest = bam.restOfBlock();
      due = bam.newlineDue() !== 0;
      return records.subarray(0, filled);
    },
    end: () => new Uint8Array(),
  };
}
