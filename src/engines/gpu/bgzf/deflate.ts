/**
 * Compresses a text on the device to blocks of BGZF, one after another: fast, or to about the size of zlib's level 6.
 * Knows nothing of records and files.
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

/**
 * Blocks that the kernels of level 6 compress at once. Each needs 512 KiB of scratch memory: WORD_BYTES for links, and
 * as much for matches. A range of BAM is two such groups (SIZES in bam/sort-bam.ts).
 */
const MOST_BLOCKS = 1056;
/** Bytes of a word for each position of a block: BLOCK_WORDS in bgzf/longest-matches.wgsl. */
const WORD_BYTES = 256 << 10;
/** Blocks whose matches are found by one dispatch, so that a dispatch is short. */
const SEARCHED_BLOCKS = 256;
/** Workgroups for each of them: BLOCK_WORKGROUPS in bgzf/longest-matches.wgsl. */
const SEARCH_WORKGROUPS = 255;

/** Consecutive blocks, and a buffer of LEAD_BYTES and a slot for each of them. */
interface SlotGroup {
  readonly first: number;
  readonly blocks: number;
  readonly slots: GPUBuffer;
}

/** What all kernels read of the blocks. */
interface BlockInput {
  readonly text: Binding;
  readonly starts: Binding;
}

/** What ends each block, and its size. */
interface BlockEnds {
  readonly crcs: Binding;
  readonly sizes: Binding;
}

export interface DeflatedText {
  /** The blocks, without gaps. Zeros follow, up to the next multiple of 16. */
  readonly data: GPUBuffer;
  readonly bytes: number;
  /** Bytes of each block. */
  readonly sizes: Uint32Array;
}

/** Compiles what `deflateText` needs at a level. */
export function loadDeflate(gpu: Gpu, level: number): Promise<unknown> {
  return loadKernels({ ...kernelsOf(gpu), ...(level === 1 ? fastKernels(gpu) : bestKernels(gpu)) });
}

const fastKernels = (gpu: Gpu) => ({ deflate: new Kernel(gpu, 'bgzf/deflate') });

const bestKernels = (gpu: Gpu) => ({
  link: new Kernel(gpu, 'bgzf/link-positions'),
  search: new Kernel(gpu, 'bgzf/longest-matches'),
  cheapest: new Kernel(gpu, 'bgzf/deflate-cheapest'),
});

function kernelsOf(gpu: Gpu) {
  return {
    crc: new Kernel(gpu, 'bgzf/crc'),
    tiles: new Kernel(gpu, 'records/gather/tiles'),
    text: new Kernel(gpu, 'records/gather/text'),
  };
}

/**
 * Compresses text[0, bytes), at least 1 byte and at most a binding, to blocks of BLOCK_TEXT bytes of text; the last one
 * may have fewer. Levels 2 to 6 are the same. There is no end block. `data` is a buffer of `scratch`; all others are
 * returned early.
 * Waits for the sizes; the gathering is only submitted. Besides the text, needs memory of up to twice its size and 600
 * MB.
 */
export async function deflateText(
  scratch: Scratch,
  text: GPUBuffer,
  bytes: number,
  level: number,
): Promise<DeflatedText> {
  const groups = await takeGroups(scratch, Math.ceil(bytes / BLOCK_TEXT));
  const sizes = await compressGroups(scratch, text, bytes, groups, level);
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
  level: number,
): Promise<Uint32Array> {
  const { gpu } = scratch;
  const blocks = Math.ceil(bytes / BLOCK_TEXT);
  const starts = Uint32Array.from({ length: blocks + 1 }, (_, i) => Math.min(i * BLOCK_TEXT, bytes));
  const held = {
    starts: await scratch.take(starts.byteLength, 'deflate starts'),
    crcs: await scratch.take(blocks * 4, 'deflate checksums'),
    sizes: await scratch.take(blocks * 4, 'deflate sizes'),
  };
  send(gpu, held.starts, 0, starts);
  // Kernels may read past the text; those bytes have no effect.
  const input: BlockInput = {
    text: bind(text, Math.min(textBufferBytes(bytes), text.size, gpu.maxBindingBytes)),
    starts: bind(held.starts, starts.byteLength),
  };
  const more: BlockEnds = { crcs: bind(held.crcs, blocks * 4), sizes: bind(held.sizes, blocks * 4) };
  submitPass(gpu, 'deflate', 'deflate', (pass) => {
    kernelsOf(gpu).crc.dispatch(pass, { ...input, crcs: more.crcs }, { first: 0, blocks }, blocks);
  });
  const compress = level === 1 ? compressFast : compressBest;
  await compress(scratch, blocks, input, more, groups);
  const read = readBack(gpu, held.sizes, 0, blocks * 4);
  for (const buffer of Object.values(held)) scratch.drop(buffer);
  return new Uint32Array((await read).buffer);
}

/** Submits level 1 for all blocks. */
async function compressFast(
  scratch: Scratch,
  blocks: number,
  input: BlockInput,
  more: BlockEnds,
  groups: readonly SlotGroup[],
): Promise<void> {
  const { gpu } = scratch;
  const workgroups = Math.min(blocks, MOST_WORKGROUPS, Math.floor(gpu.maxBindingBytes / SEQUENCES_BYTES));
  const sequences = await scratch.take(workgroups * SEQUENCES_BYTES, 'deflate sequences');
  const tables = await scratch.take(workgroups * TABLE_BYTES, 'deflate tables');
  const work = {
    sequences: bind(sequences, workgroups * SEQUENCES_BYTES),
    tables: bind(tables, workgroups * TABLE_BYTES),
  };
  submitPass(gpu, 'deflate', 'deflate', (pass) => {
    for (const { first, blocks: count, slots } of groups) {
      const bindings = { ...input, ...more, ...work, out: bind(slots, count * SLOT_BYTES, LEAD_BYTES) };
      fastKernels(gpu).deflate.dispatch(pass, bindings, { first, blocks: count }, Math.min(workgroups, count));
    }
  });
  scratch.drop(sequences);
  scratch.drop(tables);
}

/** Submits level 6 for all blocks: links, matches and compression, for some blocks at a time. */
async function compressBest(
  scratch: Scratch,
  blocks: number,
  input: BlockInput,
  more: BlockEnds,
  groups: readonly SlotGroup[],
): Promise<void> {
  const { gpu } = scratch;
  const { link, search, cheapest } = bestKernels(gpu);
  const fitting = Math.max(1, Math.min(MOST_BLOCKS, Math.floor(gpu.maxBindingBytes / WORD_BYTES)));
  // As many blocks each time: a few would take as long as a thousand.
  const most = Math.ceil(blocks / Math.ceil(blocks / fitting));
  const linkBuffer = await scratch.take(most * WORD_BYTES, 'deflate links');
  const matchBuffer = await scratch.take(most * WORD_BYTES, 'deflate matches');
  const links = bind(linkBuffer, most * WORD_BYTES);
  const matches = bind(matchBuffer, most * WORD_BYTES);
  for (const group of groups) {
    const out = bind(group.slots, group.blocks * SLOT_BYTES, LEAD_BYTES);
    for (let slot = 0; slot < group.blocks; slot += most) {
      const count = Math.min(most, group.blocks - slot);
      const first = group.first + slot;
      submitPass(gpu, 'deflate', 'deflate', (pass) => {
        link.dispatch(pass, { ...input, links }, { first }, count);
        for (let at = 0; at < count; at += SEARCHED_BLOCKS) {
          const searched = Math.min(SEARCHED_BLOCKS, count - at);
          const place = { first: first + at, slot: at, blocks: searched };
          search.dispatch(pass, { ...input, links, matches }, place, searched * SEARCH_WORKGROUPS);
        }
        cheapest.dispatch(pass, { ...input, ...more, matches, steps: links, out }, { first, slot }, count);
      });
    }
  }
  scratch.drop(linkBuffer);
  scratch.drop(matchBuffer);
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
