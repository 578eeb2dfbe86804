/**
 * Measures the GPU's string sorts on this machine and fits the planner's constants, src/plan/costs-table.ts.
 *
 *     node tools/calibrate/main.mjs [--write] [--json FILE] [--seconds N] [--reuse FILE]
 *
 * Each algorithm sorts generated inputs of several kinds and sizes, small ones first, for at most N seconds (default
 * 110). A time is the median, by the device's clock, from the first pass to the last. It includes waits for the host,
 * because a real sort waits too. Inputs of other kinds and sizes are sorted in between; nothing is fitted to them, and
 * they measure the estimates.
 *
 * --write writes the table into src/plan/costs-table.ts (it takes effect with the next build). --json writes all
 * measurements to FILE. --reuse measures nothing: it fits to the measurements in such a file, for the algorithms whose
 * times it has. Needs a build. Run nothing else at the same time.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { NEIGHBORS, sampleParts } from '../../dist/input/sample.js';
import { COST_TERMS, estimates } from '../../dist/plan/costs.js';
import { statisticsOf } from '../../dist/plan/statistics.js';
import { recordFinder } from '../../dist/records/record-finder.js';
import { blocksOf } from '../bench/generate.mjs';
import { HELD_OUT_KINDS, heldOutText } from '../bench/held-out.mjs';
import { NEAR_SORTED_HELD_OUT_KINDS, NEAR_SORTED_KINDS, nearSortedText } from '../bench/near-sorted.mjs';
import { fit } from './fit.mjs';

const MIB = 1 << 20;
/**
 * The kinds that constants are fitted to, besides those of near-sorted.mjs. Other kinds of generate.mjs, and those of
 * held-out.mjs, only check the estimates.
 */
const KINDS = ['random100', 'random11', 'words', 'urls', 'dna150', 'sorted100', 'equal100', 'records100'];
const OTHER_KINDS = ['random13', 'distinct13', 'urls60', 'dna100', 'equal32'];
/** Sizes in MiB: those that constants are fitted to, and those that only check the estimates. */
const SIZES = [0.25, 1, 4, 16, 64, 256];
const HELD_OUT_SIZES = [0.5, 2, 6, 24, 96];
/**
 * A check input comes after the fitted inputs of up to this many times its size, because time may run out before the
 * largest inputs.
 */
const AFTER = 4;
/** Timed sorts of one input by one algorithm, after one that is not counted. A sort above LONG_MS is timed once. */
const REPEATS = 5;
const LONG_MS = 300;
/** How long sorts are repeated before the timed ones. */
const WARM_UP_MS = 300;
/** The chosen sort may take at most this many times as long as the best one. */
const MARK = 1.15;
/** Smaller inputs do not count in the check: they are sorted on the CPU unless the user asks for a GPU. */
const CHECKED_FROM_MIB = 1;

const LINES = {
  format: { kind: 'lines', delimiter: 10 },
  key: { kind: 'record' },
  reverse: false,
  unique: false,
  lastResort: true,
};
const KEYED = { ...LINES, format: { kind: 'fixed', size: 100 }, key: { kind: 'bytes', offset: 0, length: 10 } };
const orderingOf = (kind) => (kind === 'records100' ? KEYED : LINES);

const option = (name, fallback) =>
  process.argv.includes(name) ? process.argv[process.argv.indexOf(name) + 1] : fallback;
let ALGORITHMS = Object.keys(COST_TERMS);
const generated = (kind, bytes, seed) =>
  Buffer.concat(Array.from(blocksOf(kind, { bytes, seed }), ({ block }) => Buffer.from(block)));
const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];

/** The device and the measurements on it. Its modules are loaded only if something is measured. */
async function openDevice() {
  const { openGpu } = await import('../../dist/engines/gpu/device/device.js');
  const { requestAdapter } = await import('../../dist/engines/gpu/device/adapters.js');
  const { SORT_STAGES } = await import('../../dist/engines/gpu/engine/sorts.js');
  const { DevicePool, Scratch } = await import('../../dist/engines/gpu/device/pool.js');
  const { textBufferBytes } = await import('../../dist/engines/gpu/records/records.js');
  const { PassTimer } = await import('../../dist/engines/gpu/device/timer.js');
  const { countRecords, loadTokenize, writeStarts } = await import('../../dist/engines/gpu/records/tokenize.js');
  const gpu = await openGpu(await requestAdapter());
  const hasClock = gpu.device.features.has('timestamp-query');

  /** Milliseconds of one sort, by the device's clock if it has one. */
  async function once(stage, pool, records, ordering) {
    await gpu.device.queue.onSubmittedWorkDone();
    gpu.timer = hasClock ? new PassTimer(gpu) : null;
    const start = performance.now();
    const { order } = await stage.order(gpu, pool, records, ordering, { slices: null, commonPrefix: 0 });
    await gpu.device.queue.onSubmittedWorkDone();
    const wall = performance.now() - start;
    pool.give(order);
    if (gpu.timer === null) return wall;
    let [first, last] = [Infinity, -Infinity];
    await gpu.timer.finish({
      span: (_stage, begin, _bytes, end) => {
        first = Math.min(first, begin);
        last = Math.max(last, end);
      },
    });
    gpu.timer = null;
    return last - first;
  }

  /** The median milliseconds of each algorithm on a text, and the number of its records. */
  async function measure(text, ordering) {
    const pool = new DevicePool(gpu);
    const scratch = new Scratch(pool);
    try {
      await loadTokenize(gpu, ordering.format);
      const buffer = await scratch.take(textBufferBytes(text.length), 'text');
      for (let at = 0; at < text.length; at += 16 * MIB)
        gpu.device.queue.writeBuffer(
          buffer,
          at,
          text.subarray(at, at + 16 * MIB),
          0,
          Math.min(16 * MIB, text.length - at) & ~3,
        );
      if (text.length % 4 !== 0)
        gpu.device.queue.writeBuffer(
          buffer,
          text.length & ~3,
          Buffer.concat([text.subarray(text.length & ~3), Buffer.alloc(4)]),
          0,
          4,
        );
      const tokenized = await countRecords(scratch, buffer, text.length, ordering.format, []);
      const records = await writeStarts(scratch, tokenized, 0, tokenized.count);
      const taken = Object.fromEntries(ALGORITHMS.map((algorithm) => [algorithm, []]));
      let repeats = REPEATS;
      // While the text was made, the idle device lowered its clocks: kernels then take up to three times as long.
      for (const begin = performance.now(); performance.now() - begin < WARM_UP_MS; ) {
        for (const algorithm of ALGORITHMS) {
          await SORT_STAGES[algorithm].load(gpu, ordering);
          await once(SORT_STAGES[algorithm], pool, records, ordering);
        }
      }
      // The algorithms take turns: a slowdown of the machine then affects all of them. The first round is not timed.
      for (let turn = 0; turn <= repeats; turn++) {
        for (const algorithm of ALGORITHMS) {
          const stage = SORT_STAGES[algorithm];
          await stage.load(gpu, ordering);
          const ms = await once(stage, pool, records, ordering);
          if (turn > 0) taken[algorithm].push(ms);
          else if (ms > LONG_MS) repeats = 1;
        }
      }
      return {
        records: tokenized.count,
        times: Object.fromEntries(ALGORITHMS.map((algorithm) => [algorithm, median(taken[algorithm])])),
      };
    } finally {
      scratch.end();
      pool.destroyIdle();
    }
  }
  return { gpu, measure };
}

/** Every input: its kind and size, whether constants are fitted to it, and the function that makes it. */
function allInputs() {
  const product = (kinds, fitted, make, seed) =>
    kinds.flatMap((kind) =>
      (fitted ? SIZES : HELD_OUT_SIZES).map((mib) => ({ kind, mib, fitted, make: () => make(kind, mib * MIB, seed) })),
    );
  return [
    ...product(KINDS, true, generated, 1),
    ...product(NEAR_SORTED_KINDS, true, nearSortedText, 1),
    ...product(HELD_OUT_KINDS, false, heldOutText, 5),
    ...product(NEAR_SORTED_HELD_OUT_KINDS, false, nearSortedText, 5),
    ...product([...OTHER_KINDS, ...KINDS], false, generated, 77),
  ];
}

/** The facts that the planner would have about a text. */
function workload(text, ordering, records) {
  const sample = statisticsOf(sampleParts([text], recordFinder(ordering.format), NEIGHBORS), ordering);
  return { sample, records };
}

/**
 * Measures inputs in the given order until `deadline`. Leaves out inputs that would probably exceed it, judging by
 * smaller inputs of the same kind.
 */
async function measureAll(device, inputs, deadline) {
  const rows = [];
  const rates = new Map();
  for (const { kind, mib, fitted, make } of inputs) {
    const expected = (rates.get(kind) ?? 0) * mib;
    if (performance.now() + 1.3 * expected > deadline || mib * MIB > device.gpu.maxBindingBytes / 2) continue;
    const start = performance.now();
    const text = make();
    const ordering = orderingOf(kind);
    const measured = await device.measure(text, ordering).catch((error) => {
      if (error.code !== 'out-of-device-memory') throw error;
      return null;
    });
    if (measured === null) {
      console.log(`  ${kind} ${mib} MiB: too much for this device's memory`);
      continue;
    }
    const { records, times } = measured;
    rates.set(kind, (performance.now() - start) / mib);
    const row = { kind, mib, fitted, bytes: text.length, load: workload(text, ordering, records), times };
    row.terms = Object.fromEntries(ALGORITHMS.map((algorithm) => [algorithm, COST_TERMS[algorithm](row.load)]));
    rows.push(row);
    console.log(
      `${fitted ? ' ' : '*'} ${kind.padEnd(11)} ${String(mib).padStart(6)} MiB ${String(records).padStart(9)} records: ${ALGORITHMS.map((a) => `${a} ${times[a].toFixed(2)} ms`).join(', ')}`,
    );
  }
  return rows;
}

async function measureEverything(seconds) {
  const device = await openDevice();
  const { name } = device.gpu.facts;
  console.log(`${name}: inputs that constants are fitted to, and (*) those that they are checked on`);
  const inputs = allInputs()
    .map((input) => ({ ...input, turn: input.fitted ? input.mib : AFTER * input.mib }))
    .sort((a, b) => a.turn - b.turn);
  const rows = await measureAll(device, inputs, performance.now() + seconds * 1000);
  device.gpu.close();
  return {
    machine: name,
    date: new Date().toISOString().slice(0, 10),
    fitted: rows.filter((row) => row.fitted),
    checked: rows.filter((row) => !row.fitted),
  };
}

/** The table in the planner's form; constants have four digits. */
function tableOf({ machine, date, fitted }) {
  const constants = Object.fromEntries(
    ALGORITHMS.map((algorithm) => {
      const fitting = fit(fitted.map((row) => ({ terms: row.terms[algorithm], value: row.times[algorithm] })));
      return [
        algorithm,
        Object.fromEntries(Object.entries(fitting).map(([term, value]) => [term, Number(value.toPrecision(4))])),
      ];
    }),
  );
  return { machine, date, constants };
}

/** Prints the check: for each input the estimates, the measured times and the choice. Returns the ratios. */
function check(rows, table) {
  console.log(`\nchecked: ${'estimated / measured ms'.padStart(20)}, the choice, its time by that of the best`);
  return rows.map((row) => {
    const found = estimates(row.load, table);
    const choice = found[0].algorithm;
    const ratio = row.times[choice] / Math.min(...Object.values(row.times));
    const cells = ALGORITHMS.map(
      (a) => `${a} ${found.find((e) => e.algorithm === a).milliseconds.toFixed(2)} / ${row.times[a].toFixed(2)}`,
    );
    console.log(
      `  ${row.kind.padEnd(11)} ${String(row.mib).padStart(6)} MiB: ${cells.join(', ')}: ${choice} ${ratio.toFixed(2)}${ratio > MARK ? '  ABOVE THE MARK' : ''}`,
    );
    return { kind: row.kind, mib: row.mib, choice, ratio };
  });
}

function summary(results, rows, table) {
  const counted = results.filter(({ mib }) => mib >= CHECKED_FROM_MIB);
  const above = counted.filter(({ ratio }) => ratio > MARK);
  const worst = counted.reduce((most, { ratio }) => Math.max(most, ratio), 1);
  console.log(
    `\n${counted.length} inputs of ${CHECKED_FROM_MIB} MiB and more: ${above.length} above ${MARK}, the worst ${worst.toFixed(2)}`,
  );
  for (const algorithm of ALGORITHMS) {
    const errors = rows.map((row) =>
      Math.abs(
        estimates(row.load, table).find((e) => e.algorithm === algorithm).milliseconds / row.times[algorithm] - 1,
      ),
    );
    console.log(
      `${algorithm}: estimates are off by ${(100 * median(errors)).toFixed(0)} % in the middle, ${(100 * Math.max(...errors)).toFixed(0)} % at most`,
    );
    const always = rows
      .filter(({ mib }) => mib >= CHECKED_FROM_MIB)
      .map(({ times }) => times[algorithm] / Math.min(...Object.values(times)));
    console.log(
      `${algorithm}: chosen always it would take up to ${Math.max(1, ...always).toFixed(2)} times as long as the best`,
    );
  }
}

function tableText({ machine, date, constants }) {
  const software = /swiftshader|llvmpipe|lavapipe/i.test(machine);
  const lines = Object.entries(constants).map(
    ([algorithm, terms]) =>
      `    ${algorithm.includes('-') ? `'${algorithm}'` : algorithm}: {\n${Object.entries(terms)
        .map(([term, value]) => `      ${term}: ${value},\n`)
        .join('')}    },\n`,
  );
  return `/**
 * Milliseconds for each unit of the terms in costs.ts. Written by \`npm run calibrate\`; do not edit.${
   software ? '\n * MEASURED ON A SOFTWARE GPU: to be replaced, because it does not resemble hardware.' : ''
 }
 */
import type { CostTable } from './costs.js';

export const COST_TABLE: CostTable = {
  machine: '${machine.replace(/['\\]/g, '')}',
  date: '${date}',
  constants: {
${lines.join('')}  },
};
`;
}

/** The file leaves out values that --reuse computes again. */
const measuredOnly = (key, value) => (key === 'sample' || key === 'terms' ? undefined : value);

const reuse = option('--reuse', null);
let measured;
if (reuse === null) measured = await measureEverything(Number(option('--seconds', '110')));
else {
  measured = JSON.parse(readFileSync(reuse, 'utf8')).measured;
  const rows = [...measured.fitted, ...measured.checked];
  ALGORITHMS = ALGORITHMS.filter((algorithm) => rows.every(({ times }) => algorithm in times));
  const inputs = allInputs();
  for (const row of rows) {
    const { make } = inputs.find(
      ({ kind, mib, fitted }) => kind === row.kind && mib === row.mib && fitted === row.fitted,
    );
    row.load = workload(make(), orderingOf(row.kind), row.load.records);
    row.terms = Object.fromEntries(ALGORITHMS.map((a) => [a, COST_TERMS[a](row.load)]));
  }
}
const table = tableOf(measured);
const results = check(measured.checked, table);
summary(results, measured.checked, table);
const json = option('--json', null);
if (json !== null) writeFileSync(json, JSON.stringify({ table, results, measured }, measuredOnly));
if (process.argv.includes('--write'))
  writeFileSync(new URL('../../src/plan/costs-table.ts', import.meta.url), tableText(table));
else console.log(`\n${tableText(table)}`);
