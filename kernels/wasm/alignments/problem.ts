/** The first record that cannot be converted: what is wrong with it, and the text to blame. */

/** Problems; the same numbers as in src/records/convert-problem.ts. */
export const FEW_FIELDS: u32 = 1;
export const LONG_NAME: u32 = 2;
export const BAD_FLAG: u32 = 3;
export const NOT_LISTED: u32 = 4;
export const BAD_POSITION: u32 = 5;
export const BAD_QUALITY: u32 = 6;
export const BAD_CIGAR: u32 = 7;
export const CIGAR_LENGTH: u32 = 8;
export const BAD_LENGTH: u32 = 9;
export const QUALITIES_LENGTH: u32 = 10;
export const BAD_QUALITIES: u32 = 11;
export const BAD_TAG: u32 = 12;
export const TAG_RANGE: u32 = 13;
export const LONG_CIGAR: u32 = 14;
export const BROKEN_TAG: u32 = 15;

/** What is wrong; 0: nothing. The text is [begin, end). */
let problem: u32 = 0;
let begin: u32 = 0;
let end: u32 = 0;
export function convertProblem(): u32 { return problem; }
export function problemFrom(): u32 { return begin; }
export function problemTo(): u32 { return end; }

export function clear(): void { problem = 0; }

/** Notes a problem; returns 0, which means that nothing was written. */
export function fail(what: u32, at: u32, to: u32): u32 {
  problem = what;
  begin = at;
  end = to;
  return 0;
}
