/**
 * BGZF: gzip members of at most 64 KiB, each with its own length in an extra field. Knows blocks in memory, no files.
 * Source: the SAM specification, section 4.1.
 */
import type { BlockSize } from '../contract/engine.js';
import { copyBytes, uint32 } from '../system/memory.js';
import { finish, type Resumable } from '../system/resumable.js';
import { crc32, zlib } from '../system/zlib.js';
import { deflate, isOwnLevel } from './deflate.js';

/** Bytes of text in the blocks that are written, as in htslib: even stored text fits in a block. */
export const BLOCK_TEXT = 0xff00;
/** Maximum bytes of a block, and of its text. */
export const MOST_BLOCK_BYTES = 1 << 16;

const HEADER = Uint8Array.of(0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 0xff, 6, 0, 0x42, 0x43, 2, 0, 0, 0);
/** No name, no time, an unknown system (255). */
const MEMBER_HEADER = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff);
/**
 * The offset of the byte of a member's header that says whether its level is the best (2), the fastest (4) or another
 * one (0).
 */
const LEVEL_AT = 8;
/** The empty block that ends a file. */
export const END_BLOCK = Uint8Array.of(...HEADER.subarray(0, 16), 27, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0);
/** Type and length of a stored block of DEFLATE (RFC 1951). */
const STORED_BYTES = 5;
/** Room for the deflated text of one block, stored text included. */
const DEFLATED_ROOM = BLOCK_TEXT + 1024;

/** Room that writeBlocks needs for `textBytes` of text. */
export function blocksRoom(textBytes: number): number {
  return textBytes + Math.ceil(textBytes / BLOCK_TEXT) * (MOST_BLOCK_BYTES - BLOCK_TEXT);
}

/** Whole blocks, one after another. */
interface BlockGroup {
  /** The offset after the last block. */
  readonly to: number;
  /** Bytes of their text, by their trailers. */
  readonly text: number;
  /** Whether the last block is empty, as an end block is; null: there is no block. */
  readonly endsEmpty: boolean | null;
  /** The problem of the block at `to`; null: it is incomplete, or does not fit. */
  readonly broken: string | null;
}

/** Finds the whole blocks in [at, to) whose text has at most `mostText` bytes. */
export function findBlocks(bytes: Uint8Array, at: number, to: number, mostText: number): BlockGroup {
  let text = 0;
  let endsEmpty: boolean | null = null;
  let broken: string | null = null;
  for (;;) {
    const length = bgzfBlockBytes(bytes, at, to);
    if (at === to || length === null) break;
    if (length < 0) {
      broken = 'is not a BGZF block';
      break;
    }
    if (at + length > to) break;
    const blockText = uint32(bytes, at + length - 4);
    if (blockText > MOST_BLOCK_BYTES) {
      broken = `has ${blockText} bytes of text, but BGZF has at most ${MOST_BLOCK_BYTES} in a block`;
      break;
    }
    if (text + blockText > mostText) break;
    text += blockText;
    at += length;
    endsEmpty = blockText === 0;
  }
  return { to: at, text, endsEmpty, broken };
}

/**
 * Writes `text`, of at most BLOCK_TEXT bytes, as a block at `at`; returns its end. Level 0 stores the text, and
 * levels that are not our own are zlib's.
 */
export function writeBlock(text: Uint8Array, level: number, target: Uint8Array, at: number): number {
  target.set(HEADER, at);
  const begin = at + HEADER.length;
  let end = 0;
  // Text that cannot be compressed becomes a stored block.
  if (isOwnLevel(level)) end = deflate(text, level, target, begin);
  else if (level > 0) {
    const deflated = zlib().deflateRawSync(text, { level, chunkSize: DEFLATED_ROOM });
    if (deflated.length < text.length + STORED_BYTES) {
      copyBytes(deflated, target, begin);
      end = begin + deflated.length;
    }
  }
  if (end === 0) end = store(text, target, begin);
  const length = end + GZIP_TRAILER_BYTES - at;
  setUint32(target, end, crc32(text));
  setUint32(target, end + 4, text.length);
  target[at + 16] = (length - 1) & 0xff;
  target[at + 17] = (length - 1) >> 8;
  return at + length;
}

/** Writes `text` as blocks from the beginning of `target`, which has blocksRoom; returns the lengths of the blocks. */
export function* writeBlocks(text: Uint8Array, level: number, target: Uint8Array): Resumable<number[]> {
  const blocks: number[] = [];
  let end = 0;
  for (let at = 0; at < text.length; at += BLOCK_TEXT) {
    const next = writeBlock(text.subarray(at, at + BLOCK_TEXT), level, target, end);
    blocks.push(next - end);
    end = next;
    yield;
  }
  return blocks;
}

/** The sizes of blocks whose own bytes are given. Each has BLOCK_TEXT of the `textBytes` bytes of text, or the rest. */
export function blockSizes(textBytes: number, bytes: ArrayLike<number>): BlockSize[] {
  return Array.from(bytes, (size, i) => ({ text: Math.min(textBytes - i * BLOCK_TEXT, BLOCK_TEXT), bytes: size }));
}

/** The bytes of the text of blocks. */
export const textOf = (blocks: readonly BlockSize[]): number => blocks.reduce((sum, { text }) => sum + text, 0);

/** The bytes of all blocks. */
export const blocksBytes = (blocks: readonly number[]): number => blocks.reduce((sum, bytes) => sum + bytes, 0);

/** Writes all of `text` as a member of gzip at the beginning of `target`, at one of our own levels; returns its end. */
export function writeMember(text: Uint8Array, level: number, target: Uint8Array): number {
  target.set(MEMBER_HEADER);
  if (level === 1 || level === 9) target[LEVEL_AT] = level === 9 ? 2 : 4;
  const end = deflate(text, level, target, MEMBER_HEADER.length);
  setUint32(target, end, crc32(text));
  setUint32(target, end + 4, text.length);
  return end + GZIP_TRAILER_BYTES;
}

/** A single stored block of DEFLATE; returns its end. */
function store(text: Uint8Array, target: Uint8Array, at: number): number {
  target[at] = 1;
  target[at + 1] = text.length & 0xff;
  target[at + 2] = text.length >> 8;
  target[at + 3] = ~text.length & 0xff;
  target[at + 4] = (~text.length >> 8) & 0xff;
  copyBytes(text, target, at + STORED_BYTES);
  return at + STORED_BYTES + text.length;
}

function setUint32(bytes: Uint8Array, at: number, value: number): void {
  for (let i = 0; i < 4; i++) bytes[at + i] = value >>> (8 * i);
}

/** All of `bytes` as a BGZF file. */
export function bgzfFile(bytes: Uint8Array, level: number): Buffer {
  const target = Buffer.allocUnsafe(blocksRoom(bytes.length) + END_BLOCK.length);
  const end = blocksBytes(finish(writeBlocks(bytes, level, target)));
  target.set(END_BLOCK, end);
  return target.subarray(0, end + END_BLOCK.length);
}

/** Identification, method, flags, time, extra flags and system. */
export const GZIP_FIXED_BYTES = 10;
/** CRC-32 and length of the text, at the end of a member. */
export const GZIP_TRAILER_BYTES = 8;
/** Longest header that is accepted: names and comments have no limit of their own. */
const MOST_HEADER_BYTES = 1 << 20;

const FLAG = { headerCrc: 2, extra: 4, name: 8, comment: 16, reserved: 0xe0 } as const;

/** Whether the bytes in [at, to) may begin a member: they are gzip as far as they go. */
function isMember(bytes: Uint8Array, at: number, to: number): boolean {
  return (
    [0x1f, 0x8b, 8].every((byte, i) => at + i >= to || bytes[at + i] === byte) &&
    (at + 3 >= to || (bytes[at + 3] & FLAG.reserved) === 0)
  );
}

/** The length of the header at `at`; 0: it does not end before `to`; -1: it is not a gzip header. */
export function gzipHeaderBytes(bytes: Uint8Array, at: number, to: number): number {
  if (!isMember(bytes, at, to)) return -1;
  if (at + GZIP_FIXED_BYTES > to) return 0;
  const flags = bytes[at + 3];
  let end = at + GZIP_FIXED_BYTES;
  if ((flags & FLAG.extra) !== 0) {
    if (end + 2 > to) return 0;
    end += 2 + (bytes[end] | (bytes[end + 1] << 8));
  }
  for (const flag of [FLAG.name, FLAG.comment]) {
    if ((flags & flag) === 0) continue;
    const zero = end < to ? bytes.subarray(end, to).indexOf(0) : -1;
    if (zero < 0) return to - at > MOST_HEADER_BYTES ? -1 : 0;
    end += zero + 1;
  }
  if ((flags & FLAG.headerCrc) !== 0) end += 2;
  return end <= to ? end - at : 0;
}

/**
 * The length of the BGZF block at `at`, from the BC field, which may stand anywhere in the extra field. null: its
 * header does not end before `to`; -1: it is not the header of a BGZF block.
 */
export function bgzfBlockBytes(bytes: Uint8Array, at: number, to: number): number | null {
  if (!isMember(bytes, at, to)) return -1;
  if (at + GZIP_FIXED_BYTES > to) return null;
  if ((bytes[at + 3] & FLAG.extra) === 0) return -1;
  const fields = at + GZIP_FIXED_BYTES + 2;
  if (fields > to) return null;
  const end = fields + (bytes[fields - 2] | (bytes[fields - 1] << 8));
  if (end > to) return null;
  for (let field = fields; field + 4 <= end; ) {
    const next = field + 4 + (bytes[field + 2] | (bytes[field + 3] << 8));
    if (bytes[field] === 0x42 && bytes[field + 1] === 0x43 && next === field + 6 && next <= end) {
      const length = (bytes[field + 4] | (bytes[field + 5] << 8)) + 1;
      return length >= end - at + GZIP_TRAILER_BYTES ? length : -1;
    }
    field = next;
  }
  return -1;
}
