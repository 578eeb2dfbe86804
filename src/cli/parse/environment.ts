/**
 * Collects the `Surroundings`: facts of the process and the machine that the meaning of the command line depends on.
 */
import { totalmem } from 'node:os';
import { slurmAllocation } from '../../plan/facts.js';
import { packageVersion } from '../../system/installed.js';
import { limits } from '../../system/limits.js';
import { commonTemporaryDirectory } from '../../system/platform-defaults.js';
import { programName, rawVariable, toBytes } from './argv.js';
import type { Conventions } from './getopt.js';

/** Facts of the process and the machine. Strings have one character per byte. */
export interface Surroundings extends Conventions {
  /**
   * Whether names and first bytes say how files are compressed. Absent: only options say it, as under the name `sort`
   * and in the library.
   */
  readonly recognizes?: boolean;
  /** The directory for temporary files without -T: TMPDIR, otherwise the system's. */
  readonly temporaryDirectory: string;
  /** GPUSORT_OPTIONS, if it is set. */
  readonly presets: string | undefined;
  /** Bytes of memory of the machine or, if that is less, of the Slurm job, for -S 50%. */
  readonly totalMemory: () => number;
  /** Maximum number of open files, for --batch-size. */
  readonly openFiles: () => number;
  /** This program's version, for --pg. */
  readonly version: () => string;
}

/** The surroundings of this process. */
export function surroundings(): Surroundings {
  return {
    programName: programName(),
    temporaryDirectory: rawVariable('TMPDIR') || toBytes(commonTemporaryDirectory()),
    presets: rawVariable('GPUSORT_OPTIONS'),
    posixlyCorrect: process.env.POSIXLY_CORRECT !== undefined,
    obsolescentKeys: takesObsolescentKeys(process.env._POSIX2_VERSION),
    totalMemory: () => Math.min(totalmem(), slurmAllocation(process.env)?.memoryBytes ?? Infinity),
    openFiles,
    version: packageVersion,
  };
}

/** POSIX 2001 forbids `+POS1`; earlier and later versions allow it. */
function takesObsolescentKeys(posixVersion: string | undefined): boolean {
  const version = /^\s*[-+]?[0-9]+$/.test(posixVersion ?? '') ? Number(posixVersion) : 200809;
  return version < 200112 || version >= 200809;
}

/** The maximum number of open files; very large if the system does not report one. */
function openFiles(): number {
  return Math.min(Number.MAX_SAFE_INTEGER, limits().openFiles);
}
