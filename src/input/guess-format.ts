/** Guesses the format of an input from its name and its first bytes. */
import type { FileName, FormatName } from '../job/job.js';
import { formatOfBytes, formatOfName, refuseForeign } from '../records/formats.js';
import { abortable, type ByteSource, lookAhead } from '../system/byte-source.js';
import { GpusortError } from '../system/errors.js';
import { decompressing } from './decompress.js';
import { openInput, statInput } from './files.js';
import { openBytes } from './framed.js';
import { namedForm } from './misnamed.js';
import { readDescriptor } from './read-descriptor.js';

interface GuessedFormat {
  readonly format: FormatName;
  /** A reader of the whole input, if it has no extent: it had to be opened to read its first bytes. */
  readonly source?: ByteSource;
}

/** `source`: the input, if it is open already. Throws `usage` if neither name nor bytes are of a known format. */
export async function guessFormat(name: FileName, source?: ByteSource, signal?: AbortSignal): Promise<GuessedFormat> {
  const named = name === null ? null : formatOfName(name.toString('latin1'));
  if (named !== null) return { format: named, ...(source && { source }) };
  const form = { format: null, framing: null, decompress: true, threads: 0, warnsOfCompression: false };
  const input = statInput(name, 'sort', { ...form, source });
  const { label, extent } = input;
  const opened = async () => source ?? readDescriptor(await openInput(input), label, { owned: name !== null });
  const piped = extent === null ? lookAhead(await opened()) : null;
  const reader =
    piped === null
      ? await openBytes(input)
      : decompressing(piped.look, { label, named: namedForm(name, null), threads: 0 });
  try {
    const bytes = await firstLine(signal === undefined ? reader : abortable(reader, signal));
    refuseForeign(bytes, label);
    if (bytes.length === 0)
      throw new GpusortError('usage', `${label} is empty: its format cannot be guessed`, {
        hint: 'If it may be empty, name the format, for example --format bed.',
      });
    const format = formatOfBytes(bytes);
    if (format !== null) return { format, ...(piped && { source: piped.again }) };
  } finally {
    reader.close();
  }
  throw new GpusortError('usage', `cannot guess the format of ${label}`, {
    hint: 'Name it, for example --format fastq.',
  });
}

/** The first bytes of an input, up to the end of a line if that is near. */
async function firstLine(reader: ByteSource): Promise<Uint8Array> {
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
