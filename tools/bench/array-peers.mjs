/**
 * Peers that sort files of numbers: numpy (Debian: python3-numpy), and VQSort (Debian: libhwy-dev), which is compiled
 * on first use. Both run on one thread.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const NUMPY_SORT = join(here, 'numpy-sort.py');
/** The system's Python first: numpy 1.25 and later, which others may have, sort with vectors. */
const PYTHONS = ['/usr/bin/python3', 'python3'];

/** The value of `find`, which runs once, when it is first needed. */
function once(find) {
  let found;
  return () => {
    found ??= find();
    return found;
  };
}

/**
 * The result of looking for a peer.
 * @typedef {{ argv: readonly string[], version: string } | { missing: string }} Found `argv`: its command, before the
 *   type and the files
 */

/** @type {() => Found} */
export const findNumpy = once(() => {
  for (const python of PYTHONS) {
    const { status, stdout } = spawnSync(python, [NUMPY_SORT], { encoding: 'utf8' });
    if (status === 0) return { argv: [python, NUMPY_SORT], version: `numpy ${stdout.trim()}` };
  }
  return { missing: 'no Python with numpy' };
});

/** @type {() => Found} */
export const findVqsort = once(() => {
  const folder = mkdtempSync(join(tmpdir(), 'gpusort-vqsort-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const program = join(folder, 'vqsort');
  const source = join(here, 'vqsort.cpp');
  const { status, error, stderr } = spawnSync('g++', ['-O2', '-o', program, source, '-lhwy_contrib', '-lhwy'], {
    encoding: 'utf8',
  });
  if (error) return { missing: 'no C++ compiler (g++)' };
  if (status === 0) return { argv: [program], version: 'VQSort' };
  return { missing: /hwy|highway/i.test(stderr) ? 'Highway is not installed (libhwy-dev)' : 'it does not compile' };
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
