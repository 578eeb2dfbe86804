/**
 * The merges of paper 4 in plain JavaScript on typed arrays: one serial merge, and merge path on several threads (Odeh,
 * Green, Mwassi, Shmueli, Birk 2012). merge.c has the same in C, with which the paper is to be compared. Also the
 * thread that merges one part.
 */
import { availableParallelism } from 'node:os';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { median } from '../measure.mjs';
import { fillRandom } from '../random.mjs';

const ARRAYS = { i32: Int32Array, f32: Float32Array };

/** How many of the first `diagonal` outputs are of `a`. Among equal numbers those of `a` come first. */
function intersection(a, b, diagonal) {
  let low = Math.max(0, diagonal - b.length);
  let high = Math.min(diagonal, a.length);
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (a[middle] <= b[diagonal - 1 - middle]) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Writes the outputs from `begin` to `end` of the merge of `a` and `b`. */
function mergePart(a, b, out, begin, end) {
  let i = intersection(a, b, begin);
  let k = begin - i;
  for (let at = begin; at < end; at++) {
    if (k >= b.length || (i < a.length && a[i] <= b[k])) out[at] = a[i++];
    else out[at] = b[k++];
  }
}

/** A run of `array`'s length in order. */
function fillRun(array, seed, type) {
  const random = new Uint32Array(1 << 16);
  let state = seed;
  for (let at = 0; at < array.length; at += random.length) {
    state = fillRandom(random, state);
    const count = Math.min(random.length, array.length - at);
    for (let i = 0; i < count; i++) {
      const place = (at + i + random[i] / 2 ** 32) / array.length;
      array[at + i] = type === 'f32' ? 2 * place - 1 : Math.floor((place - 0.5) * 2 ** 32);
    }
  }
}

/** Throws unless `out` is in order and has the numbers of the runs: both have the same sums of the bits of numbers. */
export function checkMerge(runs, out) {
  for (let i = 1; i < out.length; i++) if (out[i - 1] > out[i]) throw new Error(`wrong: out of order at ${i}`);
  const before = runs.map(sumsOfBits).reduce((a, b) => a.map((sum, half) => sum + b[half]));
  if (sumsOfBits(out).some((sum, half) => sum !== before[half]))
    throw new Error('wrong: other numbers than those of the runs');
}

/** The sums of the low and of the high 16 bits of 32-bit numbers, which are exact and do not depend on the order. */
function sumsOfBits(array) {
  const bits = new Uint32Array(array.buffer, array.byteOffset, array.length);
  let [low, high] = [0, 0];
  for (let i = 0; i < bits.length; i++) {
    low += bits[i] & 0xffff;
    high += bits[i] >>> 16;
  }
  return [low, high];
}

/** 1, 2, 4 ... and all threads of this machine. */
export function threadCounts() {
  const most = availableParallelism();
  const counts = [];
  for (let count = 1; count < most; count *= 2) counts.push(count);
  return [...counts, most];
}

/** Threads that each merge one part; `run` merges once, and returns its milliseconds. */
function startThreads(shared, count) {
  const workers = Array.from({ length: count }, () => new Worker(new URL(import.meta.url)));
  let fail;
  const failure = new Promise((_, reject) => {
    fail = reject;
  });
  // Without a run in progress nobody waits for it.
  failure.catch(() => {});
  for (const worker of workers) worker.on('error', fail);
  const answers = (messages) =>
    Promise.race([
      failure,
      Promise.all(
        workers.map((worker, i) => {
          const answer = new Promise((resolve) => worker.once('message', resolve));
          worker.postMessage(messages(i));
          return answer;
        }),
      ),
    ]);
  const total = shared.lengths[0] + shared.lengths[1];
  const cut = (i) => Math.floor((total * i) / count);
  return {
    ready: () => answers(() => ({ shared })),
    async run() {
      const begin = performance.now();
      await answers((i) => ({ begin: cut(i), end: cut(i + 1) }));
      return performance.now() - begin;
    },
    end: () => Promise.all(workers.map((worker) => worker.terminate())),
  };
}

const viewsOf = ({ type, lengths: [first, second], input, output }) => {
  const numbers = ARRAYS[type];
  return { a: new numbers(input, 0, first), b: new numbers(input, 4 * first, second), out: new numbers(output) };
};

/**
 * Times merges of two runs, by each number of threads. Outputs are checked.
 * @param {'i32' | 'f32'} type
 * @param {number} n numbers of the output
 * @param {{ share: number, runs: number, counts: readonly number[] }} how `share`: of all numbers, those of the first
 *   run; `counts`: numbers of threads
 * @returns {Promise<{ threads: number, ms: number }[]>}
 */
export async function mergeOnHost(type, n, { share, runs, counts }) {
  const lengths = [Math.round(n * share), n - Math.round(n * share)];
  const [input, output] = [new SharedArrayBuffer(4 * n), new SharedArrayBuffer(4 * n)];
  const shared = { type, lengths, input, output };
  const { a, b, out } = viewsOf(shared);
  fillRun(a, 1, type);
  fillRun(b, 2, type);
  const times = [];
  for (const threads of counts) {
    const all = startThreads(shared, threads);
    try {
      await all.ready();
      // The first run compiles the loop and touches the memory.
      await all.run();
      const list = [];
      for (let run = 0; run < runs; run++) {
        out.fill(0);
        list.push(await all.run());
      }
      checkMerge([a, b], out);
      times.push({ threads, ms: median(list) });
    } finally {
      await all.end();
    }
  }
  return times;
}

if (!isMainThread) {
  let views;
  parentPort?.on('message', ({ shared, begin, end }) => {
    if (shared !== undefined) views = viewsOf(shared);
    else mergePart(views.a, views.b, views.out, begin, end);
    parentPort.postMessage(null);
  });
}
