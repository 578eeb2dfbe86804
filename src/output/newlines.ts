/** CSV on its way out: records end in newlines again, as they were read. */
import type { BlockWriter } from '../engine.js';
import { endedByNewlines } from '../keys/csv-text.js';

/** Blocks, which are an engine's memory, are copied. */
export function endingInNewlines(write: BlockWriter): BlockWriter {
  return (block) => write(endedByNewlines(block));
}
