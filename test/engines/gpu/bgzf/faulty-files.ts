/** Files of BGZF with faults in data, headers and trailers, and which of their blocks the device should find. */
import { crc32 } from 'node:zlib';
import { END_BLOCK, MOST_BLOCK_BYTES } from '../../../../src/codecs/bgzf.js';
import { damaged, deflated, someText, spliced } from '../../../support/deflate-streams.js';
import { type RandomBelow, randomBelow } from '../../../support/random.js';

const HEADER_BYTES = 18;
const TRAILER_BYTES = 8;
const MOST_MEMBERS = 12;

/** A block as it is written: its fields may lie. */
interface Member {
  readonly data: Uint8Array;
  readonly crc: number;
  readonly textBytes: number;
  /** Bytes of the block, less one. */
  readonly size: number;
}

export interface FaultyFile {
  readonly name: string;
  readonly bytes: Buffer;
  /** Whether headers may lie, or blocks may be missing. Otherwise gunzip reads the same blocks as the device. */
  readonly isBroken: boolean;
  /** Faults of blocks, and of the file. */
  readonly faults: number;
}

/** Where the DEFLATE data of a block begins and ends in its file, and what its trailer says. */
export interface FoundBlock {
  readonly from: number;
  readonly to: number;
  readonly crc: number;
  readonly textBytes: number;
}

function memberOf(data: Uint8Array, text: Uint8Array): Member {
  const size = HEADER_BYTES + data.length + TRAILER_BYTES - 1;
  return { data, crc: crc32(text), textBytes: text.length, size };
}

function written({ data, crc, textBytes, size }: Member): Buffer {
  const bytes = Buffer.concat([END_BLOCK.subarray(0, HEADER_BYTES), data, Buffer.alloc(TRAILER_BYTES)]);
  bytes.writeUInt16LE(size & 0xffff, HEADER_BYTES - 2);
  bytes.writeUInt32LE(crc, bytes.length - 8);
  bytes.writeUInt32LE(textBytes, bytes.length - 4);
  return bytes;
}

/** A file of this seed: few or half of its blocks have a fault, and one file in four has one outside its blocks. */
export function faultyFile(seed: number): FaultyFile {
  const below = randomBelow(seed);
  const parts: Buffer[] = [];
  const blocksPerFault = 2 + below(12);
  let [faults, isBroken] = [0, false];
  for (let left = 1 + below(MOST_MEMBERS); left > 0; left--) {
    const text = textOf(below, parts.at(-1));
    const data = deflated(below, text);
    const sound = memberOf(data, text);
    // Incompressible text may be too long for a block.
    if (sound.size >= MOST_BLOCK_BYTES) continue;
    const fault = below(blocksPerFault) > 0 ? null : below(16);
    faults += Number(fault !== null);
    const part = fault === null ? written(sound) : withFault(below, sound, fault);
    if (fault !== null && fault >= FIRST_OF_HEADERS) isBroken = true;
    if (part.length <= MOST_BLOCK_BYTES) parts.push(part);
  }
  if (below(2) === 0) parts.push(Buffer.from(END_BLOCK));
  if (below(4) > 0) return { name: `seed ${seed}`, bytes: Buffer.concat(parts), isBroken, faults };
  return { name: `seed ${seed}`, bytes: rearranged(below, parts), isBroken: true, faults: faults + 1 };
}

/** Empty, short, long, or with what looks like a block in it. Mostly short: a software GPU inflates 4 MB/s. */
function textOf(below: RandomBelow, before: Buffer | undefined): Buffer {
  switch (below(8)) {
    case 0:
      return Buffer.alloc(0);
    case 1:
      return Buffer.concat([someText(below, below(9)), before ?? Buffer.alloc(0)]).subarray(0, MOST_BLOCK_BYTES);
    case 2:
      return below(16) > 0 ? someText(below, below(9)) : someText(below, MOST_BLOCK_BYTES - below(300));
    default:
      return someText(below, below(below(8) > 0 ? 300 : 3000));
  }
}

/** Faults from this number on are those of headers. */
const FIRST_OF_HEADERS = 11;

function withFault(below: RandomBelow, member: Member, fault: number): Buffer {
  const { data, textBytes, crc } = member;
  const wrongBytes = [textBytes + 1, textBytes - 1, 0, below(MOST_BLOCK_BYTES + 1), MOST_BLOCK_BYTES];
  const withData = (other: Uint8Array): Buffer =>
    written({ ...memberOf(other, Buffer.alloc(0)), crc, textBytes: below(4) > 0 ? textBytes : below(3000) });
  switch (fault) {
    case 8:
      return written({ ...member, textBytes: wrongBytes[below(5)] >>> 0 });
    case 9:
      return written({ ...member, crc: below(2) === 0 ? below(2 ** 32) : (crc ^ (1 << below(32))) >>> 0 });
    case 10:
      return withData(spliced(below, data, deflated(below, someText(below, below(300)))));
    case 11:
      return written({ ...member, size: below(2) === 0 ? below(MOST_BLOCK_BYTES) : member.size + below(60) - 30 });
    case 12:
      return written({ ...member, size: below(2 * HEADER_BYTES) });
    case 13:
      return written({ ...member, textBytes: below(2 ** 32) });
    case 14:
      return withOtherHeader(below, written(member));
    case 15: {
      const bytes = written(member);
      bytes[below(HEADER_BYTES)] ^= 1 << below(8);
      return bytes;
    }
    default:
      return withData(damaged(below, data));
  }
}

/** Another field before or after that of BGZF, which is valid, or a wrong length of all fields. */
function withOtherHeader(below: RandomBelow, bytes: Buffer): Buffer {
  const field = Buffer.from([0x58, 0x59, 1, 0, 0x5a]);
  const at = below(2) === 0 ? 12 : HEADER_BYTES;
  const more = Buffer.concat([bytes.subarray(0, at), field, bytes.subarray(at)]);
  more.writeUInt16LE(below(2) === 0 ? 6 : 6 + field.length, 10);
  if (below(2) === 0) more.writeUInt16LE((more.length - 1) & 0xffff, at === 12 ? HEADER_BYTES + 3 : HEADER_BYTES - 2);
  return more;
}

/** Cut off, with more at its end, with changed bits, or of blocks in another order. */
function rearranged(below: RandomBelow, parts: readonly Buffer[]): Buffer {
  const bytes = Buffer.concat(parts);
  switch (below(6)) {
    case 0:
      return bytes.subarray(0, below(bytes.length + 1));
    case 1:
      return Buffer.concat([bytes, Buffer.from(Uint8Array.from({ length: 1 + below(40) }, () => below(256)))]);
    case 2:
      return Buffer.concat([bytes, bytes.subarray(0, below(40))]);
    case 3:
      return spliced(below, bytes, bytes);
    case 4:
      return Buffer.concat([...parts, ...parts].filter(() => below(2) === 0));
    default:
      for (let changes = 1 + below(3); changes > 0 && bytes.length > 0; changes--)
        bytes[below(bytes.length)] ^= 1 << below(8);
      return bytes;
  }
}

/** The blocks that follow one another from the file's beginning on, with headers as htslib writes them. */
export function blocksOf(file: Buffer): { readonly blocks: readonly FoundBlock[]; readonly end: number } {
  const blocks: FoundBlock[] = [];
  let at = 0;
  for (;;) {
    const header = file.subarray(at, at + HEADER_BYTES);
    if (header.length < HEADER_BYTES || header.readUInt32BE(0) !== 0x1f8b0804) break;
    if (header.toString('latin1', 10, 16) !== '\x06\0BC\x02\0') break;
    const end = at + header.readUInt16LE(16) + 1;
    if (end > file.length || end < at + HEADER_BYTES + TRAILER_BYTES) break;
    const [crc, textBytes] = [file.readUInt32LE(end - 8), file.readUInt32LE(end - 4)];
    if (textBytes > MOST_BLOCK_BYTES) break;
    blocks.push({ from: at + HEADER_BYTES, to: end - TRAILER_BYTES, crc, textBytes });
    at = end;
  }
  return { blocks, end: at };
}
