/** Restores the newlines that end records of CSV, FASTQ and FASTA. */
import { endedByNewlines } from '../keys/csv-text.js';
import type { Restorer } from './framing.js';

const NOTHING = new Uint8Array(0);

export function newlineRestorer(): Restorer {
  return { next: endedByNewlines, end: () => NOTHING };
}
