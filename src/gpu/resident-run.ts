/**
 * A run in device memory: its records in order, text and starts. Answers the questions of a merge with one read-back each.
 */
import { SAMPLE_BYTES, type Bounds, type Position, type Run, type Sample } from '../engine.js';
import type { Ordering } from '../job.js';
import { keyOf } from '../keys/compare.js';
import { MAP_READ, USAGE, type Gpu } from './device.js';
import { dispatch, mapBuffer, readBack, submitPass } from './dispatch.js';
import type { KernelConstants } from './kernels.js';
import { recordOverrides, type Records } from './records.js';

/** Words that sample-records writes for a sample: number, byte, length of the head, head. */
const SAMPLE_STRIDE = 3 + SAMPLE_BYTES / 4;
/** Bytes of a record read back at a guess: nearly all records are shorter, longer ones take a second read. */
const RECORD_GUESS = 16384;

/** Compiles what resident runs need. */
export function loadResidentRun(gpu: Gpu, ordering: Ordering): Promise<unknown> {
  const constants = constantsOf(ordering);
  return Promise.all([gpu.kernels.load('sample-records', constants), gpu.kernels.load('cut-bounds', constants)]);
}

export class ResidentRun implements Run {
  readonly kind = 'resident';
  readonly end: Position;
  readonly records: Records;
  private readonly gpu: Gpu;
  private readonly ordering: Ordering;
  private readonly onRelease: () => void;
  private released = false;

  /** `onRelease` takes the buffers of `records` back. */
  constructor(gpu: Gpu, ordering: Ordering, records: Records, onRelease: () => void) {
    this.gpu = gpu;
    this.ordering = ordering;
    this.records = records;
    this.onRelease = onRelease;
    this.end = { index: records.count, byte: records.textBytes };
  }

  async sample(from: Position, to: Position, count: number): Promise<Sample[]> {
    if (to.index <= from.index) return [];
    const bytes = Uint32Array.from({ length: count }, (_, i) => from.byte + Math.floor(((to.byte - from.byte) * (2 * i + 1)) / (2 * count)));
    const targets = this.upload(bytes);
    const samples = this.scratch(count * SAMPLE_STRIDE * 4);
    // The first record is a sample only where it is alone: a cut there would cut nothing off.
    const first = Math.min(from.index + 1, to.index - 1);
    submitPass(this.gpu, 'combine', 'sample', (pass) => {
      dispatch(this.gpu, pass, 'sample-records', constantsOf(this.ordering), [this.records.text, this.records.starts, targets, samples],
        [count, first, to.index], Math.ceil(count / 64));
    });
    const answer = await this.answer(samples, targets);
    const words = new Uint32Array(answer.buffer);
    const result: Sample[] = [];
    let before = -1;
    for (let w = 0; w < words.length; w += SAMPLE_STRIDE) {
      if (words[w] === before) continue;
      before = words[w]!;
      result.push({ at: { index: before, byte: words[w + 1]! }, head: answer.subarray((w + 3) * 4, (w + 3) * 4 + words[w + 2]!) });
    }
    return result;
  }

  async record(at: Position): Promise<Uint8Array> {
    // The next start and a guess of the text come back together.
    const from = Math.floor(at.byte / 4) * 4;
    const guess = Math.min(RECORD_GUESS, Math.ceil((this.records.textBytes - from) / 4) * 4);
    const staging = this.gpu.device.createBuffer({ size: 4 + guess, usage: USAGE.MAP_READ | USAGE.COPY_DST, label: 'record' });
    const encoder = this.gpu.device.createCommandEncoder({ label: 'record' });
    encoder.copyBufferToBuffer(this.records.starts, (at.index + 1) * 4, staging, 0, 4);
    encoder.copyBufferToBuffer(this.records.text, from, staging, 4, guess);
    this.gpu.device.queue.submit([encoder.finish()]);
    await mapBuffer(this.gpu, staging, MAP_READ);
    const mapped = staging.getMappedRange();
    const end = new Uint32Array(mapped, 0, 1)[0]! - (this.ordering.format.kind === 'lines' ? 1 : 0);
    const whole = end <= from + guess ? new Uint8Array(mapped, 4).slice(at.byte - from, end - from) : null;
    staging.destroy();
    return whole ?? readBack(this.gpu, this.records.text, at.byte, end - at.byte);
  }

  async cut(from: Position, to: Position, records: readonly Uint8Array[]): Promise<Bounds[]> {
    if (records.length === 0) return [];
    if (to.index <= from.index) return records.map(() => ({ lower: from, upper: from }));
    const { table, text } = packQueries(this.ordering, records);
    const queries = this.upload(table);
    const queryText = this.upload(text);
    const bounds = this.scratch(records.length * 16);
    submitPass(this.gpu, 'combine', 'cut', (pass) => {
      dispatch(this.gpu, pass, 'cut-bounds', constantsOf(this.ordering), [this.records.text, this.records.starts, queries, queryText, bounds],
        [records.length, from.index, to.index], Math.ceil(records.length / 32));
    });
    const words = new Uint32Array((await this.answer(bounds, queries, queryText)).buffer);
    return records.map((_, i) => ({
      lower: { index: words[4 * i]!, byte: words[4 * i + 1]! },
      upper: { index: words[4 * i + 2]!, byte: words[4 * i + 3]! },
    }));
  }

  release(): void {
    if (this.released) return;
    this.released = true;
    this.onRelease();
  }

  /** A small buffer of its own: questions to many runs are asked at once, without a wait for memory. */
  private scratch(bytes: number): GPUBuffer {
    return this.gpu.device.createBuffer({ size: Math.max(bytes, 16), usage: USAGE.STORAGE | USAGE.COPY_SRC | USAGE.COPY_DST, label: 'question' });
  }

  private upload(data: Uint32Array<ArrayBuffer> | Uint8Array<ArrayBuffer>): GPUBuffer {
    const buffer = this.scratch(data.byteLength);
    this.gpu.device.queue.writeBuffer(buffer, 0, data);
    return buffer;
  }

  private async answer(source: GPUBuffer, ...others: GPUBuffer[]): Promise<Uint8Array> {
    try {
      return await readBack(this.gpu, source, 0, source.size);
    } finally {
      for (const buffer of [source, ...others]) buffer.destroy();
    }
  }
}

/** The ordered bytes of records (shared/record.wgsl), each from a word on, and where they lie: word and length in bytes. */
function packQueries(ordering: Ordering, records: readonly Uint8Array[]): { table: Uint32Array<ArrayBuffer>; text: Uint8Array<ArrayBuffer> } {
  const whole = ordering.key.kind === 'record';
  const parts = records.map((record) => (whole ? [record] : ordering.lastResort ? [keyOf(ordering, record), record] : [keyOf(ordering, record)]));
  const table = new Uint32Array(records.length * 2);
  let words = 0;
  parts.forEach((part, i) => {
    const length = part.reduce((sum, bytes) => sum + bytes.length, 0);
    table[2 * i] = words;
    table[2 * i + 1] = length;
    words += Math.ceil(length / 4);
  });
  const text = new Uint8Array(words * 4);
  parts.forEach((part, i) => {
    let at = table[2 * i]! * 4;
    for (const bytes of part) { text.set(bytes, at); at += bytes.length; }
  });
  return { table, text };
}

function constantsOf(ordering: Ordering): KernelConstants {
  return { overrides: recordOverrides(ordering) };
}
