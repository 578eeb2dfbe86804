/**
 * Runs the chosen sorts one after the other: a warm-up whose result is verified, then the runs that count. Yields rows
 * for the table and the timeline. Knows no element of the page.
 */
import { ALGORITHMS, prepareSort, runSort } from './algorithms.js';
import { DemoError } from './device.js';

/** No more runs of one sort begin after these milliseconds. */
const LIMIT_MS = 20_000;

/**
 * A source: { type, keys, lines } with keys as the worker returned them; `lines`: keys are prefixes of lines.
 * @param {{ device, cpu, source, names: string[], runs: number, say(text), stopped(): boolean }} job
 */
export async function* measure(job) {
  for (const name of job.names) {
    const row = name === 'cpu' ? await measureCpu(job) : await measureGpu(job, name);
    if (row === null) return;
    yield row;
  }
}

/** A row, or null if no run was finished before the visitor stopped. */
async function measureCpu({ cpu, source, runs, say, stopped }) {
  say(`The CPU sorts ${amount(source)}`);
  const times = [];
  const began = performance.now();
  for (let run = 0; run <= runs && !stopped() && (run < 2 || performance.now() - began < LIMIT_MS); run++)
    times.push(await cpu.call(source.lines ? 'sortLines' : 'sort'));
  if (times.length < 2) return null;
  const counted = times.slice(1);
  const sortMs = median(counted);
  const span = { label: source.lines ? 'sort' : `${source.keys.constructor.name}.sort()`, start: 0, end: sortMs };
  return {
    name: 'cpu',
    label: source.lines ? 'CPU, comparing lines' : `CPU, ${source.keys.constructor.name}.sort()`,
    runs: counted.length,
    sort: summary(counted),
    totalMs: sortMs,
    spans: [{ ...span, kind: 'cpu' }],
    verified: null,
  };
}

/** As measureCpu. */
async function measureGpu(job, name) {
  const { device, cpu, source, runs, say, stopped } = job;
  const { label, note, input, result } = ALGORITHMS[name];
  const count = source.keys.length;
  say(`${label}: compiling`);
  const begins = result === 'segments' ? await cpu.call('begins') : undefined;
  const values = source.lines ? Uint32Array.from({ length: count }, (_, i) => i) : undefined;
  const prepared = await prepareSort(device, name, { type: source.type, count, values: source.lines, begins });
  try {
    const keys = input === 'halves' ? await cpu.call('halves') : source.keys;
    const samples = [];
    let row;
    const began = performance.now();
    for (let run = 0; run <= runs && !stopped() && (run < 2 || performance.now() - began < LIMIT_MS); run++) {
      say(run === 0 ? `${label}: first run, to be verified` : `${label}: run ${run} of ${runs}`);
      const sorted = await runSort(prepared, keys, values);
      const refined = source.lines ? await refine(cpu, sorted.values) : null;
      if (run === 0) row = await verified(job, name, sorted, refined);
      else samples.push(sample(sorted.spans, refined?.span));
    }
    if (samples.length === 0) return null;
    const shown = samples.toSorted((a, b) => a.totalMs - b.totalMs)[Math.floor((samples.length - 1) / 2)];
    return {
      ...row,
      name,
      label,
      note,
      runs: samples.length,
      compileMs: prepared.compileMs,
      sort: summary(samples.map(({ sortMs }) => sortMs)),
      uploadMs: median(samples.map(({ uploadMs }) => uploadMs)),
      readBackMs: median(samples.map(({ readBackMs }) => readBackMs)),
      totalMs: shown.totalMs,
      spans: shown.spans,
    };
  } finally {
    prepared.destroy();
  }
}

/** Orders lines with equal prefixes on the CPU. */
async function refine(cpu, order) {
  const start = performance.now();
  const { order: lines, tied } = await cpu.call('refine', { order }, [order.buffer]);
  return { lines, tied, span: { label: 'ties, on the CPU', start, end: performance.now() } };
}

/** Compares a result with the CPU's. */
async function verified({ cpu, say }, name, sorted, refined) {
  say(`${ALGORITHMS[name].label}: verifying`);
  const result = ALGORITHMS[name].result ?? 'sorted';
  const wrong = refined
    ? await cpu.call('verifyLines', { order: refined.lines })
    : await cpu.call('verify', { result, found: sorted.keys });
  if (wrong >= 0)
    throw new DemoError(
      `${ALGORITHMS[name].label} gave a wrong result on this GPU, first at number ${wrong.toLocaleString('en')}: ` +
        'please report it.',
    );
  return {
    verified: true,
    tied: refined?.tied,
    output: result === 'sorted' ? (refined?.lines ?? sorted.keys) : undefined,
  };
}

/** One run: its parts in milliseconds, and its spans from the beginning of the upload on. */
function sample({ upload, passes, readBack }, ties) {
  const length = ({ start, end }) => end - start;
  const sort = { start: passes[0].start, end: passes.at(-1).end };
  const spans = [
    { ...upload, kind: 'upload' },
    ...passes.map((pass) => ({ ...pass, kind: 'sort' })),
    { ...readBack, kind: 'read-back' },
    ...(ties ? [{ ...ties, kind: 'cpu' }] : []),
  ];
  return {
    uploadMs: length(upload),
    sortMs: length(sort),
    readBackMs: length(readBack),
    totalMs: length(upload) + length(sort) + length(readBack) + (ties ? length(ties) : 0),
    spans: spans.map((span) => ({ ...span, start: span.start - upload.start, end: span.end - upload.start })),
  };
}

function summary(times) {
  return { median: median(times), least: Math.min(...times), most: Math.max(...times) };
}

export function median(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

function amount({ keys, lines }) {
  return `${keys.length.toLocaleString('en')} ${lines ? 'lines' : 'keys'}`;
}
