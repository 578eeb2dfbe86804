/** Peers whose source is here. They are compiled when they are first needed. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, parse } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));

/** The value of `find`, which runs once, when it is first needed. */
export function once(find) {
  let found;
  return () => {
    found ??= find();
    return found;
  };
}

/**
 * The result of looking for a peer.
 * @typedef {{ argv: readonly string[], version?: string } | { missing: string }} Found `argv`: its command, before the
 *   options of a row
 */

/**
 * Compiles a source file of this folder.
 * @param {string} source
 * @param {string} compiler
 * @param {readonly string[]} [libraries]
 * @returns {Found & { errors?: string }} `errors`: of the compiler
 */
export function compiled(source, compiler, libraries = []) {
  const folder = mkdtempSync(join(tmpdir(), 'gpusort-peer-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const program = join(folder, parse(source).name);
  const { status, error, stderr } = spawnSync(compiler, ['-O2', '-o', program, join(here, source), ...libraries], {
    encoding: 'utf8',
  });
  if (error) return { missing: `no compiler (${compiler})` };
  return status === 0 ? { argv: [program] } : { missing: 'it does not compile', errors: stderr };
}

/** The limit for a sort in a pipeline: stores standard input in memory, then writes it. */
export const findHold = once(() => compiled('hold.c', 'cc'));
