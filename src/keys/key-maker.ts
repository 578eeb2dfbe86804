/**
 * Lines into keyed lines (keyed.ts), by the kernels of kernels/keys/ compiled to WebAssembly: for threads of both engines, for -c and -m, and for the
 * sample. Knows no order; each thread has a maker of its own.
 */
import { readInstalled } from '../installed.js';
import { PART_ORDERS, type KeyPart, type Ordering } from '../job.js';
import { GpusortError, internalError } from '../report/errors.js';
import { keyedBound, type Bound } from './bounds.js';
import { finish, type Steps } from '../steps.js';
import { growTo, newMemory } from '../wasm-memory.js';
import { spanNumbers } from './span-numbers.js';

/** Lines are keyed in batches that fit into a processor's own cache, a line that is longer apart. */
const BATCH_BYTES = 1 << 18;
/** Most lines in one call: V8 replaces a function's first, plain code by good code when the function is called again. */
const STEP_LINES = 4096;
/** Kernels read and write so many bytes behind what they are given. */
export const SLACK = 32;
const MOST_BYTES = 2 ** 32 - 2 ** 17;

interface Kernels {
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
  makeRow(index: number, begin: number, end: number, at: number, spare: number): number;
  findFirst(begin: number, end: number, spare: number): bigint;
  sourceEnd(): number;
  targetEnd(): number;
}

let compiled: WebAssembly.Module | undefined;

/** The kernels, compiled once; can be posted to other threads. Built by `npm run build`. */
export function compileKeyKernels(): WebAssembly.Module {
  return compiled ??= new WebAssembly.Module(readInstalled(new URL('../../dist/keys/kernels.wasm', import.meta.url)));
}

/** The kernels in a memory, of which they take what is below firstFree. */
export function openKeyKernels<Exports>(module: WebAssembly.Module, memory: WebAssembly.Memory): Exports {
  return new WebAssembly.Instance(module, { env: { memory } }).exports as unknown as Exports;
}

export class KeyMaker {
  private readonly kernels: Kernels;
  private readonly memory: WebAssembly.Memory;
  private readonly delimiter: number;
  private readonly bound: Bound;
  /** The first byte of memory behind the parts. */
  readonly free: number;

  /** For an ordering of lines by normalised keys; in a memory of its own, or in one that others use from `free` on and that only keyTo is called for. */
  constructor(ordering: Ordering, module = compileKeyKernels(), memory = newMemory()) {
    const { key, format, reverse } = ordering;
    if (key.kind !== 'normalised' || format.kind !== 'lines') throw new Error('there are no keys to make');
    const kernels = openKeyKernels<Kernels>(module, memory);
    this.kernels = kernels;
    this.memory = memory;
    this.delimiter = format.delimiter;
    this.bound = keyedBound(key);
    const parts = kernels.firstFree();
    const paths = key.parts.map(({ path }) => Buffer.concat((path ?? []).flatMap(stepBytes)));
    let path = parts + key.parts.length * kernels.partBytes();
    this.free = paths.reduce((at, { length }) => at + length, path);
    this.reserve(this.free + SLACK);
    kernels.setDelimiter(format.delimiter);
    if (key.seed !== null) {
      new Uint8Array(this.memory.buffer).set(key.seed, this.free);
      kernels.setSeed(this.free);
    }
    kernels.setParts(parts);
    for (const [i, part] of key.parts.entries()) {
      this.addPart(part, reverse);
      if (part.span.quoted) kernels.setQuoted();
      if (part.path === undefined) continue;
      new Uint8Array(this.memory.buffer).set(paths[i]!, path);
      kernels.setPath(path, part.path.length);
      path += paths[i]!.length;
    }
  }

  /**
   * Gives keyed lines of `text`, whole lines, to `write`, in blocks of whole lines that are valid until it returns, of at most `most` bytes, which must be enough
   * for keyed lines of all of `text` as they may become (bounds.ts) or for some. Throws `out-of-memory` where a line is too long.
   */
  make(text: Uint8Array, write: (lines: Uint8Array) => void, most = Infinity): void {
    for (const lines of this.blocks(text, most)) write(lines);
  }

  /** The same blocks one by one; each is valid until the next is asked for. */
  *blocks(text: Uint8Array, most = Infinity): Generator<Uint8Array, void, undefined> {
    const bytes = Buffer.from(text.buffer, text.byteOffset, text.length);
    for (let at = 0; at < bytes.length;) {
      const end = at + this.batchBytes(bytes.subarray(at));
      const source = this.free;
      const sourceEnd = source + end - at;
      this.reserve(sourceEnd + SLACK);
      new Uint8Array(this.memory.buffer).set(bytes.subarray(at, end), source);
      // Room for a batch of lines as most are, and for the longest line there may be.
      const room = Math.min(most, Math.max(2 * BATCH_BYTES, this.bound.factor * (end - at) + this.bound.constant));
      const target = sourceEnd + SLACK;
      for (let from = source; from < sourceEnd;) {
        const keyed = this.keyTo(from, sourceEnd, target, room);
        yield new Uint8Array(this.memory.buffer, target, keyed.end - target);
        from = keyed.next;
      }
      at = end;
    }
  }

  /**
   * Writes keyed lines of the lines [from, to) of the memory at `target`, as many as certainly have at most `most` bytes (see make), at least one; returns where the next line begins, and
   * where what was written ends. Memory behind that is used.
   */
  keyTo(from: number, to: number, target: number, most: number): { next: number; end: number } { return finish(this.keySteps(from, to, target, most)); }

  /** The same in steps. */
  *keySteps(from: number, to: number, target: number, most: number): Steps<{ next: number; end: number }> {
    const { kernels, delimiter, bound: { factor, constant } } = this;
    if (from < to && new Uint8Array(this.memory.buffer)[to - 1] !== delimiter) throw internalError('a text to make keys of does not end with a line');
    const limit = target + most;
    let at = target;
    while (from < to) {
      const end = from + this.batchBytes(Buffer.from(this.memory.buffer, from, to - from));
      while (from < end) {
        const room = Math.min(limit, at + Math.max(2 * BATCH_BYTES, factor * (end - from) + constant));
        const spare = room + SLACK;
        this.reserve(spare + end - from + SLACK);
        kernels.makeKeys(from, end, at, room, STEP_LINES, factor, constant, spare);
        if (kernels.sourceEnd() === from) {
          // There may be no room for the next line.
          if (at === target) throw new Error(`a keyed line may be longer than ${most} bytes`);
          return { next: from, end: at };
        }
        from = kernels.sourceEnd();
        at = kernels.targetEnd();
        yield;
      }
    }
    return { next: from, end: at };
  }

  /**
   * Writes the row of part number `part` of the line [from, end) of the memory, which its delimiter follows, at `target`; returns where it ends. Memory
   * of the line's length is used at `spare`. There must be room, with SLACK behind each.
   */
  rowTo(part: number, from: number, end: number, target: number, spare: number): number { return this.kernels.makeRow(part, from, end, target, spare); }

  /** The text of the first part of a line (given without its delimiter), before its order is looked at; valid until the next call. */
  firstPart(line: Uint8Array): Buffer {
    const { kernels, delimiter, free } = this;
    const end = free + line.length;
    this.reserve(end + 1 + SLACK + line.length + SLACK);
    const memory = new Uint8Array(this.memory.buffer);
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

  /** How many bytes of `lines` the lines take that begin within a batch's length; at least one. */
  private batchBytes(lines: Buffer): number {
    if (lines.length <= BATCH_BYTES) return lines.length;
    const last = lines.lastIndexOf(this.delimiter, BATCH_BYTES - 1);
    const end = last >= 0 ? last + 1 : lines.indexOf(this.delimiter, BATCH_BYTES) + 1;
    if (end === 0) throw internalError('a text to make keys of does not end with a line');
    return end;
  }

  private addPart({ span, order, reverse, dictionary, printing, fold }: KeyPart, all: boolean): void {
    const { beginField, beginByte, beginBlanks, endField, endByte, endBlanks, separator, separatorBytes } = spanNumbers(span);
    this.kernels.addPart(PART_ORDERS.indexOf(order), Number(reverse !== all), Number(dictionary), Number(printing), Number(fold),
      beginField, beginByte, beginBlanks, endField, endByte, endBlanks, separator, separatorBytes);
  }

  /** Makes the memory reach to byte `end`. */
  reserve(end: number): void {
    try {
      if (end > MOST_BYTES) throw new RangeError('a line is too long');
      growTo(this.memory, end);
    } catch (error) {
      throw new GpusortError('out-of-memory', `memory exhausted: lines and their keys take up to ${(end / 1e9).toFixed(1)} GB in one thread`,
        { cause: error, hint: 'Shorten the longest lines: keys are limited to lines of some hundred megabytes.' });
    }
  }
}

/** A step of a path as the kernels read it: its length, its name. */
function stepBytes(name: Uint8Array): Uint8Array[] {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(name.length);
  return [length, name];
}
