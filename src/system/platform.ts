/**
 * The operating system of this process; docs/platforms.md lists the differences. It reads process.platform at each
 * call, because tests replace it. Imports nothing, because the browser bundle contains it.
 */

export const isLinux = (): boolean => process.platform === 'linux';
export const isMac = (): boolean => process.platform === 'darwin';
export const isWindows = (): boolean => process.platform === 'win32';

const [SLASH, BACKSLASH] = ['/', '\\'].map((text) => text.charCodeAt(0)) as [number, number];

/** Whether this byte of a path name separates directories. */
export const isSeparator = (byte: number | undefined): boolean => byte === SLASH || (byte === BACKSLASH && isWindows());

/** How long a virus scanner or an indexer may hold a file on Windows, and the first pause between two tries. */
const PATIENCE_MS = 1000;
const FIRST_PAUSE_MS = 5;
const IN_USE: readonly unknown[] = ['EBUSY', 'EPERM', 'EACCES'];

/**
 * Makes a call that changes a name. On Windows, the call is repeated for up to a second while another program holds the
 * file.
 */
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
