/**
 * Rates of the GPU's tokenize, gather and copy stages by themselves, on this machine's device:
 *
 *     node tools/bench/stages.mjs [MIB] [ROUNDS]
 *
 * Each stage runs ROUNDS times (default 20) on MIB (default 256) of text in device memory, after one run that is not
 * counted. Prints the median time of its passes, by the device's clock if it has one, and the rate of the text's bytes.
 * Needs a build. Run nothing else at the same time.
 */

import { requestAdapter } from '../../dist/engines/gpu/device/adapters.js';
import { openGpu } from '../../dist/engines/gpu/device/device.js';
import { submitPass } from '../../dist/engines/gpu/device/dispatch.js';
import { DevicePool, Scratch } from '../../dist/engines/gpu/device/pool.js';
import { copyOnDevice, loadCopyBytes } from '../../dist/engines/gpu/records/copy-bytes.js';
import { gather, loadGather } from '../../dist/engines/gpu/records/gather.js';
import { textBufferBytes } from '../../dist/engines/gpu/records/records.js';
import { countRecords, loadTokenize, writeStarts } from '../../dist/engines/gpu/records/tokenize.js';
import { timed } from './kernels/timing.mjs';
import { median } from './measure.mjs';

const MIB = Number(process.argv[2] ?? 256);
const ROUNDS = Number(process.argv[3] ?? 20);
/** Bytes made on the host, and repeated on the device. */
const PATTERN = Math.min(16, MIB) * 2 ** 20;
/** Bytes of a record with its delimiter; 0: from 1 to 200. */
const LENGTHS = [2, 11, 100, 0, 5000, 4 << 20];
const format = { kind: 'lines', delimiter: 10 };

const gpu = await openGpu(await requestAdapter());
const pool = new DevicePool(gpu);
await Promise.all([loadTokenize(gpu, format), loadGather(gpu), loadCopyBytes(gpu)]);

/** Text on the device, in records of `length` bytes. */
async function textOf(scratch, length) {
  const pattern = Buffer.alloc(PATTERN, 'a');
  for (let at = -1; at < PATTERN; ) {
    at += length || 1 + Math.floor(Math.random() * 200);
    if (at < PATTERN) pattern[at] = 10;
  }
  pattern[PATTERN - 1] = 10;
  const bytes = Math.max(1, Math.round((MIB * 2 ** 20) / PATTERN)) * PATTERN;
  const text = await scratch.take(textBufferBytes(bytes), 'text');
  for (let at = 0; at < bytes; at += PATTERN) gpu.device.queue.writeBuffer(text, at, pattern);
  return { text, bytes };
}

/** The numbers below `count` in random order. */
function shuffled(count) {
  const numbers = Uint32Array.from({ length: count }, (_, i) => i);
  for (let i = count - 1; i > 0; i--) {
    const other = Math.floor(Math.random() * (i + 1));
    [numbers[i], numbers[other]] = [numbers[other], numbers[i]];
  }
  return numbers;
}

/** Runs a stage, which takes its buffers from the scratch that it receives, and prints its rate. */
async function report(name, bytes, work, prepare = () => {}) {
  const times = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const during = new Scratch(pool);
    prepare();
    await gpu.device.queue.onSubmittedWorkDone();
    const { busyMs, wallMs } = await timed(gpu, () => work(during));
    if (round > 0) times.push(busyMs ?? wallMs);
    during.end();
  }
  const ms = median(times);
  console.log(`  ${name.padEnd(16)} ${ms.toFixed(3).padStart(9)} ms ${(bytes / ms / 1e6).toFixed(0).padStart(6)} GB/s`);
}

console.log(`${gpu.facts.name}, ${MIB} MiB of text`);
for (const length of LENGTHS) {
  const scratch = new Scratch(pool);
  const { text, bytes } = await textOf(scratch, length);
  const tokenized = await countRecords(scratch, text, bytes, format, []);
  const { count } = tokenized;
  const records = await writeStarts(scratch, tokenized, 0, count);
  const numbers = shuffled(count);
  const order = await scratch.take(count * 4, 'order');
  const target = await scratch.take(textBufferBytes(bytes), 'target');
  console.log(`${count} records of ${length || '1 to 200'} bytes`);
  await report('count records', bytes, (during) => countRecords(during, text, bytes, format, []));
  await report('write starts', bytes, (during) => writeStarts(during, tokenized, 0, count));
  await report(
    'gather',
    bytes,
    (during) => gather(during, records, order, count, { bytes }),
    // Gathering overwrites the order.
    () => gpu.device.queue.writeBuffer(order, 0, numbers),
  );
  await report('copy bytes', bytes, () =>
    submitPass(gpu, 'gather', 'copy', (pass) =>
      copyOnDevice(gpu, pass, { text, at: 3 }, { text: target, at: 1 }, bytes - 8),
    ),
  );
  scratch.end();
}
gpu.close();
