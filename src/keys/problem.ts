/**
 * Sentences for records whose keys cannot be made (kernels/wasm/keys/problem.ts): each names the record by its first
 * field, and shows the offending text.
 */

import type { KeyPart } from '../job/ordering.js';
import { quoteName } from '../report/names.js';
import { GpusortError } from '../system/errors.js';

/** The exports of the kernels that describe a problem. Addresses are those of the kernels' memory. */
export interface ProblemKernels {
  problemOf(): number;
  problemBegin(): number;
  problemEnd(): number;
  clearProblem(): void;
}

interface KeyProblem {
  readonly what: string;
  readonly hint: string;
  /** Whether an empty text may be at fault. */
  readonly ofEmpty?: true;
}

/** The problems, by their numbers in the kernels less 1. Messages also show the offending text, if there is one. */
const PROBLEMS: readonly KeyProblem[] = [
  {
    what: 'contig not listed',
    hint: 'Check --format. If it is right, add the contig to the header or to the list of --contigs.',
    ofEmpty: true,
  },
  {
    what: 'not a whole number',
    hint: 'Check --format. If it is right, the record lacks a field or is damaged.',
    ofEmpty: true,
  },
  { what: 'number out of range', hint: 'Check --format. If it is right, the record lacks a field or is damaged.' },
  { what: 'malformed optional field', hint: 'Optional fields have the form TAG:TYPE:VALUE.' },
  { what: 'malformed BAM record', hint: 'Check the file with `samtools view`.' },
  { what: 'no tag MC, the CIGAR of the mate', hint: 'Run `samtools fixmate` before sorting by template-coordinate.' },
  { what: 'not JSON', hint: 'Repair or remove the line, or leave out --invalid-json error.' },
];
/** VCF may lack the lines of contigs. */
const NO_LIST = 'The header lists no contigs (##contig). Add --contigs natural, or --contigs FILE with their order.';
const MOST_SHOWN = 60;
/** The beginnings of these messages. */
const RECORD = 'record ';
const [TAB, NEWLINE, RETURN] = [9, 10, 13];
/** Where a BAM record has the length of its name, and where the name begins. */
const [BAM_NAME_BYTES, BAM_NAME] = [12, 36];

/**
 * The error for the problem that the kernels hold, of `record` (without its delimiter), whose key has `parts`. BAM is
 * encoded.
 */
export function problemError(
  kernels: ProblemKernels,
  memory: ArrayBuffer,
  record: Uint8Array,
  parts: readonly KeyPart[],
): Error {
  const { what, hint, ofEmpty } = PROBLEMS[kernels.problemOf() - 1];
  const isBam = parts.some(({ bam }) => bam !== undefined);
  const listsNone =
    parts.some(({ order }) => order === 'alleles') && parts.some(({ contigs }) => contigs?.length === 0);
  const about = new Uint8Array(memory, kernels.problemBegin(), kernels.problemEnd() - kernels.problemBegin());
  const name = isBam ? bamName(record) : firstField(record);
  const shows = about.length > 0 || (!isBam && ofEmpty === true);
  const message = `${RECORD}${shown(name)}: ${what}${shows ? `: ${shown(about)}` : ''}`;
  kernels.clearProblem();
  return new GpusortError('bad-records', message, { hint: listsNone ? NO_LIST : hint });
}

/** Whether an error is about a record and lacks the record's place, because makers of keys know no inputs. */
export function isProblem(error: unknown): error is GpusortError {
  return error instanceof GpusortError && error.code === 'bad-records' && error.message.startsWith(RECORD);
}

/** The error with the place of the record put before its message. */
export function atPlace({ message, hint }: GpusortError, place: string): GpusortError {
  return new GpusortError('bad-records', `${place}: ${message}`, hint === undefined ? {} : { hint });
}

function shown(text: Uint8Array): string {
  return quoteName(Buffer.from(text.subarray(0, MOST_SHOWN))) + (text.length > MOST_SHOWN ? '...' : '');
}

/** The first field of a record, or its first line if it has several. */
function firstField(record: Uint8Array): Uint8Array {
  const end = record.findIndex((byte) => byte === TAB || byte === NEWLINE || byte === RETURN);
  return end < 0 ? record : record.subarray(0, end);
}

/** The name of a BAM record, or as much of it as exists. The encoding is that of kernels/wasm/keys/bam.ts. */
function bamName(line: Uint8Array): Uint8Array {
  const bytes: number[] = [];
  for (let at = 0; at < line.length && bytes.length < BAM_NAME + 256; ) {
    const code = line[at] ^ NEWLINE;
    bytes.push(...line.subarray(at + 1, at + code));
    at += Math.max(1, code);
    if (code < 255) bytes.push(NEWLINE);
  }
  return Uint8Array.from(bytes.slice(BAM_NAME, BAM_NAME + Math.max(0, (bytes[BAM_NAME_BYTES] ?? 0) - 1)));
}
