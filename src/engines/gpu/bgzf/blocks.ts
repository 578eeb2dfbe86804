/** Finds the blocks of BGZF in compressed text on the device. */

import { MOST_BLOCK_BYTES } from '../../../codecs/bgzf.js';
import type { Gpu } from '../device/device.js';
import { bind, Kernel, readBack, readWords, submitPass } from '../device/dispatch.js';
import type { Scratch } from '../device/pool.js';
import { textBufferBytes } from '../records/records.js';

/** Bytes of text that a workgroup of find-blocks.wgsl looks at. */
const TILE_BYTES = 1024;
/** Bytes of a place in its list, and bytes of compressed text for each place: blocks are usually longer. */
const PLACE_BYTES = 16;
const BYTES_PER_PLACE = 512;
const LEAST_PLACES = 4096;
/** Bytes of a block before its DEFLATE data, and after it. */
const HEADER_BYTES = 18;
const TRAILER_BYTES = 8;

/** A block, by bytes of the compressed text. */
export interface DeviceBlock {
  /** Where its DEFLATE data begins and ends. */
  readonly from: number;
  readonly to: number;
  readonly crc: number;
  readonly textBytes: number;
}

const kernelOf = (gpu: Gpu): Kernel => new Kernel(gpu, 'bgzf/find-blocks');

/** Compiles what `blocksOnDevice` needs. */
export function loadBlocks(gpu: Gpu): Promise<unknown> {
  return kernelOf(gpu).load();
}

/**
 * The blocks that follow one another from `begin` on and end at `end` or before, and the byte after the last one. More
 * blocks may follow: damaged ones, or ones with headers that htslib does not write. Waits for the device.
 */
export async function blocksOnDevice(
  scratch: Scratch,
  text: GPUBuffer,
  begin: number,
  end: number,
): Promise<{ readonly blocks: readonly DeviceBlock[]; readonly end: number }> {
  const { gpu } = scratch;
  const most = LEAST_PLACES + Math.ceil((end - begin) / BYTES_PER_PLACE);
  const found = await scratch.take(most * PLACE_BYTES, 'places of blocks');
  const count = await scratch.take(16, 'number of blocks');
  submitPass(
    gpu,
    'tokenize',
    'find blocks',
    (pass) => {
      kernelOf(gpu).dispatch(
        pass,
        { text: bind(text, textBufferBytes(end)), found: bind(found, most * PLACE_BYTES), count: bind(count, 4) },
        { begin, end, most },
        Math.ceil((end - (begin & ~3)) / TILE_BYTES),
      );
    },
    (encoder) => encoder.clearBuffer(count, 0, 4),
  );
  const [known] = await readWords(gpu, [{ buffer: count, at: 0 }]);
  const places = Math.min(known, most);
  const words =
    places === 0 ? new Uint32Array() : new Uint32Array((await readBack(gpu, found, 0, places * PLACE_BYTES)).buffer);
  scratch.drop(found);
  scratch.drop(count);
  return chainOf(words, begin);
}

/** The places that lead from one to the next, from `begin` on. Others only look like blocks. */
function chainOf(words: Uint32Array, begin: number): { readonly blocks: readonly DeviceBlock[]; readonly end: number } {
  const rows = new Map<number, number>();
  for (let row = 0; row < words.length; row += 4) rows.set(words[row], row);
  const blocks: DeviceBlock[] = [];
  let at = begin;
  for (let row = rows.get(at); row !== undefined && words[row + 3] <= MOST_BLOCK_BYTES; row = rows.get(at)) {
    const next = at + words[row + 1];
    blocks.push({
      from: at + HEADER_BYTES,
      to: next - TRAILER_BYTES,
      crc: words[row + 2],
      textBytes: words[row + 3],
    });
    at = next;
  }
  return { blocks, end: at };
}
