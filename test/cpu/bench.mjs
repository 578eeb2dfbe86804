/**
 * Times the CPU engine by itself: reads a file of lines, sorts it in chunks, merges the runs and writes the result.
 *
 *     npm run build && node test/cpu/bench.mjs FILE [OUTPUT] [chunk MiB] [range MiB] [workers] [rounds]
 *
 * Prints the milliseconds of each phase. Compare with: time LC_ALL=C sort --parallel=2 FILE -o OUTPUT
 */
import { closeSync, openSync, read, readSync, statSync, write } from 'node:fs';
import { promisify } from 'node:util';
import { createCpuEngine } from '../../dist/cpu/engine.js';

const [file, output = '/dev/null', chunkMiB = '4', rangeMiB = '4', workerCount = '2', rounds = '1'] =
  process.argv.slice(2);
const ordering = {
  format: { kind: 'lines', delimiter: 10 },
  key: { kind: 'record' },
  reverse: false,
  unique: false,
  lastResort: true,
};
const readAsync = promisify(read);
const writeAsync = promisify(write);
const spans = {};
const recorder = {
  span(stage, start) {
    spans[stage] = (spans[stage] ?? 0) + performance.now() - start;
  },
  advance() {},
  note() {},
};

/** Calls `step(i)` for each i below `count`, at most `lanes` at a time. */
async function inLanes(lanes, count, step) {
  let next = 0;
  await Promise.all(
    Array.from({ length: Math.min(lanes, count) }, async () => {
      while (next < count) await step(next++);
    }),
  );
}

/** Chunk boundaries: ends of lines at or after each nominal boundary. */
function cutFile(fd, size, chunkBytes) {
  const cuts = [0];
  const probe = Buffer.alloc(1 << 16);
  while (cuts.at(-1) < size) {
    const nominal = cuts.at(-1) + chunkBytes - probe.length;
    if (nominal + probe.length >= size) {
      cuts.push(size);
      break;
    }
    readSync(fd, probe, 0, probe.length, nominal);
    cuts.push(nominal + probe.lastIndexOf(10) + 1);
  }
  return cuts;
}

async function orderFile(engine, fd, cuts) {
  const runs = [];
  await inLanes(engine.lanes, cuts.length - 1, async (i) => {
    const chunk = await engine.openChunk();
    const { bytes } = await chunk.openPiece(0);
    const length = cuts[i + 1] - cuts[i];
    await readAsync(fd, bytes, 0, length, cuts[i]);
    const [sorted] = await engine.order(chunk, length);
    runs[i] = await sorted.keep();
  });
  return runs;
}

async function combine(engine, runs, emit) {
  const first = { index: 0, byte: 0 };
  const total = runs.reduce((sum, run) => sum + run.end.byte, 0);
  const ranges = Math.ceil(total / engine.rangeBytes);
  const heads = [];
  for (const run of runs) {
    const samples = await run.sample(first, run.end, Math.ceil((ranges * 16) / runs.length) + 4);
    for (const { at } of samples) heads.push(Buffer.from(await run.record(at)));
  }
  heads.sort(Buffer.compare);
  const splitters = Array.from({ length: ranges - 1 }, (_, i) => heads[Math.floor(((i + 1) * heads.length) / ranges)]);
  const cuts = await Promise.all(runs.map((run) => run.cut(first, run.end, splitters)));
  const places = runs.map((run, r) => [first, ...cuts[r].map((c) => c.lower), run.end]);
  let turn = Promise.resolve();
  await inLanes(engine.lanes, ranges, async (i) => {
    const before = turn;
    let done;
    turn = new Promise((resolve) => {
      done = resolve;
    });
    const [sorted] = await engine.merge(
      runs.map((run, r) => ({ run, from: places[r][i], to: places[r][i + 1] })),
      0,
    );
    await before;
    await sorted.emit(emit);
    done();
  });
}

for (let round = 0; round < Number(rounds); round++) {
  const t0 = performance.now();
  const fd = openSync(file);
  const out = openSync(output, 'w');
  const engine = await createCpuEngine({
    ordering,
    recorder,
    workers: Number(workerCount),
    chunkBytes: Number(chunkMiB) * 2 ** 20,
    rangeBytes: Number(rangeMiB) * 2 ** 20,
    residentBytes: null,
  });
  const cuts = cutFile(fd, statSync(file).size, Number(chunkMiB) * 2 ** 20);
  const runs = await orderFile(engine, fd, cuts);
  const t1 = performance.now();
  await combine(engine, runs, async (block) => {
    for (let at = 0; at < block.length; ) at += (await writeAsync(out, block, at, block.length - at)).bytesWritten;
  });
  const t2 = performance.now();
  await engine.close();
  closeSync(fd);
  closeSync(out);
  const ms = (value) => `${value.toFixed(0)} ms`;
  console.log(
    `order ${ms(t1 - t0)}, combine ${ms(t2 - t1)}, all ${ms(t2 - t0)}, since process start ${ms(performance.now())};`,
    'spans',
    Object.entries(spans)
      .map(([stage, value]) => `${stage} ${ms(value)}`)
      .join(', '),
  );
}
