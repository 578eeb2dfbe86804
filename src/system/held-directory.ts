/**
 * A directory that stays open: its files can be reached by a short name, however long its path is, and after it was
 * renamed or a mount has hidden it. On systems without Linux's /proc, the name is its path.
 */
import { constants, fileSystem } from './file-system.js';
import { isLinux } from './platform.js';
import { closeQuietly } from './transfer.js';

export interface HeldDirectory {
  /** Leads to the directory until it is closed. */
  readonly path: Buffer;
  close(): void;
}

/** Linux: only to reach what is in it, which needs no permission to read. Node has no name for it. */
const O_PATH = 0o10000000;

export function holdDirectory(path: Buffer): HeldDirectory {
  let fd = -1;
  try {
    if (isLinux()) fd = fileSystem.openSync(path, O_PATH | constants.O_DIRECTORY);
  } catch {
    /* what is done in the directory will fail for the same reason, or does not need this */
  }
  const held = Buffer.from(`/proc/self/fd/${fd}`);
  const close = (): void => {
    if (fd >= 0) closeQuietly(fd);
    fd = -1;
  };
  if (fd >= 0 && fileSystem.existsSync(held)) return { path: held, close };
  close();
  return { path, close };
}
