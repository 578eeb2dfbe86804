/**
 * --top and --bottom: passes on the first records of the ordered stream, or holds the last ones back until it ends.
 * Knows where records end, but not their order.
 */
import type { BlockWriter } from '../contract/engine.js';
import type { Limit } from '../job/job.js';
import { delimiterOf, type RecordFormat } from '../job/ordering.js';
import type { Filter } from './filter.js';

/** Storage for bytes that are held back (src/runs/store.ts). */
export interface Spool {
  create(bytes: number): { write(bytes: Uint8Array): Promise<void>; finish(): Promise<Stored> };
}
interface Stored {
  readAt(byte: number, target: Uint8Array): Promise<void>;
  release(): void;
}

/** Maximum bytes held back in memory; with -S, also at most this fraction of it. The rest goes to the spool. */
const HELD_IN_MEMORY = 64 << 20;
const HELD_SHARE = 1 / 16;

/** Maximum bytes held back in memory. `memoryBytes`: the value of -S in bytes; null: not given. */
export const heldInMemory = (memoryBytes: number | null): number =>
  Math.min(HELD_IN_MEMORY, Math.floor((memoryBytes ?? Infinity) * HELD_SHARE));

/** Passes on to `write` the records of a stream that `limit` keeps. */
export function limitRecords(
  limit: Limit,
  format: RecordFormat,
  space: Spool,
  write: BlockWriter,
  inMemory = HELD_IN_MEMORY,
): Filter {
  return limit.end === 'first'
    ? firstRecords(limit.count, format, write)
    : lastRecords(limit.count, format, space, write, inMemory);
}

function firstRecords(count: number, format: RecordFormat, write: BlockWriter): Filter {
  let open = 0;
  let left = count;
  return {
    write: async (block) => {
      const { at, found } = firstEnds(format, block, open, left);
      open += block.length;
      left -= found;
      if (at > 0) await write(block.subarray(0, at));
    },
    finish: async () => undefined,
    over: () => left === 0,
  };
}

/** A block that is held back. */
interface Held {
  readonly bytes: number;
  /** Its offset in the stream, and the number of records that end in it. */
  readonly begin: number;
  readonly ends: number;
  /** Its bytes: one of the two is set. */
  readonly memory: Uint8Array | null;
  readonly stored: Stored | null;
}

function lastRecords(count: number, format: RecordFormat, space: Spool, write: BlockWriter, inMemory: number): Filter {
  const held: Held[] = [];
  /**
   * `end`: the offset of the next block. `records`: the number of record ends held. `memoryBytes`: the bytes held in
   * memory.
   */
  let end = 0;
  let records = 0;
  let memoryBytes = 0;
  const drop = (): void => {
    const { bytes, ends, stored } = held.shift()!;
    records -= ends;
    if (stored === null) memoryBytes -= bytes;
    else stored.release();
  };
  const hold = async (block: Uint8Array): Promise<void> => {
    const { at, found } = lastEnds(format, block, end, count);
    // If the last `count` records all begin in this block, nothing before it is needed.
    while (held.length > 0 && (at > 0 || records + found - held[0].ends > count)) drop();
    const part = block.subarray(at);
    const begin = end + at;
    end += block.length;
    if (part.length === 0) return;
    records += found;
    if (memoryBytes + part.length <= inMemory) {
      memoryBytes += part.length;
      held.push({ bytes: part.length, begin, ends: found, memory: new Uint8Array(part), stored: null });
    } else {
      const writer = space.create(part.length);
      await writer.write(part);
      held.push({ bytes: part.length, begin, ends: found, memory: null, stored: await writer.finish() });
    }
  };
  /** Blocks are processed one after another. */
  let turn: Promise<void> = Promise.resolve();
  return {
    write: (block) => (turn = turn.then(() => hold(block))),
    finish: async () => {
      await turn;
      const surplus = records - count;
      for (const [i, { bytes, begin, memory, stored }] of held.entries()) {
        const block = memory ?? Buffer.allocUnsafe(bytes);
        await stored?.readAt(0, block);
        await write(i === 0 && surplus > 0 ? block.subarray(firstEnds(format, block, begin, surplus).at) : block);
      }
    },
    over: () => false,
  };
}

/**
 * Finds the first `most` record ends of a block. `found`: their number. `at`: the last of them, or the end of the block
 * if there are fewer. `begin`: the offset of the block in the stream.
 */
function firstEnds(
  format: RecordFormat,
  block: Uint8Array,
  begin: number,
  most: number,
): { at: number; found: number } {
  if (most === 0) return { at: 0, found: 0 };
  if (format.kind === 'fixed') {
    const found = Math.min(most, fixedEnds(format.size, block, begin));
    return { at: found < most ? block.length : (Math.floor(begin / format.size) + found) * format.size - begin, found };
  }
  const delimiter = delimiterOf(format);
  let found = 0;
  for (let at = 0; at < block.length; at++)
    if (block[at] === delimiter && ++found === most) return { at: at + 1, found };
  return { at: block.length, found };
}

/**
 * Finds the last `most` record ends of a block. `found`: their number. `at`: the record end before them, or 0 if there
 * is none.
 */
function lastEnds(format: RecordFormat, block: Uint8Array, begin: number, most: number): { at: number; found: number } {
  if (format.kind === 'fixed') {
    const ends = fixedEnds(format.size, block, begin);
    const found = Math.min(most, ends);
    return { at: found < ends ? (Math.floor(begin / format.size) + ends - found) * format.size - begin : 0, found };
  }
  const delimiter = delimiterOf(format);
  let found = 0;
  for (let at = block.length; at > 0; at--)
    if (block[at - 1] === delimiter && found++ === most) return { at, found: most };
  return { at: 0, found };
}

/** The number of records of `size` bytes that end in a block. */
function fixedEnds(size: number, block: Uint8Array, begin: number): number {
  return Math.floor((begin + block.length) / size) - Math.floor(begin / size);
}
