/**
 * Times CUB beside gpusort: after a problem, cub.cu gets its input and sorts it on the same card, while gpusort does
 * nothing. Says which sorts of CUB belong to which algorithms. Needs no build until it measures.
 */
import { spawn, spawnSync } from 'node:child_process';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { compiled } from '../compiled-peer.mjs';
import { median } from '../measure.mjs';
import { SECOND_RUN } from './cases.mjs';
import { BY_COMPARISON, RADIX, SEGMENTED } from './peers.mjs';
import { built } from './runners.mjs';

const MERGES = ['merge-path-binary', 'merge-path-wide', 'merge-path-parts'];

/**
 * A sort of CUB. `sort`: its name in cub.cu. `algorithms`: gpusort's algorithms beside which it runs; null: all sorts of
 * strings.
 */
const SORTS = [
  { peer: 'CUB radix sort', sort: 'radix', algorithms: RADIX },
  { peer: 'CUB merge sort', sort: 'merge-sort', algorithms: BY_COMPARISON },
  { peer: 'CUB segmented sort', sort: 'segmented', algorithms: SEGMENTED },
  { peer: 'CUB merge', sort: 'merge', algorithms: MERGES },
  { peer: 'CUB radix sort with refinement', sort: 'refine', algorithms: null },
];

/** The types that cub.cu sorts. */
const TYPES = ['u32', 'u64'];

/** The sorts of CUB that run beside an algorithm on a case. */
export function cubSorts(algorithm, one) {
  const isString = one.input !== undefined;
  if (algorithm.beside !== undefined || (!isString && !TYPES.includes(one.spec.type))) return [];
  return SORTS.filter(({ algorithms }) => (isString ? algorithms === null : algorithms?.includes(algorithm.name)));
}

/**
 * Compiles cub.cu for this machine's card, which takes about a minute.
 * @returns {import('../compiled-peer.mjs').Found & { errors?: string }}
 */
export const compileCub = () => compiled('kernels/cub.cu', 'nvcc', ['-std=c++17', '-arch=native']);

/** The version of NVIDIA's driver; null: not known. */
function driverVersion() {
  const { stdout } = spawnSync('nvidia-smi', ['--query-gpu=driver_version', '--format=csv,noheader'], {
    encoding: 'utf8',
  });
  return stdout?.split('\n')[0].trim() || null;
}

/** Bytes of a buffer that are read back at once. */
const PIECE_BYTES = 2 ** 26;

/** The first `bytes` bytes of a device buffer, in pieces. */
async function* bytesOf(gpu, buffer, bytes) {
  const { readInto } = await built('device/host-copies');
  for (let at = 0; at < bytes; at += PIECE_BYTES) {
    const piece = new Uint8Array(Math.min(PIECE_BYTES, bytes - at));
    await readInto(gpu, buffer, at, piece);
    yield piece;
  }
}

/** What cub.cu gets of an input: its argument EXTRA, and device buffers with their bytes. */
function sent({ sort }, one, { n, textBytes, records, given, begins, segments }) {
  if (one.input !== undefined) {
    const buffers = [
      [records.text, textBytes],
      [records.starts, 4 * (n + 1)],
    ];
    return { type: 'text', extra: textBytes, buffers };
  }
  const { type, values } = one.spec;
  const buffers = [
    [given.keys, n * (type === 'u64' ? 8 : 4)],
    [begins, 4 * (segments + 1)],
  ];
  const extra = sort === 'merge' ? n - n * SECOND_RUN[one.distribution] : segments;
  return { type: `${type}-${values ? 'pairs' : 'keys'}`, extra, buffers };
}

/** Runs the program on an input. Returns what it prints; throws if it fails. */
async function runProgram(gpu, program, words, buffers) {
  const child = spawn(program, words.map(String), { stdio: ['pipe', 'pipe', 'pipe'] });
  const texts = { out: '', errors: '' };
  child.stdout.on('data', (data) => {
    texts.out += data;
  });
  child.stderr.on('data', (data) => {
    texts.errors += data;
  });
  const ended = new Promise((resolve) => {
    child.on('error', ({ message }) => resolve(message));
    child.on('close', (status, signal) => resolve(status === 0 ? null : texts.errors.trim() || `${signal ?? status}`));
  });
  const pieces = async function* () {
    for (const [buffer, bytes] of buffers) yield* bytesOf(gpu, buffer, bytes);
  };
  // If the program ends before it has read everything, its status says why.
  await pipeline(Readable.from(pieces()), child.stdin).catch(() => {});
  const error = await ended;
  if (error !== null) throw new Error(error);
  return JSON.parse(texts.out);
}

/**
 * Figures of a peer that ran right after a problem, on the same input and card.
 * @typedef {object} PeerFigures
 * @property {string} peer
 * @property {string} [error] how it failed; if present, the rest is missing
 * @property {readonly number[]} times milliseconds of each run, by events of the device
 * @property {number} rate in millions of elements a second, by the median
 * @property {string} version
 * @property {string} machine card, driver and version of CUDA
 * @property {string} date
 */

/** Measures CUB for the problems of a process, each input and sort once: algorithms of strings take turns on one input. */
export class CubPeers {
  #known = new Map();
  #driver = driverVersion();

  /**
   * @param {string} program cub.cu, compiled
   * @param {number} runs
   */
  constructor(gpu, program, runs) {
    Object.assign(this, { gpu, program, runs });
  }

  /**
   * @param {import('./algorithms.mjs').Algorithm} algorithm
   * @param {import('./cases.mjs').Case} one
   * @param {object} input of 2^size elements: see runners.mjs
   * @returns {Promise<readonly PeerFigures[]>}
   */
  async measure(algorithm, one, size, input) {
    const figures = [];
    for (const sort of cubSorts(algorithm, one)) {
      const key = `${sort.sort} ${one.name} ${size}`;
      if (!this.#known.has(key)) this.#known.set(key, await this.#run(sort, one, input));
      figures.push(this.#known.get(key));
    }
    return figures;
  }

  async #run(sort, one, input) {
    const { type, extra, buffers } = sent(sort, one, input);
    try {
      const words = [sort.sort, type, input.n, extra, this.runs];
      const { card, cuda, cub, times } = await runProgram(this.gpu, this.program, words, buffers);
      return {
        peer: sort.peer,
        times,
        rate: input.n / median(times) / 1e3,
        version: cub,
        machine: `${card}, driver ${this.#driver ?? 'unknown'}, CUDA ${cuda}`,
        date: new Date().toISOString().slice(0, 10),
      };
    } catch (error) {
      return { peer: sort.peer, error: error.message };
    }
  }
}
