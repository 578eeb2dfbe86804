/**
 * Host threads that sort groups of tied records. Large groups are separate tasks, small ones are batched, a few
 * thousand records at a time. A huge group is split into buckets by all threads, then sorted bucket by bucket. Knows no
 * device.
 */
import { availableParallelism } from 'node:os';
import { explainMemory } from '../../../system/errors.js';
import { inOneStep } from '../../../system/resumable.js';
import { createSharedMemory, type SharedMemory } from '../../../system/threads/buffers.js';
import { type Crew, createCrew } from '../../../system/threads/crew.js';
import { BUCKETS, endedBucket, JOINED, NEW, SAME, type SplitDigit } from './host-groups.js';
import { type HostOutcome, type HostTask, performHostTask, type TaskRecords } from './host-tasks.js';
import { hostRecords } from './multikey-quicksort.js';

/** More threads would only wait for memory. */
const MOST_WORKERS = 32;
/** Maximum number of buffers kept for the next sort. */
const KEPT_BUFFERS = 12;
/** Number of records up to which the calling thread sorts alone: messages to threads would take as long. */
const FEW_RECORDS = 2048;
/** Tasks per thread, so that all threads finish at about the same time; and the minimum records of a task. */
const TASKS_PER_THREAD = 8;
const LEAST_TASK = 4096;
/** Minimum records of a group that is split. */
const LEAST_SPLIT = 32768;

export interface HostThreads {
  /** 0: the calling thread does everything. */
  readonly workers: number;
  /** Memory that threads see, reused. */
  readonly memory: SharedMemory;
  perform(task: HostTask): Promise<HostOutcome>;
  /** Ends the threads. Tasks in progress fail. */
  close(): Promise<void>;
}

/** Starts threads; null: one per available CPU, at most MOST_WORKERS. They do not keep the process alive. */
export function startHostThreads(workers: number | null): HostThreads {
  const count = workers ?? Math.min(MOST_WORKERS, availableParallelism());
  const memory = createSharedMemory(KEPT_BUFFERS);
  if (count === 0) return { workers: 0, memory, perform: async (task) => performHostTask(task), close: async () => {} };
  const crew: Crew<HostTask, HostOutcome> = createCrew({
    workers: count,
    role: { name: 'records', data: null },
    helps: false,
    perform: inOneStep(performHostTask),
    explain: (error) => explainMemory(error),
  });
  return { workers: count, memory, perform: (task) => crew.perform(task), close: () => crew.close() };
}

interface DeepRange {
  readonly from: number;
  readonly to: number;
  readonly depth: number;
}

/** How records are divided into tasks; tests use smaller sizes. */
export interface TaskSizes {
  readonly few: number;
  readonly task: number;
  readonly split: number;
}

export function taskSizes(workers: number, count: number): TaskSizes {
  const threads = Math.max(1, workers);
  const share = (tasks: number): number => Math.ceil(count / (tasks * threads));
  return {
    few: FEW_RECORDS,
    task: Math.max(LEAST_TASK, share(TASKS_PER_THREAD)),
    split: Math.max(LEAST_SPLIT, share(2)),
  };
}

/**
 * Sorts each group of tied records. A JOINED record is equal to the one before it in the first `depth` ordered bytes,
 * and both continue. Under `unique` sets SAME in `states` for each record that is equal to the one before it. Returns
 * the number of records in groups. After a failure threads may still write to the memory.
 */
export async function sortOnThreads(
  threads: HostThreads,
  records: TaskRecords,
  depth: number,
  sizes: TaskSizes = taskSizes(threads.workers, records.order.length),
): Promise<number> {
  const count = records.order.length;
  if (threads.workers === 0 || count <= sizes.few)
    return performHostTask({ kind: 'groups', records, from: 0, to: count, depth }) as number;
  const { batches, large } = planTasks(records.states, count, sizes.task);
  const splits = await Promise.all(
    large.map(([from, to]) => splitGroup(threads, records, { from, to, depth }, sizes.split)),
  );
  const buckets = splits.flat().sort((a, b) => b.to - b.from - (a.to - a.from));
  const tasks = [
    ...buckets.map(({ from, to, depth: at }): HostTask => ({ kind: 'range', records, from, to, depth: at })),
    ...batches.map(([from, to]): HostTask => ({ kind: 'groups', records, from, to, depth })),
  ];
  const members = await Promise.all(tasks.map((task) => threads.perform(task)));
  return members.reduce<number>(
    (sum, outcome) => sum + ((outcome as number | null) ?? 0),
    large.reduce((sum, [from, to]) => sum + to - from, 0),
  );
}

/**
 * Groups of at least `size` records, each alone; everything between them in batches of about `size` records, which end
 * at group boundaries.
 */
export function planTasks(
  states: Uint32Array,
  count: number,
  size: number,
): { batches: [number, number][]; large: [number, number][] } {
  const batches: [number, number][] = [];
  const large: [number, number][] = [];
  let begin = 0;
  let group = 0;
  for (let i = 1; i <= count; i++) {
    if (i < count && states[i] === JOINED) continue;
    // [group, i) is a group, or a single record.
    const isLarge = i - group >= size && i - group > 1;
    if (isLarge) {
      if (group > begin) batches.push([begin, group]);
      large.push([group, i]);
      begin = i;
    } else if (i - begin >= size) {
      batches.push([begin, i]);
      begin = i;
    }
    group = i;
  }
  if (count > begin) batches.push([begin, count]);
  return { batches, large };
}

/**
 * Splits a group until no bucket has more than `most` records: by the first byte that differs, or, if all records are
 * equal, by number.
 */
async function splitGroup(
  threads: HostThreads,
  records: TaskRecords,
  group: DeepRange,
  most: number,
): Promise<DeepRange[]> {
  const done: DeepRange[] = [];
  const left = [group];
  const spare = group.to - group.from > most ? threads.memory.take(4 * (group.to - group.from)) : null;
  const { order, states } = records;
  const ended = endedBucket(hostRecords(records.text, records.starts, records.ordering));
  while (left.length > 0) {
    const range = left.pop()!;
    const { from, to } = range;
    if (to - from <= most) {
      done.push(range);
      continue;
    }
    const target = new Uint32Array(spare!, 0, to - from);
    const slices = slicesOf(from, to, threads.workers);
    const first = order[from];
    const shared = await Promise.all(
      slices.map((slice) => threads.perform({ kind: 'shared', records, ...slice, first, depth: range.depth })),
    );
    const depth = Math.min(...(shared as number[]));
    const buckets = await splitBy(threads, records, slices, { depth }, target);
    order.set(target, from);
    for (const { bucket, begin, end } of buckets) {
      if (begin > from) states[begin] = NEW;
      if (bucket !== ended) left.push({ from: begin, to: end, depth: depth + 1 });
      else if (end - begin <= most) done.push({ from: begin, to: end, depth });
      else {
        const equal = target.subarray(0, end - begin);
        const numbers = await splitBy(
          threads,
          records,
          slicesOf(begin, end, threads.workers),
          { shift: Math.max(0, 32 - Math.clz32(records.starts.length) - 8) },
          equal,
        );
        order.set(equal, begin);
        for (const one of numbers) {
          if (one.begin > begin) states[one.begin] = SAME;
          done.push({ from: one.begin, to: one.end, depth });
        }
      }
    }
  }
  if (spare !== null) threads.memory.give(spare);
  return done;
}

interface OrderSlice {
  readonly from: number;
  readonly to: number;
}
interface Bucket {
  readonly bucket: number;
  readonly begin: number;
  readonly end: number;
}

/**
 * Moves the records of `slices`, which are adjacent, to `target` by buckets. Returns the buckets that are not empty.
 */
async function splitBy(
  threads: HostThreads,
  records: TaskRecords,
  slices: readonly OrderSlice[],
  digit: SplitDigit,
  target: Uint32Array,
): Promise<Bucket[]> {
  const counts = (await Promise.all(
    slices.map((slice) => threads.perform({ kind: 'count', records, ...slice, digit })),
  )) as Uint32Array[];
  const first = slices[0].from;
  const places = slices.map(() => new Uint32Array(BUCKETS));
  const buckets: Bucket[] = [];
  let at = 0;
  for (let bucket = 0; bucket < BUCKETS; bucket++) {
    const begin = at;
    slices.forEach((_, s) => {
      places[s][bucket] = at;
      at += counts[s][bucket];
    });
    if (at > begin) buckets.push({ bucket, begin: first + begin, end: first + at });
  }
  await Promise.all(
    slices.map((slice, s) => threads.perform({ kind: 'move', records, ...slice, digit, places: places[s], target })),
  );
  return buckets;
}

/** `count` slices of about equal size. */
export function slicesOf(from: number, to: number, count: number): OrderSlice[] {
  const at = (i: number): number => from + Math.floor(((to - from) * i) / count);
  return Array.from({ length: count }, (_, i) => ({ from: at(i), to: at(i + 1) }));
}
