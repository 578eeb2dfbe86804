/**
 * What must be undone however the process ends: temporary files and directories. Cleanups are synchronous, because a signal
 * leaves no time for more.
 */
const cleanups = new Set<() => void>();

/** Registers a cleanup to run at the end, signals included; the returned function takes it back. */
export function atExit(cleanup: () => void): () => void {
  cleanups.add(cleanup);
  return () => { cleanups.delete(cleanup); };
}

/** Runs every registered cleanup once, the newest first; a cleanup that fails does not keep the others from running. */
export function runCleanups(): void {
  for (const cleanup of [...cleanups].reverse()) {
    cleanups.delete(cleanup);
    try { cleanup(); } catch { /* nothing more can be done about it here */ }
  }
}
