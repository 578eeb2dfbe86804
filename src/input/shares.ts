/**
 * Cuts the inputs into shares: parts of about equal bytes, in input order, that tasks sort separately. Aims at equally
 * spaced bytes of all inputs one after another, and cuts at the first place after each of them that allows it. Reads
 * windows near these places only, unless records or segments are as long as shares.
 */
import type { SortJob } from '../job/job.js';
import type { Ordering, RecordFormat } from '../job/ordering.js';
import { type SegmentMark, sameSegment, segmentMark } from '../keys/fields.js';
import { segmentsAsRead } from '../keys/record-encoding.js';
import { ReadBoundary } from '../records/read-boundary.js';
import { recordFinder } from '../records/record-finder.js';
import { lastIndex } from '../system/binary-search.js';
import { GpusortError } from '../system/errors.js';
import { inParallel } from '../system/promises.js';
import { nextRecordEnd, type OpenFile, recordsFrom, windowsFrom } from './boundary.js';
import { type InputFile, isEmptyFile, positional, withOpenFile } from './files.js';

/** Bytes [begin, end) of an input, counted from the beginning of the file. They are whole records, without a header. */
export interface SharePart {
  readonly input: number;
  readonly begin: number;
  readonly end: number;
}

/**
 * Inputs that are examined at once, and places in each of them, because file systems of clusters are slow to answer.
 */
const INPUTS_AT_ONCE = 4;
const PLACES_AT_ONCE = 4;
/**
 * A cut may be at most this far after its target, or two shares if that is more; beyond that, it is found for a later
 * target.
 */
const LEAST_SEARCHED = 1 << 20;
/** A segment is refused if it makes a share as large as this many intended ones and of at least this many bytes. */
const MOST_SHARES_PER_SEGMENT = 4;
const LEAST_REFUSED = 64 << 20;

/** An input with content, and how many bytes of such inputs precede it. */
interface ShareInput {
  readonly input: number;
  readonly file: InputFile;
  readonly begin: number;
  readonly bytes: number;
  readonly before: number;
}

/**
 * Cuts inputs, whose headers are stripped, into at most `count` shares of whole records; none is empty, and without
 * content there are none. Inputs whose records are found only by reading from the beginning stay whole: compressed
 * files, BAM, CSV and interleaved FASTQ. No segment is cut. Throws `usage` for pipes and for segments that are too
 * large for shares, `bad-records` for files that are not whole records. `leastRefused`: for tests.
 */
export async function cutShares(
  inputs: readonly InputFile[],
  { ordering }: Pick<SortJob, 'ordering'>,
  count: number,
  leastRefused = LEAST_REFUSED,
): Promise<readonly (readonly SharePart[])[]> {
  const pieces = piecesOf(inputs, ordering);
  const last = pieces.at(-1);
  if (last === undefined) return [];
  const total = last.before + last.bytes;
  const wanted = total / count;
  const targets = Array.from({ length: count - 1 }, (_, i) => Math.round((i + 1) * wanted));
  const isCut = ordering.segments !== undefined && canCutSegments(pieces);
  const found = isCut
    ? await segmentCuts(pieces, ordering, targets, wanted)
    : await recordCuts(pieces, ordering, targets, wanted);
  const cuts = [...new Set([0, ...found, total])].sort((a, b) => a - b);
  if (isCut) refuseLong(pieces, cuts, wanted, leastRefused);
  return cuts.slice(1).map((end, i) => partsBetween(pieces, cuts[i], end));
}

function piecesOf(inputs: readonly InputFile[], { format }: Ordering): ShareInput[] {
  const pieces: ShareInput[] = [];
  let before = 0;
  inputs.forEach((file, input) => {
    const { extent, label } = file;
    if (extent === null) {
      if (isEmptyFile(file)) return;
      throw new GpusortError('usage', `cannot cut into shares: ${label}: it is not a regular file with a known size`, {
        hint: 'Copy it to a file first, or sort without --cluster.',
      });
    }
    const bytes = extent.end - extent.begin;
    if (positional(file) !== null) recordFinder(format).checkWhole(label, bytes);
    if (bytes > 0) pieces.push({ input, file, begin: extent.begin, bytes, before });
    before += bytes;
  });
  return pieces;
}

/** The piece that holds byte `at`, counted over all pieces. */
function pieceAt(pieces: readonly ShareInput[], at: number): number {
  return lastIndex(0, pieces.length, (i) => pieces[i].before <= at);
}

/**
 * Cuts near `targets`, as byte offsets over all pieces. They ascend with the targets; one cut may serve several
 * targets.
 */
async function recordCuts(
  pieces: readonly ShareInput[],
  { format }: Ordering,
  targets: readonly number[],
  wanted: number,
): Promise<number[]> {
  const cuts: number[] = [];
  const inside = new Map<ShareInput, number[]>();
  for (const target of targets) {
    const piece = pieces[pieceAt(pieces, target)];
    const from = target - piece.before;
    if (from === 0) cuts.push(target);
    else if (cutterOf(piece.file, format) === null)
      cuts.push(piece.before + (2 * from < piece.bytes ? 0 : piece.bytes));
    else {
      const places = inside.get(piece) ?? [];
      places.push(piece.begin + from);
      inside.set(piece, places);
    }
  }
  const searched = Math.max(LEAST_SEARCHED, Math.ceil(2 * wanted));
  await inParallel([...inside], INPUTS_AT_ONCE, ([{ file, before, begin }, places]) =>
    withOpenFile(file, (open) =>
      inParallel(places, PLACES_AT_ONCE, async (from) => {
        const cut = await cutterOf(file, format)!(open, from, Math.min(from + searched, open.end));
        if (cut !== null) cuts.push(before + cut - begin);
      }),
    ),
  );
  return cuts;
}

/** Whether segments are read by position. If not, a single file stays whole. Throws `usage` for several files. */
function canCutSegments(pieces: readonly ShareInput[]): boolean {
  const whole = pieces.find(({ file }) => positional(file) === null);
  if (whole === undefined) return true;
  if (pieces.length === 1) return false;
  throw new GpusortError(
    'usage',
    `cannot cut into shares: ${whole.file.label}: a segment may span it and another file`,
    {
      hint: 'Decompress it first, or sort without --cluster.',
    },
  );
}

/** Like recordCuts, but where segments end. */
async function segmentCuts(
  pieces: readonly ShareInput[],
  ordering: Ordering,
  targets: readonly number[],
  wanted: number,
): Promise<number[]> {
  const files = pieces.map(({ file }) => file);
  const searched = Math.max(LEAST_SEARCHED, Math.ceil(2 * wanted));
  const cuts: number[] = [];
  await inParallel(targets, INPUTS_AT_ONCE, async (target) => {
    const input = pieceAt(pieces, target);
    const { begin, before } = pieces[input];
    const end = await nextSegmentEnd(files, ordering, { input, byte: begin + target - before }, searched);
    if (end !== null) cuts.push(pieces[end.input].before + end.byte - pieces[end.input].begin);
  });
  return cuts;
}

/** Throws for a share that one segment makes far too large. */
function refuseLong(pieces: readonly ShareInput[], cuts: readonly number[], wanted: number, least: number): void {
  const most = Math.max(MOST_SHARES_PER_SEGMENT * wanted, least);
  const long = cuts.findIndex((end, i) => i > 0 && end - cuts[i - 1] > most);
  if (long < 0) return;
  // The segment may begin one share after the cut.
  const at = Math.min(Math.ceil(cuts[long - 1] + 2 * wanted), cuts[long] - 1);
  const { file, before, begin } = pieces[pieceAt(pieces, at)];
  throw new GpusortError(
    'usage',
    `cannot cut into shares: ${file.label}: the segment at byte ${begin + at - before + 1} spans several shares of ` +
      `${Math.round(wanted)} bytes`,
    { hint: 'Use fewer --tasks, or sort without --cluster.' },
  );
}

/** Bytes [from, to), counted over all pieces. */
function partsBetween(pieces: readonly ShareInput[], from: number, to: number): SharePart[] {
  const parts: SharePart[] = [];
  for (let i = pieceAt(pieces, from); i < pieces.length && pieces[i].before < to; i++) {
    const { input, begin, bytes, before } = pieces[i];
    parts.push({
      input,
      begin: begin + Math.max(from - before, 0),
      end: begin + Math.min(to - before, bytes),
    });
  }
  return parts;
}

/**
 * Finds places near a byte of a regular file where its records may be cut: a record ends before such a place, and
 * another one begins there. Reads windows from the byte on. Knows lines, fixed records, FASTQ and FASTA, but no shares.
 */
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
function cutterOf(input: InputFile, format: RecordFormat): FindCut | null {
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

/** Cuts before a line that begins with `>`. */
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
 * Cuts after a whole record of four lines, before another one. So the lines before the cut are whole records if they
 * are valid, and they do not end with empty lines, which are allowed only at the end of a file.
 */
async function cutReads(file: OpenFile, from: number, stop: number): Promise<number | null> {
  let boundary: ReadBoundary | null = null;
  let at = from - 1;
  for await (const bytes of windowsFrom({ ...file, end: stop }, at)) {
    const newline = boundary === null ? bytes.indexOf(NEWLINE) : -1;
    if (newline >= 0) boundary = new ReadBoundary(at + newline + 1);
    const found = boundary?.next(bytes.subarray(newline + 1)) ?? null;
    if (found !== null) return found;
    // The lines are not valid, which the format's reader will report, or only empty lines are left.
    if (boundary?.isRefuted) return file.end;
    at += bytes.length;
  }
  return stop === file.end ? stop : null;
}

/** A byte of one of the inputs. */
interface InputPosition {
  readonly input: number;
  readonly byte: number;
}

/**
 * The first place after `from` where a segment certainly ends and another begins, because no share may cut a segment:
 * the mark of the record there differs from that of the one before, which begins at or after `from`. A segment may
 * continue from one file to the next. Null: there is no such place in the next `most` bytes. All inputs have content
 * and are read by position.
 */
async function nextSegmentEnd(
  inputs: readonly InputFile[],
  ordering: Ordering,
  from: InputPosition,
  most: number,
): Promise<InputPosition | null> {
  const segments = segmentsAsRead(ordering)!;
  const finder = recordFinder(ordering.format);
  let left = most;
  /** Undefined: not known. */
  let before: SegmentMark | undefined;
  for (let input = from.input; input < inputs.length && left > 0; input++) {
    const found = await withOpenFile(inputs[input], async (file) => {
      const { begin } = inputs[input].extent!;
      const inside = input === from.input && from.byte > begin;
      const cut = cutterOf(inputs[input], ordering.format)!;
      const first = inside ? await cut(file, from.byte, Math.min(from.byte + left, file.end)) : begin;
      if (first === null) {
        left = 0;
        return null;
      }
      for await (const { at, bytes } of recordsFrom(file, finder, first)) {
        const mark = bytes === null ? undefined : segmentMark(segments, bytes);
        if (before !== undefined && mark !== undefined && !sameSegment(before, mark)) return at;
        before = mark;
        if (at - first > left) break;
      }
      left -= file.end - first;
      return null;
    });
    if (found !== null) return { input, byte: found };
  }
  return null;
}

/** The inputs of a share: `inputs` are all inputs of the job, with or without their headers. */
export function shareInputs(inputs: readonly InputFile[], parts: readonly SharePart[]): InputFile[] {
  return parts.map(({ input, begin, end }) => {
    const whole = inputs[input];
    const { extent, framing, label } = whole;
    if (extent !== null && extent.begin === begin && extent.end === end) return whole;
    const isFirst = extent?.begin === begin;
    return {
      ...whole,
      // Line numbers in messages about framed records count from the beginning of the part.
      label: framing === null || isFirst ? label : `${label} after byte ${begin}`,
      extent: { begin, end },
      // Then the first bytes are not examined either: in the middle of a file, lines may begin like a compressed file.
      headerStripped: whole.headerStripped || !isFirst,
    };
  });
}
