/**
 * The orders of SAM and BAM: those of samtools 1.20 and later, and those of Picard. Fields of SAM lie between tabs; the
 * kernels find those of BAM (kernels/wasm/keys/bam.ts).
 */
import type { BamField, KeyPart, ToolName } from '../../job/job.js';
import { field, fieldsFrom, fieldsTo, part, WHOLE } from './parts.js';

const TAB = '\t';

/** Where SAM has the fields of BAM. The mate's contig may be `=`: the same as the record's. */
const SAM_FIELDS = {
  name: field(TAB, 0),
  flag: field(TAB, 1),
  contig: field(TAB, 2),
  position: field(TAB, 3),
  mapq: field(TAB, 4),
  'mate-contig': fieldsTo(TAB, 2, 6),
  'mate-position': field(TAB, 7),
  'template-length': field(TAB, 8),
  tags: fieldsFrom(TAB, 11),
} as const satisfies Record<BamField, unknown>;

type PartOf = (order: KeyPart['order'], field: BamField, more?: Partial<KeyPart>) => KeyPart;

const samPart: PartOf = (order, name, more = {}) => part(order, SAM_FIELDS[name], more);
const bamPart: PartOf = (order, name, more = {}) => part(order, WHOLE, { bam: name, ...more });

/** The parts of an order; of tag:XX the coordinate decides ties. */
export function alignmentParts(format: 'sam' | 'bam', by: string, as: ToolName | null): readonly KeyPart[] {
  const of = format === 'sam' ? samPart : bamPart;
  const coordinate = [of('contig', 'contig'), of('integer', 'position'), of('strand', 'flag')];
  if (by.startsWith('tag:')) return [of('tag', 'tags', { tag: by.slice('tag:'.length) }), ...coordinate];
  if (by === 'coordinate') return as === 'picard' ? [...coordinate, ...picardTies(of)] : coordinate;
  if (as === 'picard') return [of('bytes', 'name'), of('picard-template', 'flag'), of('tag', 'tags', { tag: 'HI' })];
  return [of(by === 'queryname' ? 'natural' : 'bytes', 'name'), of('template', 'flag')];
}

function picardTies(of: PartOf): readonly KeyPart[] {
  return [
    of('bytes', 'name'),
    of('integer', 'flag'),
    of('integer', 'mapq'),
    of('mate-contig', 'mate-contig'),
    of('integer', 'mate-position'),
    of('signed', 'template-length'),
  ];
}
