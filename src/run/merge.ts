/**
 * -m: merges inputs that are already sorted, and holds only a window of each. As with the runs of a sort, inputs are
 * cut at splitters and merged range by range (src/runs/rounds.ts). Like GNU sort, a merge takes the smallest of the
 * inputs' next records, so unsorted input loses nothing. From the first unsorted range on, it therefore merges record
 * by record. It always does for collations, for inputs of up to 1 MiB in total, and if only the first records are
 * requested. Unsorted genomics data is refused.
 */

import { decorated } from '../contract/decorated.js';
import { type BlockWriter, type Engine, type KeptRun, OutOfOrder, type Slice } from '../contract/engine.js';
import { type InputFile, knownBytes } from '../input/files.js';
import type { Headers } from '../input/header.js';
import { plannedCodecThreads } from '../input/inputs.js';
import { engineBytes, InputKeys } from '../input/keyed-bytes.js';
import { limitsLate, type SortJob } from '../job/job.js';
import type { Ordering } from '../job/ordering.js';
import { canTake } from '../job/traits.js';
import { isKeyed } from '../keys/keyed.js';
import { mergePlan } from '../plan/cpu-plan.js';
import { machineFacts } from '../plan/facts.js';
import type { CpuPlan } from '../plan/plan.js';
import type { Recorder } from '../report/recorder.js';
import type { Blob } from '../runs/blob.js';
import { combine, type Step } from '../runs/combine.js';
import { mergesInAdvance, mostTexts, windowBytes } from '../runs/fan-in.js';
import { comeFirst, FrontInWindows } from '../runs/front.js';
import { rounds } from '../runs/rounds.js';
import type { TemporaryStore } from '../runs/store.js';
import { WindowMemory } from '../runs/window-memory.js';
import { type ByteSource, sequential, sourceOf } from '../system/byte-source.js';
import { mostOpenInputs } from '../system/limits.js';
import { rest } from '../system/promises.js';
import type { InputDigest } from '../verify/summer.js';
import type { Delivery } from './delivery.js';
import { InputOrder } from './input-order.js';
import { type MergedOutput, mergeInTurn } from './merge-in-turn.js';
import { openMergeEngine } from './open-engine.js';

/** The default maximum number of inputs merged at once: each needs a descriptor and two windows. */
const FAN_IN = 256;
/** Descriptors of an input that a program decompresses: the file, and the pipes of the program. */
const PROGRAM_DESCRIPTORS = 4;
/** Inputs of at most this many bytes in total are merged record by record, which avoids compiling kernels. */
const FEW_BYTES = 1 << 20;
/** Keys make most records at most this many times longer; other records need larger windows than planned. */
const MOST_KEYED_GROWTH = 4;
/** The size of an input of unknown size: larger than any file, and finite, because sums of sizes are compared. */
const UNKNOWN_BYTES = 2 ** 45;
/** All windows together hold this many ranges for each thread. */
const RANGES_PER_THREAD = 2;

/** An input, or the result of an earlier merge of inputs. */
interface MergeSource {
  /** An estimate of the maximum size of its records in bytes; Infinity if unknown. */
  readonly expected: number;
  /** Opens its records in the engines' form, with their keys. */
  open(): Promise<ByteSource>;
}

interface MergeInputsOptions {
  /** A complete job. */
  readonly job: SortJob;
  readonly store: TemporaryStore;
  /** Where records are written; it also checks them. */
  readonly delivery: Delivery;
  readonly recorder: Recorder;
  /** The headers of the inputs, which are not merged. */
  readonly headers: Headers | null;
}

/**
 * Merges `inputs`, at most --batch-size at once, into `delivery`. If only the first records are requested, the merge
 * stops after them and reads no further.
 */
export async function mergeInputs(
  inputs: readonly InputFile[],
  { job, delivery, store, recorder, headers }: MergeInputsOptions,
): Promise<void> {
  const { output, ordering } = job;
  const plan = isInRanges(inputs, job)
    ? mergePlan(job, machineFacts(), {
        bytes: knownBytes(inputs),
        codecThreads: plannedCodecThreads(job, inputs),
      })
    : null;
  const inAdvance = [...mergesInAdvance(inputs.map(expectedBytes), fanInOf(plan, job.resources.batchSize, inputs))];
  recorder.advance('merging', 0, mergedBytes(inputs, inAdvance, job));
  const most = output.limit?.end === 'first' && !limitsLate(output) ? output.limit.count : Infinity;
  const ranges = plan && { plan, engine: await openMergeEngine(plan, ordering, recorder) };
  const merge = async (some: readonly MergeSource[], to: Omit<MergedOutput, 'most'>): Promise<void> => {
    const write: BlockWriter = (block) => {
      recorder.advance('merging', block.length);
      return to.write(block);
    };
    const texts = await opened(some);
    if (ranges === null) return mergeInTurn(texts, ordering, { ...to, most, write });
    // A text that fits into its window needs no larger one. One byte more lets the window see the end of the text.
    const longest = Math.max(...some.map(({ expected }) => expected)) + 2;
    await mergeInRanges(texts, { ...ranges, longest, ordering, output: { ...to, write } });
  };
  try {
    const keys = new InputKeys(ordering, recorder.presence);
    const order = job.input.genomics && new InputOrder(ordering, job.input.genomics);
    const sources: MergeSource[] = inputs.map((input) =>
      inputSource(input, keys, headers, order, delivery.verification?.openInput()),
    );
    for (const { from, count } of inAdvance) {
      const blob = store.create(null);
      await merge(sources.slice(from, from + count), { form: 'run', write: (block) => blob.write(block) });
      sources.splice(from, count, blobSource(await blob.finish()));
    }
    const { write, over } = delivery.output;
    await merge(sources, { form: delivery.form, write, over });
  } finally {
    await ranges?.engine.close();
  }
}

/** The number of sources that are merged at once: at least two, because a merge must reduce their number. */
function fanInOf(plan: CpuPlan | null, batchSize: number | null, inputs: readonly InputFile[]): number {
  const windows = plan === null ? Infinity : mostTexts(plan.windows.bytes, plan.windows.least);
  const open = Math.floor(mostOpenInputs() / (inputs.some(({ compressed }) => compressed) ? PROGRAM_DESCRIPTORS : 1));
  return Math.max(2, Math.min(FAN_IN, batchSize ?? FAN_IN, open, windows));
}

/** Bytes that all merges write together; undefined if unknown, or if fewer bytes are written than read. */
function mergedBytes(
  inputs: readonly InputFile[],
  inAdvance: readonly { readonly bytes: number }[],
  job: SortJob,
): number | undefined {
  const bytes = knownBytes(inputs);
  if (bytes === null || !canTake('sized', job)) return undefined;
  // Only the last merge leaves the keys out.
  if (inAdvance.length > 0 && isKeyed(job.ordering)) return undefined;
  return inAdvance.reduce((sum, group) => sum + group.bytes, bytes);
}

/** The bytes of an input. Inputs of unknown size count as equal, and larger than all others. */
function expectedBytes(input: InputFile): number {
  return knownBytes([input]) ?? UNKNOWN_BYTES;
}

/** Whether merging in ranges is worth it, and reads no more than necessary. */
function isInRanges(inputs: readonly InputFile[], job: SortJob): boolean {
  const isLarge = job.resources.chunkBytes !== null || (knownBytes(inputs) ?? Infinity) > FEW_BYTES;
  return canTake('ranges', job) && isLarge;
}

function inputSource(
  input: InputFile,
  keys: InputKeys,
  headers: Headers | null,
  order: InputOrder | null,
  watch: InputDigest | undefined,
): MergeSource {
  const known = knownBytes([input]);
  return {
    expected: known === null ? Infinity : known * (isKeyed(keys.ordering) ? MOST_KEYED_GROWTH : 1),
    open: async () => {
      const source = await engineBytes(input, keys, headers, watch);
      return order === null ? source : order.checked(source, input.label);
    },
  };
}

function blobSource(blob: Blob): MergeSource {
  return { expected: blob.bytes, open: async () => sequential(blob, 0, blob.bytes, () => blob.release()) };
}

/** Opens all sources. If one fails, closes the others. */
async function opened(sources: readonly MergeSource[]): Promise<ByteSource[]> {
  const list: ByteSource[] = [];
  try {
    for (const source of sources) {
      list.push(await source.open());
      await rest();
    }
  } catch (error) {
    for (const one of list) one.close();
    throw error;
  }
  return list;
}

/** How texts are merged in ranges. */
interface RangeMerge {
  readonly engine: Engine;
  readonly plan: CpuPlan;
  /** The approximate size of the longest text, in bytes. */
  readonly longest: number;
  readonly ordering: Ordering;
  readonly output: Omit<MergedOutput, 'most'>;
}

/** Merges and closes `texts`. */
async function mergeInRanges(texts: readonly ByteSource[], merge: RangeMerge): Promise<void> {
  const { engine, plan, longest, ordering, output } = merge;
  const { windows, workers, helps, rangeBytes } = plan;
  const wanted = (RANGES_PER_THREAD * (workers + Number(helps)) * rangeBytes) / texts.length;
  const window = Math.min(longest, windowBytes(texts.length, windows.bytes, windows.least, Math.floor(wanted)));
  const memory = new WindowMemory(engine.shared!, engine.chunkBytes, window);
  const fronts = texts.map((text) => new FrontInWindows(text, ordering, memory));
  const unwritten: Step[] = [];
  try {
    await combine(
      rounds(engine, fronts, [], ordering, { keepsRepeats: true }),
      { engine: checkedEngine(engine, fronts, ordering), ordering, write: output.write, unneeded: null },
      { ...output, unwritten },
    );
    // After an error, the engine is closed, and its memory with it.
    memory.close();
  } catch (error) {
    if (!(error instanceof OutOfOrder)) throw error;
    const slices = unwritten.flatMap((step): readonly Slice<KeptRun>[] =>
      step.kind === 'range' ? step.range.slices : [],
    );
    const left = fronts.map((front, i) => sourceOf(front.unmerged(slices), () => texts[i]!.close()));
    // Under `unique`, all remaining records sort after those written.
    await mergeInTurn(left, ordering, { ...output, most: Infinity });
  } finally {
    for (const text of texts) text.close();
  }
}

/**
 * The engine with merges that throw OutOfOrder if a record after their range sorts before its end. The engine itself
 * checks the order inside each slice. The fronts are still just after the range, because a merge begins before the next
 * step is taken. Unsorted slices may not share the common prefix, so the engine is given 0.
 */
function checkedEngine(engine: Engine, fronts: readonly FrontInWindows[], ordering: Ordering): Engine {
  return decorated(engine, {
    merge: async (slices, _, form) => {
      if (!comeFirst(slices, fronts, ordering)) throw new OutOfOrder('a record sorts before the range ahead of it');
      return engine.merge(slices, 0, form);
    },
  });
}
