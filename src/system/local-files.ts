/** Which files lie on file systems of this host. */
import { fileSystem } from './file-system.js';

/**
 * Linux file systems that one kernel mounts at a time (statfs(2)): tmpfs, ext2 to ext4, xfs, btrfs, f2fs, overlayfs.
 * The kernel keeps what it read of their files, while there is memory.
 */
const LOCAL_FILE_SYSTEMS: readonly number[] = [0x01021994, 0xef53, 0x58465342, 0x9123683e, 0xf2f52010, 0x794c7630];

/** Whether a file, or standard input if `name` is null, is on such a file system. Throws the system's error. */
export function isOnLocalSystem(name: Buffer | null): boolean {
  return LOCAL_FILE_SYSTEMS.includes(fileSystem.statfsSync(name ?? '/proc/self/fd/0'));
}
