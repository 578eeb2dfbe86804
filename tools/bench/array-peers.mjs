/**
 * Peers that sort files of numbers: numpy (Debian: python3-numpy), and VQSort (Debian: libhwy-dev), which is compiled
 * on first use. Both run on one thread.
 */
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compiled, once } from './compiled-peer.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const NUMPY_SORT = join(here, 'numpy-sort.py');
/** The system's Python first: numpy 1.25 and later, which others may have, sort with vectors. */
const PYTHONS = ['/usr/bin/python3', 'python3'];

/** @type {() => import('./compiled-peer.mjs').Found} */
export const findNumpy = once(() => {
  for (const python of PYTHONS) {
    const { status, stdout } = spawnSync(python, [NUMPY_SORT], { encoding: 'utf8' });
    if (status === 0) return { argv: [python, NUMPY_SORT], version: `numpy ${stdout.trim()}` };
  }
  return { missing: 'no Python with numpy' };
});

/** @type {() => import('./compiled-peer.mjs').Found} */
export const findVqsort = once(() => {
  const { errors, ...found } = compiled('vqsort.cpp', 'g++', ['-lhwy_contrib', '-lhwy']);
  if (/hwy|highway/i.test(errors ?? '')) return { missing: 'Highway is not installed (libhwy-dev)' };
  return found.missing === undefined ? { ...found, version: 'VQSort' } : found;
});

const TYPE = /^(?<letter>[uif])(?<bits>\d+)(?<order>le|be)?$/;

/** The command by which numpy sorts a file of a type such as f64be. */
export function numpyCommand(type, input, output) {
  const { letter, bits, order } = TYPE.exec(type).groups;
  return [...findNumpy().argv, `${order === 'be' ? '>' : '<'}${letter}${bits / 8}`, input, output];
}

/** The same for VQSort, which takes the machine's byte order only. */
export function vqsortCommand(type, input, output) {
  const { letter, bits } = TYPE.exec(type).groups;
  return [...findVqsort().argv, `${letter}${bits}`, input, output];
}
