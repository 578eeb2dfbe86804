/**
 * A run in device memory: sorted records as text and starts. Answers the questions of a merge.
 */

import { type Bounds, type Run, SAMPLE_BYTES, type SampledRecord } from '../../../contract/engine.js';
import type { Ordering } from '../../../job/ordering.js';
import { orderedBytes } from '../../../keys/compare.js';
import type { Gpu } from '../device/device.js';
import { Kernel, loadKernels, readBack } from '../device/dispatch.js';
import {
  bytesPerRecord,
  type DevicePosition,
  placeBefore,
  type Records,
  recordBindings,
  recordOverrides,
} from '../records/records.js';
import type { Questions } from './questions.js';

/** Words that sample-records writes per sample: number, byte, record length, head length, head. */
const SAMPLE_STRIDE = 4 + SAMPLE_BYTES / 4;
/** Bytes read back for a record of unknown length. Nearly all records are shorter; longer ones take a second read. */
const RECORD_GUESS = 16384;
/** Maximum bytes of records used for one cut; a single record may exceed it. */
const QUERY_BYTES = 4 << 20;

/** Compiles what resident runs need. */
export function loadDeviceRun(gpu: Gpu, ordering: Ordering): Promise<unknown> {
  return loadKernels(kernelsOf(gpu, ordering));
}

function kernelsOf(gpu: Gpu, ordering: Ordering) {
  const constants = { overrides: recordOverrides(ordering) };
  return {
    sampleRecords: new Kernel(gpu, 'engine/sample-records', constants),
    cutBounds: new Kernel(gpu, 'engine/cut-bounds', constants),
  };
}

export class DeviceRun implements Run {
  readonly kind = 'resident';
  readonly begin: DevicePosition = placeBefore(0, 0);
  readonly end: DevicePosition;
  readonly records: Records;
  private readonly questions: Questions;
  private readonly ordering: Ordering;
  private readonly onRelease: () => void;
  private released = false;

  /** `onRelease` frees the buffers of `records`. */
  constructor(questions: Questions, ordering: Ordering, records: Records, onRelease: () => void) {
    this.questions = questions;
    this.ordering = ordering;
    this.records = records;
    this.onRelease = onRelease;
    this.end = placeBefore(records.count, records.textBytes);
  }

  async sample(from: DevicePosition, to: DevicePosition, count: number): Promise<SampledRecord<DevicePosition>[]> {
    if (to.index <= from.index) return [];
    const bytes = Uint32Array.from(
      { length: count },
      (_, i) => from.byte + Math.floor(((to.byte - from.byte) * (2 * i + 1)) / (2 * count)),
    );
    // The first record is a sample only if it is the only one: a cut there would cut nothing off.
    const first = Math.min(from.index + 1, to.index - 1);
    const answer = await this.questions.ask({
      kernel: kernelsOf(this.questions.gpu, this.ordering).sampleRecords,
      inputs: recordBindings(this.records),
      data: { bytes },
      answer: 'samples',
      immediates: { n: count, from_record: first, to_record: to.index },
      workgroups: Math.ceil(count / 64),
      answerBytes: count * SAMPLE_STRIDE * 4,
    });
    const words = new Uint32Array(answer.buffer);
    const result: SampledRecord<DevicePosition>[] = [];
    let before = -1;
    for (let w = 0; w < words.length; w += SAMPLE_STRIDE) {
      if (words[w] === before) continue;
      before = words[w];
      const head = answer.subarray((w + 4) * 4, (w + 4) * 4 + words[w + 3]);
      result.push({ at: placeBefore(before, words[w + 1]), head, bytes: words[w + 2] });
    }
    return result;
  }

  async record(at: DevicePosition): Promise<Uint8Array> {
    const { text, starts, textBytes } = this.records;
    const from = Math.floor(at.byte / 4) * 4;
    if (starts === null) {
      const end = at.byte + bytesPerRecord(this.records);
      const bytes = Math.ceil((end - from) / 4) * 4;
      const answer = await this.questions.ask({ copies: [{ buffer: text, offset: from, bytes }], answerBytes: bytes });
      return answer.subarray(at.byte - from, end - from);
    }
    // One question reads the next start and the guessed length of text.
    const guess = Math.min(RECORD_GUESS, Math.ceil((textBytes - from) / 4) * 4);
    const answer = await this.questions.ask({
      copies: [
        { buffer: starts, offset: (at.index + 1) * 4, bytes: 4 },
        { buffer: text, offset: from, bytes: guess },
      ],
      answerBytes: 4 + guess,
    });
    const end = new Uint32Array(answer.buffer, 0, 1)[0] - (this.ordering.format.kind === 'lines' ? 1 : 0);
    if (end <= from + guess) return answer.subarray(4 + at.byte - from, 4 + end - from);
    return readBack(this.questions.gpu, text, at.byte, end - at.byte);
  }

  async cut(
    from: DevicePosition,
    to: DevicePosition,
    records: readonly Uint8Array[],
  ): Promise<Bounds<DevicePosition>[]> {
    if (to.index <= from.index) return records.map(() => ({ lower: from, upper: from }));
    const { cutBounds } = kernelsOf(this.questions.gpu, this.ordering);
    const bounds = await Promise.all(
      packQueries(this.ordering, records, this.questions.gpu.maxBindingBytes - 16).map(
        async ({ count, table, text }) => {
          const words = new Uint32Array(
            (
              await this.questions.ask({
                kernel: cutBounds,
                inputs: recordBindings(this.records),
                data: { queries: table, query_text: text },
                answer: 'bounds',
                immediates: { n: count, from_record: from.index, to_record: to.index },
                workgroups: Math.ceil(count / 32),
                answerBytes: count * 16,
              })
            ).buffer,
          );
          return Array.from({ length: count }, (_, i) => ({
            lower: placeBefore(words[4 * i], words[4 * i + 1]),
            upper: placeBefore(words[4 * i + 2], words[4 * i + 3]),
          }));
        },
      ),
    );
    return bounds.flat();
  }

  release(): void {
    if (this.released) return;
    this.released = true;
    this.onRelease();
  }
}

/** Records to cut by, in device format: `table` has each record's first word in `text` and its length in bytes. */
interface Queries {
  readonly count: number;
  readonly table: Uint32Array<ArrayBuffer>;
  readonly text: Uint32Array<ArrayBuffer>;
}

/** All runs are cut by the same records, so those are packed once. */
const packed = new WeakMap<readonly Uint8Array[], Queries[]>();

/** Packs the first `most` ordered bytes of each record. No record of a run has that many, so they decide its place. */
function packQueries(ordering: Ordering, records: readonly Uint8Array[], most: number): Queries[] {
  let queries = packed.get(records);
  if (queries === undefined) {
    queries = [];
    for (let first = 0; first < records.length; ) {
      let bytes = 0;
      let end = first;
      while (end < records.length && (end === first || bytes + records[end].length <= QUERY_BYTES))
        bytes += records[end++].length;
      queries.push(packSome(records.slice(first, end).map((record) => orderedBytes(ordering, record, most))));
      first = end;
    }
    packed.set(records, queries);
  }
  return queries;
}

/** The ordered bytes of records (shared/record.wgsl), each starting at a word. */
function packSome(ordered: readonly Uint8Array[]): Queries {
  const table = new Uint32Array(ordered.length * 2);
  let words = 0;
  ordered.forEach(({ length }, i) => {
    table[2 * i] = words;
    table[2 * i + 1] = length;
    words += Math.ceil(length / 4);
  });
  const text = new Uint32Array(Math.max(words, 1));
  const target = new Uint8Array(text.buffer);
  ordered.forEach((bytes, i) => {
    target.set(bytes, table[2 * i] * 4);
  });
  return { count: ordered.length, table, text };
}
