/**
 * Records that threads frame. A thread gets a piece of a text, which may begin and end inside a record, and frames the
 * whole records in it. It may have to guess where records begin. The framer of the whole text (PartFramer) checks that,
 * frames the rest of the piece, and reports all problems.
 */
import { mostLineBytes } from './bam.js';
import { frameBamPart } from './bam-parts.js';
import { frameSequencesPart } from './fasta.js';
import { frameReadsPart } from './fastq.js';
import type { FramedPart } from './record-finder.js';

/** The facts that a thread needs. `lines`: lines per record. */
export type PartRule =
  | { readonly kind: 'bam'; readonly references: number }
  | { readonly kind: 'fastq'; readonly lines: number }
  | { readonly kind: 'fasta' };

/** How threads frame the records of an input. */
export interface PartFraming {
  /** Null: it is not known yet, and nothing is framed. */
  rule: PartRule | null;
  /** Which of the bytes read last are lines; null: none. */
  framed: FramedPart | null;
}

/**
 * Frames the whole records in a piece, in `target`, which has mostFramedBytes; the rest of the piece is copied there.
 * Returns null if no records are found or one has a problem; the contents of `target` are then undefined.
 */
export function framePart(piece: Uint8Array, rule: PartRule, target: Uint8Array): FramedPart | null {
  switch (rule.kind) {
    case 'bam':
      return frameBamPart(piece, rule.references, target);
    case 'fastq':
      return frameReadsPart(piece, rule.lines, target);
    case 'fasta':
      return frameSequencesPart(piece, target);
  }
}

/** The maximum bytes of a piece of `bytes` bytes that is framed in part. */
export function mostFramedBytes(bytes: number, rule: PartRule | null): number {
  return rule?.kind === 'bam' ? mostLineBytes(bytes) : bytes;
}
