/**
 * Encodes SAM text as BAM and splits bytes into BGZF blocks, simply and slowly, to compare with the program's readers
 * and writers. Source: the SAM/BAM specification, sections 4.1 and 4.2.
 */
import { deflateRawSync, inflateRawSync } from 'node:zlib';

const CIGAR_LETTERS = 'MIDNSHP=X';
const BASE_CODES = '=ACMGRSVTWYHKDBN';
/** Bytes of text in a BGZF block, as bgzip and samtools have it. */
const BLOCK_TEXT = 0xff00;
/** The empty block that ends each BGZF file. */
export const BGZF_END = Buffer.from('1f8b08040000000000ff0600424302001b0003000000000000000000', 'hex');

/** SAM text as BAM, not compressed. */
export function encodeBam(sam: string): Buffer {
  const lines = sam.split('\n').slice(0, -1);
  const headers = lines.filter((line) => line.startsWith('@'));
  const contigs = headers
    .filter((line) => line.startsWith('@SQ\t'))
    .map((line) => ({ name: /\tSN:([^\t]+)/.exec(line)![1], length: Number(/\tLN:(\d+)/.exec(line)![1]) }));
  const text = Buffer.from(headers.map((line) => `${line}\n`).join(''), 'latin1');
  return Buffer.concat([
    Buffer.from('BAM\x01', 'latin1'),
    int32(text.length),
    text,
    int32(contigs.length),
    ...contigs.flatMap(({ name, length }) => [
      int32(name.length + 1),
      Buffer.from(`${name}\0`, 'latin1'),
      int32(length),
    ]),
    ...lines.slice(headers.length).map((line) =>
      encodeRecord(
        line,
        contigs.map(({ name }) => name),
      ),
    ),
  ]);
}

/** One line of SAM as a BAM record with its length. */
function encodeRecord(line: string, contigs: readonly string[]): Buffer {
  const [name, flag, contig, position, quality, cigarText, mate, matePosition, length, bases, phred, ...tags] =
    line.split('\t');
  const operations = [...cigarText.matchAll(/(\d+)([MIDNSHP=X])/g)].map(([, count, letter]) => ({
    count: Number(count),
    code: CIGAR_LETTERS.indexOf(letter),
  }));
  const span = operations
    .filter(({ code }) => [0, 2, 3, 7, 8].includes(code))
    .reduce((sum, { count }) => sum + count, 0);
  const packed = Buffer.concat(operations.map(({ count, code }) => int32((count << 4) | code)));
  const sequence = bases === '*' ? '' : bases;
  // More operations than the count of 16 bits can hold go to the tag CG (section 4.2.2).
  const long = operations.length > 0xffff;
  const cigar = long ? Buffer.concat([int32((sequence.length << 4) | 4), int32((span << 4) | 3)]) : packed;
  const start = Number(position) - 1;
  const head = Buffer.alloc(32);
  head.writeInt32LE(contigs.indexOf(contig), 0);
  head.writeInt32LE(start, 4);
  head.writeUInt8(name.length + 1, 8);
  head.writeUInt8(Number(quality), 9);
  head.writeUInt16LE(binOf(start, start + (((Number(flag) & 4) === 0 && span) || 1)), 10);
  head.writeUInt16LE(cigar.length / 4, 12);
  head.writeUInt16LE(Number(flag), 14);
  head.writeInt32LE(sequence.length, 16);
  head.writeInt32LE(contigs.indexOf(mate === '=' ? contig : mate), 20);
  head.writeInt32LE(Number(matePosition) - 1, 24);
  head.writeInt32LE(Number(length), 28);
  const codes = Buffer.alloc((sequence.length + 1) >> 1);
  for (let i = 0; i < sequence.length; i++)
    codes[i >> 1] |= Math.max(0, BASE_CODES.indexOf(sequence[i].toUpperCase())) << (i % 2 === 0 ? 4 : 0);
  const body = Buffer.concat([
    head,
    Buffer.from(`${name}\0`, 'latin1'),
    cigar,
    codes,
    phred === '*' ? Buffer.alloc(sequence.length, 0xff) : Buffer.from(phred, 'latin1').map((byte) => byte - 33),
    ...tags.map(encodeTag),
    ...(long ? [Buffer.from('CGBI'), int32(operations.length), packed] : []),
  ]);
  return Buffer.concat([int32(body.length), body]);
}

/** A tag. Integers take the smallest type, as htslib has it. */
function encodeTag(tag: string): Buffer {
  const [name, type] = tag.split(':', 2);
  const value = tag.slice(name.length + type.length + 2);
  const typed = (letter: string, bytes: Buffer): Buffer => Buffer.concat([Buffer.from(name + letter, 'latin1'), bytes]);
  if (type === 'A') return typed('A', Buffer.from(value, 'latin1'));
  if (type === 'f') return typed('f', numbers('f', [value]));
  if (type === 'i') {
    const letter = smallest(Number(value));
    return typed(letter, numbers(letter, [value]));
  }
  if (type !== 'B') return typed(type, Buffer.from(`${value}\0`, 'latin1'));
  const [letter, ...items] = value.split(',');
  return Buffer.concat([Buffer.from(`${name}B${letter}`, 'latin1'), int32(items.length), numbers(letter, items)]);
}

const smallest = (value: number): string =>
  value < 0 ? (value >= -128 ? 'c' : value >= -32768 ? 's' : 'i') : value <= 0xff ? 'C' : value <= 0xffff ? 'S' : 'I';

function numbers(letter: string, values: readonly string[]): Buffer {
  const array = {
    c: Int8Array,
    C: Uint8Array,
    s: Int16Array,
    S: Uint16Array,
    i: Int32Array,
    I: Uint32Array,
    f: Float32Array,
  }[letter]!.from(values.map(Number));
  return Buffer.from(array.buffer);
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32LE(value | 0);
  return bytes;
}

/** The bin of [start, end) in the index of the specification, section 5.3. */
function binOf(start: number, end: number): number {
  for (const [shift, first] of [
    [14, 4681],
    [17, 585],
    [20, 73],
    [23, 9],
    [26, 1],
  ])
    if (start >> shift === (end - 1) >> shift) return (first + (start >> shift)) & 0xffff;
  return 0;
}

/** Bytes as BGZF. */
export function bgzf(bytes: Uint8Array, level = 1, blockText = BLOCK_TEXT): Buffer {
  const blocks: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += blockText) blocks.push(block(bytes.subarray(at, at + blockText), level));
  return Buffer.concat([...blocks, BGZF_END]);
}

function block(text: Uint8Array, level: number): Buffer {
  const deflated = deflateRawSync(text, { level });
  const head = Buffer.from('1f8b08040000000000ff0600424302000000', 'hex');
  head.writeUInt16LE(head.length + deflated.length + 8 - 1, 16);
  const tail = Buffer.alloc(8);
  tail.writeUInt32LE(crc32(text), 0);
  tail.writeUInt32LE(text.length, 4);
  return Buffer.concat([head, deflated, tail]);
}

/** The text in BGZF. Throws unless each block, and the empty one at the end, is valid. */
export function unBgzf(bytes: Buffer): Buffer {
  const texts: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    if (bytes.toString('hex', at, at + 4) !== '1f8b0804' || bytes.toString('latin1', at + 12, at + 14) !== 'BC')
      throw new Error(`no BGZF block at byte ${at}`);
    const end = at + bytes.readUInt16LE(at + 16) + 1;
    const text = inflateRawSync(bytes.subarray(at + 18, end - 8));
    if (bytes.readUInt32LE(end - 8) !== crc32(text) || bytes.readUInt32LE(end - 4) !== text.length)
      throw new Error(`the BGZF block at byte ${at} is damaged`);
    texts.push(text);
    at = end;
  }
  if (!bytes.subarray(-BGZF_END.length).equals(BGZF_END)) throw new Error('the empty BGZF block at the end is missing');
  return Buffer.concat(texts);
}

/** CRC-32, bit by bit. */
export function crc32(bytes: Uint8Array): number {
  let crc = ~0;
  for (const byte of bytes) crc = (crc >>> 8) ^ CRC_TABLE[(crc ^ byte) & 0xff];
  return ~crc >>> 0;
}
const CRC_TABLE = Int32Array.from({ length: 256 }, (_, n) => {
  let crc = n;
  for (let k = 0; k < 8; k++) crc = (crc & 1) !== 0 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  return crc;
});
