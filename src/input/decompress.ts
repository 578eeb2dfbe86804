/**
 * Decompresses an input if its first bytes show that it is compressed: gzip, BGZF and zstd here, other compressions by
 * programs. Other data passes through unchanged, unless its name says that it is compressed. CRAM is refused with the
 * pipeline to use.
 */
import { bytesToDetect, COMPRESSION_NAMES, detectCompression, type KnownCompression } from '../codecs/detect.js';
import { zstd } from '../codecs/zstd.js';
import type { PartFraming } from '../records/framed-parts.js';
import { warn } from '../report/warnings.js';
import { type ByteSource, withFirst } from '../system/byte-source.js';
import { GpusortError } from '../system/errors.js';
import { readSome } from '../system/transfer.js';
import type { CompressedInput } from './damaged.js';
import type { InputFile } from './files.js';
import { inflateBgzf } from './inflate-bgzf.js';
import { inflateGzip, LEAST_GZIP_THREADS } from './inflate-gzip.js';
import { inflateByProgram } from './inflate-program.js';
import { checkedFrames, gzipText, openInflated, zstdText } from './inflate-streams.js';
import { knownCompression, type NamedForm, refuseMisnamed } from './misnamed.js';

interface DecompressOptions extends CompressedInput {
  /** The form that the input's name claims for its first bytes; null or absent: none. */
  readonly named?: NamedForm | null;
  /** Codec threads for BGZF and gzip; 0: the calling thread inflates. */
  readonly threads: number;
  /** Lets codec threads frame records. Absent: the text must not be framed. */
  readonly framing?: PartFraming;
}

/**
 * The text of `reader`, which it owns. Blocks may lie in shared memory. read() throws `bad-records` if compressed data
 * is damaged, cut off, misnamed or CRAM, and `compress-failed` if its program cannot be run.
 */
export function decompressing(reader: ByteSource, options: DecompressOptions): ByteSource {
  const { label, named = null } = options;
  let inner: ByteSource | null = null;
  let closed = false;
  return {
    read: async (target) => {
      if (inner === null) {
        const head = await peek(reader);
        refuseMisnamed(label, named, head);
        inner = openFormat(knownCompression(head, named), withFirst(head, reader), options);
      }
      return closed ? null : inner.read(target);
    },
    close: () => {
      closed = true;
      (inner ?? reader).close();
    },
  };
}

function openFormat(
  compression: KnownCompression | null,
  reader: ByteSource,
  { label, threads, bytes, framing }: DecompressOptions,
): ByteSource {
  switch (compression) {
    case null:
      return reader;
    case 'bgzf':
      return inflateBgzf(reader, { label, bytes }, threads, framing);
    case 'gzip':
      return threads >= LEAST_GZIP_THREADS
        ? inflateGzip(reader, { label, threads, bytes })
        : openInflated(reader, { label, bytes }, gzipText);
    case 'zstd': {
      const codec = zstd();
      return codec === null
        ? inflateByProgram(checkedFrames(reader, { label, bytes }), label, compression)
        : openInflated(reader, { label, bytes }, (raw) => zstdText(raw, codec));
    }
    case 'cram':
      throw new GpusortError('bad-records', `${label}: gpusort does not read CRAM`, {
        hint: `Convert it: samtools view -h ${label} | gpusort --format sam`,
      });
    default:
      return inflateByProgram(reader, label, compression);
  }
}

/** The first bytes: as many as are needed to recognize the compression, or all. */
function peek(reader: ByteSource): Promise<Uint8Array> {
  return readWhile(reader, (head) => head.length < bytesToDetect(head));
}

/** The first bytes: blocks until `isShort` is false of them, or all. */
export async function readWhile(reader: ByteSource, isShort: (head: Uint8Array) => boolean): Promise<Uint8Array> {
  let head: Uint8Array = new Uint8Array(0);
  while (isShort(head)) {
    const bytes = await reader.read();
    if (bytes === null) break;
    head = Buffer.concat([head, bytes]);
  }
  return head;
}

/**
 * The parts of an input that decide on a warning: it is compressed, but sorted as it is, so its lines are pieces of
 * compressed data. Only the first bytes are examined, and nothing is changed.
 */
type Suspect = Pick<InputFile, 'label' | 'warnsOfCompression'>;

/** Bytes of a file that show its compression. */
const HEAD_BYTES = 64;

/** Warns, once per run, if `head`, the beginning of an input, is compressed data. */
export function warnIfCompressed({ label, warnsOfCompression }: Suspect, head: Uint8Array): void {
  if (!warnsOfCompression) return;
  const compression = detectCompression(head.subarray(0, HEAD_BYTES));
  // No option turns CRAM into lines that are worth sorting as text.
  if (compression === null || compression === 'cram') return;
  const name = COMPRESSION_NAMES[compression];
  warn(`${label}: sorting compressed bytes (${name}), not the text; use --decompress`, 'compressed input');
}

/** The same for an open file, whose first bytes are at `position`. */
export async function warnIfFileCompressed(input: Suspect, fd: number, position: number): Promise<void> {
  if (!input.warnsOfCompression) return;
  const head = Buffer.alloc(HEAD_BYTES);
  // A file that cannot be read is reported when it is sorted.
  const count = await readSome(fd, head, position).catch(() => 0);
  warnIfCompressed(input, head.subarray(0, count));
}

/** `reader` from the beginning of an input, with the same warning. */
export function warningIfCompressed(reader: ByteSource, input: Suspect): ByteSource {
  if (!input.warnsOfCompression) return reader;
  let head: Uint8Array | null = new Uint8Array(0);
  return {
    read: async (target) => {
      const bytes = await reader.read(target);
      if (head === null) return bytes;
      const enough = bytesToDetect(head);
      head = bytes === null ? head : Buffer.concat([head, bytes.subarray(0, HEAD_BYTES)]);
      if (bytes !== null && head.length < enough) return bytes;
      warnIfCompressed(input, head);
      head = null;
      return bytes;
    },
    close: () => reader.close(),
  };
}
