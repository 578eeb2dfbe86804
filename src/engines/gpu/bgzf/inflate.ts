/**
 * Inflates blocks of BGZF on the device, and computes their checksums. Accepts and refuses the DEFLATE data that zlib
 * does. Knows nothing of headers and trailers: the caller finds the blocks, and compares the checksums.
 */
import type { Gpu } from '../device/device.js';
import { bind, Kernel, loadKernels, readBack, send, submitPass } from '../device/dispatch.js';
import type { Scratch } from '../device/pool.js';

/** Words of a block in `places`, and where in them its text begins and ends. */
const PLACE_WORDS = 4;
const TEXT_BEGIN = 2;
const TEXT_END = 3;
/** Bytes of a workgroup's tables: TABLE_WORDS in bgzf/inflate.wgsl. */
const TABLE_BYTES = 8192;
/**
 * Workgroups that inflate; each takes one block after another. Their tables take 128 MiB, a binding on every device.
 * GB/s of text for 32,170 blocks on an H200: 7 with 1,056 workgroups, 14 with 4,224, 14.5 with 8,192, 15.3 with 16,384,
 * 15.6 with one per block. With a counter instead of turns: 13.5. (28 November 2026)
 */
const MOST_WORKGROUPS = 16_384;
/** Blocks per workgroup of bgzf/join-edges.wgsl. */
const EDGES = 256;

/** The results for each block. */
interface InflatedBlocks {
  /** 0: inflated. Otherwise the data is invalid or its text has another length; then the text is undefined. */
  readonly status: Uint32Array;
  /** The CRC-32 of the text. */
  readonly crcs: Uint32Array;
}

/** Compiles what `inflateOnDevice` needs. */
export function loadInflate(gpu: Gpu): Promise<unknown> {
  return loadKernels(kernelsOf(gpu));
}

function kernelsOf(gpu: Gpu) {
  return {
    inflate: new Kernel(gpu, 'bgzf/inflate'),
    joinEdges: new Kernel(gpu, 'bgzf/join-edges'),
    crc: new Kernel(gpu, 'bgzf/crc'),
  };
}

/**
 * Submits the inflation of blocks, and waits for the results. A block has four words in `places`: the first byte of its
 * DEFLATE data in `compressed` and the byte after it, the first byte of its text in `text` and the byte after it. A
 * text has at most 64 KiB. Texts follow one another without gaps; the first may begin at any byte, and the bytes before
 * it are kept. The bytes of the last word after the last text become 0; what follows is kept. Of buffers larger than
 * `gpu.maxBindingBytes`, only that many bytes are used.
 */
export async function inflateOnDevice(
  scratch: Scratch,
  compressed: GPUBuffer,
  places: Uint32Array<ArrayBuffer>,
  text: GPUBuffer,
): Promise<InflatedBlocks> {
  const { gpu } = scratch;
  const blocks = places.length / PLACE_WORDS;
  const workgroups = Math.min(blocks, MOST_WORKGROUPS);
  const take = async (bytes: number, label: string) => bind(await scratch.take(bytes, label), bytes);
  const held = {
    places: await take(places.byteLength, 'inflate places'),
    starts: await take((blocks + 1) * 4, 'inflate starts'),
    tables: await take(workgroups * TABLE_BYTES, 'inflate tables'),
    edges: await take(blocks * 4, 'inflate edges'),
    status: await take(blocks * 4, 'inflate status'),
    crcs: await take(blocks * 4, 'inflate checksums'),
  };
  send(gpu, held.places.buffer, 0, places);
  send(gpu, held.starts.buffer, 0, textStarts(places));
  const { inflate, joinEdges, crc } = kernelsOf(gpu);
  const { starts, tables, edges, status, crcs } = held;
  const input = { compressed: bindMost(gpu, compressed), places: held.places };
  const output = bindMost(gpu, text);
  submitPass(gpu, 'inflate', 'inflate', (pass) => {
    inflate.dispatch(pass, { ...input, text: output, edges, status, tables }, { blocks }, workgroups);
    joinEdges.dispatch(pass, { edges, places: held.places, text: output }, { blocks }, Math.ceil(blocks / EDGES));
    crc.dispatch(pass, { text: output, starts, crcs }, { first: 0, blocks }, blocks);
  });
  const found = [readBack(gpu, status.buffer, 0, blocks * 4), readBack(gpu, crcs.buffer, 0, blocks * 4)];
  for (const { buffer } of Object.values(held)) scratch.drop(buffer);
  const [statusBytes, crcBytes] = await Promise.all(found);
  return { status: new Uint32Array(statusBytes.buffer), crcs: new Uint32Array(crcBytes.buffer) };
}

/** Binds the whole buffer, or as much of it as a binding may have. */
function bindMost(gpu: Gpu, buffer: GPUBuffer) {
  return bind(buffer, Math.min(buffer.size, gpu.maxBindingBytes));
}

/** Where the texts begin, and where the last one ends. */
function textStarts(places: Uint32Array): Uint32Array<ArrayBuffer> {
  const starts = new Uint32Array(places.length / PLACE_WORDS + 1);
  for (let i = 0, at = 0; at < places.length; i++, at += PLACE_WORDS) {
    starts[i] = places[at + TEXT_BEGIN];
    starts[i + 1] = places[at + TEXT_END];
  }
  return starts;
}
