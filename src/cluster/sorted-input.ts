/**
 * An input of -m, which is already sorted and needs no share task: range tasks cut it at splitters by examining its
 * records, and merge the parts of all inputs as one machine does. If it is not sorted, the range task that merges the
 * disorder detects it.
 */

import type { Bounds, Position, SampledRecord } from '../contract/engine.js';
import { type InputFile, positional } from '../input/files.js';
import type { SortJob } from '../job/job.js';
import type { Ordering } from '../job/ordering.js';
import { recordFinder } from '../records/record-finder.js';
import type { Recorder } from '../report/recorder.js';
import { checkOrder } from '../run/check.js';
import { SAMPLES_PER_RANGE, type Splitter } from '../runs/splitters.js';
import { BlobRun } from '../runs/stored-run.js';
import { GpusortError } from '../system/errors.js';
import { readPart } from './directory.js';
import type { OpenFiles } from './open-files.js';
import { spread } from './run-index.js';
import { type Cut, type Cuttable, placeIn } from './splitters.js';

/**
 * Bytes read at a time to examine a record. They are few, because a cut examines about twenty records and caches
 * nothing.
 */
const BLOCK_BYTES = 16 << 10;

export class SortedInput implements Cuttable {
  readonly number: number;
  readonly input: InputFile;
  readonly begin: Cut = cutAt(0);
  readonly end: Cut;
  private readonly run: BlobRun;

  private constructor(number: number, input: InputFile, bytes: number, run: BlobRun) {
    this.number = number;
    this.input = input;
    this.end = cutAt(bytes);
    this.run = run;
  }

  /** Opens input `number`, a regular file of records. `hold`: returns a record as runs hold it. */
  static async open(
    number: number,
    input: InputFile,
    ordering: Ordering,
    files: OpenFiles,
    hold: (record: Uint8Array) => Uint8Array,
  ): Promise<SortedInput> {
    const { label } = input;
    const { begin, end } = positional(input) ?? { begin: 0, end: 0 };
    const { delimiter } = recordFinder(ordering.format);
    const read = (target: Uint8Array, position: number): Promise<void> =>
      files.with(input.name!, (fd) => readPart(fd, target, position, label));
    const last = new Uint8Array(1);
    if (end > begin) await read(last, end - 1);
    // A last line without a delimiter is given one.
    const bytes = end - begin + Number(end > begin && delimiter !== null && last[0] !== delimiter);
    const blob = {
      bytes,
      blockBytes: BLOCK_BYTES,
      readAt: async (byte: number, target: Uint8Array) => {
        const there = Math.min(target.length, end - begin - byte);
        await read(target.subarray(0, there), begin + byte);
        target.fill(delimiter ?? 0, there);
      },
      release: () => {},
    };
    return new SortedInput(number, input, bytes, new BlobRun(blob, ordering, null, hold));
  }

  samples(most: number, rangeBytes: number): Promise<SampledRecord[]> {
    const { byte: bytes } = this.end;
    const count = Math.min(most, Math.ceil((SAMPLES_PER_RANGE * bytes) / rangeBytes));
    const first = spread(this.number);
    return this.run.samplesAt(Array.from({ length: count }, (_, i) => Math.floor(((i + first) * bytes) / count)));
  }

  record(place: Position): Promise<Uint8Array> {
    return this.run.record(place);
  }

  async boundsOf(record: Uint8Array): Promise<Bounds> {
    const [bounds] = await this.run.cut(this.run.begin, this.run.end, [record]);
    return bounds;
  }

  async cut(splitter: Splitter, whole: boolean): Promise<Cut> {
    return cutAt((await placeIn(this, splitter, { whole })).byte);
  }

  endCuts(): void {}

  /**
   * The records between two cuts, as an input; null if there are none. Throws if the cuts show that the input is not
   * sorted.
   */
  part(from: Cut, to: Cut): InputFile | null {
    if (from.byte === to.byte) return null;
    if (from.byte > to.byte) throw notSorted(`${this.input.label} is not sorted`);
    const { begin, end } = this.input.extent!;
    return {
      ...this.input,
      // Line numbers in messages count from the beginning of the part.
      label: from.byte === 0 ? this.input.label : `${this.input.label} after byte ${begin + from.byte}`,
      extent: { begin: begin + from.byte, end: Math.min(end, begin + to.byte) },
      headerStripped: true,
    };
  }
}

const cutAt = (byte: number): Cut => ({ byte, before: { records: 0, bytes: byte, hash: 0n } });

/** Throws if one of the parts is not sorted. */
export async function refuseDisorder(parts: readonly InputFile[], job: SortJob, recorder: Recorder): Promise<void> {
  const check: SortJob = {
    ...job,
    check: { ...job.check, explains: false },
    ordering: { ...job.ordering, unique: false },
  };
  for (const part of parts)
    await checkOrder(check, part, null, recorder).catch((error: unknown) => {
      throw error instanceof GpusortError && error.code === 'disorder' ? notSorted(error.message) : error;
    });
}

function notSorted(what: string): GpusortError {
  return new GpusortError('bad-records', what, {
    hint: 'With --cluster, -m needs sorted inputs. Leave out -m to sort them.',
  });
}
