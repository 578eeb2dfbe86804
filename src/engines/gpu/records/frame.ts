/**
 * Cuts a text on the device after its last whole record, and turns its records into the form of the engines. Knows
 * nothing of keys or order.
 */
import { Declined } from '../../../contract/engine.js';
import type { FormatName } from '../../../job/job.js';
import type { RecordFormat } from '../../../job/ordering.js';
import type { Gpu } from '../device/device.js';
import { bind, Kernel, loadKernels, readWords, submitPass } from '../device/dispatch.js';
import type { Scratch } from '../device/pool.js';
import { textBufferBytes } from './records.js';
import { countRecords, loadTokenize, writeStarts } from './tokenize.js';

/**
 * How text becomes records: `format` is that of the engine; `source` is that of the text, null if it has none. FASTQ
 * and FASTA become lines that end in NUL.
 */
export interface DeviceFraming {
  readonly format: RecordFormat;
  readonly source: FormatName | null;
}

/** The lines of FASTQ, FASTA and GFF, and the records that reads and sequences become. */
const LINES: RecordFormat = { kind: 'lines', delimiter: 10 };
const LINES_OF_READ = 4;
const NULS: RecordFormat = { kind: 'lines', delimiter: 0 };

/** How the lines of a format are looked at (kernels/wgsl/records/frame/lines.wgsl). */
interface LineRule {
  /** The byte that begins a record; null: each line is a record. */
  readonly mark: number | null;
  /** The first bytes of a line that the host has to deal with. */
  readonly refused: string;
}

const LINE_RULES: Partial<Readonly<Record<FormatName, LineRule>>> = {
  fasta: { mark: 62, refused: ';' },
  // `###` is left out, and sequences follow `##FASTA`.
  gff: { mark: null, refused: '##' },
};
/** Larger than a byte. */
const NO_MARK = 256;

const readsKernel = (gpu: Gpu): Kernel => new Kernel(gpu, 'records/frame/reads');
const linesKernel = (gpu: Gpu): Kernel => new Kernel(gpu, 'records/frame/lines');

/** Whether records are several lines of the text, which become lines that end in NUL. */
const hasLongRecords = (source: FormatName | null): boolean => source === 'fastq' || source === 'fasta';

/** Compiles what `frameText` needs. */
export function loadFraming(gpu: Gpu, { format, source }: DeviceFraming): Promise<unknown> {
  const isReads = source === 'fastq';
  if (!isReads && lineRule(source) === null) return loadTokenize(gpu, format);
  return Promise.all([
    loadTokenize(gpu, LINES),
    hasLongRecords(source) ? loadTokenize(gpu, NULS) : null,
    loadKernels({ frame: (isReads ? readsKernel : linesKernel)(gpu) }),
  ]);
}

const lineRule = (source: FormatName | null): LineRule | null => (source && LINE_RULES[source]) ?? null;

/** The byte that ends a text before it is framed; null: records have a fixed size. */
export function endOfRecord({ format, source }: DeviceFraming): number | null {
  if (hasLongRecords(source)) return 10;
  return format.kind === 'lines' ? format.delimiter : null;
}

/** The first `bytes` bytes of a text, which begin a record. */
interface UnframedText {
  readonly text: GPUBuffer;
  readonly bytes: number;
  /** Whether the text is the end of a file, and complete. */
  readonly isLast: boolean;
}

/**
 * Frames the whole records of a text; returns their bytes. Waits for the device. Throws Declined if a record is
 * malformed, or if the host has to deal with the text.
 */
export async function frameText(scratch: Scratch, whole: UnframedText, framing: DeviceFraming): Promise<number> {
  const { text, bytes } = whole;
  const { format, source } = framing;
  if (source === 'fastq') return frameReads(scratch, whole);
  const rule = lineRule(source);
  if (rule !== null) return frameLines(scratch, whole, rule);
  if (format.kind === 'fixed') return bytes - (bytes % format.size);
  const lines = await countRecords(scratch, text, bytes, format, []);
  const { starts } = await writeStarts(scratch, lines, lines.count, 0);
  const [end] = await readWords(scratch.gpu, [{ buffer: starts!, at: 0 }]);
  scratch.drop(starts!);
  scratch.drop(lines.counts!);
  return end!;
}

async function frameReads(scratch: Scratch, { text, bytes }: UnframedText): Promise<number> {
  const { gpu } = scratch;
  await refuseNuls(scratch, text, bytes);
  const lines = await countRecords(scratch, text, bytes, LINES, []);
  const records = Math.floor(lines.count / LINES_OF_READ);
  const { starts } = await writeStarts(scratch, lines, 0, records * LINES_OF_READ);
  scratch.drop(lines.counts!);
  const malformed = await scratch.take(16, 'malformed');
  submitPass(
    gpu,
    'tokenize',
    'frame reads',
    (pass) => {
      readsKernel(gpu).dispatch(
        pass,
        {
          starts: bind(starts!, (records * LINES_OF_READ + 1) * 4),
          framed: bind(text, textBufferBytes(bytes)),
          malformed: bind(malformed, 4),
        },
        { records },
        Math.ceil(records / 256),
      );
    },
    (encoder) => encoder.clearBuffer(malformed, 0, 4),
  );
  const [isMalformed, end] = await readWords(gpu, [
    { buffer: malformed, at: 0 },
    { buffer: starts!, at: records * LINES_OF_READ },
  ]);
  scratch.drop(starts!);
  scratch.drop(malformed);
  if (isMalformed !== 0) throw new Declined('a read is malformed');
  return end!;
}

async function frameLines(scratch: Scratch, whole: UnframedText, { mark, refused }: LineRule): Promise<number> {
  const { gpu } = scratch;
  const { text, bytes, isLast } = whole;
  if (mark !== null) await refuseNuls(scratch, text, bytes);
  const lines = await countRecords(scratch, text, bytes, LINES, []);
  const { count } = lines;
  const { starts } = await writeStarts(scratch, lines, 0, count);
  scratch.drop(lines.counts!);
  const found = await scratch.take(16, 'found');
  const first = Buffer.from(refused, 'latin1');
  const immediates = {
    ...{ lines: count, bytes, mark: mark ?? NO_MARK, is_last: Number(isLast) },
    ...{ mask: 2 ** (8 * first.length) - 1, refused: first.readUIntLE(0, first.length) },
  };
  submitPass(
    gpu,
    'tokenize',
    'frame lines',
    (pass) => {
      linesKernel(gpu).dispatch(
        pass,
        {
          starts: bind(starts!, (count + 1) * 4),
          framed: bind(text, textBufferBytes(bytes)),
          found: bind(found, 8),
        },
        immediates,
        Math.ceil(count / 256),
      );
    },
    (encoder) => encoder.clearBuffer(found, 0, 8),
  );
  const [isRefused, lastRecord, lastLine] = await readWords(gpu, [
    { buffer: found, at: 0 },
    { buffer: found, at: 1 },
    { buffer: starts!, at: count },
  ]);
  scratch.drop(starts!);
  scratch.drop(found);
  if (isRefused !== 0) throw new Declined('a line is not part of a record');
  return mark === null ? lastLine! : lastRecord!;
}

/** Throws Declined if a text that becomes lines that end in NUL contains NUL. */
async function refuseNuls(scratch: Scratch, text: GPUBuffer, bytes: number): Promise<void> {
  const { count, counts } = await countRecords(scratch, text, bytes, NULS, []);
  scratch.drop(counts!);
  if (count > 0) throw new Declined('the text contains NUL');
}
