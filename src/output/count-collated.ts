/**
 * --count where records are collated: lines are compared as everywhere there, by the strings that are made of them. Slower than count.ts, but comparing
 * lines in order takes a small share of the comparisons that sorting them took.
 */
import type { BlockWriter } from '../engine.js';
import type { Ordering } from '../job.js';
import { collationOf } from '../keys/collation/collation.js';
import type { Filter } from './filter.js';

/** Places of a number: the format of GNU uniq. */
const WIDTH = 7;
/** Bytes that are written at once. */
const WRITTEN_BYTES = 1 << 20;

/** Counts lines of `ordering`, all of which are one behind the other where they are equal, and gives what comes of them to `write`. */
export function countCollated(ordering: Ordering, write: BlockWriter): Filter {
  const collation = collationOf(ordering);
  const delimiter = ordering.format.kind === 'lines' ? ordering.format.delimiter : 0;
  const end = Uint8Array.of(delimiter);
  /** The beginning of a line whose end has not come yet. */
  let open: Buffer[] = [];
  /** The line that the others are equal to, and how many they are. */
  let first: { readonly line: Buffer; readonly values: readonly string[] } | null = null;
  let count = 0;
  let pieces: Uint8Array[] = [];
  let bytes = 0;
  const flush = async (): Promise<void> => {
    const block = Buffer.concat(pieces);
    [pieces, bytes] = [[], 0];
    if (block.length > 0) await write(block);
  };
  const putFirst = (): void => {
    if (first === null) return;
    const number = Buffer.from(`${String(count).padStart(WIDTH)} `);
    pieces.push(number, first.line, end);
    bytes += number.length + first.line.length + 1;
  };
  const take = async (block: Buffer): Promise<void> => {
    let begin = 0;
    for (let at = block.indexOf(delimiter); at >= 0; at = block.indexOf(delimiter, begin)) {
      const rest = block.subarray(begin, at);
      const line: Buffer = open.length === 0 ? rest : Buffer.concat([...open, rest]);
      open = [];
      begin = at + 1;
      // Most that compare equal have the same bytes.
      if (first !== null && first.line.equals(line)) { count++; continue; }
      const values = collation.valuesOf(line);
      if (first !== null && collation.compareValues(first.values, values) === 0) { count++; continue; }
      putFirst();
      first = { line: Buffer.from(line), values };
      count = 1;
      if (bytes >= WRITTEN_BYTES) await flush();
    }
    if (begin < block.length) open.push(Buffer.from(block.subarray(begin)));
  };
  /** Blocks are taken one after another. */
  let turn: Promise<void> = Promise.resolve();
  return {
    write: (block) => (turn = turn.then(() => take(Buffer.from(block.buffer, block.byteOffset, block.length)))),
    finish: async () => {
      await turn;
      putFirst();
      await flush();
    },
    over: () => false,
  };
}
