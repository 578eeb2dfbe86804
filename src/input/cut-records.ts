/**
 * Finds places near a byte of a regular file where its records may be cut: a record ends before such a place, and
 * another one begins there. Reads windows from the byte on. Knows lines, fixed records, FASTQ and FASTA, but no shares.
 */
import type { RecordFormat } from '../job/job.js';
import { ReadBoundary } from '../records/read-boundary.js';
import { recordFinder } from '../records/record-finder.js';
import { nextRecordEnd, type OpenFile, windowsFrom } from './boundary.js';
import { type InputFile, positional } from './files.js';

const [NEWLINE, GREATER] = [10, 62];

/**
 * Finds the first cut of a file at or after byte `from`, which is not its first one; the file's end is a cut. Null: a
 * cut before byte `stop`, which may be the file's end, is not certain.
 */
type FindCut = (file: OpenFile, from: number, stop: number) => Promise<number | null>;

/**
 * How an input is cut; null: it stays whole, because only reading it from its beginning shows where records begin.
 * `format`: of records that are read by position.
 */
export function cutterOf(input: InputFile, format: RecordFormat): FindCut | null {
  const { extent, framing, compressed, mates } = input;
  if (extent === null || compressed || mates.length > 0) return null;
  if (positional(input) !== null)
    return format.kind === 'fixed' ? cutFixed(extent.begin, format.size) : cutLines(format);
  if (framing?.kind === 'fasta') return cutSequences;
  return framing?.kind === 'fastq' && framing.reads === 1 ? cutReads : null;
}

function cutFixed(begin: number, size: number): FindCut {
  return (_file, from) => Promise.resolve(begin + Math.ceil((from - begin) / size) * size);
}

function cutLines(format: RecordFormat): FindCut {
  const finder = recordFinder(format);
  return async (file, from, stop) => {
    // The byte before `from` may end a line.
    const end = await nextRecordEnd({ ...file, end: stop }, finder, from - 1);
    return end < stop || stop === file.end ? end : null;
  };
}

/** Before a line that begins with `>`. */
async function cutSequences(file: OpenFile, from: number, stop: number): Promise<number | null> {
  let at = from - 1;
  let wasNewline = false;
  for await (const bytes of windowsFrom({ ...file, end: stop }, at)) {
    if (wasNewline && bytes[0] === GREATER) return at;
    const found = bytes.indexOf('\n>');
    if (found >= 0) return at + found + 1;
    wasNewline = bytes[bytes.length - 1] === NEWLINE;
    at += bytes.length;
  }
  return stop === file.end ? stop : null;
}

/**
 * After a whole record of four lines, before another one: so the lines before the cut are whole records if they are
 * valid, and empty lines, which only the end of a file may have, do not end there.
 */
async function cutReads(file: OpenFile, from: number, stop: number): Promise<number | null> {
  let boundary: ReadBoundary | null = null;
  let at = from - 1;
  for await (const bytes of windowsFrom({ ...file, end: stop }, at)) {
    const newline = boundary === null ? bytes.indexOf(NEWLINE) : -1;
    if (newline >= 0) boundary = new ReadBoundary(at + newline + 1);
    const found = boundary?.next(bytes.subarray(newline + 1)) ?? null;
    if (found !== null) return found;
    // It is not what the format allows, which whoever reads it reports; or only empty lines are left.
    if (boundary?.isRefuted) return file.end;
    at += bytes.length;
  }
  return stop === file.end ? stop : null;
}
