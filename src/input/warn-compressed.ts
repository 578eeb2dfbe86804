/**
 * Warns that an input is compressed if it is sorted as it is: its lines are then pieces of compressed data. Looks at
 * the first bytes only, and changes nothing.
 */
import { bytesToDetect, type Compression, detectCompression } from '../codecs/detect.js';
import { warn } from '../report/warnings.js';
import { readSome } from '../system/transfer.js';
import type { InputFile } from './files.js';
import type { StreamReader } from './stream.js';

type Suspect = Pick<InputFile, 'label' | 'warnsOfCompression'>;

/** Bytes of a file that show its compression. */
const HEAD_BYTES = 64;

/** What to do instead. Nothing is said of CRAM: no remedy makes lines of it that are worth sorting as text. */
const REMEDIES: Readonly<Record<Exclude<Compression, 'cram'>, string>> = {
  gzip: '--decompress',
  bgzf: '--decompress',
  zstd: '--decompress',
  xz: 'xz -dc FILE | gpusort',
  bzip2: 'bzip2 -dc FILE | gpusort',
};
const NAMES = { gzip: 'gzip', bgzf: 'BGZF', zstd: 'zstd', xz: 'xz', bzip2: 'bzip2' } as const;

/** Warns, once per run, if an input begins with the bytes of `head` and that is compressed data. */
export function warnIfCompressed({ label, warnsOfCompression }: Suspect, head: Uint8Array): void {
  if (!warnsOfCompression) return;
  const compression = detectCompression(head.subarray(0, HEAD_BYTES));
  if (compression === null || compression === 'cram') return;
  warn(
    `${label}: sorting compressed bytes (${NAMES[compression]}), not the text; use ${REMEDIES[compression]}`,
    'compressed input',
  );
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
export function warningIfCompressed(reader: StreamReader, input: Suspect): StreamReader {
  if (!input.warnsOfCompression) return reader;
  let head: Uint8Array | null = new Uint8Array(0);
  return {
    read: async () => {
      const bytes = await reader.read();
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
