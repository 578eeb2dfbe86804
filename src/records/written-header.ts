/** The header of the output of a genomics format: that of the inputs, with the order in it if the format has a place. */
import type { SortJob } from '../job.js';
import { bamHeaderBytes, parseBamHeader } from './bam-header.js';
import { sortedHeader } from './sam-header.js';

/** `header` is that of the inputs, in the form of the format. */
export function writtenHeader(
  { genomics, ordering: { reverse } }: Pick<SortJob, 'genomics' | 'ordering'>,
  header: Uint8Array,
): Uint8Array {
  if (genomics === null) return header;
  const { format, by, as } = genomics;
  const rewritten = (text: Uint8Array): Buffer => sortedHeader(Buffer.from(text), { by, reverse, as });
  if (format === 'sam') return rewritten(header);
  if (format !== 'bam') return header;
  const { text, references } = parseBamHeader(Buffer.from(header));
  return bamHeaderBytes(rewritten(text), references);
}
