/** Restores the newlines that end records of CSV. */
import type { BlockWriter } from '../engine.js';
import { endedByNewlines } from '../keys/csv-text.js';

/** Copies each block, because blocks are an engine's memory. */
export function endingInNewlines(write: BlockWriter): BlockWriter {
  return (block) => write(endedByNewlines(block));
}
