/** The part of a record that messages show. */
import type { FormatName, Framing } from '../job/job.js';
import { bytesToText } from '../report/names.js';
import { bamRestorer } from './bam.js';

/** Bytes of a BAM record before its name, and where the name's length is. */
const NAME_AT = 36;
const NAME_BYTES_AT = 12;

/** The number of columns up to the position. */
const NAMING_COLUMNS = { bed: 3, vcf: 2, gff: 5 };

/** The text of a record in the engines' form, without its delimiter: the first line of a read, the name in BAM. */
export function shownRecord(framing: Framing | null, record: Uint8Array): string {
  switch (framing?.kind) {
    case 'fastq':
    case 'fasta':
      return bytesToText(record).split('\n', 1)[0];
    case 'bam': {
      const line = Buffer.concat([record, Buffer.of(10)]);
      const bytes = bamRestorer().next(line, Buffer.alloc(line.length));
      return bytesToText(bytes.subarray(NAME_AT, NAME_AT + bytes[NAME_BYTES_AT] - 1));
    }
    default:
      return bytesToText(record);
  }
}

/** The name of a record in a list: the first line of a read, the name of an alignment, an interval's first columns. */
export function recordName(format: FormatName, record: Uint8Array): string {
  if (format === 'bam') return shownRecord({ kind: 'bam' }, record);
  const [line] = bytesToText(record).split('\n', 1);
  if (format === 'fastq' || format === 'fasta') return line;
  return line.split('\t', format === 'sam' ? 1 : NAMING_COLUMNS[format]).join(' ');
}
