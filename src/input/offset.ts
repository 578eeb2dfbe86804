/** Where an inherited descriptor stands in its file. */
import { fileSystem } from '../system/file-system.js';

/**
 * The offset of standard input if it is a regular file. Bytes before it, which another process has read, do not belong
 * to the input. Null if the system does not report it without moving it.
 */
export function currentOffset(fd: number): number | null {
  try {
    return Number(
      /^pos:\s*(\d+)/m.exec(fileSystem.readFileSync(`/proc/self/fdinfo/${fd}`).toString('latin1'))?.[1] ?? 0,
    );
  } catch {
    return null; // only Linux reports it
  }
}
