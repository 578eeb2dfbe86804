/**
 * `template`: the order of flags (SAM FLAG) in which samtools 1.20 and later sorts records of one name: unpaired, first,
 * second; then primary before supplementary before secondary. The row is one digit.
 */
import { put } from './digits';

// @ts-ignore: decorator
@inline
export function putTemplate(flag: u32): void { put((flag >> 6 & 3) << 2 | (flag >> 8 & 1) << 1 | flag >> 11 & 1); }
