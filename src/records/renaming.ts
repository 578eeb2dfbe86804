/**
 * Replaces the IDs in the RG and PG tags of alignments, for inputs whose header lines got other IDs (header-union.ts),
 * and the numbers of references in BAM. All other bytes stay. Only whole records are changed, so the longest record has
 * to fit into memory. Most texts have none of these tags: a search for their names passes such texts on unchanged.
 */
import { asBuffer } from '../system/memory.js';
import { foreignReference } from './bam.js';
import { type Framer, recordFinder } from './record-finder.js';
import { WholeRecords } from './whole-records.js';

/** IDs of an input and their replacements, with one character for each byte. */
export type NewIds = readonly (readonly [from: string, to: string])[];

export interface Renaming {
  /** IDs of @RG lines and of the tag RG. */
  readonly readGroups: NewIds;
  /** IDs of @PG lines and of the tag PG. */
  readonly programs: NewIds;
  /** The new numbers of the references of BAM, by their numbers in the input; absent: the numbers stay. */
  readonly references?: readonly number[];
}

/** A tag to change: the bytes before its value, and the new values by the old ones. */
interface Tag {
  readonly start: Buffer;
  readonly values: ReadonlyMap<string, Buffer>;
}

/** Bytes [from, to) of a text, and their replacement. */
interface Edit {
  readonly from: number;
  readonly to: number;
  readonly bytes: Uint8Array;
}

const [TAB, NEWLINE, SPACE] = [9, 10, 32];

/** `start`: makes the bytes before the value from the name of a tag. */
function tagsOf(
  { readGroups, programs }: Pick<Renaming, 'readGroups' | 'programs'>,
  start: (name: string) => string,
): Tag[] {
  return [
    { start: Buffer.from(start('RG')), ids: readGroups },
    { start: Buffer.from(start('PG')), ids: programs },
  ]
    .filter(({ ids }) => ids.length > 0)
    .map(({ start, ids }) => ({
      start,
      values: new Map(ids.map(([from, to]) => [from, Buffer.from(to, 'latin1')])),
    }));
}

function edited(text: Buffer, edits: readonly Edit[]): Buffer {
  if (edits.length === 0) return text;
  const target = Buffer.allocUnsafe(
    edits.reduce((sum, { from, to, bytes }) => sum + bytes.length - to + from, text.length),
  );
  let [at, done] = [0, 0];
  for (const { from, to, bytes } of edits) {
    done += text.copy(target, done, at, from);
    target.set(bytes, done);
    done += bytes.length;
    at = to;
  }
  text.copy(target, done, at);
  return target;
}

/** Tabs before the first optional field of a line of SAM. */
const MANDATORY_FIELDS = 11;

/** Changes the lines of SAM. */
export function samRenamer(renaming: Renaming): Framer {
  const tags = tagsOf(renaming, (name) => `\t${name}:Z:`);
  const records = new WholeRecords(recordFinder({ kind: 'lines', delimiter: NEWLINE }));
  const renamed = (lines: Buffer): Buffer => edited(lines, editsOfLines(lines, tags));
  return {
    next(bytes) {
      const [first = Buffer.alloc(0), ...others] = records.texts(bytes).map(renamed);
      return others.length === 0 ? first : Buffer.concat([first, ...others]);
    },
    end: () => renamed(Buffer.concat(records.rest())),
  };
}

function editsOfLines(lines: Buffer, tags: readonly Tag[]): Edit[] {
  const edits: Edit[] = [];
  for (const { start, values } of tags) {
    for (let at = lines.indexOf(start), to = 0; at >= 0; at = lines.indexOf(start, to)) {
      const from = at + start.length;
      // A tab, a carriage return or a newline ends the value.
      for (to = from; to < lines.length && lines[to] >= SPACE; ) to++;
      const bytes = values.get(lines.toString('latin1', from, to));
      if (bytes !== undefined && isOptional(lines, at)) edits.push({ from, to, bytes });
    }
  }
  return edits.sort((a, b) => a.from - b.from);
}

/** Whether the field after the tab at `at` is an optional one: qualities may also look like a tag. */
function isOptional(lines: Buffer, at: number): boolean {
  let tab = lines.lastIndexOf(NEWLINE, at);
  for (let tabs = 0; tabs < MANDATORY_FIELDS; tabs++) {
    tab = lines.indexOf(TAB, tab + 1);
    if (tab < 0 || tab > at) return false;
  }
  return true;
}

/** Places in a record of BAM, counted from its `block_size` (SAM specification, section 4.2). */
const REFERENCES = [4, 24];
const NAME_BYTES = 12;
const CIGAR_OPERATIONS = 16;
const SEQUENCE_BYTES = 20;
const FIXED_BYTES = 36;
const SIZE_BYTES = 4;
/** The bytes of a tag's name and type, and of the type and the count of an array. */
const TAG_BYTES = 3;
const ARRAY_BYTES = 5;
const [TEXT, HEX, ARRAY] = ['Z', 'H', 'B'].map((type) => type.charCodeAt(0));
/** The bytes of a value by its type; 0: the type is unknown or has no fixed size. */
const VALUE_BYTES = new Uint8Array(256);
for (const [types, bytes] of [
  ['AcC', 1],
  ['sS', 2],
  ['iIf', 4],
  ['d', 8],
] as const)
  for (const type of types) VALUE_BYTES[type.charCodeAt(0)] = bytes;

/**
 * Changes the records of BAM. From a record with a wrong length on, bytes are passed on as they are. Throws
 * `bad-records` if the number of a reference changes and its input has no such reference; `label` names the input.
 */
export function bamRenamer(renaming: Renaming, label: string): Framer {
  const { references } = renaming;
  let records = 0;
  const renumber = (text: Buffer, at: number): void => {
    records++;
    if (references === undefined) return;
    for (const place of REFERENCES) {
      const id = text.readInt32LE(at + place);
      if (id < -1 || id >= references.length)
        throw foreignReference(`${label}: record ${records}`, id, references.length);
      if (id >= 0) text.writeInt32LE(references[id], at + place);
    }
  };
  const tags = tagsOf(renaming, (name) => `${name}Z`);
  /** The unfinished record, in pieces; the number of bytes that it has, and the number that it needs to be complete. */
  let open: Buffer[] = [];
  let openBytes = 0;
  let needed = 0;
  let isDamaged = false;

  const keep = (bytes: Buffer): void => {
    if (bytes.length === 0) return;
    open.push(Buffer.from(bytes));
    openBytes += bytes.length;
  };
  const rest = (): Buffer[] => {
    const pieces = open;
    [open, openBytes] = [[], 0];
    return pieces;
  };

  return {
    next(bytes) {
      const block = asBuffer(bytes);
      if (isDamaged) return block;
      if (openBytes + block.length < needed) {
        keep(block);
        return block.subarray(0, 0);
      }
      const text = open.length === 0 ? block : Buffer.concat([...rest(), block]);
      const found = editsOfRecords(text, tags, renumber);
      ({ needed, isDamaged } = found);
      const end = isDamaged ? text.length : found.end;
      keep(text.subarray(end));
      return edited(text.subarray(0, end), found.edits);
    },
    end: () => Buffer.concat(rest()),
  };
}

/**
 * The edits of the whole records at the beginning of `text`, and where these records end. The lengths of records are
 * changed in place, and `renumber` changes their references. `needed`: the known minimum bytes of the next record.
 */
function editsOfRecords(
  text: Buffer,
  tags: readonly Tag[],
  renumber: (text: Buffer, at: number) => void,
): { readonly edits: Edit[]; readonly end: number; readonly needed: number; readonly isDamaged: boolean } {
  const edits: Edit[] = [];
  const mayHaveTags = tags.some(({ start }) => text.includes(start));
  let at = 0;
  while (text.length - at >= FIXED_BYTES) {
    const size = text.readInt32LE(at);
    const tagsAt = at + tagPlace(text, at);
    const end = at + SIZE_BYTES + size;
    if (tagsAt > end) return { edits, end: at, needed: 0, isDamaged: true };
    if (end > text.length) return { edits, end: at, needed: end - at, isDamaged: false };
    renumber(text, at);
    if (mayHaveTags) {
      const growth = addEdits(edits, text, tagsAt, end, tags);
      if (growth !== 0) text.writeInt32LE(size + growth, at);
    }
    at = end;
  }
  return { edits, end: at, needed: FIXED_BYTES, isDamaged: false };
}

/** Where the tags of the record at `at` begin, according to its fixed fields. */
function tagPlace(text: Buffer, at: number): number {
  const bases = text.readUInt32LE(at + SEQUENCE_BYTES);
  const operations = text.readUInt16LE(at + CIGAR_OPERATIONS);
  return FIXED_BYTES + text[at + NAME_BYTES] + 4 * operations + Math.ceil(bases / 2) + bases;
}

/** Adds the edits of the tags in [at, end) of `text`; returns the bytes by which their record grows. */
function addEdits(edits: Edit[], text: Buffer, at: number, end: number, tags: readonly Tag[]): number {
  let growth = 0;
  for (let tagAt = at; tagAt < end; ) {
    const from = tagAt + TAG_BYTES;
    const next = valueEnd(text, from, end);
    // The type is not in the specification, so the rest cannot be read.
    if (next < 0) break;
    for (const { start, values } of tags) {
      if (text[tagAt] !== start[0] || text[tagAt + 1] !== start[1] || text[tagAt + 2] !== start[2]) continue;
      const to = next - 1;
      const bytes = values.get(text.toString('latin1', from, to));
      if (bytes === undefined) continue;
      edits.push({ from, to, bytes });
      growth += bytes.length - (to - from);
    }
    tagAt = next;
  }
  return growth;
}

/**
 * The end of the value at `from`, whose type is the byte before it; -1: it does not end before `end`, or its type is
 * unknown.
 */
function valueEnd(text: Buffer, from: number, end: number): number {
  const type = text[from - 1];
  let next = from;
  if (type === TEXT || type === HEX) {
    while (next < end && text[next] !== 0) next++;
    next++;
  } else if (type !== ARRAY) next += VALUE_BYTES[type] || Infinity;
  else if (from + ARRAY_BYTES > end) return -1;
  else next += ARRAY_BYTES + (VALUE_BYTES[text[from]] || Infinity) * text.readUInt32LE(from + 1);
  return next <= end ? next : -1;
}
