/**
 * Cuts a text on the device after its last whole record, and turns its records into the form of the engines. Knows
 * nothing of keys or order.
 */
import { Declined } from '../../../contract/engine.js';
import type { RecordFormat } from '../../../job/ordering.js';
import type { Gpu } from '../device/device.js';
import { bind, Kernel, loadKernels, readWords, submitPass } from '../device/dispatch.js';
import type { Scratch } from '../device/pool.js';
import { textBufferBytes } from './records.js';
import { countRecords, loadTokenize, writeStarts } from './tokenize.js';

/** How text becomes records: `format` is that of the engine; `isReads`: it is FASTQ of four lines per record. */
export interface DeviceFraming {
  readonly format: RecordFormat;
  readonly isReads: boolean;
}

/** The lines of FASTQ, and the records that they become. */
const LINES: RecordFormat = { kind: 'lines', delimiter: 10 };
const LINES_OF_READ = 4;
const READS: RecordFormat = { kind: 'lines', delimiter: 0 };

const kernelOf = (gpu: Gpu): Kernel => new Kernel(gpu, 'records/frame/reads');

/** Compiles what `frameText` needs. */
export function loadFraming(gpu: Gpu, { format, isReads }: DeviceFraming): Promise<unknown> {
  if (!isReads) return loadTokenize(gpu, format);
  return Promise.all([loadTokenize(gpu, LINES), loadTokenize(gpu, READS), loadKernels({ frame: kernelOf(gpu) })]);
}

/** The byte that ends a record of a text before it is framed; null: records have a fixed size. */
export function endOfRecord({ format, isReads }: DeviceFraming): number | null {
  if (isReads) return 10;
  return format.kind === 'lines' ? format.delimiter : null;
}

/**
 * Frames the whole records in text[0, bytes), which begins with a record; returns their bytes. Waits for the device.
 * Throws Declined if a record is malformed.
 */
export async function frameText(
  scratch: Scratch,
  text: GPUBuffer,
  bytes: number,
  { format, isReads }: DeviceFraming,
): Promise<number> {
  if (isReads) return frameReads(scratch, text, bytes);
  if (format.kind === 'fixed') return bytes - (bytes % format.size);
  const lines = await countRecords(scratch, text, bytes, format, []);
  const { starts } = await writeStarts(scratch, lines, lines.count, 0);
  const [end] = await readWords(scratch.gpu, [{ buffer: starts!, at: 0 }]);
  scratch.drop(starts!);
  scratch.drop(lines.counts!);
  return end!;
}

async function frameReads(scratch: Scratch, text: GPUBuffer, bytes: number): Promise<number> {
  const { gpu } = scratch;
  const nuls = await countRecords(scratch, text, bytes, READS, []);
  scratch.drop(nuls.counts!);
  if (nuls.count > 0) throw new Declined('a read contains NUL');
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
      kernelOf(gpu).dispatch(
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
