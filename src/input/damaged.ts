/** Errors of compressed inputs: damage, missing bytes at the end, and bytes after the end that are something else. */
import { COMPRESSION_NAMES, detectCompression, isTooShort } from '../codecs/detect.js';
import { numberOf } from '../report/units.js';
import { GpusortError } from '../system/errors.js';

/** The kinds of parts of compressed data. */
export type CompressedPart = 'gzip member' | 'zstd frame' | 'BGZF block';

/** A compressed input in messages. */
export interface CompressedInput {
  readonly label: string;
  /** Its length; undefined: unknown. */
  readonly bytes?: number | undefined;
}

const COPY = 'Copy the file again, or write it again.';

/** The error for damaged compressed data. */
export function damagedInput(label: string, what: string, hint = COPY): GpusortError {
  return new GpusortError('bad-records', `${label}${what}`, { hint });
}

/** The error for an input whose end `program` has ignored, because something else follows the compressed data. */
export function followedInput(label: string, program: string): GpusortError {
  return new GpusortError('bad-records', `${label}: ${program}: other data follows`, {
    hint: `Copy the file again, or sort what comes before: ${program} -dc ${label} | gpusort ...`,
  });
}

/**
 * The error for an input that ends after byte `end`, within a part that begins at byte `begin`. The remedy's command
 * decompresses the bytes that are there.
 */
export function cutOffInput(label: string, end: number, part: CompressedPart, begin: number): GpusortError {
  return new GpusortError(
    'bad-records',
    `${label} is cut off after byte ${end}, within the ${part} that begins at byte ${begin}`,
    { hint: partialRemedy(part.split(' ')[0]) },
  );
}

/** The remedy for data that `program` decompresses up to the damage. */
export const partialRemedy = (program: string): string =>
  `Copy or write it again. ${program} -dc decompresses the part that is there.`;

/**
 * The error for bytes that follow the last part of an input and begin no other one: `head`, at offset `at`, and all
 * after it. A part whose header is damaged is an error of its own.
 */
export function notAPart(
  { label, bytes }: CompressedInput,
  part: CompressedPart,
  at: number,
  head: Uint8Array,
): GpusortError {
  const compression = detectCompression(head);
  if (part === 'gzip member' && (compression === 'gzip' || compression === 'bgzf'))
    return damagedInput(label, `: the gzip member at byte ${at + 1} is damaged: its header is invalid`);
  if (part === 'zstd frame' && isTooShort(head, 'zstd')) return cutOffInput(label, at + head.length, part, at + 1);
  const { kind, words } = contentsOf(head);
  const count = bytes === undefined ? 'bytes' : numberOf(bytes - at, 'byte');
  const begin = `begin${count === '1 byte' ? 's' : ''}`;
  const what = {
    compressed: `${count} that ${begin} like ${words}, `,
    text: bytes === undefined ? 'text ' : `${count} of text `,
    other: `${count} that ${begin} with ${words}, `,
  }[kind];
  const before = label === '-' ? `... | head -c ${at}` : `head -c ${at} ${label}`;
  const areBothGzip = part === 'BGZF block' && compression === 'gzip';
  return new GpusortError(
    'bad-records',
    `${label}: other data follows the last ${part}: ${what}from byte ${at + 1} on`,
    {
      hint: areBothGzip
        ? `Decompress both: gzip -dc ${label} | gpusort ...`
        : `Copy the file again, or sort what comes before: ${before} | gpusort ...`,
    },
  );
}

/** The number of bytes that are examined. */
export const SHOWN_BYTES = 64;
/** The number of bytes that a message shows. */
const PRINTED_BYTES = 4;
/** Control characters that occur in text: tabs, ends of lines and pages, and the escape character of terminals. */
const CONTROLS = [9, 10, 11, 12, 13, 27];

/** What bytes are: compressed data, text in UTF-8, or something else. */
export interface Contents {
  readonly kind: 'compressed' | 'text' | 'other';
  /** The name of the compression, `text`, or the first bytes in hexadecimal. */
  readonly words: string;
}

/** What data that begins with `head`, of at least one byte, probably is. */
export function contentsOf(head: Uint8Array): Contents {
  const compression = detectCompression(head);
  if (compression !== null) return { kind: 'compressed', words: COMPRESSION_NAMES[compression] };
  if (isText(head.subarray(0, SHOWN_BYTES))) return { kind: 'text', words: 'text' };
  const bytes = Buffer.from(head.subarray(0, PRINTED_BYTES)).toString('hex');
  return { kind: 'other', words: bytes.replace(/..(?=.)/g, '$& ') };
}

function isText(bytes: Uint8Array): boolean {
  if (bytes.some((byte) => byte === 0x7f || (byte < 0x20 && !CONTROLS.includes(byte)))) return false;
  try {
    // The last character may be cut off.
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}
