/**
 * Recognizes compressed data by its first bytes. Knows no file names. Sources: RFC 1952 (gzip), the SAM specification
 * (BGZF), RFC 8878 (zstd), the .xz and the LZ4 frame format, bzip2's sources, the CRAM specification.
 */
import { bgzfBlockBytes, GZIP_FIXED_BYTES } from './bgzf.js';

export type KnownCompression = 'gzip' | 'bgzf' | 'zstd' | 'xz' | 'bzip2' | 'lz4' | 'cram';

/** The number of bytes that are enough, except for gzip with an extra field. */
const LEAST_BYTES = 10;

interface Signature {
  readonly compression: KnownCompression;
  readonly bytes: readonly number[];
}

/**
 * The extra field distinguishes gzip from BGZF. A bzip2 file begins with a block or, if it is empty, with its end.
 */
const SIGNATURES: readonly Signature[] = [
  { compression: 'zstd', bytes: [0x28, 0xb5, 0x2f, 0xfd] },
  // A skippable frame, which has 16 magic numbers, may come first.
  ...Array.from({ length: 16 }, (_, i) => ({ compression: 'zstd' as const, bytes: [0x50 + i, 0x2a, 0x4d, 0x18] })),
  { compression: 'xz', bytes: [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00] },
  { compression: 'lz4', bytes: [0x04, 0x22, 0x4d, 0x18] },
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

/** How many bytes detectCompression needs, given the first ones. */
export function bytesToDetect(head: Uint8Array): number {
  if (!isGzip(head) || (head[3] & 4) === 0) return LEAST_BYTES;
  if (head.length < GZIP_FIXED_BYTES + 2) return GZIP_FIXED_BYTES + 2;
  return GZIP_FIXED_BYTES + 2 + head[GZIP_FIXED_BYTES] + 256 * head[GZIP_FIXED_BYTES + 1];
}

/** The compression of data that begins with `head`; null: none is recognized. */
export function detectCompression(head: Uint8Array): KnownCompression | null {
  if (isGzip(head)) return (bgzfBlockBytes(head, 0, head.length) ?? 0) > 0 ? 'bgzf' : 'gzip';
  return SIGNATURES.find(({ bytes }) => bytes.every((byte, i) => head[i] === byte))?.compression ?? null;
}

function isGzip(head: Uint8Array): boolean {
  return head.length >= 4 && head[0] === 0x1f && head[1] === 0x8b && head[2] === 8;
}
