/**
 * Unites the headers of SAM or BAM inputs. Lists of sequences are united (sequence-union.ts). Lines of read groups and
 * programs are collected; if two different lines share an ID, the later one gets a suffix, and the IDs in records
 * change with it (renaming.ts). `samtools merge` does the same (bam_sort.c), except that here equal lines become one,
 * and suffixes are not random but the number of the input. Knows no files.
 */
import { createHash } from 'node:crypto';
import type { CombinedIds } from '../job/job.js';
import { bytesToText } from '../report/names.js';
import { GpusortError } from '../system/errors.js';
import type { BamReference } from './headers.js';
import type { NewIds, Renaming } from './renaming.js';
import { type Sequence, SequenceUnion } from './sequence-union.js';

/** The header of an input. */
interface AlignmentHeader {
  readonly label: string;
  /** Its number among the inputs, from 1. */
  readonly number: number;
  readonly text: Buffer;
  /** The sequences of BAM; null: the @SQ lines list them. */
  readonly references: readonly BamReference[] | null;
}

/** A line without its end, split at tabs, one character for each byte; and its end. */
interface HeaderLine {
  readonly fields: readonly string[];
  readonly end: string;
}

/** A line of a read group or a program, and its ID. */
interface NamedLine extends HeaderLine {
  readonly id: string;
}

/** The kinds of lines in the order in which samtools writes them. Other kinds come before comments. */
const KINDS = ['@HD', '@SQ', '@RG', '@PG'];
const [HEADER, SEQUENCE, READ_GROUP, PROGRAM] = KINDS;
const COMMENT = '@CO';

export class HeaderUnion {
  private readonly combined: CombinedIds;
  private first: AlignmentHeader | null = null;
  private readonly sequences = new SequenceUnion();
  private lines: LineUnion | null = null;
  /** The IDs that change in inputs whose headers differ from the first, by the digests of these headers. */
  private readonly renamings = new Map<string, Renaming | null>();
  /** The united text of the headers so far. */
  private united: Buffer | null = null;

  constructor(combined: CombinedIds) {
    this.combined = combined;
  }

  /** The text of the united header. Headers that equal an earlier one add nothing to it. */
  get text(): Buffer {
    return (this.united ??= this.unitedText());
  }

  /** The united references of BAM. */
  get references(): readonly BamReference[] {
    const united = this.sequences.all;
    if (united === null) return this.first?.references ?? [];
    return united.map(({ name, length }) => ({ name: Buffer.from(name, 'latin1'), length: Number(length) }));
  }

  /** Whether some input has a different list of sequences from the united header. */
  get unitesSequences(): boolean {
    return this.sequences.all !== null;
  }

  /**
   * Adds the header of the next input. Returns how IDs in its records change; null: not at all. Throws `bad-records` if
   * its sequences contradict those of an earlier input, or if an ID is missing or ambiguous.
   */
  add(header: AlignmentHeader): Renaming | null {
    const isEqual = this.first !== null && header.text.equals(this.first.text);
    if (isEqual && header.references === null) return null;
    this.sequences.add(header, sequencesOf(header));
    this.united = null;
    this.first ??= header;
    if (isEqual || header === this.first) return null;
    const digest = createHash('sha256').update(header.text).digest('base64');
    const earlier = this.renamings.get(digest);
    if (earlier !== undefined) return earlier;
    const lines = (this.lines ??= new LineUnion(linesOf(this.first.text), this.combined));
    const renaming = lines.add(header);
    this.renamings.set(digest, renaming);
    return renaming;
  }

  /** How the references of an input of BAM change; known once all headers have been added. Null: not at all. */
  placesOf(number: number): readonly number[] | null {
    return this.sequences.placesOf(number);
  }

  private unitedText(): Buffer {
    const { first, lines } = this;
    if (first === null) return Buffer.alloc(0);
    const sequences = this.sequences.all;
    if (sequences === null) return lines?.text ?? first.text;
    return (lines ?? new LineUnion(linesOf(first.text), this.combined)).textWith(sequences.map(lineOfSequence));
  }
}

/** The lines of the united header. */
class LineUnion {
  private all: readonly HeaderLine[];
  private readonly readGroups: IdUnion;
  private readonly programs: IdUnion;

  constructor(first: readonly HeaderLine[], { readGroups, programs }: CombinedIds) {
    this.all = first;
    this.readGroups = new IdUnion(named(first, READ_GROUP), readGroups);
    this.programs = new IdUnion(named(first, PROGRAM), programs);
  }

  get text(): Buffer {
    return joined(this.all);
  }

  /** The text, with `sequences` in place of its lines of sequences. */
  textWith(sequences: readonly HeaderLine[]): Buffer {
    return joined(
      inserted(
        sequences,
        this.all.filter(({ fields: [kind] }) => kind !== SEQUENCE),
      ),
    );
  }

  add({ label, number, text }: AlignmentHeader): Renaming | null {
    const lines = linesOf(text);
    const own = new Map(
      [READ_GROUP, PROGRAM].map((kind) => {
        refuseUnclear(lines, kind, label);
        return [kind, named(lines, kind)];
      }),
    );
    const programs = this.programs.add(own.get(PROGRAM)!, number, 'PP', null);
    const readGroups = this.readGroups.add(own.get(READ_GROUP)!, number, 'PG', programs.ids);
    const has = new Set(this.all.filter(({ fields }) => isOther(fields[0])).map(({ fields }) => fields.join('\t')));
    const others = lines.filter(({ fields }) => isOther(fields[0]) && !has.has(fields.join('\t')));
    const comments = lines.filter(({ fields: [kind] }) => kind === COMMENT);
    const heads = this.all.some(({ fields: [kind] }) => kind === HEADER)
      ? []
      : lines.filter(({ fields: [kind] }) => kind === HEADER).slice(0, 1);
    for (const added of [heads, readGroups.added, programs.added, others, comments])
      this.all = inserted(added, this.all);
    const renaming = { readGroups: changesOf(readGroups.ids), programs: changesOf(programs.ids) };
    return renaming.readGroups.length + renaming.programs.length > 0 ? renaming : null;
  }
}

/** The lines with `added`, which are of one kind, inserted after the last line of that kind or of an earlier kind. */
function inserted(added: readonly HeaderLine[], lines: readonly HeaderLine[]): readonly HeaderLine[] {
  if (added.length === 0) return lines;
  const rank = rankOf(added[0].fields[0]);
  const at = lines.findLastIndex(({ fields: [kind] }) => rankOf(kind) <= rank) + 1;
  return [...lines.slice(0, at), ...added, ...lines.slice(at)];
}

function joined(lines: readonly HeaderLine[]): Buffer {
  return Buffer.from(lines.map(({ fields, end }) => fields.join('\t') + end).join(''), 'latin1');
}

/** The lines of one kind that have IDs. */
class IdUnion {
  private readonly combines: boolean;
  private readonly ids = new Set<string>();
  /** The ID that a line has in the union, by the text of the line: as in the union, and as in its input. */
  private readonly byText = new Map<string, string>();

  constructor(first: readonly NamedLine[], combines: boolean) {
    this.combines = combines;
    for (const { id, fields } of first) {
      this.ids.add(id);
      this.byText.set(fields.join('\t'), id);
    }
  }

  /**
   * Adds the lines of an input. Returns their IDs in the union, by their original IDs, and the lines that are new. The
   * field `reference` of a line names a program: one of `programs` or, if that is null, one of these lines.
   */
  add(
    lines: readonly NamedLine[],
    number: number,
    reference: 'PP' | 'PG',
    programs: ReadonlyMap<string, string> | null,
  ): { readonly ids: ReadonlyMap<string, string>; readonly added: readonly HeaderLine[] } {
    const own = new Map(lines.map((line) => [line.id, line]));
    const ids = new Map<string, string>();
    const written = new Map<NamedLine, HeaderLine>();
    for (const line of programs === null ? afterTheirParents(own) : own.values()) {
      const changed = withField(line.fields, reference, (id) => (programs ?? ids).get(id) ?? id);
      const id = this.idOf(line.id, changed, own, number);
      ids.set(line.id, id);
      if (this.ids.has(id)) continue;
      const fields = withField(changed, 'ID', () => id);
      for (const text of [changed, fields]) this.byText.set(text.join('\t'), id);
      this.ids.add(id);
      written.set(line, { fields, end: line.end });
    }
    return { ids, added: [...own.values()].flatMap((line) => written.get(line) ?? []) };
  }

  /** The ID in the union for a line that has `id`; a new ID if another line already has `id`. */
  private idOf(id: string, fields: readonly string[], own: ReadonlyMap<string, NamedLine>, number: number): string {
    if (this.combines || !this.ids.has(id)) return id;
    const equal = this.byText.get(fields.join('\t'));
    if (equal !== undefined) return equal;
    let renamed = `${id}-${number}`;
    while (this.ids.has(renamed) || own.has(renamed)) renamed += `-${number}`;
    return renamed;
  }
}

/** Lines of programs, ordered so that the program named by PP precedes the programs that name it. */
function afterTheirParents(own: ReadonlyMap<string, NamedLine>): NamedLine[] {
  const sorted = new Set<NamedLine>();
  for (const line of own.values()) {
    const path = new Set<NamedLine>();
    // Damaged headers may have a cycle.
    for (let at: NamedLine | undefined = line; at !== undefined && !sorted.has(at) && !path.has(at); ) {
      path.add(at);
      at = own.get(fieldOf(at.fields, 'PP') ?? '');
    }
    for (const one of [...path].reverse()) sorted.add(one);
  }
  return [...sorted];
}

const changesOf = (ids: ReadonlyMap<string, string>): NewIds => [...ids].filter(([from, to]) => from !== to);

function rankOf(kind: string): number {
  const rank = KINDS.indexOf(kind);
  return rank >= 0 ? rank : kind === COMMENT ? KINDS.length + 1 : KINDS.length;
}

const isOther = (kind: string): boolean => rankOf(kind) === KINDS.length;

function linesOf(text: Buffer): HeaderLine[] {
  return (text.toString('latin1').match(/[^\n]*\n|[^\n]+$/g) ?? []).map((line) => {
    const content = line.replace(/\r?\n$/, '');
    return { fields: content.split('\t'), end: line.slice(content.length) || '\n' };
  });
}

/** The lines of a kind that have an ID. */
function named(lines: readonly HeaderLine[], kind: string): NamedLine[] {
  return lines.flatMap((line) => {
    const id = line.fields[0] === kind ? fieldOf(line.fields, 'ID') : undefined;
    return id === undefined ? [] : [{ ...line, id }];
  });
}

/** Throws if a line of a kind has no ID, or if different lines have the same ID. */
function refuseUnclear(lines: readonly HeaderLine[], kind: string, label: string): void {
  const bad = (what: string, line: string): GpusortError =>
    new GpusortError('bad-records', `${label}: ${what}: ${bytesToText(Buffer.from(line, 'latin1').subarray(0, 100))}`);
  const texts = new Map<string, string>();
  for (const { fields } of lines) {
    if (fields[0] !== kind) continue;
    const [id, text] = [fieldOf(fields, 'ID'), fields.join('\t')];
    if (id === undefined) throw bad(`an ${kind} line of the header has no ID`, text);
    if ((texts.get(id) ?? text) !== text) throw bad(`the header has two ${kind} lines with one ID`, text);
    texts.set(id, text);
  }
}

/** The value of the first field of a name; undefined: there is none. */
function fieldOf(fields: readonly string[], name: string): string | undefined {
  return fields.find((field, i) => i > 0 && field.startsWith(`${name}:`))?.slice(name.length + 1);
}

/** The fields with the value of the first field of that name changed, if there is one. */
function withField(fields: readonly string[], name: string, value: (before: string) => string): readonly string[] {
  const at = fields.findIndex((field, i) => i > 0 && field.startsWith(`${name}:`));
  return at < 0 ? fields : fields.with(at, `${name}:${value(fields[at].slice(name.length + 1))}`);
}

/** The sequences of a header: the references of BAM, with their lines in its text, or those of the @SQ lines. */
function sequencesOf({ text, references }: AlignmentHeader): Sequence[] {
  const listed = linesOf(text)
    .filter(({ fields: [kind] }) => kind === SEQUENCE)
    .map(({ fields, end }) => ({
      name: fieldOf(fields, 'SN') ?? '',
      length: fieldOf(fields, 'LN') ?? '',
      digest: fieldOf(fields, 'M5'),
      line: fields.join('\t') + end,
    }));
  if (references === null) return listed;
  const lines = new Map(listed.map((sequence) => [sequence.name, sequence]));
  return references.map(({ name: bytes, length }) => {
    const name = bytes.toString('latin1');
    const { digest, line = null } = lines.get(name) ?? {};
    return { name, length: String(length), digest, line };
  });
}

function lineOfSequence({ name, length, line }: Sequence): HeaderLine {
  return linesOf(Buffer.from(line ?? `@SQ\tSN:${name}\tLN:${length}\n`, 'latin1'))[0];
}
