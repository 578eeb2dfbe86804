/** The problem of a record, by number; the host words it (src/output/index/). */

export const NO_PROBLEM: u32 = 0;
export const BAD_SIZE: u32 = 1;
export const BAD_CONTIG: u32 = 2;
export const BAD_POSITION: u32 = 3;
export const BAD_CIGAR: u32 = 4;
export const NO_START: u32 = 5;
export const NOT_A_NUMBER: u32 = 6;
export const NO_VCF_POSITION: u32 = 7;
export const NO_REFERENCE: u32 = 8;

/** The problem of the record at which the last call stopped. */
let found: u32 = NO_PROBLEM;

export function problem(): u32 { return found; }

export function setProblem(number: u32): void { found = number; }
