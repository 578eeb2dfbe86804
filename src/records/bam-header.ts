/**
 * The header of BAM (SAM specification, section 4.2): a SAM header as text, then the names and lengths of references.
 * Reads it from decompressed input and writes it. A length in it is believed only as far as bytes arrive. Knows nothing
 * of what the text means (sam-header.ts).
 */
import { GpusortError } from '../system/errors.js';

export interface BamReference {
  /** Without the NUL that ends it. */
  readonly name: Buffer;
  readonly length: number;
}

export interface BamHeader {
  /** The SAM header, without NULs that pad it. It need not agree with the references. */
  readonly text: Buffer;
  readonly references: readonly BamReference[];
  /** The bytes it takes of the input, and what was read after it. */
  readonly bytes: number;
  readonly rest: Uint8Array;
}

const MAGIC = Buffer.from('BAM\x01', 'latin1');
/** Far more than any genome has, and little enough to hold in memory. */
const MOST_REFERENCES = 1 << 22;
const MOST_NAME_BYTES = 1 << 16;
const MOST_TEXT_BYTES = 1 << 30;

/** Reads the header with `read`, which returns null at the end of the input. Throws `bad-records`. */
export async function readBamHeader(read: () => Promise<Uint8Array | null>, label: string): Promise<BamHeader> {
  const bad = (what: string): GpusortError => new GpusortError('bad-records', `${label}: ${what}`);
  let buffer = Buffer.alloc(0);
  let filled = 0;
  let at = 0;

  /** Takes the next `count` bytes. Memory grows with the bytes that arrive, at most to twice as many. */
  async function take(count: number): Promise<Buffer> {
    while (filled - at < count) {
      const bytes = await read();
      if (bytes === null) throw bad('the BAM header is cut off');
      if (filled + bytes.length > buffer.length) {
        const larger = Buffer.allocUnsafe(Math.max(2 * filled, filled + bytes.length));
        buffer.copy(larger, 0, 0, filled);
        buffer = larger;
      }
      buffer.set(bytes, filled);
      filled += bytes.length;
    }
    at += count;
    return buffer.subarray(at - count, at);
  }

  async function takeNumber(what: string, least: number, most: number): Promise<number> {
    const number = (await take(4)).readUInt32LE();
    if (number < least || number > most)
      throw bad(`the BAM header says ${number} for ${what}: not ${least} to ${most}`);
    return number;
  }

  if (!(await take(MAGIC.length)).equals(MAGIC)) throw notBam(label);
  const padded = await take(await takeNumber('the bytes of its text', 0, MOST_TEXT_BYTES));
  const nul = padded.indexOf(0);
  const text = Buffer.from(nul < 0 ? padded : padded.subarray(0, nul));
  const count = await takeNumber('the number of references', 0, MOST_REFERENCES);
  const references: BamReference[] = [];
  for (let i = 1; i <= count; i++) {
    const name = await take(await takeNumber(`the bytes of the name of reference ${i}`, 2, MOST_NAME_BYTES));
    if (name.at(-1) !== 0) throw bad(`the name of reference ${i} in the BAM header does not end in NUL`);
    references.push({ name: Buffer.from(name.subarray(0, -1)), length: (await take(4)).readUInt32LE() });
  }
  return { text, references, bytes: at, rest: Buffer.from(buffer.subarray(at, filled)) };
}

function notBam(label: string): GpusortError {
  return new GpusortError('bad-records', `${label}: not a BAM file: it does not begin with "BAM" and a byte 1`, {
    hint: 'Check --format: text is --format sam. Several inputs must all be BAM.',
  });
}

export function bamHeaderBytes(text: Uint8Array, references: readonly BamReference[]): Buffer {
  const number = (value: number): Buffer => {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32LE(value);
    return bytes;
  };
  return Buffer.concat([
    MAGIC,
    number(text.length),
    text,
    number(references.length),
    ...references.flatMap(({ name, length }) => [number(name.length + 1), name, Buffer.alloc(1), number(length)]),
  ]);
}
