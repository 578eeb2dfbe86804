/** Inputs as keyed lines (src/keys/keyed.ts): for -m, and for a sample, which look at records as engines have them. */
import type { Ordering } from '../job.js';
import { isKeyed } from '../keys/keyed.js';
import { KeyMaker } from '../keys/key-maker.js';
import { rest } from '../promises.js';
import { recordFinder } from '../records/format.js';
import type { InputFile } from './files.js';
import { withFieldNumbers, type Headers } from './header.js';
import { isLong, keyLines } from './long-lines.js';
import { inputBytes, type ByteSource } from './record-cursor.js';

/** Is given the bytes of an input as they are read. */
export interface InputWatch {
  add(bytes: Uint8Array): void;
  end(): void;
}

/** The bytes of an input behind its header. */
export async function textBytes(input: InputFile, headers: Headers | null): Promise<ByteSource> {
  return bytesBehind(await inputBytes(input), headers);
}

/** The same with its records as engines have them. */
export async function engineBytes(input: InputFile, ordering: Ordering, headers: Headers | null, watch?: InputWatch): Promise<ByteSource> {
  const source = watched(await textBytes(input, headers), watch);
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

/** `source` line by line with keys; a last line that does not end is ended. */
function keyedBytes(source: ByteSource, ordering: Ordering): ByteSource {
  const keys = new KeyMaker(ordering);
  const finder = recordFinder(ordering.format);
  /** The beginning of a line whose end was not read yet, in pieces. */
  let open: Uint8Array[] = [];
  let ended = false;
  const keyed = async (parts: readonly Uint8Array[]): Promise<Buffer> => {
    const bytes = parts.reduce((sum, part) => sum + part.length, 0);
    if (!isLong(bytes)) return keyedLines(keys, parts.length === 1 ? parts[0]! : Buffer.concat(parts));
    const text = new SharedArrayBuffer(bytes);
    let at = 0;
    for (const part of parts) {
      new Uint8Array(text).set(part, at);
      at += part.length;
      await rest();
    }
    return joined(await keyLines(ordering, text));
  };
  return {
    label: source.label,
    async read() {
      while (!ended) {
        const bytes = await source.read();
        if (bytes === null) {
          ended = true;
          if (open.length > 0) return keyed([...open, Uint8Array.of(finder.delimiter!)]);
          break;
        }
        const end = finder.lastEnd(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), 0);
        if (end < 0) {
          open.push(new Uint8Array(bytes));
          continue;
        }
        const lines = [...open, bytes.subarray(0, end)];
        const following = end < bytes.length ? [new Uint8Array(bytes.subarray(end))] : [];
        const made = await keyed(lines);
        open = following;
        return made;
      }
      return null;
    },
    close: () => source.close(),
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
