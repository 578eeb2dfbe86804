/**
 * `comment`: blank lines, those that begin with `#`, and those whose first word is `track` or `browser` sort before all
 * others and are equal to each other, whatever their text. The row is one digit; after that of a comment, a line has no
 * further rows.
 */
import { isBlank, isTrack } from '../shared/comment';
import { put } from '../shared/digits';

const HASH: u8 = 35;

let passed: bool = false;

/** Forgets the last line. */
// @ts-ignore: decorator
@inline
export function beginLine(): void { passed = false; }

/** Whether the line has all its rows. */
// @ts-ignore: decorator
@inline
export function isComment(): bool { return passed; }

/** Writes the row of the line [at, end). */
// @ts-ignore: decorator
@inline
export function putComment(at: u32, end: u32): void {
  passed = (at < end && load<u8>(at) == HASH) || isBlank(at, end) || isTrack(at, end);
  put(passed ? 0 : 1);
}
