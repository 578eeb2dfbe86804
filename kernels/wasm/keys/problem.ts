/**
 * The problem of a record that an ordering cannot read. Kernels store its number; src/keys/problem.ts, with the same
 * numbers, turns it into a sentence.
 */

export const NOT_LISTED: u32 = 1;
export const NOT_A_NUMBER: u32 = 2;
export const TOO_LARGE: u32 = 3;
export const BAD_TAG: u32 = 4;
export const BAD_BAM: u32 = 5;
export const NO_MATE_CIGAR: u32 = 6;
export const NOT_JSON: u32 = 7;

let problem: u32 = 0;
let textBegin: u32 = 0;
let textEnd: u32 = 0;

/** The first problem since `clearProblem`, and the text that it is about; 0: none. */
export function problemOf(): u32 { return problem; }
export function problemBegin(): u32 { return textBegin; }
export function problemEnd(): u32 { return textEnd; }

export function clearProblem(): void { problem = 0; }

/** Reports a problem of the text [at, end). */
export function report(newProblem: u32, at: u32, end: u32): void {
  if (problem != 0) return;
  problem = newProblem;
  textBegin = at;
  textEnd = end;
}
