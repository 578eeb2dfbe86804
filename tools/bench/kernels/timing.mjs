/**
 * Times work that is submitted to a device: by timestamps around each pass if the device has them, and by the host's
 * clock.
 */
import { PassTimer } from '../../../dist/engines/gpu/device/timer.js';

/**
 * Runs `work` once.
 *
 * @template T
 * @param {() => T | Promise<T>} work submits passes by submitPass, or times its own passes by gpu.timer
 * @param {boolean} [stamps] false: only by the host's clock, without passes for timestamps in between
 * @returns {Promise<{ result: T, spanMs: number | null, busyMs: number | null, passes: number, wallMs: number }>}
 *   `spanMs`: from the beginning of the first pass to the end of the last. `busyMs`: the sum of the passes' times. Both
 *   are null without timestamps. `wallMs`: until the host knows that the device is done
 */
export async function timed(gpu, work, stamps = true) {
  const timer = stamps && gpu.device.features.has('timestamp-query') ? new PassTimer(gpu) : null;
  gpu.timer = timer;
  let result;
  const begin = performance.now();
  try {
    result = await work();
  } finally {
    gpu.timer = null;
  }
  await gpu.device.queue.onSubmittedWorkDone();
  const wallMs = performance.now() - begin;
  if (timer === null) return { result, spanMs: null, busyMs: null, passes: 0, wallMs };
  const spans = [];
  // A pass in which nothing was done may have no times at all.
  await timer.finish({
    span: (_stage, start, _bytes, end) => {
      if (end > start) spans.push({ start, end });
    },
  });
  if (spans.length === 0) return { result, spanMs: null, busyMs: null, passes: 0, wallMs };
  return {
    result,
    wallMs,
    passes: spans.length,
    spanMs:
      spans.reduce((last, { end }) => Math.max(last, end), -Infinity) -
      spans.reduce((first, { start }) => Math.min(first, start), Infinity),
    busyMs: spans.reduce((sum, { start, end }) => sum + end - start, 0),
  };
}

/** Counts the launches of each kernel while `work` runs. */
export async function counted(gpu, work) {
  const launches = {};
  const get = gpu.pipelines.get;
  gpu.pipelines.get = (name, constants) => {
    launches[name] = (launches[name] ?? 0) + 1;
    return get.call(gpu.pipelines, name, constants);
  };
  try {
    return { result: await work(), launches };
  } finally {
    delete gpu.pipelines.get;
  }
}
