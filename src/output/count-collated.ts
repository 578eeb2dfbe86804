/**
 * --count for collated records. Lines are compared as in the sort, by the strings made of them. This is slower than
 * count.ts, but takes a small share of the comparisons that sorting took.
 */
import type { BlockWriter } from '../engines/contract.js';
import type { Ordering } from '../job/job.js';
import { collationOf } from '../keys/collation/collation.js';
import type { Filter } from './filter.js';

/** Width of a count, as in GNU uniq. */
const WIDTH = 7;
/** Bytes per write. */
const WRITTEN_BYTES = 1 << 20;

/** Counts the lines of `ordering`, in which equal lines are adjacent, and passes the result to `write`. */
export function countCollated(ordering: Ordering, write: BlockWriter): Filter {
  const collation = collationOf(ordering);
  const delimiter = ordering.format.kind === 'lines' ? ordering.format.delimiter : 0;
  const end = Uint8Array.of(delimiter);
  /** The pieces of an unfinished line. */
  let open: Buffer[] = [];
  /** The first of the current equal lines. `count`: their number. */
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
      // Most lines that compare equal are identical.
      if (first?.line.equals(line)) {
        count++;
        continue;
      }
      const values = collation.valuesOf(line);
      if (first !== null && collation.compareValues(first.values, values) === 0) {
        count++;
        continue;
      }
      putFirst();
      first = { line: Buffer.from(line), values };
      count = 1;
      if (bytes >= WRITTEN_BYTES) await flush();
    }
    if (begin < block.length) open.push(Buffer.from(block.subarray(begin)));
  };
  /** Blocks are processed one after another. */
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
