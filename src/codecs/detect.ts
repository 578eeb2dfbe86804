/**
 * Recognizes compressed data by its first bytes. Knows no file names. Sources: RFC 1952 (gzip), the SAM specification
 * (BGZF), RFC 8878 (zstd), the .xz and the LZ4 frame format, bzip2's sources, the CRAM specification.
 */
import { bgzfBlockBytes, GZIP_FIXED_BYTES } from './bgzf.js';

export type KnownCompression = 'gzip' | 'bgzf' | 'zstd' | 'xz' | 'bzip2' | 'lz4' | 'cram';

/** The names of compressions in messages. */
export const COMPRESSION_NAMES: Readonly<Record<KnownCompression, string>> = {
  gzip: 'gzip',
  bgzf: 'BGZF',
  zstd: 'zstd',
  xz: 'xz',
  bzip2: 'bzip2',
  lz4: 'lz4',
  cram: 'CRAM',
};

/** The number of bytes that suffice for detection, except for gzip with an extra field. */
const LEAST_BYTES = 10;

interface Signature {
  readonly compression: KnownCompression;
  readonly bytes: readonly number[];
}

/** A byte of flags follows. The extra field distinguishes gzip from BGZF. */
const GZIP = [0x1f, 0x8b, 8] as const;

/** Bytes that may begin zstd or lz4: the 16 magic numbers of a skippable frame. */
const SKIPPABLE = Array.from({ length: 16 }, (_, i) => [0x50 + i, 0x2a, 0x4d, 0x18]);

/** A bzip2 file begins with a block or, if it is empty, with its end. */
const SIGNATURES: readonly Signature[] = [
  { compression: 'zstd', bytes: [0x28, 0xb5, 0x2f, 0xfd] },
  ...SKIPPABLE.map((bytes) => ({ compression: 'zstd' as const, bytes })),
  { compression: 'xz', bytes: [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00] },
  { compression: 'lz4', bytes: [0x04, 0x22, 0x4d, 0x18] },
  // The older format of frames, which `lz4 -l` writes.
  { compression: 'lz4', bytes: [0x02, 0x21, 0x4c, 0x18] },
  ...[
    [0x31, 0x41, 0x59, 0x26, 0x53, 0x59],
    [0x17, 0x72, 0x45, 0x38, 0x50, 0x90],
  ].flatMap((magic) =>
    Array.from('123456789', (level) => ({
      compression: 'bzip2' as const,
      bytes: [...Buffer.from(`BZh${level}`), ...magic],
    })),
  ),
  // The major version follows: text may begin with these letters.
  ...[1, 2, 3, 4].map((version) => ({ compression: 'cram' as const, bytes: [...Buffer.from('CRAM'), version] })),
];

/** Bytes of a file that suffice for all forms. */
const PACKED_BYTES = 263;

/**
 * Forms of files whose bytes are no lines, by their first bytes: all have control characters that text lacks. Sources:
 * the specifications of Parquet, ZIP, Arrow IPC, Feather 1, CRAM, BCF, BAM, Avro, ORC, SQLite and ustar.
 */
const PACKED = new RegExp(
  '^(?:(?<parquet>PAR1\\x15)|(?<zip>PK(?:\\x03\\x04|\\x05\\x06))|(?<arrow>ARROW1\\0|FEA1\\0)|' +
    '(?<cram>CRAM[\\x01-\\x04])|(?<bcf>BCF\\x02)|(?<bam>BAM\\x01)|(?<avro>Obj\\x01)|' +
    '(?<orc>ORC[^]{0,12}[\\0-\\x08\\x0e-\\x1a])|' +
    '(?<sqlite>SQLite format 3\\0)|(?<tar>[^]{256}\\0ustar))',
);
export type PackedForm = 'parquet' | 'zip' | 'arrow' | 'cram' | 'bcf' | 'bam' | 'avro' | 'orc' | 'sqlite' | 'tar';

/** The form of a file that begins with `head` and holds no lines; null: none is recognized. */
export function packedForm(head: Buffer): PackedForm | null {
  const forms = PACKED.exec(head.toString('latin1', 0, PACKED_BYTES))?.groups;
  return (Object.keys(forms ?? {}) as PackedForm[]).find((form) => forms![form] !== undefined) ?? null;
}

/** What the forms begin with, except for ORC and tar, which further bytes distinguish from text. */
const PACKED_BEGINS = [
  ...['PAR1\x15', 'PK\x03\x04', 'PK\x05\x06', 'ARROW1\0', 'FEA1\0', 'BCF\x02', 'BAM\x01', 'Obj\x01'],
  'SQLite format 3\0',
].map((text) => Buffer.from(text, 'latin1'));

const BEGINNINGS: readonly ArrayLike<number>[] = [GZIP, ...SIGNATURES.map(({ bytes }) => bytes), ...PACKED_BEGINS];

/** Whether bytes after `head` may show a compression or a form (except ORC and tar) that `head` does not show. */
export function isUndecided(head: Uint8Array): boolean {
  return (
    (begins(head, GZIP) && head.length < bytesToDetect(head)) ||
    BEGINNINGS.some((bytes) => head.length < bytes.length && begins(bytes, head))
  );
}

/** How many bytes detectCompression needs, given the first ones. */
export function bytesToDetect(head: Uint8Array): number {
  if (!isGzip(head) || (head[3] & 4) === 0) return LEAST_BYTES;
  if (head.length < GZIP_FIXED_BYTES + 2) return GZIP_FIXED_BYTES + 2;
  return GZIP_FIXED_BYTES + 2 + head[GZIP_FIXED_BYTES] + 256 * head[GZIP_FIXED_BYTES + 1];
}

/** The compression of data that begins with `head`; null: none is recognized. */
export function detectCompression(head: Uint8Array): KnownCompression | null {
  if (isGzip(head)) return (bgzfBlockBytes(head, 0, head.length) ?? 0) > 0 ? 'bgzf' : 'gzip';
  return SIGNATURES.find(({ bytes }) => begins(head, bytes))?.compression ?? null;
}

/** Whether `head` begins with a skippable frame, which zstd and lz4 have in common. */
export const isSkippable = (head: Uint8Array): boolean => SKIPPABLE.some((bytes) => begins(head, bytes));

/** Whether `head`, which is all of the data, is too short to be recognized but begins like data of `compression`. */
export function isTooShort(head: Uint8Array, compression: KnownCompression): boolean {
  if (head.length === 0 || detectCompression(head) !== null) return false;
  const isOf = compression === 'gzip' || compression === 'bgzf' ? 'gzip' : compression;
  const signatures = isOf === 'gzip' ? [{ compression: isOf, bytes: GZIP }] : SIGNATURES;
  return signatures.some((one) => one.compression === isOf && begins(one.bytes, head));
}

function isGzip(head: Uint8Array): boolean {
  return head.length >= 4 && begins(head, GZIP);
}

function begins(bytes: ArrayLike<number>, first: ArrayLike<number>): boolean {
  return Array.prototype.every.call(first, (byte, i) => bytes[i] === byte);
}
