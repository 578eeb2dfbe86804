/**
 * Decompresses an input that is compressed: gzip, BGZF and zstd are recognised by their first bytes, whatever the name.
 * Other data passes through unchanged. Compression that cannot be read is refused with the pipeline to use.
 */
import { bytesToDetect, type Compression, detectCompression } from '../codecs/detect.js';
import { ZSTD_VERSIONS, zstd } from '../codecs/zstd.js';
import { GpusortError } from '../system/errors.js';
import { inflateBgzf } from './inflate-bgzf.js';
import { gzipText, openText, zstdText } from './inflate-streams.js';
import type { StreamReader } from './stream.js';

interface DecompressOptions {
  /** The input's name in messages. */
  readonly label: string;
  /** Codec threads for BGZF; 0: the calling thread inflates. */
  readonly threads: number;
}

/** What gpusort does not read, and the pipelines to use. */
const REFUSED = {
  zstd: { name: 'zstd', pipeline: (label: string) => `zstd -dc ${label} | gpusort ...` },
  xz: { name: 'xz', pipeline: (label: string) => `xz -dc ${label} | gpusort ...` },
  bzip2: { name: 'bzip2', pipeline: (label: string) => `bzip2 -dc ${label} | gpusort ...` },
  cram: { name: 'CRAM', pipeline: (label: string) => `samtools view -h ${label} | gpusort --format sam` },
} as const;

/**
 * The text of `reader`, which it owns. Blocks may lie in shared memory. read() throws `bad-records` if compressed data
 * is damaged or cut off, or if its compression cannot be read.
 */
export function decompressing(reader: StreamReader, options: DecompressOptions): StreamReader {
  let inner: StreamReader | null = null;
  let closed = false;
  return {
    read: async () => {
      if (inner === null) {
        const head = await peek(reader);
        inner = openFormat(detectCompression(head), precededBy(head, reader), options);
      }
      return closed ? null : inner.read();
    },
    close: () => {
      closed = true;
      (inner ?? reader).close();
    },
  };
}

function openFormat(
  compression: Compression | null,
  reader: StreamReader,
  { label, threads }: DecompressOptions,
): StreamReader {
  switch (compression) {
    case null:
      return reader;
    case 'bgzf':
      return inflateBgzf(reader, label, threads);
    case 'gzip':
      return openText(reader, label, gzipText);
    case 'zstd': {
      const codec = zstd();
      if (codec === null) throw refused(label, compression, `reading zstd needs ${ZSTD_VERSIONS}`);
      return openText(reader, label, (raw) => zstdText(raw, codec));
    }
    default:
      throw refused(label, compression);
  }
}

function refused(label: string, compression: keyof typeof REFUSED, why?: string): GpusortError {
  const { name, pipeline } = REFUSED[compression];
  return new GpusortError('bad-records', `${label}: ${why ?? `gpusort does not read ${name}`}`, {
    hint: `${compression === 'cram' ? 'Convert' : 'Decompress'} it: ${pipeline(label)}`,
  });
}

/** The first bytes: as many as are needed to recognise the compression, or all. */
async function peek(reader: StreamReader): Promise<Uint8Array> {
  let head: Uint8Array = new Uint8Array(0);
  while (head.length < bytesToDetect(head)) {
    const bytes = await reader.read();
    if (bytes === null) break;
    head = Buffer.concat([head, bytes]);
  }
  return head;
}

/** A reader of `head` and then of what `reader` still has. */
function precededBy(head: Uint8Array, reader: StreamReader): StreamReader {
  let first: Uint8Array | null = head.length === 0 ? null : head;
  return {
    read: () => {
      if (first === null) return reader.read();
      const bytes = first;
      first = null;
      return Promise.resolve(bytes);
    },
    close: () => reader.close(),
  };
}
