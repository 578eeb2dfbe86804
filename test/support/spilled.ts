/** Directories for spilled runs, and the unlinked temporary files that a process has open. */
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, realpathSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';

export interface Spilled {
  /** The path in /proc through which the file can be opened. */
  readonly path: string;
  readonly bytes: number;
  /** Permission bits. */
  readonly mode: number;
}

/** The unlinked files of `directory` that process `pid` has open. */
export function spilledFiles(directory: string, pid: number | 'self' = 'self'): Spilled[] {
  return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
    const path = `/proc/${pid}/fd/${fd}`;
    try {
      const target = readlinkSync(path);
      if (!target.startsWith(`${directory}/`) || !target.endsWith(' (deleted)')) return [];
      const { size, mode } = statSync(path);
      return [{ path, bytes: size, mode: mode & 0o7777 }];
    } catch {
      return []; // closed in the meantime
    }
  });
}

/** The content of an unlinked file. */
export const contentOf = ({ path }: Spilled): Buffer => readFileSync(path);

/** A directory of a test, and one in it for temporary files. */
export interface SpillDirectory {
  readonly directory: string;
  readonly temporary: string;
}

export function openSpillDirectory(prefix: string): SpillDirectory {
  const directory = realpathSync(mkdtempSync(join(process.env.GPUSORT_TEST_TMP ?? tmpdir(), prefix)));
  return { directory, temporary: mkdtempSync(join(directory, 't-')) };
}

/** Removes both directories. There must be no names of temporary files. */
export function closeSpillDirectory({ directory, temporary }: SpillDirectory): void {
  expect(readdirSync(temporary)).toEqual([]);
  rmSync(directory, { recursive: true });
}
