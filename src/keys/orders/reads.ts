/**
 * The orders of FASTQ and FASTA. A record is lines with newlines between them; its first line begins with `@` or `>`.
 * The sequence of FASTA may be wrapped: dropping what does not print joins its lines.
 */
import type { KeyPart } from '../../job/job.js';
import { field, fieldsFrom, part } from './parts.js';

const NEWLINE = '\n';
/** The first line without its first byte. */
const NAME = field(NEWLINE, 0, 1);
/** The first word of it. */
const ID = field(null, 0, 1);

export const FASTQ_ORDERS: Readonly<Record<string, readonly KeyPart[]>> = {
  name: [part('bytes', NAME)],
  id: [part('bytes', ID)],
  natural: [part('natural', NAME)],
  seq: [part('bytes', field(NEWLINE, 1))],
  length: [part('length', field(NEWLINE, 1))],
  quality: [part('quality', field(NEWLINE, 3))],
  similar: [part('similar', field(NEWLINE, 1))],
};

const WRAPPED = fieldsFrom(NEWLINE, 1);
const JOINED = { printing: true };

export const FASTA_ORDERS: Readonly<Record<string, readonly KeyPart[]>> = {
  name: [part('bytes', NAME)],
  id: [part('bytes', ID)],
  natural: [part('natural', NAME)],
  seq: [part('bytes', WRAPPED, JOINED)],
  length: [part('length', WRAPPED, JOINED)],
  similar: [part('similar', WRAPPED, JOINED)],
};
