/**
 * Decompresses an input that is compressed: gzip, BGZF and zstd are recognised by their first bytes, whatever the name.
 * Other data passes through unchanged. Compression that cannot be read is refused with the pipeline to use.
 */
import { bytesToDetect, type Compression, detectCompression } from '../codecs/detect.js';
import { ZSTD_VERSIONS, zstd } from '../codecs/zstd.js';
import { GpusortError } from '../report/errors.js';
import { inflateBgzf } from './inflate-bgzf.js';
import { gzipText, openText, zstdText } from './inflate-streams.js';
import type { StreamReader } from './stream.js';

interface DecompressOptions {
  /** The input's name in messages. */
  readonly label: string;
  /** Codec threads for BGZF; 0: the calling thread inflates. */
  readonly threads: number;
}

/** Programs that decompress what is refused. */
const PROGRAMS = { zstd: 'zstd -dc', xz: 'xz -dc', bzip2: 'bzip2 -dc', cram: 'samtools view -h' } as const;

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
      if (codec === null) throw refused(label, compression, `this Node lacks zstd, which ${ZSTD_VERSIONS} has`);
      return openText(reader, label, (raw) => zstdText(raw, codec));
    }
    default:
      throw refused(label, compression, `${compression === 'cram' ? 'CRAM' : compression} cannot be read`);
  }
}

function refused(label: string, compression: keyof typeof PROGRAMS, why: string): GpusortError {
  return new GpusortError('bad-records', `${label}: ${why}`, {
    hint: `Use a pipeline: ${PROGRAMS[compression]} FILE | gpusort ...`,
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
