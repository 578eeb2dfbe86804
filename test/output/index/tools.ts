/** Debian's tools as oracles of indexes, BGZF files for them, and how to compare index files. */
import { execFileSync, spawnSync } from 'node:child_process';
import { deflateRawSync, gunzipSync, inflateRawSync } from 'node:zlib';
import type { IndexBuilder } from '../../../src/output/index/index-builder.js';
import { crc32 } from '../../../src/system/zlib.js';
import type { RandomBelow } from '../../support/random.js';

/** Appended to the name of a test that is skipped without a tool. */
export function missing(...tools: string[]): string {
  const absent = tools.filter((tool) => spawnSync(tool, ['--version']).error !== undefined);
  return absent.length === 0 ? '' : ` (left out: no ${absent.join(', ')})`;
}

export function run(tool: string, args: readonly string[], input?: Uint8Array): Buffer {
  return execFileSync(tool, args, { input, maxBuffer: 2 ** 30, stdio: ['pipe', 'pipe', 'ignore'] });
}

/** The end block of a BGZF file. */
const END_BLOCK = Buffer.from('1f8b08040000000000ff0600424302001b0003000000000000000000', 'hex');

export interface Bgzf {
  readonly text: Buffer;
  /** The bytes of text and of the file that each block takes, without the end block. */
  readonly blocks: readonly (readonly [textBytes: number, compressedBytes: number])[];
}

/** Takes a BGZF file apart. */
export function readBgzf(file: Buffer): Bgzf {
  const texts: Buffer[] = [];
  const blocks: [number, number][] = [];
  for (let at = 0; at < file.length; ) {
    const size = file.readUInt16LE(at + 16) + 1;
    const text = inflateRawSync(file.subarray(at + 18, at + size - 8));
    if (at + size < file.length || text.length > 0) blocks.push([text.length, size]);
    texts.push(text);
    at += size;
  }
  return { text: Buffer.concat(texts), blocks };
}

/** A BGZF file of a text, with blocks of at most `blockBytes`. */
export function writeBgzf(text: Uint8Array, blockBytes: number): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < text.length; at += blockBytes) {
    const block = text.subarray(at, at + blockBytes);
    const deflated = deflateRawSync(block, { level: 1 });
    const head = Buffer.from(END_BLOCK.subarray(0, 18));
    head.writeUInt16LE(deflated.length + 25, 16);
    const tail = Buffer.alloc(8);
    tail.writeUInt32LE(crc32(block) >>> 0);
    tail.writeUInt32LE(block.length, 4);
    parts.push(head, deflated, tail);
  }
  return Buffer.concat([...parts, END_BLOCK]);
}

/** Passes the whole file to a builder: text in pieces of any size, and each block some time after its text. */
export function build(builder: IndexBuilder, { text, blocks }: Bgzf, below: RandomBelow, largest = 100_000): Buffer {
  let known = 0;
  let next = 0;
  for (let at = 0; at < text.length; ) {
    const end = Math.min(text.length, at + 1 + below(largest));
    // A copy, to detect a builder that keeps the block.
    const piece = Buffer.from(text.subarray(at, end));
    builder.text(piece);
    piece.fill(0xaa);
    at = end;
    if (below(3) > 0) continue;
    for (; next < blocks.length && known + blocks[next][0] <= at; next++) {
      known += blocks[next][0];
      builder.block(...blocks[next]);
    }
  }
  for (; next < blocks.length; next++) builder.block(...blocks[next]);
  return builder.finish();
}

/** An index with the bins of each contig in ascending order: the formats leave it open. */
export function inBinOrder(file: Buffer): Buffer {
  const index = file[0] === 0x1f ? gunzipSync(file) : file;
  const isCsi = index.toString('latin1', 0, 3) === 'CSI';
  const isTbi = index.toString('latin1', 0, 3) === 'TBI';
  let at = 4;
  if (isCsi) at = 16 + index.readInt32LE(12);
  const contigs = index.readInt32LE(at);
  at += 4;
  if (isTbi) at += 28 + index.readInt32LE(at + 24);
  const parts = [index.subarray(0, at)];
  for (let contig = 0; contig < contigs; contig++) {
    const count = index.readInt32LE(at);
    parts.push(index.subarray(at, at + 4));
    at += 4;
    const bins: Buffer[] = [];
    for (let i = 0; i < count; i++) {
      const head = isCsi ? 16 : 8;
      const size = head + 16 * index.readInt32LE(at + head - 4);
      bins.push(index.subarray(at, at + size));
      at += size;
    }
    parts.push(...bins.sort((a, b) => a.readUInt32LE() - b.readUInt32LE()));
    if (isCsi) continue;
    const size = 4 + 8 * index.readInt32LE(at);
    parts.push(index.subarray(at, at + size));
    at += size;
  }
  return Buffer.concat([...parts, index.subarray(at)]);
}

/** How many windows of 2^14 positions the first contig of a .bai or .tbi reaches: entries of the linear index. */
export function windows(index: Buffer): number {
  let at = index.toString('latin1', 0, 3) === 'TBI' ? 36 + index.readInt32LE(32) : 8;
  const bins = index.readInt32LE(at);
  at += 4;
  for (let i = 0; i < bins; i++) at += 8 + 16 * index.readInt32LE(at + 4);
  return index.readInt32LE(at);
}
