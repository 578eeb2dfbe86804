/**
 * Takes files of SAM stretch by stretch, without their headers, and writes the records of BAM that their lines become.
 * An incomplete line at the end of a stretch begins the next one. What the device does not convert exactly as threads
 * do (kernels/wasm/alignments/) is declined, and so are malformed lines: threads report what is wrong.
 */

import { Declined } from '../../../contract/engine.js';
import type { RecordFormat } from '../../../job/ordering.js';
import type { Gpu } from '../device/device.js';
import { bind, Kernel, loadKernels, readWords, send, submitPass } from '../device/dispatch.js';
import type { Scratch } from '../device/pool.js';
import { contigTable } from '../records/contig-table.js';
import { copyOnDevice, loadCopyBytes } from '../records/copy-bytes.js';
import { textBufferBytes } from '../records/records.js';
import { loadScan, scanExclusive, scanSumsBytes } from '../records/scan.js';
import { countRecords, loadTokenize, writeStarts } from '../records/tokenize.js';
import type { FramedTexts, TextMaker } from './texts.js';

/** Threads of a workgroup of the kernels. */
const WORKGROUP = 64;
const NEWLINE = 10;
const LINES: RecordFormat = { kind: 'lines', delimiter: NEWLINE };

/** Why lines are declined: the bits of kernels/wgsl/bam/sam-line.wgsl, the lowest first. */
const PROBLEMS = [
  'a line is malformed',
  'a record has a reference, but no position',
  'the GPU cannot read a number of a tag',
  'a CIGAR is too long for its field',
  'the text of a tag contains NUL',
];

const kernelsOf = (gpu: Gpu) => ({
  sizes: new Kernel(gpu, 'bam/sam-sizes'),
  records: new Kernel(gpu, 'bam/sam-records'),
});

/** Compiles what `SamTexts` needs. */
export function loadSamTexts(gpu: Gpu): Promise<unknown> {
  return Promise.all([loadKernels(kernelsOf(gpu)), loadTokenize(gpu, LINES), loadScan(gpu), loadCopyBytes(gpu)]);
}

/** Whole lines in a stretch: where the first one begins, and the others after it. */
interface StretchLines {
  readonly text: GPUBuffer;
  readonly begin: number;
  readonly end: number;
  readonly count: number;
  readonly starts: GPUBuffer;
}

export class SamTexts implements TextMaker {
  readonly restBytes: number;
  private readonly scratch: Scratch;
  private readonly contigs: Uint32Array<ArrayBuffer>;
  private readonly texts: FramedTexts;
  /** The incomplete line at the end of the last stretch. */
  private rest: { readonly text: GPUBuffer; readonly bytes: number } | null = null;

  /** `contigs`: see BamInput. `lineBytes`: maximum bytes of a line, a multiple of 4. */
  constructor(scratch: Scratch, contigs: Uint8Array, lineBytes: number, texts: FramedTexts) {
    this.scratch = scratch;
    this.contigs = new Uint32Array(contigTable(contigs));
    this.restBytes = lineBytes;
    this.texts = texts;
  }

  /** Begins a file. Its header is not read again. */
  beginFile(): void {
    this.rest = null;
  }

  async add(text: GPUBuffer, bytes: number): Promise<void> {
    const { scratch, restBytes } = this;
    const isFirst = this.texts.texts.length === 0;
    const begin = this.putRest(text);
    const end = restBytes + bytes;
    scratch.gpu.timer?.handles(end - begin, 'tokenize');
    const counted = await countRecords(scratch, text, end, LINES, []);
    const { starts } = await writeStarts(scratch, counted, 0, counted.count);
    scratch.drop(counted.counts!);
    const lines = { text, begin, end, count: counted.count, starts: starts! };
    await this.keepRest(text, counted.count === 0 ? begin : await this.convert(lines), end);
    scratch.drop(starts!);
    if (isFirst && this.texts.texts.length > 0) await this.texts.reserve(bytes);
  }

  /** Ends a file, whose last line may lack its newline. */
  async endFile(): Promise<void> {
    if (this.rest === null) return;
    const { scratch, restBytes } = this;
    const text = await scratch.take(textBufferBytes(restBytes + 1), 'last line');
    send(scratch.gpu, text, restBytes, Uint32Array.of(NEWLINE));
    await this.add(text, 1);
    scratch.drop(text);
  }

  /** Puts the rest of the last stretch before this one, and zeros before the rest. Returns where the rest begins. */
  private putRest(text: GPUBuffer): number {
    const { scratch, rest, restBytes } = this;
    const { gpu } = scratch;
    const begin = restBytes - (rest?.bytes ?? 0);
    submitPass(
      gpu,
      'tokenize',
      'rest of a stretch',
      (pass) => {
        if (rest !== null) copyOnDevice(gpu, pass, { text: rest.text, at: 0 }, { text, at: begin }, rest.bytes);
      },
      (encoder) => encoder.clearBuffer(text, 0, restBytes),
    );
    if (rest !== null) scratch.drop(rest.text);
    this.rest = null;
    return begin;
  }

  /** Keeps the incomplete line at the end of a stretch. */
  private async keepRest(text: GPUBuffer, from: number, end: number): Promise<void> {
    const { scratch } = this;
    const bytes = end - from;
    if (bytes > this.restBytes) throw new Declined('a line is too long');
    if (bytes === 0) return;
    const rest = await scratch.take(textBufferBytes(bytes), 'rest of a stretch');
    submitPass(scratch.gpu, 'tokenize', 'rest of a stretch', (pass) => {
      copyOnDevice(scratch.gpu, pass, { text, at: from }, { text: rest, at: 0 }, bytes);
    });
    this.rest = { text: rest, bytes };
  }

  /** Converts whole lines, one or more. Returns the end of the last one. Throws Declined. */
  private async convert(lines: StretchLines): Promise<number> {
    const { scratch, contigs } = this;
    const { gpu } = scratch;
    const { text, begin, end, count, starts: lineStarts } = lines;
    const tables = await scratch.take(contigs.byteLength, 'contigs');
    const sizes = await scratch.take(count * 4, 'sizes of records');
    const starts = await scratch.take((count + 1) * 4, 'starts of records');
    const sums = await scratch.take(scanSumsBytes(count), 'scan sums');
    const problems = await scratch.take(16, 'problems of lines');
    send(gpu, tables, 0, contigs);
    const bindings = {
      text: bind(text, textBufferBytes(end)),
      line_starts: bind(lineStarts, (count + 1) * 4),
      tables: bind(tables, contigs.byteLength),
    };
    const groups = Math.ceil(count / WORKGROUP);
    submitPass(
      gpu,
      'tokenize',
      'sizes of records',
      (pass) => {
        kernelsOf(gpu).sizes.dispatch(
          pass,
          { ...bindings, sizes: bind(sizes, count * 4), starts: bind(starts, count * 4), problems: bind(problems, 4) },
          { lines: count, begin },
          groups,
        );
        scanExclusive(gpu, pass, starts, count, sums);
      },
      (encoder) => encoder.clearBuffer(problems, 0, 4),
    );
    const [found, bytes, lineEnd] = await readWords(gpu, [
      { buffer: problems, at: 0 },
      { buffer: starts, at: count },
      { buffer: lineStarts, at: count },
    ]);
    if (found !== 0) throw new Declined(PROBLEMS[31 - Math.clz32(found & -found)]);
    const records = await scratch.take(textBufferBytes(bytes), 'text of BAM');
    submitPass(
      gpu,
      'tokenize',
      'records of lines',
      (pass) => {
        kernelsOf(gpu).records.dispatch(
          pass,
          {
            ...bindings,
            starts: bind(starts, (count + 1) * 4),
            records: bind(records, textBufferBytes(bytes)),
          },
          { lines: count, begin },
          groups,
        );
      },
      (encoder) => encoder.clearBuffer(records, 0, textBufferBytes(bytes)),
    );
    for (const buffer of [tables, sums, problems]) scratch.drop(buffer);
    this.texts.take(scratch.keep(records), bytes, { count, starts, sizes });
    return lineEnd;
  }
}
