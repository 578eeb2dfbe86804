/**
 * The CPU engine's merge (kernels/wasm/cpu/merge.ts) on one thread, for two runs of numbers. It merges records of any
 * kind by a loser tree, which is more than two runs of numbers need. Numbers are in the engine's form: unsigned, with
 * their high byte first; the encoding of other types is not timed.
 */
import { median } from '../measure.mjs';
import { fillRandom } from '../random.mjs';

/** A module of the CPU engine, loaded when it runs, so that tables need no build. */
const engine = (module) => import(`../../../dist/engines/cpu/${module}.js`);

/** Numbers that are merged before small merges are timed, and the most merges of them. */
const WARM_UP_NUMBERS = 2 ** 24;
const WARM_UPS = 20;

/** Writes a run of `count` numbers in order. */
function fillRun(view, bytes, count, seed) {
  const random = new Uint32Array(1 << 16);
  let state = seed;
  for (let i = 0; i < count; i++) {
    if (i % random.length === 0) state = fillRandom(random, state);
    const bits = random[i % random.length];
    view.setUint32(bytes * i, ((i + bits / 2 ** 32) / count) * 2 ** 32);
    if (bytes === 8) view.setUint32(bytes * i + 4, i);
  }
}

/** The sum of the high words of numbers, modulo 2^32. */
function sumOf(view, bytes, count) {
  let sum = 0;
  for (let i = 0; i < count; i++) sum = (sum + view.getUint32(bytes * i)) >>> 0;
  return sum;
}

/** Throws unless the numbers are in order and their sum is that of the runs. */
function check(view, bytes, count, sum) {
  let [last, lastLow] = [0, 0];
  for (let i = 0; i < count; i++) {
    const high = view.getUint32(bytes * i);
    const low = bytes === 8 ? view.getUint32(bytes * i + 4) : 0;
    if (high < last || (high === last && low < lastLow)) throw new Error(`wrong: out of order at ${i}`);
    [last, lastLow] = [high, low];
  }
  if (sumOf(view, bytes, count) !== sum) throw new Error('wrong: other numbers than those of the runs');
}

/**
 * Times the merge of two runs.
 * @param {4 | 8} bytes of a number
 * @param {number} n numbers of the output
 * @param {number} share of them, those of the first run
 * @param {number} runs
 * @returns {Promise<number>} milliseconds
 */
export async function mergeInWasm(bytes, n, share, runs) {
  const [{ compileKernels, HEAD_BYTES, layOut, openKernels, TREE_BYTES }, { mergeRuns }, { shapeOf }] =
    await Promise.all(['kernels', 'merge-texts', 'shape'].map(engine));
  const format = { kind: 'fixed', size: bytes };
  const key = { kind: 'record' };
  const kernels = openKernels(
    compileKernels(),
    shapeOf({ format, key, reverse: false, unique: false, lastResort: false }),
  );
  const [source, result, heads, tree] = layOut(kernels, [bytes * n, bytes * n, 2 * HEAD_BYTES, 2 * TREE_BYTES]);
  const first = Math.round(n * share);
  const middle = source + bytes * first;
  const { buffer } = kernels.memory;
  fillRun(new DataView(buffer, source), bytes, first, 1);
  fillRun(new DataView(buffer, middle), bytes, n - first, 2);
  // Touches the memory.
  new Uint8Array(buffer, result, bytes * n).fill(1);
  const times = [];
  // A small merge is over before V8 has optimized the kernels, so the first ones are not counted.
  const untimed = Math.min(WARM_UPS, Math.floor(WARM_UP_NUMBERS / n));
  for (let run = -untimed; run < runs; run++) {
    kernels.addRun(heads, 0, source, middle);
    kernels.addRun(heads, 1, middle, source + bytes * n);
    const begin = performance.now();
    kernels.openOutput(result, 0);
    kernels.openMerge(heads, 2, tree, 0);
    for (const _ of mergeRuns(kernels, null));
    if (run >= 0) times.push(performance.now() - begin);
  }
  if (kernels.outputEnd() !== result + bytes * n) throw new Error('wrong: not as long as the runs');
  check(new DataView(buffer, result), bytes, n, sumOf(new DataView(buffer, source), bytes, n));
  return median(times);
}
