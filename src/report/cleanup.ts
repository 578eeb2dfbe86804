/**
 * Cleanups that must run however the process ends: they remove temporary files and directories. They are synchronous
 * because a signal leaves no time for anything else.
 */
const cleanups = new Set<() => void>();

/** Registers a cleanup to run at exit, including exit by signals. The returned function unregisters it. */
export function atExit(cleanup: () => void): () => void {
  cleanups.add(cleanup);
  return () => {
    cleanups.delete(cleanup);
  };
}

/** Runs every registered cleanup once, newest first. A failing cleanup does not stop the others. */
export function runCleanups(): void {
  for (const cleanup of [...cleanups].reverse()) {
    cleanups.delete(cleanup);
    try {
      cleanup();
    } catch {
      /* exiting anyway */
    }
  }
}
