/**
 * Compares ways to sort the remainder of the MSD radix sort: how to call them, and one table. Times are by the host's
 * clock, because the host does part of the work.
 */
import { seconds, table } from '../report.mjs';
import { count, isMeasured } from './figures.mjs';
import { built } from './runners.mjs';

/** The result of `work`, and the bytes that it sends to the device and reads back. */
async function withTraffic(gpu, work) {
  const before = { ...gpu.traffic };
  const result = await work();
  return {
    result,
    sentBytes: gpu.traffic.sentBytes - before.sentBytes,
    readBackBytes: gpu.traffic.readBackBytes - before.readBackBytes,
  };
}

/** The remainder is sorted by threads of the host, as many as the machine runs at once. */
export async function hostRemainder() {
  const { msdRadix } = await built('strings/msd-radix/msd-radix');
  const { ORDERING } = await import('./strings.mjs');
  let tied = 0;
  const stage = msdRadix({ remainder: 'host' }, (count) => {
    tied = count;
  });
  const run = ({ gpu, pool, input: { records } }) =>
    stage.order(gpu, pool, records, ORDERING, { slices: null, commonPrefix: 0 });
  return {
    load: (gpu) => stage.load(gpu, ORDERING),
    run,
    look: async (context) => {
      const { result, ...bytes } = await withTraffic(context.gpu, () => run(context));
      context.pool.give(result.order);
      return { tied, ...bytes };
    },
    end: () => stage.close(),
  };
}

/** The text stays in host memory, only first symbols are sent to the device, and the order stays on the host. */
export async function firstSymbols() {
  const [{ loadPackedPrefixes, sortByPrefixes }, { startHostThreads }, { readInto, bytesOf, sendFrom }] =
    await Promise.all(
      ['strings/msd-radix/packed-prefixes', 'strings/msd-radix/host-threads', 'device/host-copies'].map(built),
    );
  const { ORDERING } = await import('./strings.mjs');
  const threads = startHostThreads(null);
  const run = async ({ gpu, pool, prepared }) => {
    const { order, ...figures } = await sortByPrefixes(gpu, pool, threads, prepared, ORDERING);
    return { numbers: order, ...figures };
  };
  return {
    load: (gpu) => loadPackedPrefixes(gpu),
    prepare: async ({ gpu, input: { n, textBytes, records } }) => {
      const text = new Uint8Array(new SharedArrayBuffer(textBytes));
      const starts = new Uint32Array(new SharedArrayBuffer(4 * (n + 1)));
      await readInto(gpu, records.text, 0, text);
      await readInto(gpu, records.starts, 0, bytesOf(starts));
      return { text, starts };
    },
    run,
    place: async ({ gpu, pool }, { numbers }) => {
      const order = await pool.take(numbers.byteLength, 'order');
      await sendFrom(gpu, order, bytesOf(numbers));
      return { order, count: numbers.length };
    },
    look: async (context) => {
      const { remainder, sentBytes, readBackBytes } = await run(context);
      return { tied: remainder, sentBytes, readBackBytes };
    },
    end: () => threads.close(),
  };
}

/** The ways in the order of the table: names of algorithms, and descriptions. */
const WAYS = [
  ['msd-radix', 'on the device'],
  ['msd-radix-host', 'on the host (threads)'],
  ['msd-radix-prefixes', 'first symbols sent only'],
];

/** Bytes with three digits. */
function size(bytes) {
  const [unit, scale] = bytes < 1e3 ? ['B', 1] : bytes < 1e6 ? ['kB', 1e3] : bytes < 1e9 ? ['MB', 1e6] : ['GB', 1e9];
  return `${scale === 1 ? bytes : seconds(bytes / scale)} ${unit}`;
}

/** The ways side by side, or null if only one was measured. */
export function remainderTable(rows) {
  const [device, ...others] = WAYS.map(([name]) => rows.filter((row) => row.algorithm === name));
  const lines = device
    .filter(isMeasured)
    .map((row) => [row, ...others.map((list) => list.find((one) => one.case === row.case && one.size === row.size))])
    .filter(([, ...list]) => list.some((row) => row !== undefined && row.leftOut === undefined));
  if (lines.length === 0) return null;
  const time = (row) =>
    isMeasured(row)
      ? `${seconds(row.wallMs)} ms, ${seconds(row.n / row.wallMs / 1e3)} M/s`
      : row?.error === undefined
        ? ''
        : 'failed';
  const moved = (row) =>
    isMeasured(row) ? `${size(row.seen.sentBytes)} sent, ${size(row.seen.readBackBytes)} read back` : '';
  return `### The remainder of the MSD radix sort\n\n${table(
    ['case', 'n', 'text', 'tied', ...WAYS.flatMap(([name, title]) => (name === 'msd-radix' ? [title] : [title, '']))],
    ...lines.map(([row, host, prefixes]) => [
      row.case,
      count(row),
      size(row.textBytes),
      isMeasured(host) ? host.seen.tied.toLocaleString('en') : '',
      time(row),
      time(host),
      moved(host),
      time(prefixes),
      moved(prefixes),
    ]),
  )}
`;
}
