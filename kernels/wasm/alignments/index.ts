/**
 * Converts alignments: lines of SAM to records of BAM, and back. Compiled to WebAssembly by `npm run build`; one
 * instance per thread.
 *
 *     makeNameTable, setContigs -> toBam or toSam, for whole records
 *
 * Numbers, letters and flags take the form in which htslib writes them, so the output has the bytes of `samtools view`.
 * The host reads and prints the few floating-point numbers that need more than 64 bits on the way.
 */
import { lineEnd } from '../shared/lines';
import { putLine } from './bam-record';
import { clear } from './problem';
import { putRecord } from './sam-record';

export { contigTableBytes, makeNameTable } from '../shared/contig-table';
export { convertProblem, problemFrom, problemTo } from './problem';

const NEWLINE: u32 = 10;
const RETURN: u8 = 13;

/** The table of contigs. */
let contigs: usize = 0;
export function setContigs(table: usize): void { contigs = table; }

/** The first byte of memory that the kernels do not use themselves. */
export function freeFrom(): u32 { return <u32>__heap_base; }

/** After a conversion: where the next record begins, which is the one with the problem if there is one. */
let taken: u32 = 0;
export function takenTo(): u32 { return taken; }

/**
 * Converts the lines in [at, end) at `target`; returns the end of the records. Stops before a line with a problem, and
 * once the records reach `enough`.
 */
export function toBam(at: u32, end: u32, target: u32, enough: u32): u32 {
  clear();
  while (at < end && target < enough) {
    const next = lineEnd(at, NEWLINE);
    const stop = next - 1 - u32(next - 1 > at && load<u8>(next - 2) == RETURN);
    const record = putRecord(at, stop, target, contigs);
    if (record == 0) break;
    target = record;
    at = next;
  }
  taken = at;
  return target;
}

/** The same for whole records of BAM in [at, end): returns the end of the lines. */
export function toSam(at: u32, end: u32, target: u32, enough: u32): u32 {
  clear();
  while (at < end && target < enough) {
    const next = at + 4 + load<u32>(at);
    const line = putLine(at, next, target, contigs);
    if (line == 0) break;
    target = line;
    at = next;
  }
  taken = at;
  return target;
}
