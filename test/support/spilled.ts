/** Finds the unlinked temporary files that a process has open. */
import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';

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
