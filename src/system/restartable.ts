/** A stream that may be written again from its beginning: the bytes that earlier attempts wrote are skipped. */

type Write = (block: Uint8Array) => Promise<void>;

export interface RestartableWriter {
  /** Writes the next bytes of this attempt, without those already written. Calls need not wait for each other. */
  readonly write: Write;
  /** The bytes passed on so far by all attempts, also while they are being written. */
  readonly written: number;
  /** The next attempt begins. No write is under way, and the stream has the same bytes. */
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
    restart: () => {
      skip = written;
    },
  };
}
