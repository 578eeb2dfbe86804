/**
 * The header of the output of a genomics format: that of the inputs, with the order in it if the format has a place.
 */
import type { SortJob } from '../job/job.js';
import { type BamHeader, bamHeaderBytes } from './bam-header.js';
import { type HeaderOrder, sortedHeader, withReferenceLines } from './sam-header.js';

/** `header` is that of the inputs, in the form of the format; `bam`: the same for BAM. */
export function writtenHeader(
  { genomics, ordering: { reverse } }: Pick<SortJob, 'genomics' | 'ordering'>,
  header: Uint8Array,
  bam: BamHeader | null,
): Uint8Array {
  if (genomics === null) return header;
  const { format, by, as } = genomics;
  const order = orderOf(by);
  const rewritten = (text: Uint8Array): Buffer =>
    sortedHeader(text, { ...order, reverse, as: as === 'picard' ? as : 'samtools' });
  if (format === 'sam') return rewritten(header);
  return bam === null
    ? header
    : bamHeaderBytes(rewritten(withReferenceLines(bam.text, bam.references)), bam.references);
}

function orderOf(by: string): Pick<HeaderOrder, 'order' | 'tag'> {
  return by.startsWith('tag:')
    ? { order: 'tag', tag: by.slice('tag:'.length) }
    : { order: by as Exclude<HeaderOrder['order'], 'tag'> };
}
