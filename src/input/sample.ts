/**
 * Takes a sample of the input for the planner: whole records from small windows, spread over files that are read by
 * position, or over what was read ahead of an input that is read sequentially. Knows where records end, but not how
 * they are used.
 */

import type { FileName } from '../job/job.js';
import { delimiterBytes, type RecordFinder } from '../records/record-finder.js';
import { fileSystem } from '../system/file-system.js';
import { closeInput, type FileExtent, type InputFile, positional } from './files.js';

/** Windows of a sample. Each takes one read. Their records are listed by window, in input order. */
export interface SampleWindows {
  readonly count: number;
  readonly bytes: number;
  /** Maximum number of records in all. */
  readonly most: number;
}
/**
 * The sample that shows what neighbors have in common: enough records to detect fractions of a few percent, few enough
 * to sort in one or two milliseconds.
 */
export const NEIGHBORS: SampleWindows = { count: 32, bytes: 8 << 10, most: 1024 };
/**
 * The windows of a sample that represents the input even if neighbors resemble each other, and that is large enough to
 * choose splitters for this many buckets.
 */
export function spreadWindows(buckets: number): SampleWindows {
  return { count: Math.max(64, buckets), bytes: 2 << 10, most: Math.max(512, 8 * buckets) };
}
/**
 * Fewer but larger windows are read if small ones hold fewer than two whole records on average, or if fewer than this
 * share of them hold any, because lines are long in places.
 */
const SEEN_SHARE = 0.9;
const large = (most: number): SampleWindows => ({ count: 16, bytes: 64 << 10, most });
/**
 * No window is read after this many slow reads: a hard disk, where each read is slow, must not seek long for an
 * estimate. From the page cache, all windows together take half a millisecond, and a busy processor delays very few of
 * them. So the sample, and with it the plan, does not depend on how busy the processors are.
 */
const MOST_SLOW_READS = 8;
const SLOW_READ_MS = 0.5;
/**
 * Distance between windows read one after another. It is odd, so that it reaches all windows if their number is a power
 * of two.
 */
const STRIDE = 13;

/** A file that is read by position, in a form that threads can be sent. */
export interface SampledFile extends FileExtent {
  readonly name: FileName;
}

/** The inputs that can be sampled: those that are not read sequentially. */
export function sampledFiles(inputs: readonly InputFile[]): SampledFile[] {
  return inputs.flatMap((input) => {
    const extent = positional(input);
    return extent === null ? [] : [{ name: input.name, ...extent }];
  });
}

/** A window's bytes, and their offset from the first record of the input. */
interface SampleWindow {
  readonly bytes: Buffer;
  readonly offset: number;
}

/**
 * Records of files, without delimiters, one list per window. Skips whatever cannot be read: reading the whole input
 * reports that. `clock` returns milliseconds.
 */
export function sampleFiles(
  files: readonly SampledFile[],
  finder: RecordFinder,
  windows: SampleWindows,
  clock = (): number => performance.now(),
): Uint8Array[][] {
  const small = readWindows(files, windows, clock);
  const records = cutRecords(small, finder, windows.most);
  const found = records.reduce((sum, window) => sum + window.length, 0);
  if (found >= 2 * small.length && records.length >= SEEN_SHARE * small.length) return records;
  return cutRecords(readWindows(files, large(windows.most), clock), finder, windows.most);
}

/** The same for what was read ahead. `parts`: its bytes from the beginning. */
export function sampleParts(
  parts: readonly Uint8Array[],
  finder: RecordFinder,
  windows: SampleWindows,
): Uint8Array[][] {
  const total = parts.reduce((sum, part) => sum + part.length, 0);
  const places = windowPlaces(total, windows);
  const read: SampleWindow[] = [];
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

/**
 * The offsets of windows in `total` bytes: evenly spread, not overlapping, the first at the beginning and the last at
 * the end, where records are appended.
 */
function windowPlaces(total: number, { count, bytes }: SampleWindows): number[] {
  const fit = Math.max(1, Math.min(count, Math.floor(total / bytes)));
  const apart = fit === 1 ? 0 : (total - bytes) / (fit - 1);
  return Array.from({ length: total === 0 ? 0 : fit }, (_, i) => Math.floor(i * apart));
}

function readWindows(files: readonly SampledFile[], windows: SampleWindows, clock: () => number): SampleWindow[] {
  const { bytes } = windows;
  const places = windowPlaces(
    files.reduce((sum, { begin, end }) => sum + end - begin, 0),
    windows,
  );
  const wanted: { file: SampledFile; at: number; length: number; window: SampleWindow | null }[] = [];
  let before = 0;
  for (const file of files) {
    const { begin, end } = file;
    for (const place of places) {
      const at = begin + place - before;
      if (at >= begin && at < end) wanted.push({ file, at, length: Math.min(bytes, end - at), window: null });
    }
    before += end - begin;
  }
  // Read distant windows first, so that those read in time are spread out.
  const visits = [...new Set([...wanted.map((_, i) => wanted[(i * STRIDE) % wanted.length]), ...wanted])];
  const descriptors = new Map<SampledFile, number>();
  let slow = 0;
  for (const want of visits) {
    if (slow === MOST_SLOW_READS) break;
    const start = clock();
    try {
      const { file } = want;
      let fd = descriptors.get(file);
      if (fd === undefined) descriptors.set(file, (fd = file.name === null ? 0 : fileSystem.openSync(file.name, 'r')));
      const buffer = Buffer.allocUnsafe(want.length);
      want.window = {
        bytes: buffer.subarray(0, fileSystem.readSync(fd, buffer, want.at)),
        offset: want.at - file.begin,
      };
    } catch {
      /* reported when the whole input is read */
    }
    if (clock() - start > SLOW_READ_MS) slow++;
  }
  for (const [file, fd] of descriptors) closeInput(file, fd);
  return wanted.flatMap(({ window }) => (window === null ? [] : [window]));
}

/** The whole records of each window. A window begins inside a record, unless it begins the input. */
function cutRecords(windows: readonly SampleWindow[], finder: RecordFinder, all: number): Uint8Array[][] {
  const most = Math.ceil(all / Math.max(1, windows.length));
  return windows
    .map(({ bytes, offset }) => {
      const records: Uint8Array[] = [];
      let at = offset === 0 ? 0 : finder.firstEnd(bytes, offset);
      while (at >= 0 && at < bytes.length && records.length < most) {
        const end = finder.firstEnd(bytes, offset, at);
        if (end < 0) break;
        records.push(bytes.subarray(at, end - delimiterBytes(finder)));
        at = end;
      }
      return records;
    })
    .filter((records) => records.length > 0);
}
