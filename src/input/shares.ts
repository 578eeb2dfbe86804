/**
 * Cuts the inputs into shares: parts of about equal bytes, in input order, that tasks sort separately. Aims at equally
 * spaced bytes of all inputs one after another, and cuts at the first place after each of them that allows it. Reads
 * windows near these places only, unless records or segments are as long as shares.
 */
import type { Ordering, SortJob } from '../job/job.js';
import { recordFinder } from '../records/record-finder.js';
import { GpusortError } from '../system/errors.js';
import { inParallel } from '../system/promises.js';
import { cutterOf } from './cut-records.js';
import { nextSegmentEnd } from './cut-segments.js';
import { type InputFile, isEmptyFile, positional, withOpenFile } from './files.js';

/** Bytes [begin, end) of an input, counted from the beginning of the file. They are whole records, without a header. */
export interface SharePart {
  readonly input: number;
  readonly begin: number;
  readonly end: number;
}

/** Inputs that are looked at together, and places in each of them: file systems of clusters take a while to answer. */
const INPUTS_AT_ONCE = 4;
const PLACES_AT_ONCE = 4;
/** A cut may lie this far after the byte it is for, or as far as two shares: then it is found for another byte. */
const LEAST_SEARCHED = 1 << 20;
/** A segment is refused if it makes a share of as many wanted ones and of at least so many bytes. */
const MOST_SHARES_PER_SEGMENT = 4;
const LEAST_REFUSED = 64 << 20;

/** An input with content, and how many bytes of such inputs precede it. */
interface Piece {
  readonly input: number;
  readonly file: InputFile;
  readonly begin: number;
  readonly bytes: number;
  readonly before: number;
}

/**
 * Cuts inputs, whose headers are stripped, into at most `count` shares of whole records; none is empty, and without
 * content there are none. Inputs that only reading shows the records of stay whole: compressed files, BAM, CSV and
 * interleaved FASTQ. No segment is cut. Throws `usage` for streams and for segments that are too large for shares,
 * `bad-records` for files that are not whole records. `leastRefused`: for tests.
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

function piecesOf(inputs: readonly InputFile[], { format }: Ordering): Piece[] {
  const pieces: Piece[] = [];
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

/** The piece that holds byte `at` of all of them. */
function pieceAt(pieces: readonly Piece[], at: number): number {
  let [low, high] = [0, pieces.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (pieces[middle].before <= at) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Cuts near `targets`, as bytes of all pieces. They ascend with the targets, and one may be found for several. */
async function recordCuts(
  pieces: readonly Piece[],
  { format }: Ordering,
  targets: readonly number[],
  wanted: number,
): Promise<number[]> {
  const cuts: number[] = [];
  const inside = new Map<Piece, number[]>();
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

/** Whether segments are read by position. If not, a file that is alone stays whole. Throws `usage` for several. */
function canCutSegments(pieces: readonly Piece[]): boolean {
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

/** The same where segments end. */
async function segmentCuts(
  pieces: readonly Piece[],
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
function refuseLong(pieces: readonly Piece[], cuts: readonly number[], wanted: number, least: number): void {
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

/** Bytes [from, to) of all pieces. */
function partsBetween(pieces: readonly Piece[], from: number, to: number): SharePart[] {
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
