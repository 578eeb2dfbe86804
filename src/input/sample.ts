/**
 * A sample of the input before it is planned: whole records from small windows spread over files, or over what was read ahead of a
 * stream. Knows where records end and nothing of what is made of them.
 */
import { fileSystem } from '../file-system.js';
import { delimiterBytes, type RecordFinder } from '../records/format.js';
import { closeInput, positional, type InputFile } from './files.js';

/** Windows, each read at once; their records are listed window by window, in the order of the input. */
export interface Windows {
  readonly count: number;
  readonly bytes: number;
  /** Records in all. */
  readonly most: number;
}
/** For what neighbours have in common: enough for shares of a few percent, few enough to be sorted in a millisecond or two. */
export const NEIGHBOURS: Windows = { count: 32, bytes: 8 << 10, most: 1024 };
/** For a sample that is as the input is, where neighbours may have much in common, large enough to part it into so many buckets. */
export function spreadWindows(buckets: number): Windows {
  return { count: Math.max(64, buckets), bytes: 2 << 10, most: Math.max(512, 8 * buckets) };
}
/** Where windows hold hardly a whole record, or too many of them none, as where lines are long in places, some larger ones are looked at. */
const SEEN_SHARE = 0.9;
const large = (most: number): Windows => ({ count: 16, bytes: 64 << 10, most });
/** No window is begun after so long: a disk that turns is not made to seek for a guess. From the page cache all take half a millisecond. */
const MOST_MS = 4;
/** Between windows read one after another; odd, so that all of a power of two are met. */
const STRIDE = 13;

/** A window's bytes, and how far they lie behind where the input's first record begins. */
interface Window { readonly bytes: Buffer; readonly offset: number }

/**
 * Records (without delimiters) of files, a list a window; inputs that are read in order are passed over. What cannot be read is
 * left out: whoever reads the whole input tells. `clock` tells milliseconds.
 */
export function sampleFiles(inputs: readonly InputFile[], finder: RecordFinder, windows: Windows, clock = (): number => performance.now()): Uint8Array[][] {
  const small = readWindows(inputs, windows, clock);
  const records = cutRecords(small, finder, windows.most);
  const found = records.reduce((sum, window) => sum + window.length, 0);
  if (found >= 2 * small.length && records.length >= SEEN_SHARE * small.length) return records;
  return cutRecords(readWindows(inputs, large(windows.most), clock), finder, windows.most);
}

/** The same of what was read ahead of a stream: `parts` are its bytes from its beginning. */
export function sampleParts(parts: readonly Uint8Array[], finder: RecordFinder, windows: Windows): Uint8Array[][] {
  const total = parts.reduce((sum, part) => sum + part.length, 0);
  const places = windowPlaces(total, windows);
  const read: Window[] = [];
  let before = 0;
  for (const part of parts) {
    for (const at of places) {
      if (at < before || at >= before + part.length) continue;
      const bytes = Buffer.from(part.subarray(at - before, at - before + windows.bytes));
      read.push({ bytes, offset: at });
    }
    before += part.length;
  }
  return cutRecords(read, finder, windows.most);
}

/** Where windows begin in `total` bytes: evenly spread, not overlapping, the first at the beginning. */
function windowPlaces(total: number, { count, bytes }: Windows): number[] {
  const fit = Math.max(1, Math.min(count, Math.floor(total / bytes)));
  return Array.from({ length: total === 0 ? 0 : fit }, (_, i) => Math.floor((i * total) / fit));
}

function readWindows(inputs: readonly InputFile[], windows: Windows, clock: () => number): Window[] {
  const { bytes } = windows;
  const files = inputs.flatMap((input) => { const extent = positional(input); return extent === null ? [] : [{ input, ...extent }]; });
  const places = windowPlaces(files.reduce((sum, { begin, end }) => sum + end - begin, 0), windows);
  const wanted: { input: InputFile; begin: number; at: number; length: number; window: Window | null }[] = [];
  let before = 0;
  for (const { input, begin, end } of files) {
    for (const place of places) {
      const at = begin + place - before;
      if (at >= begin && at < end) wanted.push({ input, begin, at, length: Math.min(bytes, end - at), window: null });
    }
    before += end - begin;
  }
  // Far apart first, so that those read before time is up are spread out too.
  const visits = [...new Set([...wanted.map((_, i) => wanted[(i * STRIDE) % wanted.length]!), ...wanted])];
  const descriptors = new Map<InputFile, number>();
  const deadline = clock() + MOST_MS;
  for (const want of visits) {
    if (clock() > deadline) break;
    try {
      let fd = descriptors.get(want.input);
      if (fd === undefined) descriptors.set(want.input, fd = want.input.name === null ? 0 : fileSystem.openSync(want.input.name, 'r'));
      const buffer = Buffer.allocUnsafe(want.length);
      want.window = { bytes: buffer.subarray(0, fileSystem.readSync(fd, buffer, want.at)), offset: want.at - want.begin };
    } catch { /* told by whoever reads all of it */ }
  }
  for (const [input, fd] of descriptors) closeInput(input, fd);
  return wanted.flatMap(({ window }) => (window === null ? [] : [window]));
}

/** The whole records of each window; a window begins within a record unless it begins the input. */
function cutRecords(windows: readonly Window[], finder: RecordFinder, all: number): Uint8Array[][] {
  const most = Math.ceil(all / Math.max(1, windows.length));
  return windows.map(({ bytes, offset }) => {
    const records: Uint8Array[] = [];
    let at = offset === 0 ? 0 : finder.firstEnd(bytes, offset);
    while (at >= 0 && at < bytes.length && records.length < most) {
      const end = finder.firstEnd(bytes.subarray(at), 0);
      if (end < 0) break;
      records.push(bytes.subarray(at, at + end - delimiterBytes(finder)));
      at += end;
    }
    return records;
  }).filter((records) => records.length > 0);
}
