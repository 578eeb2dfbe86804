/**
 * A sparse index of a stored run: samples of its text, taken while it is written. Without the index, each sample or cut
 * would read and check windows all over the run. Its size does not depend on that of the run.
 */

import { COLLATED_SAMPLE_BYTES, SAMPLE_BYTES, type SampledRecord } from '../contract/engine.js';
import type { Ordering } from '../job/ordering.js';
import { isCollated } from '../keys/collation/collation.js';
import { compareHeads, orderedBytes } from '../keys/compare.js';
import { delimiterBytes, type RecordFinder, recordFinder } from '../records/record-finder.js';
import { firstIndex } from '../system/binary-search.js';
import { asBuffer } from '../system/memory.js';

/** Initial distance between samples, in bytes. It doubles as the run grows. */
const STEP_BYTES = 64 << 10;
const MOST_SAMPLES = 256;

export class SparseIndexBuilder {
  private readonly ordering: Ordering;
  private readonly finder: RecordFinder;
  private samples: SampledRecord[] = [];
  private step = STEP_BYTES;
  /** Bytes of the run so far. The next sample begins at `next` or later. */
  private length = 0;
  private next = STEP_BYTES;

  constructor(ordering: Ordering) {
    this.ordering = ordering;
    this.finder = recordFinder(ordering.format);
  }

  /**
   * Takes the next bytes of the run. Retains only the heads of samples. Records that are not entirely in these bytes
   * are skipped.
   */
  add(bytes: Uint8Array): void {
    const text = asBuffer(bytes);
    const { finder, length } = this;
    while (this.next < length + text.length) {
      const from = Math.max(0, this.next - 1 - length);
      const before = finder.firstEnd(text.subarray(from), length + from);
      const begin = from + before;
      const end = before < 0 ? -1 : finder.firstEnd(text.subarray(begin), length + begin);
      if (end < 0) break;
      const record = text.subarray(begin, begin + end - delimiterBytes(finder));
      const head = new Uint8Array(sampleHead(this.ordering, record));
      this.samples.push({ at: { byte: length + begin }, head, bytes: record.length });
      this.next = length + begin + Math.max(end, this.step);
      if (this.samples.length === MOST_SAMPLES) {
        this.samples = this.samples.filter((_, i) => i % 2 === 1);
        this.step *= 2;
      }
    }
    this.length += text.length;
    this.next = Math.max(this.next, this.length);
  }

  finish(): RunIndex {
    return new RunIndex(this.ordering, this.samples);
  }
}

export class RunIndex {
  private readonly ordering: Ordering;
  private readonly samples: readonly SampledRecord[];

  constructor(ordering: Ordering, samples: readonly SampledRecord[]) {
    this.ordering = ordering;
    this.samples = samples;
  }

  /** At most `count` samples, spread evenly over those that begin in (from, to). */
  spread(from: number, to: number, count: number): SampledRecord[] {
    const begin = this.first(({ at }) => at.byte > from);
    const found = this.first(({ at }) => at.byte >= to) - begin;
    if (found <= count) return this.samples.slice(begin, begin + found);
    return Array.from({ length: count }, (_, i) => this.samples[begin + Math.floor(((i + 0.5) * found) / count)]);
  }

  /** The part of `part` where `record` would lie. */
  narrow(part: RunPart, record: Uint8Array): RunPart {
    return narrow(this.samples, this.ordering, part, record);
  }

  /** The index of the first sample for which `holds` is true. It must be true for all later ones. */
  private first(holds: (sample: SampledRecord) => boolean): number {
    return firstIndex(0, this.samples.length, (i) => holds(this.samples[i]));
  }
}

/** Bytes [low, high) of a run's text: whole records. */
export interface RunPart {
  readonly low: number;
  readonly high: number;
}

/** Samples of a run, in order. They may be decoded when they are looked at. */
interface RunSamples {
  readonly length: number;
  at(i: number): SampledRecord | undefined;
}

/**
 * The smallest part of `part` that the heads of samples alone can determine: records that begin before it sort before
 * `record`, and records that begin at or after its end sort after it.
 */
export function narrow(samples: RunSamples, ordering: Ordering, { low, high }: RunPart, record: Uint8Array): RunPart {
  if (isCollated(ordering)) return { low, high };
  const head = sampleHead(ordering, record);
  const first = (sign: 0 | 1): number =>
    firstIndex(0, samples.length, (i) => compareHeads(ordering, samples.at(i)!.head, head) >= sign);
  const [notBefore, after] = [first(0), first(1)];
  const within = (byte: number): number => Math.max(low, Math.min(byte, high));
  return {
    low: notBefore === 0 ? low : within(samples.at(notBefore - 1)!.at.byte),
    high: after === samples.length ? high : within(samples.at(after)!.at.byte),
  };
}

/** The length to which heads are cut. */
export const sampleBytes = (ordering: Ordering): number =>
  isCollated(ordering) ? COLLATED_SAMPLE_BYTES : SAMPLE_BYTES;

/** The head (src/contract/engine.ts) of a record without its delimiter; usually a view of it. */
export function sampleHead(ordering: Ordering, record: Uint8Array, most = sampleBytes(ordering)): Uint8Array {
  return isCollated(ordering) ? record.subarray(0, most) : orderedBytes(ordering, record, most);
}
