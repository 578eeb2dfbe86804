/**
 * Which operating system this is; docs/platforms.md says what differs between them. The answers follow process.platform
 * at each call, so that tests can replace it. Imports nothing: browsers have it in their bundle.
 */
import { freemem, tmpdir, totalmem } from 'node:os';
import { type PlatformPath, posix, win32 } from 'node:path';

export const isLinux = (): boolean => process.platform === 'linux';
export const isMac = (): boolean => process.platform === 'darwin';
export const isWindows = (): boolean => process.platform === 'win32';

const [SLASH, BACKSLASH] = ['/', '\\'].map((text) => text.charCodeAt(0)) as [number, number];

/** Whether this byte of a path name separates directories. */
export const isSeparator = (byte: number | undefined): boolean => byte === SLASH || (byte === BACKSLASH && isWindows());

/** How long a name of Windows may be in use by a virus scanner or an indexer, and the first pause. */
const PATIENCE_MS = 1000;
const FIRST_PAUSE_MS = 5;
const IN_USE: readonly unknown[] = ['EBUSY', 'EPERM', 'EACCES'];

/** Makes a call that changes a name. On Windows it is repeated for a second while another program holds the file. */
export function patiently<T>(call: () => T): T {
  for (let waited = 0, pause = FIRST_PAUSE_MS; ; waited += pause, pause *= 2) {
    try {
      return call();
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (!isWindows() || !IN_USE.includes(code) || waited >= PATIENCE_MS) throw error;
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pause);
  }
}

/** The rules for path names. They also hold for bytes, one character each: separators are ASCII. */
export const paths = (): PlatformPath => (isWindows() ? win32 : posix);

/** The directory for temporary files if neither -T nor TMPDIR names one. Windows uses TEMP and TMP. */
export const commonTemporaryDirectory = (): string => (isWindows() ? tmpdir() : '/tmp');

/**
 * The maximum number of open files where the system has no /proc. Node raises the soft limit of macOS to the hard one,
 * of which one process uses OPEN_MAX (10,240) safely; libuv sets the one of the C library of Windows to 8,192.
 */
export function assumedOpenFiles(): number {
  if (isWindows()) return 8192;
  return isMac() ? 10_240 : Infinity;
}

/**
 * Available memory in bytes where the system has no /proc. Windows counts its cache of files as free. macOS does not,
 * so little is ever free there. Only libuv from 1.52 on says what is available; a quarter of all memory is the least.
 */
export function assumedAvailableMemory(): number {
  return isMac() ? Math.max(freemem(), process.availableMemory?.() ?? 0, totalmem() / 4) : freemem();
}
