/** Temporary files that have no name any more, as a process has them open. */
import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';

export interface Spilled {
  /** Through which the file can be opened. */
  readonly path: string;
  readonly bytes: number;
  /** Its permissions. */
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
      return []; // closed in between
    }
  });
}

/** What they hold. */
export const contentOf = ({ path }: Spilled): Buffer => readFileSync(path);
