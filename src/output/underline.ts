/**
 * --debug: after each line, writes one line per key part that underlines the bytes it uses, and one that underlines the
 * whole line if the last resort compares it. Cuts lines out of blocks of any size.
 */
import type { BlockWriter } from '../contract/engine.js';
import type { Ordering } from '../job/ordering.js';
import { type LineExtent, partExtent } from '../keys/fields.js';
import { recordFinder } from '../records/record-finder.js';
import { linesIn, WholeRecords } from '../records/whole-records.js';

/** Bytes per write. */
const WRITTEN_BYTES = 1 << 20;
const [TAB, NEWLINE, SPACE, DELETE] = [9, 10, 32, 127];
/** The characters that stand for a tab and for a newline inside a record of CSV. */
const [SHOWN_TAB, SHOWN_NEWLINE] = [...'>|'].map((character) => character.charCodeAt(0));
const NO_MATCH = Buffer.from('^ no match for key\n');

/**
 * Takes blocks of sorted lines and writes them to `write` with their underlines. `isCsv`: a newline inside a record is
 * shown as a character, so that each record takes one line.
 */
export function underlining(ordering: Ordering, write: BlockWriter, isCsv = false): BlockWriter {
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
    for (const text of records.texts(block))
      for (const line of linesIn(text, delimiter)) {
        for (const piece of underlined(ordering, shown(line.subarray(0, -1), isCsv))) {
          pieces.push(piece);
          bytes += piece.length;
        }
        if (bytes >= WRITTEN_BYTES) await flush();
      }
    await flush();
  };
  return (block) => (last = last.then(() => underline(block)));
}

/** A record as it is shown: its tabs and newlines take a column. */
function shown(record: Uint8Array, isCsv: boolean): ShownRecord {
  const text = record.map((byte) => (byte === TAB ? SHOWN_TAB : isCsv && byte === NEWLINE ? SHOWN_NEWLINE : byte));
  return { record, text };
}

interface ShownRecord {
  readonly record: Uint8Array;
  readonly text: Uint8Array;
}

/** Yields the pieces to write for a line, which is given without its delimiter. */
function* underlined(ordering: Ordering, { record, text }: ShownRecord): Generator<Uint8Array> {
  yield text;
  yield Uint8Array.of(NEWLINE);
  const { key, lastResort } = ordering;
  // Whether a part is empty is compared before it: both are the same bytes.
  const parts = 'parts' in key ? key.parts.filter(({ order }) => order !== 'empty') : [];
  for (const part of parts) yield* marks(text, partExtent(part, record));
  // If the last resort compares the whole line, a collation already has the whole line as its last part.
  if (parts.length === 0 || (lastResort && key.kind !== 'collated')) yield* marks(text, { from: 0, to: text.length });
}

function* marks(text: Uint8Array, { from, to }: LineExtent): Generator<Uint8Array> {
  const width = columns(text, from, to);
  yield Buffer.alloc(columns(text, 0, from), ' ');
  if (width === 0) yield NO_MATCH;
  else {
    yield Buffer.alloc(width, '_');
    yield Uint8Array.of(NEWLINE);
  }
}

/** The columns that bytes [from, to) take on a terminal in the C locale. Control characters take none. */
function columns(text: Uint8Array, from: number, to: number): number {
  let count = 0;
  for (let i = from; i < to; i++) {
    const byte = text[i];
    if (byte >= SPACE && byte !== DELETE) count++;
  }
  return count;
}
