/**
 * Compares the MSD radix sort on the device alone with its hybrid, whose text stays on the host, and a wide first digit
 * with a usual one: how to call the hybrid, and a table of each. Times of the hybrid are by the host's clock, because
 * the host does part of the work.
 */
import { seconds, table } from '../report.mjs';
import { count, isMeasured, timeOf } from './figures.mjs';
import { built } from './runners.mjs';

/** The text stays in host memory, only first symbols are sent to the device, and the order stays on the host. */
export async function firstSymbols() {
  const [{ loadPackedPrefixes, sortByPrefixes }, { startHostThreads }, { readInto, asBytes, sendFrom }] =
    await Promise.all(['hybrid/packed-prefixes', 'hybrid/host-threads', 'device/host-copies'].map(built));
  const { ORDERING } = await import('./strings.mjs');
  const threads = startHostThreads(null);
  const run = async ({ pool, prepared }) => {
    const { count, ...figures } = await sortByPrefixes()(pool, threads, { ...prepared, ordering: ORDERING });
    return { numbers: prepared.order.subarray(0, count), ...figures };
  };
  return {
    load: (gpu) => loadPackedPrefixes(gpu),
    prepare: async ({ gpu, input: { n, textBytes, records } }) => {
      const text = new Uint8Array(new SharedArrayBuffer(textBytes));
      const starts = new Uint32Array(new SharedArrayBuffer(4 * (n + 1)));
      await readInto(gpu, records.text, 0, text);
      await readInto(gpu, records.starts, 0, asBytes(starts));
      return { text, starts, order: new Uint32Array(new SharedArrayBuffer(4 * n)) };
    },
    run,
    place: async ({ gpu, pool }, { numbers }) => {
      const order = await pool.take(numbers.byteLength, 'order');
      await sendFrom(gpu, order, asBytes(numbers));
      return { order, count: numbers.length };
    },
    look: async (context) => {
      const { remainder, sentBytes, readBackBytes } = await run(context);
      return { tied: remainder, sentBytes, readBackBytes };
    },
    end: () => threads.close(),
  };
}

/** Bytes with three digits. */
function size(bytes) {
  const [unit, scale] = bytes < 1e3 ? ['B', 1] : bytes < 1e6 ? ['kB', 1e3] : bytes < 1e9 ? ['MB', 1e6] : ['GB', 1e9];
  return `${scale === 1 ? bytes : seconds(bytes / scale)} ${unit}`;
}

/** Rows of the MSD radix sort, each with that of a variant for the same problem. */
const pairs = (rows, variant) =>
  rows
    .filter((row) => row.algorithm === 'msd-radix' && isMeasured(row))
    .map((row) => [
      row,
      rows.find((one) => one.algorithm === variant && one.case === row.case && one.size === row.size),
    ])
    .filter(([, other]) => other !== undefined && other.leftOut === undefined);

/** Device times with a first digit of 8 bits and with one of 12 for short alphabets; null: not both were measured. */
export function digitTable(rows) {
  const lines = pairs(rows, 'msd-radix-wide');
  if (lines.length === 0) return null;
  const time = (row) => (isMeasured(row) ? `${seconds(timeOf(row))} ms` : 'failed');
  return `### The first digit of the MSD radix sort\n\n${table(
    ['case', 'n', '8 bits', '12 bits'],
    ...lines.map(([row, wide]) => [row.case, count(row), time(row), time(wide)]),
  )}
`;
}

/** Both ways side by side, or null if only one was measured. */
export function remainderTable(rows) {
  const lines = pairs(rows, 'msd-radix-hybrid');
  if (lines.length === 0) return null;
  const time = (row) =>
    isMeasured(row) ? `${seconds(row.wallMs)} ms, ${seconds(row.n / row.wallMs / 1e3)} M/s` : 'failed';
  return `### The MSD radix sort and its hybrid\n\n${table(
    ['case', 'n', 'text', 'tied', 'on the device', 'hybrid', 'sent', 'read back'],
    ...lines.map(([row, hybrid]) => [
      row.case,
      count(row),
      size(row.textBytes),
      isMeasured(hybrid) ? hybrid.seen.tied.toLocaleString('en') : '',
      time(row),
      time(hybrid),
      ...(isMeasured(hybrid) ? [size(hybrid.seen.sentBytes), size(hybrid.seen.readBackBytes)] : ['', '']),
    ]),
  )}
`;
}
