/** Inputs as keyed lines (src/keys/keyed.ts): for -m and -c, and for a sample, which look at records as engines have them. */
import type { Ordering } from '../job.js';
import { isKeyed } from '../keys/keyed.js';
import { KeyMaker } from '../keys/key-maker.js';
import { rest } from '../promises.js';
import { recordFinder } from '../records/format.js';
import type { LargeRecord } from '../runs/large.js';
import type { InputFile } from './files.js';
import { withFieldNumbers, type Headers } from './header.js';
import { isLong, longLineKeys } from './long-lines.js';
import { inputBytes, type ByteSource } from './record-cursor.js';

/** Is given the bytes of an input as they are read. */
export interface InputWatch {
  add(bytes: Uint8Array): void;
  end(): void;
}

/** The bytes of an input behind its header, with its records as engines have them. */
export async function engineBytes(input: InputFile, ordering: Ordering, headers: Headers | null, watch?: InputWatch): Promise<ByteSource> {
  const source = watched(await bytesBehind(await inputBytes(input), headers), watch);
  return isKeyed(ordering) ? keyedBytes(source, withFieldNumbers(ordering, headers, input.csvSeparator)) : source;
}

function watched(source: ByteSource, watch: InputWatch | undefined): ByteSource {
  if (watch === undefined) return source;
  return {
    ...source,
    read: async () => {
      const bytes = await source.read();
      if (bytes === null) watch.end();
      else watch.add(bytes);
      return bytes;
    },
  };
}

async function bytesBehind(source: ByteSource, headers: Headers | null): Promise<ByteSource> {
  if (headers === null) return source;
  try {
    return { label: source.label, ...await headers.behind(source, source.label) };
  } catch (error) {
    source.close();
    throw error;
  }
}

/** `source` with keys before its lines; a last line that does not end is ended. A long line comes in pieces. */
function keyedBytes(source: ByteSource, ordering: Ordering): ByteSource {
  const pieces = keyedPieces(source, ordering);
  return {
    label: source.label,
    async read() {
      const { done, value } = await pieces.next();
      return done === true ? null : value;
    },
    close: () => source.close(),
  };
}

async function* keyedPieces(source: ByteSource, ordering: Ordering): AsyncGenerator<Uint8Array> {
  const keys = new KeyMaker(ordering);
  const finder = recordFinder(ordering.format);
  const delimiter = Uint8Array.of(finder.delimiter!);
  /** The beginning of a line whose end was not read yet, in pieces. */
  let open: Uint8Array[] = [];
  let openBytes = 0;
  for (let bytes = await source.read(); bytes !== null; bytes = await source.read()) {
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    const end = finder.lastEnd(text, 0);
    if (end >= 0) {
      let from = 0;
      if (isLong(openBytes)) {
        from = finder.firstEnd(text, 0);
        yield* keyedLongLine([...open, text.subarray(0, from - 1)], ordering, delimiter);
        open = [];
      }
      // What was read is valid until more is.
      const following = new Uint8Array(text.subarray(end));
      if (from < end) yield keyedLines(keys, open.length === 0 ? text.subarray(from, end) : Buffer.concat([...open, text.subarray(from, end)]));
      [open, openBytes] = following.length === 0 ? [[], 0] : [[following], following.length];
    } else {
      open.push(new Uint8Array(text));
      openBytes += text.length;
    }
  }
  if (openBytes === 0) return;
  if (isLong(openBytes)) yield* keyedLongLine(open, ordering, delimiter);
  else yield keyedLines(keys, Buffer.concat([...open, delimiter]));
}

/** The keyed line of a line in pieces, which are given up as they are handed on. */
async function* keyedLongLine(line: Uint8Array[], ordering: Ordering, delimiter: Uint8Array): AsyncGenerator<Uint8Array> {
  const key: Uint8Array[] = [];
  await longLineKeys(ordering)(recordOfPieces(line), async (piece) => { key.push(new Uint8Array(piece)); });
  for (const list of [key, line]) for (let piece = list.shift(); piece !== undefined; piece = list.shift()) yield piece;
  yield delimiter;
}

/** A line in pieces, to be read once, from the first byte on. */
function recordOfPieces(pieces: readonly Uint8Array[]): Pick<LargeRecord, 'bytes' | 'readAt'> {
  let number = 0;
  let within = 0;
  return {
    bytes: pieces.reduce((sum, { length }) => sum + length, 0),
    async readAt(_, target) {
      for (let done = 0; done < target.length;) {
        const piece = pieces[number]!;
        const part = piece.subarray(within, within + target.length - done);
        target.set(part, done);
        done += part.length;
        within += part.length;
        if (within === piece.length) [number, within] = [number + 1, 0];
      }
      await rest();
    },
  };
}

function keyedLines(keys: KeyMaker, lines: Uint8Array): Buffer {
  return joined(keys.keyed(lines));
}

function joined(pieces: readonly SharedArrayBuffer[]): Buffer {
  return pieces.length === 1 ? Buffer.from(pieces[0]!) : Buffer.concat(pieces.map((piece) => new Uint8Array(piece)));
}

/** Records of a sample (without delimiters, a list a window) as engines have them. */
export function engineRecords(windows: readonly (readonly Uint8Array[])[], ordering: Ordering): readonly (readonly Uint8Array[])[] {
  if (!isKeyed(ordering)) return windows;
  const keys = new KeyMaker(ordering);
  const finder = recordFinder(ordering.format);
  const end = Uint8Array.of(finder.delimiter!);
  return windows.map((records) => {
    const keyed = keyedLines(keys, Buffer.concat(records.flatMap((record) => [record, end])));
    let at = 0;
    return records.map(() => {
      const from = at;
      at += finder.firstEnd(keyed.subarray(from), from);
      return keyed.subarray(from, at - 1);
    });
  });
}
