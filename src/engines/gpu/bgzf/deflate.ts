/**
 * Compresses a text on the device to blocks of BGZF, one after another. Knows nothing of records and files.
 *   1. Each block gets a checksum and is compressed to a slot of 64 KiB.
 *   2. The host reads the sizes of all blocks, which determine where they go.
 *   3. Slots are gathered as records are: by the kernels of records/gather.ts.
 * Slots are in groups, because all slots together may exceed a binding even if the text does not.
 */
import { BLOCK_TEXT } from '../../../codecs/bgzf.js';
import type { Gpu } from '../device/device.js';
import { type Binding, bind, Kernel, loadKernels, readBack, send, submitPass } from '../device/dispatch.js';
import type { Scratch } from '../device/pool.js';
import { textBufferBytes } from '../records/records.js';

/**
 * Workgroups that compress, each one block after another. On an H200, 4,224 (all that it runs at once) take 8.9 GB/s,
 * and 2,112 take 7.5 (28 November 2026). Each needs 136 KiB of scratch memory.
 */
const MOST_WORKGROUPS = 4096;
/** Bytes of a workgroup's sequences and of its table: SLOT_SEQUENCES and TABLE_WORDS in bgzf/deflate.wgsl. */
const SEQUENCES_BYTES = 128 << 10;
const TABLE_BYTES = 8 << 10;
/** Bytes of a block's slot: SLOT_WORDS in bgzf/deflate.wgsl. */
const SLOT_BYTES = 64 << 10;
/** WebGPU's alignment of the offset of a binding, and the room before the slots of a group (see `gatherGroup`). */
const LEAD_BYTES = 256;
/** Bytes of output per workgroup of records/gather/text.wgsl, which writes vectors of VECTOR_BYTES. */
const TILE_BYTES = 8192;
const VECTOR_BYTES = 16;

/** Consecutive blocks, and a buffer of LEAD_BYTES and a slot for each of them. */
interface SlotGroup {
  readonly first: number;
  readonly blocks: number;
  readonly slots: GPUBuffer;
}

export interface DeflatedText {
  /** The blocks, without gaps. Zeros follow, up to the next multiple of 16. */
  readonly data: GPUBuffer;
  readonly bytes: number;
  /** Bytes of each block. */
  readonly sizes: Uint32Array;
}

/** Compiles what `deflateText` needs. */
export function loadDeflate(gpu: Gpu): Promise<unknown> {
  return loadKernels(kernelsOf(gpu));
}

function kernelsOf(gpu: Gpu) {
  return {
    crc: new Kernel(gpu, 'bgzf/crc'),
    deflate: new Kernel(gpu, 'bgzf/deflate'),
    tiles: new Kernel(gpu, 'records/gather/tiles'),
    text: new Kernel(gpu, 'records/gather/text'),
  };
}

/**
 * Compresses text[0, bytes), at least 1 byte and at most a binding, at level 1 to blocks of BLOCK_TEXT bytes of text;
 * the last one may have fewer. There is no end block. `data` is a buffer of `scratch`; all others are returned early.
 * Waits for the sizes; the gathering is only submitted. Besides the text, needs memory of up to twice its size and 600
 * MB.
 */
export async function deflateText(scratch: Scratch, text: GPUBuffer, bytes: number): Promise<DeflatedText> {
  const groups = await takeGroups(scratch, Math.ceil(bytes / BLOCK_TEXT));
  const sizes = await compressGroups(scratch, text, bytes, groups);
  const starts = [0];
  for (const size of sizes) starts.push(starts[starts.length - 1] + size);
  const total = starts[sizes.length];
  const data = await scratch.take(Math.ceil(total / VECTOR_BYTES) * VECTOR_BYTES, 'deflated text');
  for (const group of groups) {
    await gatherGroup(scratch, group, starts, data);
    scratch.drop(group.slots);
  }
  return { data, bytes: total, sizes };
}

/** Takes the slots of all blocks. */
async function takeGroups(scratch: Scratch, blocks: number): Promise<SlotGroup[]> {
  const most = Math.floor((scratch.gpu.maxBindingBytes - LEAD_BYTES) / SLOT_BYTES);
  const groups: SlotGroup[] = [];
  for (let first = 0; first < blocks; first += most) {
    const count = Math.min(most, blocks - first);
    const slots = await scratch.take(LEAD_BYTES + count * SLOT_BYTES, 'deflate slots');
    groups.push({ first, blocks: count, slots });
  }
  return groups;
}

/** Compresses all blocks to their slots, and waits for their sizes. */
async function compressGroups(
  scratch: Scratch,
  text: GPUBuffer,
  bytes: number,
  groups: readonly SlotGroup[],
): Promise<Uint32Array> {
  const { gpu } = scratch;
  const blocks = Math.ceil(bytes / BLOCK_TEXT);
  const starts = Uint32Array.from({ length: blocks + 1 }, (_, i) => Math.min(i * BLOCK_TEXT, bytes));
  const workgroups = Math.min(blocks, MOST_WORKGROUPS, Math.floor(gpu.maxBindingBytes / SEQUENCES_BYTES));
  const held = {
    starts: await scratch.take(starts.byteLength, 'deflate starts'),
    crcs: await scratch.take(blocks * 4, 'deflate checksums'),
    sizes: await scratch.take(blocks * 4, 'deflate sizes'),
    sequences: await scratch.take(workgroups * SEQUENCES_BYTES, 'deflate sequences'),
    tables: await scratch.take(workgroups * TABLE_BYTES, 'deflate tables'),
  };
  send(gpu, held.starts, 0, starts);
  // Kernels may read past the text; those bytes have no effect.
  const input: Record<'text' | 'starts' | 'crcs', Binding> = {
    text: bind(text, Math.min(textBufferBytes(bytes), text.size, gpu.maxBindingBytes)),
    starts: bind(held.starts, starts.byteLength),
    crcs: bind(held.crcs, blocks * 4),
  };
  const output = {
    sizes: bind(held.sizes, blocks * 4),
    sequences: bind(held.sequences, workgroups * SEQUENCES_BYTES),
    tables: bind(held.tables, workgroups * TABLE_BYTES),
  };
  const { crc, deflate } = kernelsOf(gpu);
  submitPass(gpu, 'deflate', 'deflate', (pass) => {
    crc.dispatch(pass, input, { first: 0, blocks }, blocks);
    for (const { first, blocks: count, slots } of groups) {
      const out = bind(slots, count * SLOT_BYTES, LEAD_BYTES);
      deflate.dispatch(pass, { ...input, ...output, out }, { first, blocks: count }, Math.min(workgroups, count));
    }
  });
  const read = readBack(gpu, held.sizes, 0, blocks * 4);
  for (const buffer of Object.values(held)) scratch.drop(buffer);
  return new Uint32Array((await read).buffer);
}

/**
 * Submits the writing of a group's blocks to their places in `data`: block i begins at starts[i]. The kernel writes
 * whole vectors from the offset of a binding on, so the bytes of `data` between that offset and the first block, at
 * most LEAD_BYTES, are copied to the room before the slots and gathered like a block.
 */
async function gatherGroup(
  scratch: Scratch,
  { first, blocks, slots }: SlotGroup,
  starts: readonly number[],
  data: GPUBuffer,
): Promise<void> {
  const { gpu } = scratch;
  const n = blocks + 1;
  const offset = Math.floor(starts[first] / LEAD_BYTES) * LEAD_BYTES;
  const lead = starts[first] - offset;
  const bytes = starts[first + blocks] - offset;
  const tiles = Math.ceil(bytes / TILE_BYTES);
  const sources = Uint32Array.from({ length: n }, (_, i) => (i === 0 ? 0 : LEAD_BYTES + (i - 1) * SLOT_BYTES));
  const outStarts = Uint32Array.from({ length: n + 1 }, (_, i) => (i === 0 ? 0 : starts[first + i - 1] - offset));
  const held = {
    sources: await scratch.take(sources.byteLength, 'deflate sources'),
    outStarts: await scratch.take(outStarts.byteLength, 'deflate places'),
    tiles: await scratch.take(tiles * 4, 'deflate tiles'),
  };
  send(gpu, held.sources, 0, sources);
  send(gpu, held.outStarts, 0, outStarts);
  const input = { out_starts: bind(held.outStarts, outStarts.byteLength), first: bind(held.tiles, tiles * 4) };
  const kernels = kernelsOf(gpu);
  submitPass(
    gpu,
    'gather',
    'gather blocks',
    (pass) => {
      kernels.tiles.dispatch(pass, input, { n, tiles }, Math.ceil(tiles / 256));
      const out = bind(data, Math.ceil(bytes / VECTOR_BYTES) * VECTOR_BYTES, offset);
      const from = { text: bind(slots, LEAD_BYTES + blocks * SLOT_BYTES), sources: bind(held.sources, n * 4) };
      kernels.text.dispatch(pass, { ...input, ...from, out }, { n, bytes, tiles, last_change: 0 }, tiles);
    },
    (encoder) => {
      if (lead > 0) encoder.copyBufferToBuffer(data, offset, slots, 0, Math.ceil(lead / 4) * 4);
    },
  );
  for (const buffer of Object.values(held)) scratch.drop(buffer);
}
