/**
 * The kernels that inflate (kernels/wasm/codecs/). Each thread has its own memory, which holds the input, then the text
 * before the output, then the output. Knows blocks of DEFLATE, but no gzip.
 */
import { compileInstalled, type WasmGlobal } from '../system/installed.js';
import { copyBytes, growTo, newMemory } from '../system/memory.js';

/** The maximum distance of a match, in bytes (RFC 1951). */
export const HISTORY_BYTES = 1 << 15;
/**
 * The kernels' own tables lie between `memoryBase` in kernels/wasm/codecs/asconfig.json and this. Other kernels may
 * have theirs below.
 */
export const INPUT_AT = 96 << 10;
/** Zeros after the input; room after the output. */
const SLACK_BYTES = 64;
/**
 * The number of symbols that stand for a byte itself. The other symbols stand for the bytes of the history, oldest
 * first.
 */
const BYTE_SYMBOLS = 256;
/** Symbols that `resolve` gets at once: they and their text stay in the second-level cache. */
const RESOLVED = 1 << 14;
/** Enough bytes for the longest header of a block: 2,283 bits and a part of a byte. */
const BLOCK_HEADER_BYTES = 320;
/** A bit that no kernel reaches: the largest that can be passed to one. */
const NEVER = 0xffff_ffff;
/** A block that began in another input (OTHER_INPUT in kernels/wasm/codecs/blocks.ts). */
const OTHER_INPUT = 0xffff_fffe;

/** How a call ends (kernels/wasm/codecs/status.ts); higher numbers are problems. */
export const INFLATED = { block: 0, final: 1, needsInput: 2, needsRoom: 3 } as const;

/** Problems, by their number less 4, in zlib's words. */
const PROBLEMS = [
  'invalid block type',
  'invalid stored block lengths',
  'too many length or distance symbols',
  'invalid code lengths set',
  'invalid bit length repeat',
  'invalid code -- missing end-of-block',
  'invalid literal/lengths set',
  'invalid distances set',
  'invalid literal/length code',
  'invalid distance code',
  'invalid distance too far back',
] as const;

/** zlib's words for a status that is a problem. */
export function inflateProblem(status: number): string {
  return PROBLEMS[status - INFLATED.needsRoom - 1];
}

interface InflateExports {
  readonly nextBit: WasmGlobal;
  readonly blockBit: WasmGlobal;
  readonly outputEnd: WasmGlobal;
  readonly storedLeft: WasmGlobal;
  readonly reached: WasmGlobal;
  prepare(): void;
  setInput(at: number, bytes: number): void;
  setOutput(history: number, at: number, end: number): void;
  forgetText(): void;
  openBlock(at: number): number;
  seekBlock(at: number): void;
  resumeBlock(at: number, stored: number): void;
  inflateBytes(stop: number): number;
  inflateSymbols(stop: number): number;
  findBlock(input: number, bytes: number, from: number, to: number): number;
  resolve(symbols: number, count: number, table: number, to: number): void;
}

/** A block that was left unfinished: its header, which begins at bit `headerBit` of `header`, and what is left. */
export interface OpenBlock {
  readonly header: Uint8Array;
  readonly headerBit: number;
  /** The number of bytes left in a stored block. */
  readonly stored: number;
}

/** Bytes of shared memory. */
export interface SharedRange {
  readonly memory: SharedArrayBuffer;
  readonly from: number;
  readonly to: number;
}

/** One thread's kernels. Bits are counted from the beginning of the input. */
export class Inflater {
  private readonly memory: WebAssembly.Memory;
  private readonly inputAt: number;
  private readonly kernels: InflateExports;
  /** The symbols of a history that is not known. */
  private readonly unknown = new Uint16Array(HISTORY_BYTES);
  private inputBytes = 0;
  /** Where the output begins, and the bytes of one of its units: bytes or symbols. */
  private outputAt = 0;
  private unit: 1 | 2 = 1;
  private roomBytes = 0;

  /** The kernels own the bytes of `memory` from `inputAt` on, and their tables. */
  constructor(memory = newMemory(), inputAt = INPUT_AT) {
    this.memory = memory;
    this.inputAt = inputAt;
    growTo(memory, inputAt);
    const imports = { env: { memory } };
    const module = compileInstalled('dist/wasm/codecs.wasm');
    this.kernels = new WebAssembly.Instance(module, imports).exports as InflateExports;
    this.kernels.prepare();
    for (let i = 0; i < HISTORY_BYTES; i++) this.unknown[i] = BYTE_SYMBOLS + i;
  }

  /** Copies the input. */
  setInput(ranges: readonly SharedRange[]): void {
    this.inputBytes = ranges.reduce((sum, { from, to }) => sum + to - from, 0);
    growTo(this.memory, this.inputAt + this.inputBytes + SLACK_BYTES);
    const bytes = new Uint8Array(this.memory.buffer);
    let at = this.inputAt;
    for (const { memory, from, to } of ranges) {
      copyBytes(new Uint8Array(memory, from, to - from), bytes, at);
      at += to - from;
    }
    this.useInput();
  }

  /** The input: valid until the next call. */
  get input(): Uint8Array {
    return new Uint8Array(this.memory.buffer, this.inputAt, this.inputBytes);
  }

  /** Makes the output bytes, after `history`; at most `room` of them. */
  putBytesAfter(history: Uint8Array, room: number): void {
    this.placeOutput(1, room);
    copyBytes(history, new Uint8Array(this.memory.buffer), this.outputAt - history.length);
    this.kernels.setOutput(this.outputAt - history.length, this.outputAt, this.outputAt + room);
  }

  /** Makes the output symbols, after unknown text; at most `room` of them. */
  putSymbols(room: number): void {
    this.placeOutput(2, room);
    const at = this.outputAt - 2 * HISTORY_BYTES;
    new Uint16Array(this.memory.buffer, at, HISTORY_BYTES).set(this.unknown);
    this.kernels.setOutput(at, this.outputAt, this.outputAt + 2 * room);
  }

  /** From here on, matches must not copy text from before. */
  forgetText(): void {
    this.kernels.forgetText();
  }

  /** The first bit in [from, to) where a block may begin; null: there is none. */
  findBlock(from: number, to: number): number | null {
    const bit = this.kernels.findBlock(this.inputAt, this.inputBytes, from, to) >>> 0;
    return bit === NEVER ? null : bit;
  }

  /**
   * Decodes from bit `at`, which is in the open block or where a block begins, to the first block that begins at or
   * after bit `stop`.
   */
  inflate(at: number, open: OpenBlock | null, stop: number): number {
    const { kernels } = this;
    if (open === null) kernels.seekBlock(at);
    else {
      const place = this.outputAt + this.roomBytes + SLACK_BYTES;
      const bytes = new Uint8Array(this.memory.buffer, place, BLOCK_HEADER_BYTES + SLACK_BYTES);
      bytes.fill(0);
      bytes.set(open.header);
      kernels.setInput(place, open.header.length);
      kernels.openBlock(open.headerBit);
      this.useInput();
      kernels.resumeBlock(at, open.stored);
    }
    const last = Math.min(stop, NEVER);
    return this.unit === 1 ? kernels.inflateBytes(last) : kernels.inflateSymbols(last);
  }

  /** Inflates bytes [from, to) of the input: whole DEFLATE data, whose matches copy no text from before. */
  inflateAlone(from: number, to: number): number {
    this.kernels.setInput(this.inputAt + from, to - from);
    this.kernels.forgetText();
    this.kernels.seekBlock(0);
    return this.kernels.inflateBytes(NEVER);
  }

  /** The next bit to be decoded. */
  get nextBit(): number {
    return this.kernels.nextBit.value >>> 0;
  }

  /** The block that the last call left unfinished, if any. `resumed`: the block that this call continued. */
  openBlock(resumed: OpenBlock | null): OpenBlock | null {
    const bit = this.kernels.blockBit.value >>> 0;
    if (bit === NEVER) return null;
    const stored = this.kernels.storedLeft.value >>> 0;
    if (bit === OTHER_INPUT && resumed !== null) return { ...resumed, stored };
    const at = bit >>> 3;
    return { header: this.input.slice(at, at + BLOCK_HEADER_BYTES), headerBit: bit & 7, stored };
  }

  /** The length of the output in its units. */
  get count(): number {
    return ((this.kernels.outputEnd.value >>> 0) - this.outputAt) / this.unit;
  }

  /** The maximum distance before the output from which a match has copied, in symbols. */
  get reached(): number {
    return this.kernels.reached.value >>> 0;
  }

  /** The output: valid until the next call. */
  get output(): Uint8Array {
    return new Uint8Array(this.memory.buffer, this.outputAt, this.count * this.unit);
  }

  /**
   * Turns `count` symbols at the beginning of `target` into bytes, in place, once `history` is known. `take` gets the
   * bytes, in pieces.
   */
  resolve(target: SharedArrayBuffer, count: number, history: Uint8Array, take: (text: Uint8Array) => void): void {
    const symbolsAt = this.inputAt + BYTE_SYMBOLS + HISTORY_BYTES;
    const textAt = symbolsAt + 2 * RESOLVED + SLACK_BYTES;
    growTo(this.memory, textAt + RESOLVED + SLACK_BYTES);
    const bytes = new Uint8Array(this.memory.buffer);
    bytes.set(bytesOfSymbols(history), this.inputAt);
    for (let at = 0; at < count; at += RESOLVED) {
      const now = Math.min(RESOLVED, count - at);
      copyBytes(new Uint8Array(target, 2 * at, 2 * now), bytes, symbolsAt);
      this.kernels.resolve(symbolsAt, now, this.inputAt, textAt);
      const text = bytes.subarray(textAt, textAt + now);
      copyBytes(text, new Uint8Array(target, at, now));
      take(text);
    }
  }

  private useInput(): void {
    new Uint8Array(this.memory.buffer).fill(0, this.inputAt + this.inputBytes, this.inputAt + this.inputBytes + SLACK_BYTES);
    this.kernels.setInput(this.inputAt, this.inputBytes);
  }

  private placeOutput(unit: 1 | 2, room: number): void {
    this.unit = unit;
    this.roomBytes = unit * room;
    const after = this.inputAt + this.inputBytes + SLACK_BYTES + unit * HISTORY_BYTES;
    this.outputAt = Math.ceil(after / 16) * 16;
    growTo(this.memory, this.outputAt + this.roomBytes + BLOCK_HEADER_BYTES + 3 * SLACK_BYTES);
  }
}

/**
 * The text, at most HISTORY_BYTES, before the end of `count` symbols at the beginning of `target`, which `history`
 * precedes.
 */
export function historyAfter(target: SharedArrayBuffer, count: number, history: Uint8Array): Uint8Array {
  const own = Math.min(count, HISTORY_BYTES);
  const kept = history.subarray(Math.max(0, history.length + own - HISTORY_BYTES));
  const next = new Uint8Array(kept.length + own);
  next.set(kept);
  const symbols = new Uint16Array(target, 2 * (count - own), own);
  const table = bytesOfSymbols(history);
  for (let i = 0; i < own; i++) next[kept.length + i] = table[symbols[i]];
  return next;
}

/** The byte of each symbol. Those that stand for a byte before `history` do not occur. */
function bytesOfSymbols(history: Uint8Array): Uint8Array {
  const table = new Uint8Array(BYTE_SYMBOLS + HISTORY_BYTES);
  for (let i = 0; i < BYTE_SYMBOLS; i++) table[i] = i;
  table.set(history, table.length - history.length);
  return table;
}
