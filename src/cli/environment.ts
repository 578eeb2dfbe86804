/** What the command line's meaning depends on beside its words: facts of the process and the machine, for `Surroundings`. */
import { totalmem } from 'node:os';
import { limits } from '../limits.js';
import { programName, rawVariable } from './argv.js';
import type { Surroundings } from './parse.js';

/** The process's own. */
export function surroundings(): Surroundings {
  return {
    programName: programName(), temporaryDirectory: rawVariable('TMPDIR'), posixlyCorrect: process.env['POSIXLY_CORRECT'] !== undefined,
    obsolescentKeys: takesObsolescentKeys(process.env['_POSIX2_VERSION']), totalMemory: totalmem, openFiles,
  };
}

/** POSIX of 2001 forbade `+POS1`, the ones before and after it allow it. */
export function takesObsolescentKeys(posixVersion: string | undefined): boolean {
  const version = /^\s*[-+]?[0-9]+$/.test(posixVersion ?? '') ? Number(posixVersion) : 200809;
  return version < 200112 || version >= 200809;
}

/** How many files may be open at once; if the system does not say, any number. */
function openFiles(): number {
  return Math.min(Number.MAX_SAFE_INTEGER, limits().openFiles);
}
