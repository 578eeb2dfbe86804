/**
 * The comparisons that can be asked for with --rows: which file, which programs, what the figures mean. Sizes are those of
 * --scale 1. It runs nothing.
 */

/**
 * @typedef {object} Row
 * @property {string} id
 * @property {string} group what --rows also takes
 * @property {string} title
 * @property {string | null} kind of generate.mjs; null: no input
 * @property {{ bytes?: number, lines?: number }} size
 * @property {readonly string[]} options of gpusort and of sort
 * @property {readonly string[]} own options that only gpusort takes
 * @property {readonly ('gnu' | 'cp' | 'duckdb' | 'uutils' | 'node' | 'pipe')[]} peers `pipe`: gpusort and cat into a pipe that is read at full speed
 * @property {readonly string[]} [once] peers that are timed once: they take long
 * @property {number | null} threads for the peers; null: all cores
 * @property {'gnu' | 'records' | 'order'} check how gpusort's output is proved
 */

const PEERS = ['gnu', 'cp', 'duckdb', 'uutils'];
const line = (id, group, title, kind, size, own, threads) =>
  ({ id, group, title, kind, size, options: [], own, peers: PEERS, threads, check: 'gnu' });

/** A row of the limits: sorting beside copying, to a file and to a pipe. */
const limit = (id, title, kind, size, peers = ['gnu', 'cp', 'duckdb', 'pipe']) =>
  ({ ...line(id, 'l', title, kind, size, [], 16), peers, once: ['gnu'], check: peers.includes('gnu') ? 'gnu' : 'order' });
/** A row of the growth with size. */
const growth = (gigabytes) => ({ ...line(`n${gigabytes}`, 'n', `${gigabytes} GB of 100-byte lines`, 'random100', { bytes: gigabytes * 1e9 }, [], null), peers: ['cp'], check: 'order' });

const CPU = ['--engine', 'cpu'];
const GPU = ['--engine', 'gpu'];

/** @type {readonly Row[]} */
export const ROWS = [
  line('a', 'a', '5 M lines of 11 bytes, CPU', 'random11', { lines: 5e6 }, [...CPU, '--parallel', '2'], 2),
  line('b', 'b', '1 M lines of 100 bytes, CPU', 'random100', { lines: 1e6 }, [...CPU, '--parallel', '2'], 2),
  { ...line('c', 'c', 'a file of 1 KB, whole process', 'random11', { bytes: 1024 }, [], null), peers: ['node', 'gnu'] },
  line('d1', 'd', '2 GB of 100-byte lines, GPU', 'random100', { bytes: 2e9 }, GPU, 16),
  line('d2', 'd', '50 M lines of 11 bytes, GPU', 'random11', { lines: 50e6 }, GPU, 16),
  line('e1', 'e', '200 MB of URLs, CPU', 'urls', { bytes: 200e6 }, CPU, null),
  line('e2', 'e', '200 MB of DNA reads, CPU', 'dna150', { bytes: 200e6 }, CPU, null),
  line('e3', 'e', '200 MB in order, CPU', 'sorted100', { bytes: 200e6 }, CPU, null),
  line('e4', 'e', '200 MB of one line, CPU', 'equal100', { bytes: 200e6 }, CPU, null),
  line('f1', 'f', '2 GB of URLs, GPU', 'urls', { bytes: 2e9 }, GPU, 16),
  line('f2', 'f', '2 GB of DNA reads, GPU', 'dna150', { bytes: 2e9 }, GPU, 16),
  line('f3', 'f', '2 GB in order, GPU', 'sorted100', { bytes: 2e9 }, GPU, 16),
  line('f4', 'f', '2 GB of one line, GPU', 'equal100', { bytes: 2e9 }, GPU, 16),
  {
    ...line('g', 'g', '20 M records of 100 bytes, 10-byte keys, GPU', 'records100', { lines: 20e6 }, [...GPU, '--record-size', '100', '--key', '0:10'], null),
    peers: ['cp'], check: 'records',
  },
  limit('l1', '10 GB of 100-byte lines', 'random100', { bytes: 10e9 }),
  limit('l2', '200 M lines of 11 bytes', 'random11', { lines: 200e6 }),
  limit('l3', '5 GB of URLs', 'urls', { bytes: 5e9 }),
  limit('l4', '5 GB of DNA reads', 'dna150', { bytes: 5e9 }),
  limit('l5', '5 GB in order', 'sorted100', { bytes: 5e9 }, ['gnu', 'cp', 'duckdb']),
  limit('l6', '5 GB of one line', 'equal100', { bytes: 5e9 }, ['gnu', 'cp', 'duckdb']),
  limit('l7', '20 GB of 100-byte lines', 'random100', { bytes: 20e9 }, ['cp']),
  limit('l8', '100 MB of 100-byte lines', 'random100', { bytes: 100e6 }, ['gnu', 'cp', 'duckdb']),
  ...[1, 2, 5, 10, 20].map(growth),
];

/**
 * The rows that a list of ids and groups names.
 * @param {string} list for example `a,b,d1`
 */
export function chooseRows(list) {
  const names = list.split(',');
  const unknown = names.filter((name) => !ROWS.some((row) => row.id === name || row.group === name));
  if (unknown.length > 0) throw new Error(`unknown rows: ${unknown.join(', ')}; there are ${ROWS.map((row) => row.id).join(', ')}`);
  return ROWS.filter((row) => names.includes(row.id) || names.includes(row.group));
}
