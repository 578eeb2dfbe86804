/**
 * Rates of the GPU's tokenize, gather and copy stages by themselves, on this machine's device:
 *
 *     node test/bench/stages.mjs [MIB] [ROUNDS]
 *
 * Each stage is launched ROUNDS times in one submission, on MIB of text in device memory. Prints the time of one launch
 * and the rate of the text's bytes. Needs a build. Run nothing else at the same time.
 */
import { openGpu, requestAdapter } from '../../dist/gpu/device/device.js';
import { dispatch, submitPass } from '../../dist/gpu/device/dispatch.js';
import { DevicePool, Scratch } from '../../dist/gpu/device/pool.js';
import { copyBytes, loadCopySlices } from '../../dist/gpu/engine/copy-slices.js';
import { gather, loadGather } from '../../dist/gpu/records/gather.js';
import { textBufferBytes } from '../../dist/gpu/records/records.js';
import { countRecords, loadTokenize, writeStarts } from '../../dist/gpu/records/tokenize.js';

const MIB = Number(process.argv[2] ?? 256);
const ROUNDS = Number(process.argv[3] ?? 20);
/** Bytes made on the host, and repeated on the device. */
const PATTERN = 16 << 20;
const format = { kind: 'lines', delimiter: 10 };

const gpu = await openGpu(await requestAdapter());
const pool = new DevicePool(gpu);
await Promise.all([loadTokenize(gpu, format), loadGather(gpu), loadCopySlices(gpu)]);

/** Text on the device. Records have `length` bytes with their delimiter (0: from 1 to 200). */
async function textOf(scratch, length) {
  const pattern = Buffer.alloc(PATTERN, 'a');
  for (let at = -1; at < PATTERN; ) {
    at += length || 1 + Math.floor(Math.random() * 200);
    if (at < PATTERN) pattern[at] = 10;
  }
  pattern[PATTERN - 1] = 10;
  const bytes = Math.max(1, Math.round((MIB << 20) / PATTERN)) * PATTERN;
  const text = await scratch.take(textBufferBytes(bytes), 'text');
  for (let at = 0; at < bytes; at += PATTERN) gpu.device.queue.writeBuffer(text, at, pattern);
  return { text, bytes };
}

/** Milliseconds of one of ROUNDS equal launches, without the wait for the device. */
async function time(encode) {
  const run = async (rounds) => {
    const start = performance.now();
    submitPass(gpu, 'gather', 'rounds', (pass) => {
      for (let i = 0; i < rounds; i++) encode(pass);
    });
    await gpu.device.queue.onSubmittedWorkDone();
    return performance.now() - start;
  };
  await run(1);
  const one = await run(1);
  return ((await run(ROUNDS + 1)) - one) / ROUNDS;
}

console.log(`${gpu.facts.name}, ${MIB} MiB of text`);
for (const length of [2, 11, 100, 0, 5000, 4 << 20]) {
  const scratch = new Scratch(pool);
  const { text, bytes } = await textOf(scratch, length);
  const tokenized = await countRecords(gpu, scratch, text, bytes, format, []);
  const { count } = tokenized;
  const rate = (name, ms) =>
    console.log(
      `  ${name.padEnd(16)} ${ms.toFixed(3).padStart(9)} ms ${(bytes / ms / 1e6).toFixed(0).padStart(6)} GB/s`,
    );
  console.log(`${count} records of ${length || '1 to 200'} bytes`);
  const constants = { overrides: { DELIMITER: 10 } };
  const tiles = Math.ceil(bytes / 16384);
  rate(
    'records/tokenize/count',
    await time((pass) =>
      dispatch(
        gpu,
        pass,
        'records/tokenize/count',
        constants,
        { text, counts: tokenized.counts },
        { bytes, tiles },
        tiles,
      ),
    ),
  );
  // The launches above left counts that are not scanned, so count again.
  const fresh = await countRecords(gpu, scratch, text, bytes, format, []);
  const records = await writeStarts(gpu, scratch, fresh, 0, count);
  rate(
    'records/tokenize/starts',
    await time((pass) =>
      dispatch(
        gpu,
        pass,
        'records/tokenize/starts',
        constants,
        { text, counts: fresh.counts, starts: records.starts },
        { bytes, tiles, first: 0, records: count },
        tiles,
      ),
    ),
  );

  const order = await scratch.take(count * 4, 'order');
  const numbers = Uint32Array.from({ length: count }, (_, i) => i);
  for (let i = count - 1; i > 0; i--) {
    const j = Math.floor(Math.random() * (i + 1));
    const n = numbers[i];
    numbers[i] = numbers[j];
    numbers[j] = n;
  }
  gpu.device.queue.writeBuffer(order, 0, numbers);
  const sorted = await gather(gpu, scratch, records, order, count, bytes);
  // `order` now holds the places of the records in the input, `sorted.starts` their places in the output.
  const outTiles = Math.ceil(bytes / 8192);
  const first = await scratch.take(outTiles * 4, 'first');
  rate(
    'records/gather/tiles',
    await time((pass) =>
      dispatch(
        gpu,
        pass,
        'records/gather/tiles',
        {},
        { out_starts: sorted.starts, first },
        { n: count, tiles: outTiles },
        Math.ceil(outTiles / 256),
      ),
    ),
  );
  rate(
    'records/gather/text',
    await time((pass) =>
      dispatch(
        gpu,
        pass,
        'records/gather/text',
        {},
        { text, sources: order, out_starts: sorted.starts, first, out: sorted.text },
        { n: count, bytes, tiles: outTiles },
        outTiles,
      ),
    ),
  );
  // This kernel changes its input, so it is launched only once, and its time includes the wait for the device.
  gpu.device.queue.writeBuffer(order, 0, numbers);
  await gpu.device.queue.onSubmittedWorkDone();
  const start = performance.now();
  submitPass(gpu, 'gather', 'lengths', (pass) =>
    dispatch(
      gpu,
      pass,
      'records/gather/lengths',
      {},
      { order, starts: records.starts, text, lengths: sorted.starts },
      { n: count, in_order: 0, first: 0 },
      Math.ceil(count / 256),
    ),
  );
  await gpu.device.queue.onSubmittedWorkDone();
  rate('records/gather/lengths', performance.now() - start);
  rate('engine/copy-bytes', await time((pass) => copyBytes(gpu, pass, text, 3, sorted.text, 1, bytes - 8)));
  scratch.end();
}
gpu.close();
