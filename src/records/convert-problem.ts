/** Sentences for alignments that cannot be converted (kernels/wasm/alignments/problem.ts). Knows no inputs. */

import type { AlignmentFormat } from '../job/job.js';
import { quoteName } from '../report/names.js';
import { GpusortError } from '../system/errors.js';

/** A record that cannot be converted. Threads post it. */
export interface UnconvertedRecord {
  /** The number of the problem in the kernels. */
  readonly problem: number;
  /** The record, without the newline of a line. */
  readonly record: Uint8Array;
  /** The text to blame. */
  readonly about: Uint8Array;
}

interface Problem {
  readonly what: string;
  readonly hint?: string;
}

const LISTED = 'Add an @SQ line for the contig to the header, or write SAM.';
const COLUMNS = 'The columns are those of the SAM specification, separated by tabs.';
const TAGS = 'Optional fields have the form TAG:TYPE:VALUE.';

/** The problems, by their numbers in the kernels less 1. */
const PROBLEMS: readonly Problem[] = [
  { what: 'fewer than 11 columns', hint: COLUMNS },
  { what: 'the read name is longer than 254 bytes, which BAM cannot hold', hint: 'Write SAM, or shorten the name.' },
  { what: 'the flag is not a decimal number from 0 to 65535', hint: COLUMNS },
  { what: 'contig not listed in the header', hint: LISTED },
  { what: 'the position is not a number from 0 to 2147483648', hint: COLUMNS },
  { what: 'the mapping quality is not a number from 0 to 255', hint: COLUMNS },
  { what: 'malformed CIGAR', hint: 'A CIGAR is * or a list of lengths, each with one of the letters MIDNSHP=X.' },
  { what: 'the CIGAR and the sequence have different lengths' },
  { what: 'the template length is not a number from -2147483648 to 2147483647', hint: COLUMNS },
  { what: 'the sequence and the qualities have different lengths' },
  { what: 'qualities have a character that is not from ! to ~' },
  { what: 'malformed optional field', hint: TAGS },
  { what: 'number out of range in an optional field', hint: 'Integers go from -2147483648 to 4294967295.' },
  { what: 'the CIGAR has more than 65535 operations and spans too many bases for BAM', hint: 'Write SAM.' },
  { what: 'malformed optional field', hint: 'Check the file with `samtools view`.' },
];

const MOST_SHOWN = 60;
const TAB = 9;
/** Where a BAM record has the length of its name, and where the name begins. */
const [BAM_NAME_BYTES, BAM_NAME] = [12, 36];

/** The records that errors are about: only a reader of the inputs can say where they are. */
const records = new WeakMap<Error, Uint8Array>();

/**
 * The record that an error is about, in the form that `UnconvertedRecord` has; undefined: the error has another cause.
 */
export function unconvertedRecord(error: GpusortError): Uint8Array | undefined {
  return records.get(error);
}

/** The error for a record that cannot be converted from `from`. */
export function conversionError(from: AlignmentFormat, { problem, record, about }: UnconvertedRecord): GpusortError {
  const { what, hint } = PROBLEMS[problem - 1];
  const name =
    from === 'bam'
      ? record.subarray(BAM_NAME, BAM_NAME + Math.max(0, record[BAM_NAME_BYTES] - 1))
      : record.subarray(0, record.indexOf(TAB) < 0 ? record.length : record.indexOf(TAB));
  const text = about.length === 0 ? '' : `: ${shown(about)}`;
  const error = new GpusortError(
    'bad-records',
    `record ${shown(name)}: ${what}${text}`,
    hint === undefined ? {} : { hint },
  );
  records.set(error, record);
  return error;
}

function shown(text: Uint8Array): string {
  return quoteName(Buffer.from(text.subarray(0, MOST_SHOWN))) + (text.length > MOST_SHOWN ? '...' : '');
}
