/**
 * Turns lines into keyed lines (keyed.ts) with the kernels of kernels/wasm/keys/, compiled to WebAssembly. Used
 * wherever the host makes keys. Each thread has its own maker. Does not know the orderings.
 */

import { BAM_FIELDS, type KeyPart, type Ordering, PART_ORDERS } from '../job/ordering.js';
import type { Presence } from '../report/recorder.js';
import { formatBytes } from '../report/units.js';
import { GpusortError, internalError } from '../system/errors.js';
import { compileInstalled } from '../system/installed.js';
import { asBuffer, copyBytes, growTo, KERNEL_SLACK, newMemory, uint32 } from '../system/memory.js';
import { finish, type Resumable } from '../system/resumable.js';
import { type ContigKernels, ContigTables } from './contigs.js';
import { type SpanArguments, spanArguments, spanNumbers } from './fields.js';
import { type KeyBound, keyedBound } from './keyed.js';
import { type ProblemKernels, problemError } from './problem.js';

/** Lines get keys in batches that fit a processor's own cache; a longer line is a batch of its own. */
const BATCH_BYTES = 1 << 18;
/** The maximum number of lines in one call: V8 switches to a function's optimized code only when it is called again. */
const STEP_LINES = 4096;
const MOST_BYTES = 2 ** 32 - 2 ** 17;
/** Bytes of the length of a record of BAM, and of an entry besides its row. */
const LENGTH_BYTES = 4;
const ENTRY_BYTES = 12;

/** Which records get keys, and where these go (kernels/wasm/keys/index.ts). */
type MakingArguments = [
  ...[from: number, to: number, at: number, room: number, most: number],
  ...[factor: number, constant: number, spare: number],
];

interface KeyKernels extends ContigKernels, ProblemKernels {
  setDelimiter(delimiter: number): void;
  setSeed(at: number): void;
  firstFree(): number;
  setParts(at: number): void;
  partBytes(): number;
  addPart(
    order: number,
    reverse: number,
    dictionary: number,
    printing: number,
    fold: number,
    ...span: SpanArguments
  ): void;
  setQuoted(): void;
  setDropsReturn(): void;
  setPath(path: number, steps: number, nullIsMissing: number, refuses: number): void;
  setBam(field: number): void;
  setPlain(plain: number): void;
  setContigs(table: number): void;
  setTag(name: number): void;
  setLibraries(groups: number, ranks: number): void;
  presenceOf(index: number): number;
  invalidLines(): number;
  makeKeys(...where: MakingArguments): void;
  makeEntries(...where: [...MakingArguments, items: number]): void;
  itemsEnd(): number;
  makeRow(index: number, begin: number, end: number, at: number, spare: number): number;
  findFirst(begin: number, end: number, spare: number): bigint;
  sourceEnd(): number;
  targetEnd(): number;
}

let compiled: WebAssembly.Module | undefined;

/** The kernels, compiled once in this thread; the module can be posted to others. Built by `npm run build`. */
export function compileKeyKernels(): WebAssembly.Module {
  return (compiled ??= compileInstalled('dist/wasm/keys.wasm'));
}

/** The kernels in `memory`, where they own the bytes below firstFree. */
export function openKeyKernels<Exports>(module: WebAssembly.Module, memory: WebAssembly.Memory): Exports {
  return new WebAssembly.Instance(module, { env: { memory } }).exports as unknown as Exports;
}

export interface KeyMakerOptions {
  /** The kernels, if they are compiled already. */
  readonly module?: WebAssembly.Module | undefined;
  /** Absent: the maker has its own memory. */
  readonly memory?: WebAssembly.Memory;
  /** The first address that the maker uses, besides the kernels' own variables. Absent: the one after these. */
  readonly from?: number;
  /** Whether records of BAM lie in the text as they are, not as lines. Then only entriesOf may be called. */
  readonly isPlain?: boolean;
  /** The bits of the first parts of the keys, which the maker updates; null: they are not needed. */
  readonly presence?: Presence | null;
  /** Whether the maker also counts lines that are not JSON there. Default: true. */
  readonly counts?: boolean;
}

export class KeyMaker {
  private readonly kernels: KeyKernels;
  private readonly memory: WebAssembly.Memory;
  private readonly delimiter: number;
  private readonly bound: KeyBound;
  private readonly parts: readonly KeyPart[];
  /** Where the maker notes whether lines have the parts; null: nowhere. */
  private readonly presence: Presence | null;
  private readonly counts: boolean;
  /** Lines that are not JSON so far. */
  private invalid = 0;
  /** The first address after the kernels' parts. */
  readonly free: number;

  /**
   * `ordering`: an ordering of lines by normalized keys. If others use the memory from `free` on, only keyTo, keySteps
   * and rowTo may be called.
   */
  constructor(
    ordering: Ordering,
    {
      module = compileKeyKernels(),
      memory = newMemory(),
      from = 0,
      isPlain = false,
      presence = null,
      counts = true,
    }: KeyMakerOptions = {},
  ) {
    const { key, format, reverse } = ordering;
    if (key.kind !== 'normalized' || format.kind !== 'lines') throw new Error('there are no keys to make');
    const kernels = openKeyKernels<KeyKernels>(module, memory);
    this.kernels = kernels;
    this.memory = memory;
    this.delimiter = format.delimiter;
    this.bound = keyedBound(key);
    const parts = Math.max(from, kernels.firstFree());
    const paths = key.parts.map(({ path }) => Buffer.concat((path ?? []).flatMap(stepBytes)));
    let path = parts + key.parts.length * kernels.partBytes();
    const tables = new ContigTables(
      kernels,
      key.parts,
      paths.reduce((at, { length }) => at + length, path),
    );
    const ranks = tables.end;
    this.free = ranks + Math.max(0, ...key.parts.map(({ libraries }) => libraries?.ranks.length ?? 0));
    this.parts = key.parts;
    this.presence = presence;
    this.counts = counts;
    this.reserve(this.free + KERNEL_SLACK);
    tables.make(memory);
    kernels.setDelimiter(format.delimiter);
    kernels.setPlain(Number(isPlain));
    if (key.seed !== null) {
      new Uint8Array(this.memory.buffer).set(key.seed, this.free);
      kernels.setSeed(this.free);
    }
    kernels.setParts(parts);
    for (const [i, part] of key.parts.entries()) {
      this.addPart(part, reverse);
      if (part.span.quoted) kernels.setQuoted();
      if (part.dropsReturn) kernels.setDropsReturn();
      if (part.bam !== undefined) kernels.setBam(BAM_FIELDS.indexOf(part.bam));
      if (part.contigs !== undefined) kernels.setContigs(tables.tableOf(part.contigs));
      if (part.libraries !== undefined) {
        new Uint8Array(this.memory.buffer).set(part.libraries.ranks, ranks);
        kernels.setLibraries(tables.tableOf(part.libraries.groups), ranks);
      }
      if (part.tag !== undefined) kernels.setTag(Buffer.from(part.tag, 'latin1').readUInt16LE());
      if (part.path === undefined) continue;
      new Uint8Array(this.memory.buffer).set(paths[i], path);
      kernels.setPath(path, part.path.length, Number(part.nullIsMissing ?? false), Number(part.mustBeJson ?? false));
      path += paths[i].length;
    }
  }

  /**
   * Passes keyed lines of `text` (whole lines) to `write`, in blocks of whole lines of at most `most` bytes. A block is
   * valid until `write` returns. `most` must be enough for each single line by its bound (keyed.ts). Throws
   * `out-of-memory` if a line is too long, and `bad-records` if its key cannot be made.
   */
  make(text: Uint8Array, write: (lines: Uint8Array) => void, most = Infinity): void {
    for (const lines of this.blocks(text, most)) write(lines);
  }

  /** The same blocks one by one; each is valid until the next is requested. */
  *blocks(text: Uint8Array, most = Infinity): Generator<Uint8Array, void, undefined> {
    const bytes = asBuffer(text);
    for (let at = 0; at < bytes.length; ) {
      const end = at + this.batchBytes(bytes.subarray(at));
      const source = this.free;
      const sourceEnd = source + end - at;
      this.reserve(sourceEnd + KERNEL_SLACK);
      copyBytes(bytes.subarray(at, end), new Uint8Array(this.memory.buffer), source);
      // Room for a batch of typical lines, and for the longest possible line.
      const room = Math.min(most, Math.max(2 * BATCH_BYTES, this.bound.factor * (end - at) + this.bound.constant));
      const target = sourceEnd + KERNEL_SLACK;
      for (let from = source; from < sourceEnd; ) {
        const keyed = this.keyTo(from, sourceEnd, target, room);
        yield new Uint8Array(this.memory.buffer, target, keyed.end - target);
        from = keyed.next;
      }
      at = end;
    }
  }

  /**
   * Writes at `target` keyed lines for the lines [from, to) of the memory: at least one, and at most as many as are
   * certain to fit in `most` bytes (see make). Returns where the next line begins and where the output ends. The memory
   * after the output is used as well.
   */
  keyTo(from: number, to: number, target: number, most: number): { next: number; end: number } {
    return finish(this.keySteps(from, to, target, most));
  }

  /** The same in steps. */
  *keySteps(from: number, to: number, target: number, most: number): Resumable<{ next: number; end: number }> {
    const {
      kernels,
      delimiter,
      bound: { factor, constant },
    } = this;
    if (from < to && new Uint8Array(this.memory.buffer)[to - 1] !== delimiter)
      throw internalError('a text to make keys of does not end with a line');
    const limit = target + most;
    let at = target;
    while (from < to) {
      const end = from + this.batchBytes(Buffer.from(this.memory.buffer, from, to - from));
      while (from < end) {
        const room = Math.min(limit, at + Math.max(2 * BATCH_BYTES, factor * (end - from) + constant));
        const spare = room + KERNEL_SLACK;
        this.reserve(spare + end - from + KERNEL_SLACK);
        kernels.makeKeys(from, end, at, room, STEP_LINES, factor, constant, spare);
        if (kernels.problemOf() !== 0) throw this.problem(kernels.sourceEnd(), end);
        this.notePresence();
        if (kernels.sourceEnd() === from) {
          // The next line may not fit.
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
   * Makes entries at `target` of the records of BAM in [from, to) of the memory, and has the items at `items` point to
   * them (kernels/wasm/shared/item.ts). Returns where the entries end.
   */
  entriesOf(from: number, to: number, target: number, items: number): number {
    const { kernels, bound, memory } = this;
    // The record stays where it is.
    const factor = bound.factor - 1;
    const constant = bound.constant + ENTRY_BYTES;
    for (let at = from, item = items; at < to; at = kernels.sourceEnd(), item = kernels.itemsEnd()) {
      const first = LENGTH_BYTES + uint32(new Uint8Array(memory.buffer, at, LENGTH_BYTES), 0);
      const room = target + Math.max(BATCH_BYTES, factor * first + constant);
      const spare = room + KERNEL_SLACK;
      this.reserve(spare + first + KERNEL_SLACK);
      kernels.makeEntries(at, to, target, room, STEP_LINES, factor, constant, spare, item);
      if (kernels.problemOf() !== 0) throw this.problem(kernels.sourceEnd(), to);
      this.notePresence();
      target = kernels.targetEnd();
    }
    return target;
  }

  /**
   * Writes at `target` the row of part number `part` for the line [from, end) of the memory, which its
   * delimiter follows. Returns where the row ends. Uses memory of the line's length at `spare`. Each area
   * needs KERNEL_SLACK bytes after it. `isNew`: it is the first row for this part and line.
   */
  rowTo(part: number, from: number, end: number, target: number, spare: number, isNew: boolean): number {
    const rowEnd = this.kernels.makeRow(part, from, end, target, spare);
    if (this.kernels.problemOf() !== 0) throw this.problem(from, end + 1);
    this.notePresence(isNew);
    return rowEnd;
  }

  /**
   * The text of a line's first part (without the delimiter), before its ordering is applied; valid until the next call.
   */
  firstPart(line: Uint8Array): Buffer {
    const { kernels, delimiter, free } = this;
    const end = free + line.length;
    this.reserve(end + 1 + KERNEL_SLACK + line.length + KERNEL_SLACK);
    const memory = new Uint8Array(this.memory.buffer);
    memory.set(line, free);
    memory[end] = delimiter;
    const found = BigInt.asUintN(64, kernels.findFirst(free, end, end + 1 + KERNEL_SLACK));
    if (kernels.problemOf() !== 0) throw this.problem(free, end + 1);
    this.notePresence();
    const begin = Number(found & 0xffffffffn);
    return Buffer.from(memory.buffer, begin, Number(found >> 32n) - begin);
  }

  /**
   * The keyed lines of `text` (whole lines) in memory of their own: one piece, or several of at most
   * `most` bytes (see make).
   */
  keyed(text: Uint8Array, most = Infinity): SharedArrayBuffer[] {
    const pieces: SharedArrayBuffer[] = [];
    let blocks: Uint8Array[] = [];
    let bytes = 0;
    const finish = (): void => {
      const piece = new SharedArrayBuffer(bytes);
      const target = new Uint8Array(piece);
      let at = 0;
      for (const block of blocks) {
        copyBytes(block, target, at);
        at += block.length;
      }
      pieces.push(piece);
      [blocks, bytes] = [[], 0];
    };
    this.make(
      text,
      (lines) => {
        if (bytes + lines.length > most) finish();
        blocks.push(lines.slice());
        bytes += lines.length;
      },
      most,
    );
    finish();
    return pieces;
  }

  /** The bytes of the lines that end within a batch's length; at least one line. */
  private batchBytes(lines: Buffer): number {
    if (lines.length <= BATCH_BYTES) return lines.length;
    const last = lines.lastIndexOf(this.delimiter, BATCH_BYTES - 1);
    const end = last >= 0 ? last + 1 : lines.indexOf(this.delimiter, BATCH_BYTES) + 1;
    if (end === 0) throw internalError('a text to make keys of does not end with a line');
    return end;
  }

  /** The error for the line at `from`, one of the lines up to `to`. */
  private problem(from: number, to: number): Error {
    const lines = Buffer.from(this.memory.buffer, from, to - from);
    const line = lines.subarray(0, lines.indexOf(this.delimiter));
    return problemError(this.kernels, this.memory.buffer, line, this.parts);
  }

  /** `isNew`: the lines got no keys before. */
  private notePresence(isNew = true): void {
    const { presence, kernels } = this;
    if (presence === null) return;
    const { parts, invalid } = presence;
    for (const [part, known] of parts.entries()) {
      const bits = kernels.presenceOf(part);
      if ((known | bits) !== known) Atomics.or(parts, part, bits);
    }
    const added = kernels.invalidLines() - this.invalid;
    this.invalid += added;
    if (added > 0 && isNew && this.counts) Atomics.add(invalid, 0, BigInt(added));
  }

  private addPart({ span, order, reverse, dictionary, printing, fold }: KeyPart, all: boolean): void {
    this.kernels.addPart(
      PART_ORDERS.indexOf(order),
      Number(reverse !== all),
      Number(dictionary),
      Number(printing),
      Number(fold),
      ...spanArguments(spanNumbers(span)),
    );
  }

  /** Grows the memory to at least `end` bytes. */
  reserve(end: number): void {
    try {
      if (end > MOST_BYTES) throw new RangeError('a line is too long');
      growTo(this.memory, end);
    } catch (error) {
      throw new GpusortError(
        'out-of-memory',
        `memory exhausted: lines and their keys take up to ${formatBytes(end)} in one thread`,
        { cause: error, hint: 'Shorten the longest lines: keys are limited to lines of a few hundred megabytes.' },
      );
    }
  }
}

/** A step of a path in the kernels' form: the length of its name, then the name. */
function stepBytes(name: Uint8Array): Uint8Array[] {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(name.length);
  return [length, name];
}
