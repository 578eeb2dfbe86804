/** A stream that may be written again from its beginning: the bytes that earlier attempts wrote are skipped. */

type Write = (block: Uint8Array) => Promise<void>;

export interface RestartableWriter {
  /** Writes the next bytes of this attempt, without those already written. Calls need not wait for each other. */
  readonly write: Write;
  /** The bytes passed on so far by all attempts, including bytes that are still being written. */
  readonly written: number;
  /** Counts bytes that reach the stream in another form as written. This attempt must have passed all of `written`. */
  passed(bytes: number): void;
  /** Begins the next attempt. No write may be under way, and the stream must have the same bytes again. */
  restart(): void;
}

export function restartable(write: Write): RestartableWriter {
  let written = 0;
  let skip = 0;
  return {
    write: async (block) => {
      const skipped = Math.min(skip, block.length);
      skip -= skipped;
      const rest = block.subarray(skipped);
      if (rest.length === 0) return;
      written += rest.length;
      await write(rest);
    },
    get written() {
      return written;
    },
    passed: (bytes) => {
      written += bytes;
    },
    restart: () => {
      skip = written;
    },
  };
}
