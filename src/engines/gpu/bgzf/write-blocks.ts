/**
 * Writes blocks of BGZF that the device has compressed. They are read back in pieces, which may end inside a block: its
 * bytes are kept until the next piece brings the others.
 */
import { blockSizes } from '../../../codecs/bgzf.js';
import type { BlockOutput } from '../../../contract/bam-sort.js';
import type { BlockWriter } from '../../../contract/engine.js';
import { allOver } from '../../../system/promises.js';
import type { DeflatedText } from './deflate.js';

/** Reads text back in pieces, in order. */
interface TextReader {
  emit(text: GPUBuffer, offset: number, length: number, write: BlockWriter): Promise<void>;
}

/** Writes the blocks of `textBytes` bytes of text. */
export async function writeDeflated(
  reads: TextReader,
  { data, bytes, sizes }: DeflatedText,
  textBytes: number,
  output: Pick<BlockOutput, 'write'>,
): Promise<void> {
  const blocks = blockSizes(textBytes, sizes);
  /** The number of blocks that were passed on. */
  let passed = 0;
  /** The block that the last piece left incomplete, and the number of its bytes that have arrived. */
  let cut: Uint8Array | null = null;
  let arrived = 0;
  await reads.emit(data, 0, bytes, async (piece) => {
    const writes: Promise<void>[] = [];
    let at = 0;
    if (cut !== null) {
      const more = piece.subarray(0, cut.length - arrived);
      cut.set(more, arrived);
      arrived += more.length;
      at = more.length;
      if (arrived < cut.length) return;
      writes.push(output.write(cut, [blocks[passed++]]));
      cut = null;
    }
    const first = passed;
    let end = at;
    while (passed < blocks.length && end + blocks[passed].bytes <= piece.length) end += blocks[passed++].bytes;
    if (passed > first) writes.push(output.write(piece.subarray(at, end), blocks.slice(first, passed)));
    if (end < piece.length) {
      cut = new Uint8Array(blocks[passed].bytes);
      cut.set(piece.subarray(end));
      arrived = piece.length - end;
    }
    await allOver(writes);
  });
}
