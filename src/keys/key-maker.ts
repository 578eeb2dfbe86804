/**
 * Lines into keyed lines (keyed.ts), by the kernels of kernels/keys/ compiled to WebAssembly: for threads of both engines, for -c and -m, and for the
 * sample. Knows no order; each thread has a maker of its own.
 */
import { readFileSync } from 'node:fs';
import { PART_ORDERS, type KeyPart, type Ordering } from '../job.js';
import { GpusortError } from '../report/errors.js';
import { keyedBound, type Bound } from './bounds.js';
import { growTo } from '../wasm-memory.js';
import { spanNumbers } from './span-numbers.js';

/** Lines are keyed in batches that fit into a processor's own cache, a line that is longer apart. */
const BATCH_BYTES = 1 << 18;
/** Most lines in one call: V8 replaces a function's first, plain code by good code when the function is called again. */
const STEP_LINES = 4096;
/** Kernels read and write so many bytes behind what they are given. */
const SLACK = 32;
const MOST_BYTES = 2 ** 32 - 2 ** 17;

interface Kernels {
  readonly memory: WebAssembly.Memory;
  setDelimiter(delimiter: number): void;
  setSeed(at: number): void;
  firstFree(): number;
  setParts(at: number): void;
  partBytes(): number;
  addPart(order: number, reverse: number, dictionary: number, printing: number, fold: number, beginField: number, beginByte: number, beginBlanks: number, endField: number,
    endByte: number, endBlanks: number, separator: number, separatorBytes: number): void;
  setQuoted(): void;
  setPath(path: number, steps: number): void;
  makeKeys(from: number, to: number, at: number, room: number, most: number, factor: number, constant: number, spare: number): void;
  findFirst(begin: number, end: number, spare: number): bigint;
  sourceEnd(): number;
  targetEnd(): number;
}

/** The kernels, compiled; can be posted to other threads. Built by `npm run build`. */
export function compileKeyKernels(): WebAssembly.Module {
  return new WebAssembly.Module(readFileSync(new URL('../../dist/keys/kernels.wasm', import.meta.url)));
}

export class KeyMaker {
  private readonly kernels: Kernels;
  private readonly delimiter: number;
  private readonly bound: Bound;
  /** The first byte of memory behind the parts. */
  private readonly free: number;

  /** For an ordering of lines by normalised keys. */
  constructor(ordering: Ordering, module = compileKeyKernels()) {
    const { key, format, reverse } = ordering;
    if (key.kind !== 'normalised' || format.kind !== 'lines') throw new Error('there are no keys to make');
    const kernels = new WebAssembly.Instance(module).exports as unknown as Kernels;
    this.kernels = kernels;
    this.delimiter = format.delimiter;
    this.bound = keyedBound(key);
    const parts = kernels.firstFree();
    const paths = key.parts.map(({ path }) => Buffer.concat((path ?? []).flatMap(stepBytes)));
    let path = parts + key.parts.length * kernels.partBytes();
    this.free = paths.reduce((at, { length }) => at + length, path);
    this.reserve(this.free + SLACK);
    kernels.setDelimiter(format.delimiter);
    if (key.seed !== null) {
      new Uint8Array(kernels.memory.buffer).set(key.seed, this.free);
      kernels.setSeed(this.free);
    }
    kernels.setParts(parts);
    for (const [i, part] of key.parts.entries()) {
      this.addPart(part, reverse);
      if (part.span.quoted) kernels.setQuoted();
      if (part.path === undefined) continue;
      new Uint8Array(kernels.memory.buffer).set(paths[i]!, path);
      kernels.setPath(path, part.path.length);
      path += paths[i]!.length;
    }
  }

  /**
   * Gives keyed lines of `text`, whole lines, to `write`, in blocks of whole lines that are valid until it returns, of at most `most` bytes, which must be enough
   * for keyed lines of all of `text` as they may become (bounds.ts) or for some. Throws `out-of-memory` where a line is too long.
   */
  make(text: Uint8Array, write: (lines: Uint8Array) => void, most = Infinity): void {
    const { kernels, delimiter, bound: { factor, constant }, free } = this;
    const bytes = Buffer.from(text.buffer, text.byteOffset, text.length);
    for (let at = 0; at < bytes.length;) {
      const end = this.batchEnd(bytes, at);
      const length = end - at;
      // Room for the longest line there may be, and for a batch of lines as most are.
      const room = Math.min(most, Math.max(2 * BATCH_BYTES, factor * length + constant));
      if (bytes[end - 1] !== delimiter) throw new Error('the text does not end with a line');
      const source = free;
      const spare = source + length + SLACK;
      const target = spare + length + SLACK;
      this.reserve(target + room + SLACK);
      new Uint8Array(kernels.memory.buffer).set(bytes.subarray(at, end), source);
      const block = (to: number): Uint8Array => new Uint8Array(kernels.memory.buffer, target, to - target);
      let to = target;
      for (let from = source; from < source + length;) {
        kernels.makeKeys(from, source + length, to, target + room, STEP_LINES, factor, constant, spare);
        to = kernels.targetEnd();
        if (kernels.sourceEnd() === from) {
          // There may be no room for the next line.
          if (to === target) throw new Error(`a keyed line may be longer than ${most} bytes`);
          write(block(to));
          to = target;
        }
        from = kernels.sourceEnd();
      }
      write(block(to));
      at = end;
    }
  }

  /** The text of the first part of a line (given without its delimiter), before its order is looked at; valid until the next call. */
  firstPart(line: Uint8Array): Buffer {
    const { kernels, delimiter, free } = this;
    const end = free + line.length;
    this.reserve(end + 1 + SLACK + line.length + SLACK);
    const memory = new Uint8Array(kernels.memory.buffer);
    memory.set(line, free);
    memory[end] = delimiter;
    const found = BigInt.asUintN(64, kernels.findFirst(free, end, end + 1 + SLACK));
    const begin = Number(found & 0xffffffffn);
    return Buffer.from(memory.buffer, begin, Number(found >> 32n) - begin);
  }

  /** The keyed lines of `text`, whole lines, in memory of their own: one piece, or as many of at most `most` bytes as it takes (see make). */
  keyed(text: Uint8Array, most = Infinity): SharedArrayBuffer[] {
    const pieces: SharedArrayBuffer[] = [];
    let blocks: Uint8Array[] = [];
    let bytes = 0;
    const finish = (): void => {
      const piece = new SharedArrayBuffer(bytes);
      const target = new Uint8Array(piece);
      let at = 0;
      for (const block of blocks) {
        target.set(block, at);
        at += block.length;
      }
      pieces.push(piece);
      [blocks, bytes] = [[], 0];
    };
    this.make(text, (lines) => {
      if (bytes + lines.length > most) finish();
      blocks.push(lines.slice());
      bytes += lines.length;
    }, most);
    finish();
    return pieces;
  }

  /** Where the last line that begins within a batch's length of `at` ends. */
  private batchEnd(bytes: Buffer, at: number): number {
    if (bytes.length - at <= BATCH_BYTES) return bytes.length;
    const last = bytes.lastIndexOf(this.delimiter, at + BATCH_BYTES - 1);
    return last >= at ? last + 1 : bytes.indexOf(this.delimiter, at + BATCH_BYTES) + 1;
  }

  private addPart({ span, order, reverse, dictionary, printing, fold }: KeyPart, all: boolean): void {
    const { beginField, beginByte, beginBlanks, endField, endByte, endBlanks, separator, separatorBytes } = spanNumbers(span);
    this.kernels.addPart(PART_ORDERS.indexOf(order), Number(reverse !== all), Number(dictionary), Number(printing), Number(fold),
      beginField, beginByte, beginBlanks, endField, endByte, endBlanks, separator, separatorBytes);
  }

  private reserve(end: number): void {
    try {
      if (end > MOST_BYTES) throw new RangeError('a line is too long');
      growTo(this.kernels.memory, end);
    } catch (error) {
      throw new GpusortError('out-of-memory', `memory exhausted: the key of a line takes up to ${(end / 1e9).toFixed(1)} GB`,
        { cause: error, hint: 'Keys are made of lines of up to some hundred megabytes.' });
    }
  }
}

/** A step of a path as the kernels read it: its length, its name. */
function stepBytes(name: Uint8Array): Uint8Array[] {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(name.length);
  return [length, name];
}
