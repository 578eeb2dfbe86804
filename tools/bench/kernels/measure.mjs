/** Measures one problem, an algorithm on a case of a size: runs it, checks it, times it and checks it again. */
import { DevicePool, Scratch } from '../../../dist/engines/gpu/device/pool.js';
import { pairBytes } from './cases.mjs';
import { makeKeyInput, unfitKeys } from './keys.mjs';
import { makeStringInput, sourceOf } from './strings.mjs';
import { counted, timed } from './timing.mjs';

/**
 * @typedef {{ algorithm: string, case: string, size: number }} Problem `size`: the number of elements as a power of two
 */

/** The algorithm and the case of a problem. */
export function findProblem(algorithms, problem) {
  const algorithm = algorithms.find(({ name }) => name === problem.algorithm);
  return { algorithm, one: algorithm.cases.find(({ name }) => name === problem.case) };
}

/** Why a problem is left out on this device; null: it is not. */
function leftOut(gpu, algorithm, one, size) {
  if (one.input === undefined) {
    const unfit = unfitKeys(size);
    if (unfit !== null) return unfit;
  } else {
    const unfit = sourceOf(one).unfit(gpu.maxBindingBytes, size);
    if (unfit !== null) return unfit;
  }
  const bytes = algorithm.binding(one) * 2 ** size;
  return bytes > gpu.maxBindingBytes ? `${bytes} bytes are more than a binding holds (${gpu.maxBindingBytes})` : null;
}

/** Makes inputs, and keeps the last one: the next problem may need the same. */
export class Inputs {
  key = '';
  input = null;

  constructor(gpu) {
    this.gpu = gpu;
  }

  async take(one, size) {
    const key = `${one.name} ${size}`;
    if (key !== this.key) {
      this.end();
      this.input = await (one.input === undefined
        ? makeKeyInput(this.gpu, one, size)
        : makeStringInput(this.gpu, one, size));
      this.key = key;
    }
    return this.input;
  }

  end() {
    this.input?.end();
    this.input = null;
    this.key = '';
  }
}

/** How long the sort is repeated before it is timed. */
const WARM_UP_MS = 500;

/**
 * Measures a problem.
 * @param {readonly import('./algorithms.mjs').Algorithm[]} algorithms one of which the problem names
 * @param {Problem} problem
 * @param {number} runs
 * @param {Inputs} inputs
 * @returns {Promise<object>} figures: see report.mjs
 */
export async function measure(gpu, algorithms, problem, runs, inputs) {
  const { algorithm, one } = findProblem(algorithms, problem);
  const reason = leftOut(gpu, algorithm, one, problem.size);
  if (reason !== null) return { leftOut: reason };
  const input = await inputs.take(one, problem.size);
  const { n, textBytes } = input;
  const pool = new DevicePool(gpu);
  const scratch = new Scratch(pool);
  const runner = await algorithm.open();
  try {
    await runner.load(gpu, one);
    const context = { gpu, pool, scratch, one, input };
    context.prepared = await runner.prepare?.(context);
    const run = async (time, what = runner.run) => {
      input.restore();
      await gpu.device.queue.onSubmittedWorkDone();
      const during = new Scratch(pool);
      try {
        return await time(() => what({ ...context, scratch: during }));
      } finally {
        during.end();
      }
    };
    const give = ({ order }) => {
      if (order !== undefined) pool.give(order);
    };
    const checked = async (figures) => {
      const result = runner.place === undefined ? figures.result : await runner.place(context, figures.result);
      const wrong = await input.check(result);
      if (wrong !== null) throw new Error(`wrong: ${wrong}`);
      return { ...figures, result };
    };
    const warmUp = await checked(await run((work) => counted(gpu, work)));
    give(warmUp.result);
    // While the input was made or checked, the idle device lowered its clocks: kernels then take up to three times as
    // long.
    const warmUpMs = gpu.facts.software ? 0 : WARM_UP_MS;
    for (const begin = performance.now(); performance.now() - begin < warmUpMs; ) give(await run((work) => work()));
    const times = await timeRuns(gpu, runs, { run, give, checked });
    const facts = {
      launches: warmUp.launches,
      seen: runner.look === undefined ? null : await run((work) => work(), runner.look),
    };
    return {
      n,
      textBytes,
      ...times,
      ...facts,
      bytes: algorithm.bytes(one, n, { ...facts, textBytes }) * n,
      inputBytes: one.input === undefined ? pairBytes(one) * n : textBytes,
    };
  } finally {
    await runner.end?.();
    scratch.end();
    pool.destroyIdle();
  }
}

/** Times the runs of a problem, each by the host's clock and again by timestamps. Checks the last one. */
async function timeRuns(gpu, runs, { run, give, checked }) {
  const [walls, spans, busy] = [[], [], []];
  let passes = 0;
  for (let i = 0; i < runs; i++) {
    const byClock = await run((work) => timed(gpu, work, false));
    give(byClock.result);
    walls.push(byClock.wallMs);
    const stamped = await run((work) => timed(gpu, work));
    give((i === runs - 1 ? await checked(stamped) : stamped).result);
    passes = stamped.passes;
    if (stamped.spanMs !== null) {
      spans.push(stamped.spanMs);
      busy.push(stamped.busyMs);
    }
  }
  return { walls, spans, busy, passes };
}
