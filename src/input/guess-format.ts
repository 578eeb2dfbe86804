/** Guesses the format of an input from its name and its first bytes. */
import type { FileName, FormatName } from '../job.js';
import { formatOfBytes, formatOfName } from '../records/formats.js';
import { refuseForeign } from '../records/refuse-foreign.js';
import { GpusortError } from '../report/errors.js';
import { decompressing } from './decompress.js';
import { openInput, statInput } from './files.js';
import { openBytes } from './framed.js';
import { lookAtStream, openStream, type StreamReader } from './stream.js';

/** Throws `usage` if neither the name nor the bytes are of a known format. */
export async function guessFormat(name: FileName): Promise<FormatName> {
  const named = name === null ? null : formatOfName(name.toString('latin1'));
  if (named !== null) return named;
  const input = statInput(name, 'sort', {
    format: null,
    framing: null,
    decompress: true,
    threads: 0,
    warnsOfCompression: false,
  });
  const { label, extent } = input;
  const reader =
    extent === null
      ? decompressing(lookAtStream(name, openStream(await openInput(input), label, name !== null)), {
          label,
          threads: 0,
        })
      : await openBytes(input);
  try {
    const bytes = await firstLine(reader);
    refuseForeign(bytes, label);
    const format = formatOfBytes(bytes);
    if (format !== null) return format;
  } finally {
    reader.close();
  }
  throw new GpusortError('usage', `cannot guess the format of ${label}`, {
    hint: 'Name it, for example --format fastq.',
  });
}

/** The first bytes of an input, up to the end of a line if that is near. */
async function firstLine(reader: StreamReader): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for (let total = 0; total < MOST_BYTES; ) {
    const bytes = await reader.read();
    if (bytes === null) break;
    parts.push(new Uint8Array(bytes));
    total += bytes.length;
    if (bytes.includes(NEWLINE)) break;
  }
  return Buffer.concat(parts).subarray(0, MOST_BYTES);
}

const NEWLINE = 10;
const MOST_BYTES = 64 << 10;
