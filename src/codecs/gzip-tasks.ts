/**
 * The tasks of threads that inflate one gzip file together. A thread guesses where a block begins in its section of the
 * compressed bytes, and inflates from there to the first block of the next section. It does not know the text before
 * that, from which matches copy, so it writes symbols, which can also stand for a byte of that text. Symbols become
 * bytes once the text is known. The code that starts the tasks confirms guesses: a section is used only if the text
 * before it ends at the bit where the section begins. Source: Kerbiriou and Chikhi, "Parallel decompression of
 * gzip-compressed files" (2019), and rapidgzip.
 */
import { copyBytes } from '../system/memory.js';
import { crc32 } from '../system/zlib.js';
import { GZIP_TRAILER_BYTES, gzipHeaderBytes } from './bgzf.js';
import { HISTORY_BYTES, INFLATED, Inflater, inflateProblem, type OpenBlock, type SharedRange } from './inflate.js';

/** A place in a gzip file. Bits and bytes are counted from the beginning of the file. */
export type GzipPlace =
  /** A member's header, or the end of the file. */
  | { readonly kind: 'header'; readonly byte: number }
  /** A bit in a block, or the first one of a block if `open` is null. */
  | { readonly kind: 'block'; readonly bit: number; readonly open: OpenBlock | null }
  | { readonly kind: 'trailer'; readonly byte: number };

/** Compressed bytes, which begin at byte `base` of the file. */
interface CompressedBytes {
  readonly input: readonly SharedRange[];
  readonly base: number;
  /** Inflating ends at the first block that begins at or after this bit. */
  readonly stop: number;
  readonly target: SharedArrayBuffer;
}

/** Inflates from a place that is certain, after the text `history`. */
interface CertainTask extends CompressedBytes {
  readonly kind: 'gunzip';
  readonly from: GzipPlace;
  readonly history: Uint8Array;
}

/** Inflates to symbols, from a block that begins in the first `searched` bytes of the input. */
interface GuessTask extends CompressedBytes {
  readonly kind: 'guess';
  readonly searched: number;
}

/**
 * Turns the `count` symbols in `target` into bytes, with a checksum for each part. `ends`: where all parts but the last
 * end.
 */
interface ResolveTask {
  readonly kind: 'resolve';
  readonly target: SharedArrayBuffer;
  readonly count: number;
  readonly history: Uint8Array;
  readonly ends: readonly number[];
}

export type GzipTask = CertainTask | GuessTask | ResolveTask;

/** The end of a member. */
interface MemberEnd {
  /** Bytes of text before it, in this section. */
  readonly text: number;
  /** Checksum and length of the member's text, by its trailer. */
  readonly crc: number;
  readonly length: number;
  /** The byte of the file after it. */
  readonly byte: number;
}

/** Inflated text in bytes or symbols, at the beginning of the task's target. */
export interface GzipSection {
  /** The bit where it begins. */
  readonly start: number;
  readonly text: number;
  readonly ends: readonly MemberEnd[];
  /** Where it ends. */
  readonly place: GzipPlace;
  /** Why it ends there; any other text is a problem in zlib's words. */
  readonly why: 'block' | 'needs input' | 'needs room' | 'not gzip' | string;
  /** The maximum distance before the section from which it copies text, in bytes. */
  readonly reached: number;
  /** Checksums of the text before each end and after the last one; none for symbols. */
  readonly sums: readonly number[];
}

/** The outcome of a guess: null if no block was found. */
export interface Guessed {
  readonly section: GzipSection | null;
}

/** The outcome of resolving symbols. */
export interface Resolved {
  readonly sums: readonly number[];
}

export type GzipOutcome = GzipSection | Guessed | Resolved;

let opened: Inflater | undefined;

export function gzipTask(task: GzipTask): GzipOutcome {
  const inflater = (opened ??= new Inflater());
  switch (task.kind) {
    case 'guess':
      return { section: guess(inflater, task) };
    case 'gunzip':
      return inflateFrom(inflater, task);
    case 'resolve':
      return resolve(inflater, task);
  }
}

function inflateFrom(inflater: Inflater, task: CertainTask): GzipSection {
  inflater.setInput(task.input);
  inflater.putBytesAfter(task.history, task.target.byteLength);
  const section = inflateMembers(inflater, task, task.from);
  const text = inflater.output;
  copyBytes(text, new Uint8Array(task.target));
  const sums = new PartSums(section.ends.map((end) => end.text));
  sums.take(text);
  return { ...section, sums: sums.values };
}

/** After this many bytes of text, an error means that the data is damaged, not that the guess was wrong. */
const CREDIBLE_TEXT = HISTORY_BYTES;

function guess(inflater: Inflater, task: GuessTask): GzipSection | null {
  inflater.setInput(task.input);
  const end = 8 * task.searched;
  for (let from = 0; from < end; ) {
    const start = findStart(inflater, from, end);
    if (start === null) return null;
    inflater.putSymbols(task.target.byteLength >> 1);
    if (start.isMember) inflater.forgetText();
    const place: GzipPlace = { kind: 'block', bit: 8 * task.base + start.bit, open: null };
    const section = inflateMembers(inflater, task, place);
    if (!isDamaged(section)) {
      copyBytes(inflater.output, new Uint8Array(task.target));
      return section;
    }
    if (section.text > CREDIBLE_TEXT) return null;
    from = start.bit + 1;
  }
  return null;
}

/** Whether a section ends with a problem of DEFLATE data. */
export function isDamaged({ why }: GzipSection): boolean {
  return !['block', 'needs input', 'needs room', 'not gzip'].includes(why);
}

const MEMBER = Buffer.from([0x1f, 0x8b, 8]);

/** A bit in [from, to) where a block may begin, and whether that is the first block of a member. */
function findStart(inflater: Inflater, from: number, to: number): { bit: number; isMember: boolean } | null {
  const { input } = inflater;
  const block = inflater.findBlock(from, to);
  const last = (block ?? to) >>> 3;
  const bytes = Buffer.from(input.buffer, input.byteOffset, last);
  for (let at = bytes.indexOf(MEMBER, from >>> 3); at >= 0; at = bytes.indexOf(MEMBER, at + 1)) {
    const header = gzipHeaderBytes(input, at, input.length);
    const bit = 8 * (at + header);
    if (header > 0 && bit >= from && bit < (block ?? to)) return { bit, isMember: true };
  }
  return block === null ? null : { bit: block, isMember: false };
}

/** Inflates members from a place on, until the task's stop, a problem, or the end of the input or of the room. */
function inflateMembers(inflater: Inflater, { base, stop }: CompressedBytes, from: GzipPlace): GzipSection {
  const bytes = inflater.input;
  const ends: MemberEnd[] = [];
  let place = from;
  for (;;) {
    const why = step();
    if (why === null) continue;
    const start = from.kind === 'block' ? from.bit : 8 * from.byte;
    return { start, text: inflater.count, ends, place, why, reached: inflater.reached, sums: [] };
  }

  /** Passes a header, a trailer, or blocks; returns why there is no next step. */
  function step(): GzipSection['why'] | null {
    if (place.kind === 'block') return inflateBlocks(place);
    const at = place.byte - base;
    if (place.kind === 'trailer') {
      const end = at + GZIP_TRAILER_BYTES;
      if (end > bytes.length) return 'needs input';
      const trailer = Buffer.from(bytes.buffer, bytes.byteOffset + at, GZIP_TRAILER_BYTES);
      const [crc, length] = [trailer.readUInt32LE(0), trailer.readUInt32LE(4)];
      ends.push({ text: inflater.count, crc, length, byte: base + end });
      place = { kind: 'header', byte: base + end };
      return null;
    }
    const header = gzipHeaderBytes(bytes, at, bytes.length);
    if (header <= 0) return header < 0 ? 'not gzip' : 'needs input';
    inflater.forgetText();
    place = { kind: 'block', bit: 8 * (place.byte + header), open: null };
    return null;
  }

  function inflateBlocks({ bit, open }: GzipPlace & { kind: 'block' }): GzipSection['why'] | null {
    const status = inflater.inflate(bit - 8 * base, open, stop - 8 * base);
    const next = 8 * base + inflater.nextBit;
    if (status === INFLATED.final) {
      place = { kind: 'trailer', byte: Math.ceil(next / 8) };
      return null;
    }
    place = { kind: 'block', bit: next, open: inflater.openBlock(open) };
    if (status === INFLATED.block) return 'block';
    if (status === INFLATED.needsInput) return 'needs input';
    return status === INFLATED.needsRoom ? 'needs room' : inflateProblem(status);
  }
}

function resolve(inflater: Inflater, { target, count, history, ends }: ResolveTask): Resolved {
  const sums = new PartSums(ends);
  inflater.resolve(target, count, history, (text) => sums.take(text));
  return { sums: sums.values };
}

/** The checksums of the parts of a text that comes in pieces. */
class PartSums {
  readonly values: number[];
  private readonly ends: readonly number[];
  /** Bytes taken. */
  private taken = 0;
  private part = 0;

  /** `ends`: where all parts but the last end. */
  constructor(ends: readonly number[]) {
    this.ends = ends;
    this.values = new Array<number>(ends.length + 1).fill(0);
  }

  take(text: Uint8Array): void {
    for (let at = 0; at < text.length; ) {
      while (this.part < this.ends.length && this.ends[this.part] === this.taken) this.part++;
      const end = this.part < this.ends.length ? this.ends[this.part] - this.taken : Infinity;
      const piece = text.subarray(at, at + end);
      this.values[this.part] = crc32(piece, this.values[this.part]);
      at += piece.length;
      this.taken += piece.length;
    }
  }
}
