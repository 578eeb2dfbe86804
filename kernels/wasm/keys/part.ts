/**
 * The parts of keys in memory: where each is looked for in a line, and how it is ordered. A part is added by addPart;
 * the setters after it change the last one.
 */
import { TO_END } from '../shared/fields';
import { FILTER_BYTES, setFilter } from './text';

/** Orderings of parts, numbered as in src/job/ordering.ts. */
export const BYTES: u32 = 0;
export const NUMERIC: u32 = 1;
export const GENERAL: u32 = 2;
export const HUMAN: u32 = 3;
export const MONTH: u32 = 4;
export const VERSION: u32 = 5;
export const RANDOM: u32 = 6;
export const NATURAL: u32 = 7;
export const LENGTH: u32 = 8;
export const QUALITY: u32 = 9;
export const SIMILAR: u32 = 10;
export const CONTIG: u32 = 11;
export const MATE_CONTIG: u32 = 12;
export const INTEGER: u32 = 13;
export const SIGNED: u32 = 14;
export const STRAND: u32 = 15;
export const TEMPLATE: u32 = 16;
export const PICARD_TEMPLATE: u32 = 17;
export const TAG: u32 = 18;
export const ALLELES: u32 = 19;
export const COMMENT: u32 = 20;
export const MAPPED_CONTIG: u32 = 21;
export const SPAN: u32 = 22;
export const TEMPLATE_COORDINATE: u32 = 23;
export const MINIMISER: u32 = 24;
export const EMPTY: u32 = 25;

/**
 * Where a part is looked for: it is the whole line, or in a line's fields, a CSV record, the value at a path in JSON,
 * or a BAM record. ONE_FIELD: the part is a field, and a byte separates fields.
 */
export const WHOLE: u32 = 0;
const FIELDS: u32 = 1;
export const CSV: u32 = 2;
export const JSON: u32 = 3;
export const BAM: u32 = 4;
export const ONE_FIELD: u32 = 5;

/**
 * The layout of a part, from `parts`: the arguments of addPart; whether bytes are dropped or folded, and whether only
 * folded; where to look for the part, and the path there; the field of BAM; the table of contigs; the name of a tag;
 * the table of read groups and the ranks of their libraries; whether lines have it (`note`); whether `null` of JSON
 * counts as missing; whether a carriage return at its end does not count; whether lines must be JSON; its filter.
 */
export const ORDER: usize = 0;
export const REVERSE: usize = 4;
export const BEGIN_FIELD: usize = 8;
export const BEGIN_BYTE: usize = 12;
export const BEGIN_BLANKS: usize = 16;
export const END_FIELD: usize = 20;
export const END_BYTE: usize = 24;
export const END_BLANKS: usize = 28;
export const SEPARATOR: usize = 32;
export const SEPARATOR_BYTES: usize = 36;
export const FILTERS: usize = 40;
export const FOLDS: usize = 44;
export const KIND: usize = 48;
export const PATH: usize = 52;
export const STEPS: usize = 56;
export const BAM_FIELD: usize = 60;
export const CONTIGS: usize = 64;
export const TAG_NAME: usize = 68;
export const GROUPS: usize = 72;
export const RANKS: usize = 76;
const PRESENCE: usize = 80;
export const NULL_IS_MISSING: usize = 84;
export const DROPS_RETURN: usize = 88;
export const REFUSES: usize = 92;
export const FILTER: usize = 96;
export const PART_BYTES: usize = FILTER + FILTER_BYTES;

export let parts: usize = 0;
export let partsEnd: usize = 0;

/** Sets the address of the parts, partBytes() each. */
export function setParts(at: u32): void { parts = partsEnd = at; }
export function partBytes(): u32 { return <u32>PART_BYTES; }

/** Adds the next part; `reverse` is relative to the comparison of whole keys. */
export function addPart(
  order: u32, reverse: bool, dictionary: bool, printing: bool, fold: bool,
  beginField: u32, beginByte: u32, beginBlanks: bool, endField: u32, endByte: u32, endBlanks: bool,
  separator: u32, separatorBytes: u32,
): void {
  const part = partsEnd;
  partsEnd += PART_BYTES;
  store<u32>(part, order, ORDER);
  store<u32>(part, u32(reverse), REVERSE);
  store<u32>(part, beginField, BEGIN_FIELD);
  store<u32>(part, beginByte, BEGIN_BYTE);
  store<u32>(part, u32(beginBlanks), BEGIN_BLANKS);
  store<u32>(part, endField, END_FIELD);
  store<u32>(part, endByte, END_BYTE);
  store<u32>(part, u32(endBlanks), END_BLANKS);
  store<u32>(part, separator, SEPARATOR);
  store<u32>(part, separatorBytes, SEPARATOR_BYTES);
  store<u32>(part, u32(dictionary || printing || fold), FILTERS);
  store<u32>(part, u32(fold && !dictionary && !printing), FOLDS);
  store<u32>(part, beginByte != 0 || beginBlanks ? FIELDS
    : beginField == 0 && endField == TO_END ? WHOLE
    : separatorBytes == 1 && endField == beginField + 1 && endByte == 0 ? ONE_FIELD : FIELDS, KIND);
  store<u32>(part, 0, PRESENCE);
  store<u32>(part, 0, DROPS_RETURN);
  setFilter(part + FILTER, dictionary, printing, fold);
}

/** Bits about the presence of a part, numbered as in src/keys/presence.ts: a line lacks it, a line has it. */
const LACKED: u32 = 1;
const HELD: u32 = 2;

/** Records whether a line has the part. */
// @ts-ignore: decorator
@inline
export function note(part: usize, isThere: bool): void {
  store<u32>(part, load<u32>(part, PRESENCE) | (isThere ? HELD : LACKED), PRESENCE);
}

/** The bits of part number `index`, over all lines. */
export function presenceOf(index: u32): u32 { return load<u32>(parts + <usize>index * PART_BYTES, PRESENCE); }

/** The number of lines that are not JSON, and lack the value of the first part. */
let invalid: u32 = 0;
export function invalidLines(): u32 { return invalid; }
export function countInvalid(): void { invalid++; }

/** Drops a carriage return at the end of the last part, where a record or a line in it ends. */
export function setDropsReturn(): void { store<u32>(partsEnd - PART_BYTES, 1, DROPS_RETURN); }

/** Makes the fields of the last part those of CSV. */
export function setQuoted(): void { store<u32>(partsEnd - PART_BYTES, CSV, KIND); }

/**
 * Looks for the last part in the value at the path of `steps` steps at `path` (json.ts). `nullIsMissing`: `null` counts
 * as a missing value. `refuses`: a line that is not JSON is a problem.
 */
export function setPath(path: u32, steps: u32, nullIsMissing: bool, refuses: bool): void {
  const part = partsEnd - PART_BYTES;
  store<u32>(part, JSON, KIND);
  store<u32>(part, path, PATH);
  store<u32>(part, steps, STEPS);
  store<u32>(part, u32(nullIsMissing), NULL_IS_MISSING);
  store<u32>(part, u32(refuses), REFUSES);
}

/** Makes the last part the field number `field` of BAM records (bam.ts). */
export function setBam(field: u32): void {
  const part = partsEnd - PART_BYTES;
  store<u32>(part, BAM, KIND);
  store<u32>(part, field, BAM_FIELD);
}

/** Sets the table of contigs of the last part (contig.ts). */
export function setContigs(table: u32): void { store<u32>(partsEnd - PART_BYTES, table, CONTIGS); }

/** Sets the two characters of the last part's tag, the first one lowest (tag.ts). */
export function setTag(name: u32): void { store<u32>(partsEnd - PART_BYTES, name, TAG_NAME); }

/** Sets the table of read groups of the last part, and the ranks of their libraries (template-coordinate.ts). */
export function setLibraries(groups: u32, ranks: u32): void {
  store<u32>(partsEnd - PART_BYTES, groups, GROUPS);
  store<u32>(partsEnd - PART_BYTES, ranks, RANKS);
}
