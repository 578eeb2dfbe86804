/** Refuses formats of genomics data that gpusort does not read, by their first decompressed bytes. */
import type { FormatName } from '../job/job.js';
import { GpusortError } from '../system/errors.js';

interface ForeignFormat {
  readonly name: string;
  readonly magic: string;
  /** Writes a file of it as text that gpusort reads. */
  readonly convert: string;
  readonly format: string;
}

const BAM = 'BAM\x01';

const FOREIGN_FORMATS: readonly ForeignFormat[] = [
  { name: 'CRAM', magic: 'CRAM', convert: 'samtools view -h', format: 'sam' },
  { name: 'BCF', magic: 'BCF\x02', convert: 'bcftools view', format: 'vcf' },
];

/**
 * Throws `bad-records` if an input that begins with `bytes`, at least 4 of them if it has as many, is CRAM or BCF, or
 * BAM without being read as that.
 */
export function refuseForeign(bytes: Uint8Array, label: string, format: FormatName | null = null): void {
  const first = Buffer.from(bytes.subarray(0, 4)).toString('latin1');
  if (first === BAM && format !== null && format !== 'bam')
    throw new GpusortError('bad-records', `${label}: this is BAM, not ${format}`, { hint: 'Use --format bam.' });
  const foreign = FOREIGN_FORMATS.find(({ magic }) => magic === first);
  if (foreign === undefined) return;
  const { name, convert, format: readable } = foreign;
  throw new GpusortError('bad-records', `${label}: gpusort does not read ${name}`, {
    hint: `Convert it: ${convert} ${label} | gpusort --format ${readable}`,
  });
}
