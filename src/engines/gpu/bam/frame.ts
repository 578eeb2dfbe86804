/**
 * Finds the records of BAM in a text on the device: their places and sizes. Every thread follows the records of one
 * BGZF block, and guesses where the first one begins; the host checks the guesses. Malformed input is declined: the
 * general path then reads it and reports what is wrong.
 */
import { Declined } from '../../../contract/engine.js';
import type { InflatedText } from '../bgzf/inflated-texts.js';
import type { Gpu } from '../device/device.js';
import { bind, Kernel, loadKernels, readBack, readWords, send, submitPass } from '../device/dispatch.js';
import type { Scratch } from '../device/pool.js';
import { textBufferBytes } from '../records/records.js';

/** Threads of a workgroup of the kernels. */
const WORKGROUP = 64;
/** An entry of a block whose first record is not known (frame.wgsl). */
const UNKNOWN = 0xffffffff;
/** Wrong guesses that are corrected, one at a time. More of them are not worth the wait. */
const MOST_CORRECTIONS = 4096;

/** The records of a text, by their numbers in it. Buffers of the pool. */
export interface Alignments {
  readonly count: number;
  readonly starts: GPUBuffer;
  readonly sizes: GPUBuffer;
  /** Where the next record begins, which the text does not contain as a whole. */
  readonly end: number;
}

const kernelsOf = (gpu: Gpu) => ({
  frame: new Kernel(gpu, 'bam/frame'),
  places: new Kernel(gpu, 'bam/places'),
});

/** Compiles what `frameAlignments` needs. */
export function loadFrame(gpu: Gpu): Promise<unknown> {
  return loadKernels(kernelsOf(gpu));
}

/**
 * The records of a text that begins with a record, in buffers of `scratch`. Waits for the device. Throws Declined.
 */
export async function frameAlignments(scratch: Scratch, bam: InflatedText, references: number): Promise<Alignments> {
  const blocks = bam.places.length / 4;
  const places = await scratch.take(bam.places.byteLength, 'places of blocks');
  send(scratch.gpu, places, 0, bam.places);
  const { entries, firsts, end } = await chain(scratch, bam, places, references);
  scratch.drop(places);
  const count = firsts[blocks];
  const starts = await scratch.take(count * 4, 'starts of records');
  const sizes = await scratch.take(count * 4, 'sizes of records');
  const result = { count, starts, sizes, end };
  if (count > 0) await writePlaces(scratch, bam, result, { entries, firsts });
  return result;
}

/** Which records begin in each block: the place of the first one, and its number; and where the last one ends. */
interface Chain {
  readonly entries: Uint32Array<ArrayBuffer>;
  readonly firsts: Uint32Array<ArrayBuffer>;
  readonly end: number;
}

/** Follows the records from block to block. If a guess was wrong, asks the device again. */
async function chain(scratch: Scratch, bam: InflatedText, places: GPUBuffer, references: number): Promise<Chain> {
  const blocks = bam.places.length / 4;
  const entries = new Uint32Array(blocks).fill(UNKNOWN);
  const endOf = (block: number): number => bam.places[4 * block + 3];
  // The block that the first record begins in is known: the first one with text.
  const known = entries.findIndex((_, block) => endOf(block) > 0);
  if (known >= 0) entries[known] = 0;
  const entryBuffer = await scratch.take(entries.byteLength, 'first records of blocks');
  const frames = await scratch.take(blocks * 16, 'records of blocks');
  const ask = async (first: number, count: number): Promise<Uint32Array> => {
    send(scratch.gpu, entryBuffer, first * 4, entries.subarray(first, first + count));
    submitPass(scratch.gpu, 'tokenize', 'frame', (pass) => {
      kernelsOf(scratch.gpu).frame.dispatch(
        pass,
        {
          text: bind(bam.text, textBufferBytes(bam.bytes)),
          places: bind(places, blocks * 16),
          entries: bind(entryBuffer, blocks * 4),
          frames: bind(frames, blocks * 16),
        },
        { first, blocks: count, end: bam.bytes, references },
        Math.ceil(count / WORKGROUP),
      );
    });
    return new Uint32Array((await readBack(scratch.gpu, frames, first * 16, count * 16)).buffer);
  };
  const all = await ask(0, blocks);
  const firsts = new Uint32Array(blocks + 1);
  let corrections = 0;
  let at = 0;
  let isOver = false;
  for (let block = 0; block < blocks; block++) {
    entries[block] = at;
    let count = 0;
    if (!isOver && at < endOf(block)) {
      let frame = all.subarray(4 * block, 4 * block + 4);
      if (frame[0] !== at) {
        if (++corrections > MOST_CORRECTIONS) throw new Declined('most records do not begin where they seem to');
        frame = await ask(block, 1);
      }
      if (frame[3] !== 0) throw new Declined('a record is malformed');
      at = frame[1];
      count = frame[2];
      isOver = at < endOf(block);
    }
    firsts[block + 1] = firsts[block] + count;
  }
  scratch.drop(entryBuffer);
  scratch.drop(frames);
  return { entries, firsts, end: at };
}

async function writePlaces(
  scratch: Scratch,
  bam: InflatedText,
  { count, starts, sizes }: Alignments,
  { entries, firsts }: Pick<Chain, 'entries' | 'firsts'>,
): Promise<void> {
  const { gpu } = scratch;
  const blocks = entries.length;
  const entryBuffer = await scratch.take(entries.byteLength, 'first records of blocks');
  const firstBuffer = await scratch.take(firsts.byteLength, 'numbers of first records');
  const malformed = await scratch.take(16, 'malformed');
  send(gpu, entryBuffer, 0, entries);
  send(gpu, firstBuffer, 0, firsts);
  submitPass(
    gpu,
    'tokenize',
    'places of records',
    (pass) => {
      kernelsOf(gpu).places.dispatch(
        pass,
        {
          text: bind(bam.text, textBufferBytes(bam.bytes)),
          entries: bind(entryBuffer, entries.byteLength),
          firsts: bind(firstBuffer, firsts.byteLength),
          starts: bind(starts, count * 4),
          sizes: bind(sizes, count * 4),
          malformed: bind(malformed, 4),
        },
        { blocks },
        Math.ceil(blocks / WORKGROUP),
      );
    },
    (encoder) => encoder.clearBuffer(malformed, 0, 4),
  );
  const [isMalformed] = await readWords(gpu, [{ buffer: malformed, at: 0 }]);
  for (const buffer of [entryBuffer, firstBuffer, malformed]) scratch.drop(buffer);
  if (isMalformed !== 0) throw new Declined('a record is malformed');
}
