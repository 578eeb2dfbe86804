/**
 * The orders of SAM and BAM: those of samtools 1.20 and later, and of Picard. Fields of SAM lie between tabs; those of
 * BAM are found by the kernels.
 */
import type { KeyPart } from '../../job.js';
import { field, part, WHOLE } from './parts.js';

// TODO: replaced when KEYS lands
export const samParts = (by: string, as: string | null): readonly KeyPart[] => {
  void as;
  const TAB = '\t';
  if (by === 'coordinate')
    return [part('contig', field(TAB, 2)), part('integer', field(TAB, 3)), part('strand', field(TAB, 1))];
  return [part(by === 'queryname' ? 'natural' : 'bytes', field(TAB, 0)), part('template', field(TAB, 1))];
};
export const bamParts = (by: string, as: string | null): readonly KeyPart[] => {
  void by;
  void as;
  return [part('bytes', WHOLE)];
};
