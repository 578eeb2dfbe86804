/**
 * The text of an input as records of the engines, read sequentially: decompressed, without its header, and with the
 * records of formats turned into lines. Knows no order.
 */
import type { TextTaker } from '../codecs/size-sample.js';
import { BamFramer } from '../records/bam.js';
import { leavingOut, RESOLVED } from '../records/directives.js';
import { fastaFramer } from '../records/fasta.js';
import { fastqFramer } from '../records/fastq.js';
import { refuseForeign } from '../records/formats.js';
import type { PartFraming, PartRule } from '../records/framed-parts.js';
import { readBamHeader } from '../records/headers.js';
import { bamRenamer, samRenamer } from '../records/renaming.js';
import { abortable, type ByteSource, EMPTY_SOURCE, withFirst } from '../system/byte-source.js';
import { asBuffer } from '../system/memory.js';
import { csvRead } from './csv.js';
import { decompressing, warningIfCompressed } from './decompress.js';
import { readFastqBlocks } from './fastq-blocks.js';
import { closeInput, contentOf, endsInside, type InputFile, inputChanged, openInput, smallFile } from './files.js';
import { framed, framedInParts } from './framed-source.js';
import type { Headers } from './header.js';
import { joinMates } from './mates.js';
import { namedForm } from './misnamed.js';
import { type DescriptorOptions, readDescriptor } from './read-descriptor.js';
import { Replay } from './replay.js';

/**
 * Plain FASTQ files are framed in several threads from this size on: one thread frames a smaller file before the others
 * have started. On fewer processors, threads cost more than they save (350 MB, two threads: 1.91 s of processor time
 * instead of 1.71). Text that threads inflate is always framed there.
 */
const BLOCKS_FROM = { bytes: 32 << 20, threads: 4 } as const;
/** More than any header lists (readBamHeader). */
const MOST_REFERENCES = 0x7fffffff;
/** More threads would wait for the calling thread, which copies the text. */
const MOST_FRAMING_THREADS = 8;

/**
 * Opens a reader of an input's records. `headers` takes the header, unless the extent of the input excludes it.
 * `isOnly`: no other input is read at the same time, so threads may read ahead.
 */
export async function openText(
  input: InputFile,
  headers: Headers | null,
  { isOnly = false }: { readonly isOnly?: boolean } = {},
): Promise<ByteSource> {
  const { label, framing, mates } = input;
  const held = headers?.takeHeld(input);
  if (held !== undefined) return held;
  const blocks = isOnly && mates.length === 0 ? await openBlocks(input) : null;
  if (blocks !== null) return blocks;
  const opened: ByteSource[] = [];
  try {
    const parts: PartFraming = { rule: ruleOf(input), framed: null };
    const options = { readsAhead: isOnly, ...(mates.length === 0 && { parts }) };
    for (const one of [input, ...mates]) opened.push(await openBytes(one, options));
    if (mates.length > 0)
      return joinMates(opened.map((reader, i) => ({ label: i === 0 ? label : mates[i - 1].label, reader })));
    const [reader] = opened;
    if (framing?.kind === 'bam') return await bamText(reader, input, headers!, parts);
    const text = textOf(reader, input, parts);
    const isRecords = headers === null || input.headerStripped;
    const records = isRecords ? text : await headers.strip(headers.withoutSequences(text, input), input);
    if (input.leavesOutResolved) return framed(records, leavingOut(RESOLVED));
    return withPlaces(renamed(records, input, headers), input);
  } catch (error) {
    for (const reader of opened) reader.close();
    throw error;
  }
}

/** How threads may frame the records of an input; null: that shows only in its header, or they may not. */
function ruleOf({ framing }: InputFile): PartRule | null {
  switch (framing?.kind) {
    case 'fastq':
      return { kind: 'fastq', lines: 4 * framing.reads };
    case 'fasta':
      return { kind: 'fasta' };
    default:
      return null;
  }
}

/** The records, with places if they are shuffled. */
async function withPlaces(records: ByteSource, { shuffle, number }: InputFile): Promise<ByteSource> {
  if (shuffle === null) return records;
  const { shuffled } = await import('../records/shuffled.js');
  return shuffled(records, shuffle, number);
}

/** The records, with IDs as in the united header. */
function renamed(records: ByteSource, input: InputFile, headers: Headers | null): ByteSource {
  const renaming = headers?.renamingOf(input) ?? input.renaming ?? null;
  return renaming === null ? records : framed(records, samRenamer(renaming));
}

/** A reader in several threads if the input is a plain FASTQ file that is large enough; null otherwise. */
async function openBlocks(input: InputFile): Promise<ByteSource | null> {
  const { name, label, extent, framing, compressed, taker, threads } = input;
  if (framing?.kind !== 'fastq' || extent === null || compressed || taker !== undefined) return null;
  if (threads < BLOCKS_FROM.threads || extent.end - extent.begin < BLOCKS_FROM.bytes) return null;
  const fd = await openInput(input);
  const lines = 4 * framing.reads;
  return readFastqBlocks({
    ...{ fd, label, owned: name !== null, extent, endsInside: endsInside(input), lines },
    threads: Math.min(threads, MOST_FRAMING_THREADS),
  });
}

interface BytesOptions {
  /** Whether to read ahead in a file. */
  readonly readsAhead?: boolean;
  /** read() may return lines in place of bytes, and says so here. */
  readonly parts?: PartFraming;
}

/** The bytes of an input, decompressed. */
export async function openBytes(
  input: InputFile,
  { readsAhead = false, parts }: BytesOptions = {},
): Promise<ByteSource> {
  const { label, name, extent, format, framing, decompress, threads, taker, source, replay, signal } = input;
  // One byte more than the extent has: so the first read of a small file also shows its end.
  const most = extent === null ? undefined : extent.end - extent.begin + 1;
  // Plain text is read from the current offset, which advances as with other programs that read standard input. A part
  // of a file may begin anywhere.
  const isPart = name !== null && (extent?.begin ?? 0) > 0;
  const from = framing === null && !decompress && !isPart ? null : (extent?.begin ?? null);
  const small = decompress ? null : smallFile(input);
  const opened =
    replay?.reader() ??
    source ??
    (small === null
      ? openedBytes(input, await openInput(input), { from, most, readsAhead })
      : withFirst(contentOf(input, small), EMPTY_SOURCE));
  const whole = signal === undefined ? opened : abortable(opened, signal);
  const reader = endsInside(input) ? boundedReader(whole, most! - 1, label) : whole;
  const bytes = decompress
    ? decompressing(reader, {
        ...{ label, threads, named: namedForm(name, format) },
        ...(extent !== null && { bytes: extent.end - extent.begin }),
        ...(parts !== undefined && taker === undefined && { framing: parts }),
      })
    : input.headerStripped
      ? reader
      : warningIfCompressed(reader, input);
  const text = taker === undefined ? bytes : taken(bytes, taker());
  const { examines } = input;
  if (examines !== undefined) return { read: examining(text, examines), close: () => text.close() };
  if (format === null) return text;
  const refuse = (head: Uint8Array): void => refuseForeign(head, label, format);
  return { read: examining(text, refuse), close: () => text.close() };
}

/** The same input, whose bytes are kept. It must not be a file that is read by position. */
export function withReplay(input: InputFile): InputFile {
  const open = async (): Promise<ByteSource> => input.source ?? openedBytes(input, await openInput(input), {});
  return { ...input, replay: new Replay(open) };
}

/** The first `bytes` bytes of what `reader` reads. Throws `input-changed` if there are fewer. */
function boundedReader(reader: ByteSource, bytes: number, label: string): ByteSource {
  let left = bytes;
  return {
    read: async (target) => {
      if (left === 0) return null;
      // The reader may read ahead into the target, but not beyond the end.
      const read = await reader.read(target?.subarray(0, left));
      if (read === null) throw inputChanged(label, 'became shorter');
      const part = read.subarray(0, left);
      left -= part.length;
      return part;
    },
    close: () => reader.close(),
  };
}

/** Passes the bytes read to `take`, before records are framed in place. */
function taken(reader: ByteSource, take: TextTaker): ByteSource {
  const read: ByteSource['read'] = async (target) => {
    const bytes = await reader.read(target);
    await take(bytes);
    return bytes;
  };
  return { read, close: () => reader.close() };
}

function openedBytes(input: InputFile, fd: number, options: Omit<DescriptorOptions, 'owned'>): ByteSource {
  try {
    return readDescriptor(fd, input.label, { ...options, owned: input.name !== null });
  } catch (error) {
    closeInput(input, fd);
    throw error;
  }
}

/** Continues unless `examine` throws an error for the first bytes. */
function examining(reader: ByteSource, examine: (head: Buffer) => void): ByteSource['read'] {
  let begun = false;
  return async (target) => {
    const bytes = await reader.read(target);
    if (!begun && bytes !== null) examine(asBuffer(bytes));
    begun = true;
    return bytes;
  };
}

async function bamText(
  reader: ByteSource,
  input: InputFile,
  headers: Headers,
  parts: PartFraming,
): Promise<ByteSource> {
  const { label } = input;
  const first = await reader.read();
  // An empty input has no header.
  if (first === null) return { ...EMPTY_SOURCE, close: () => reader.close() };
  const whole = withFirst(first, reader);
  const header = await readBamHeader(() => whole.read(), label);
  headers.takeBam(input, header);
  const records = withFirst(header.rest, reader);
  const open = (): ByteSource => {
    const renaming = headers.renamingOf(input);
    if (renaming !== null) {
      // The records have the numbers of the output's references.
      const references = renaming.references === undefined ? header.references : { length: MOST_REFERENCES };
      return framed(framed(records, bamRenamer(renaming, label)), new BamFramer(label, { references, bytes: null }));
    }
    const framer = new BamFramer(label, header);
    parts.rule = { kind: 'bam', references: header.references.length };
    return framedInParts(records, framer, parts);
  };
  // Delayed to the first read: how records change is known only once all headers have been read.
  let opened: ByteSource | null = null;
  return { read: (target) => (opened ??= open()).read(target), close: () => reader.close() };
}

function textOf(reader: ByteSource, input: InputFile, parts: PartFraming): ByteSource {
  const { label, framing } = input;
  switch (framing?.kind) {
    case 'csv':
      return { read: csvRead((target) => reader.read(target), input, framing.separator), close: () => reader.close() };
    case 'fastq':
      return framedInParts(reader, fastqFramer(label, 4 * framing.reads), parts);
    case 'fasta':
      return framedInParts(reader, fastaFramer(label), parts);
    default:
      return reader;
  }
}
