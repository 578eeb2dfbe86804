/**
 * --debug: after each line, writes one line per key part that underlines the bytes it uses, and one that underlines the
 * whole line if the last resort compares it. Cuts lines out of blocks of any size.
 */
import type { BlockWriter } from '../engines/contract.js';
import type { Ordering } from '../job/ordering.js';
import { type LineExtent, partExtent } from '../keys/fields.js';
import { recordFinder } from '../records/record-finder.js';
import { WholeRecords } from '../records/whole-records.js';

/** Bytes per write. */
const WRITTEN_BYTES = 1 << 20;
const [TAB, NEWLINE, SPACE, DELETE] = [9, 10, 32, 127];
const NO_MATCH = Buffer.from('^ no match for key\n');

/** Takes blocks of sorted lines and writes them to `write` with their underlines. */
export function underlining(ordering: Ordering, write: BlockWriter): BlockWriter {
  const delimiter = ordering.format.kind === 'lines' ? ordering.format.delimiter : NEWLINE;
  const records = new WholeRecords(recordFinder(ordering.format));
  let last: Promise<void> = Promise.resolve();
  const underline = async (block: Uint8Array): Promise<void> => {
    let pieces: Uint8Array[] = [];
    let bytes = 0;
    const flush = async (): Promise<void> => {
      if (pieces.length > 0) await write(Buffer.concat(pieces));
      pieces = [];
      bytes = 0;
    };
    for (const text of records.texts(block)) {
      let begin = 0;
      for (let end = text.indexOf(delimiter); end >= 0; end = text.indexOf(delimiter, begin)) {
        for (const piece of underlined(ordering, text.subarray(begin, end))) {
          pieces.push(piece);
          bytes += piece.length;
        }
        if (bytes >= WRITTEN_BYTES) await flush();
        begin = end + 1;
      }
    }
    await flush();
  };
  return (block) => (last = last.then(() => underline(block)));
}

/** The pieces written for `line`, which is given without its delimiter. */
function* underlined(ordering: Ordering, line: Uint8Array): Generator<Uint8Array> {
  yield line.map((byte) => (byte === TAB ? '>'.charCodeAt(0) : byte));
  yield Uint8Array.of(NEWLINE);
  const { key, lastResort } = ordering;
  // Whether a part is empty is compared before it: both are the same bytes.
  const parts = 'parts' in key ? key.parts.filter(({ order }) => order !== 'empty') : [];
  for (const part of parts) yield* marks(line, partExtent(part, line));
  // If the last resort compares the whole line, that already is the last part of a collation.
  if (parts.length === 0 || (lastResort && key.kind !== 'collated')) yield* marks(line, { from: 0, to: line.length });
}

function* marks(line: Uint8Array, { from, to }: LineExtent): Generator<Uint8Array> {
  const width = columns(line, from, to);
  yield Buffer.alloc(columns(line, 0, from), ' ');
  if (width === 0) yield NO_MATCH;
  else {
    yield Buffer.alloc(width, '_');
    yield Uint8Array.of(NEWLINE);
  }
}

/**
 * The columns that bytes [from, to) take on a terminal in the C locale. Control characters take none, except tabs,
 * which are shown as one character.
 */
function columns(line: Uint8Array, from: number, to: number): number {
  let count = 0;
  for (let i = from; i < to; i++) {
    const byte = line[i];
    if ((byte >= SPACE && byte !== DELETE) || byte === TAB) count++;
  }
  return count;
}
