/** Rules for names and defaults that differ between operating systems; docs/platforms.md gives the reasons. */
import { freemem, tmpdir, totalmem } from 'node:os';
import { type PlatformPath, posix, win32 } from 'node:path';
import { isMac, isWindows } from './platform.js';

/** The rules for path names. They also hold for strings with one character per byte, because separators are ASCII. */
export const paths = (): PlatformPath => (isWindows() ? win32 : posix);

/** The directory for temporary files if neither -T nor TMPDIR names one. Windows uses TEMP and TMP. */
export const commonTemporaryDirectory = (): string => (isWindows() ? tmpdir() : '/tmp');

/**
 * The maximum number of open files if the system has no /proc. On macOS, Node raises the soft limit to the hard limit,
 * of which one process can safely use OPEN_MAX (10,240). On Windows, libuv sets the limit of the C library to 8,192.
 */
export function assumedOpenFiles(): number {
  if (isWindows()) return 8192;
  return isMac() ? 10_240 : Infinity;
}

/**
 * Available memory in bytes if the system has no /proc. Windows counts its cache of files as free. macOS does not, so
 * little memory is ever free there, and libuv reports its available memory only from version 1.52 on. So at least a
 * quarter of all memory is assumed.
 */
export function assumedAvailableMemory(): number {
  return isMac() ? Math.max(freemem(), process.availableMemory?.() ?? 0, totalmem() / 4) : freemem();
}
