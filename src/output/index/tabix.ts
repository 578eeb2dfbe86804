/**
 * The .tbi or .csi index of BED, VCF or GFF sorted by position. Header lines and blank lines before the first record
 * are skipped; every other line must be a record. Lines may begin and end in any block. Source: the specification of
 * tabix.
 */

import { recordFinder } from '../../records/record-finder.js';
import { WholeRecords } from '../../records/whole-records.js';
import { displayName } from '../../report/names.js';
import { asBuffer } from '../../system/memory.js';
import { TABIX_TREE } from './contig-index.js';
import { BlockTable, type IndexBuilder } from './index-builder.js';
import { type Interval, type IntervalReader, readBed, readGff, readVcf } from './intervals.js';
import { RecordIndex } from './record-index.js';

interface Preset {
  /** The format's number, and the columns of contig, begin and end, as written to the index. */
  readonly columns: readonly [format: number, contig: number, begin: number, end: number];
  readonly read: IntervalReader;
  /** Header lines other than those that begin with `#`. */
  readonly header: RegExp;
}

const BLANK_LINE = /^[ \t\r]*$/;
/** Blank lines, and the descriptions of tracks, which the sort places before all records. */
const BLANK_OR_TRACK = /^[ \t\r]*$|^(?:track|browser)(?:[ \t\r]|$)/;
/** The flag for positions that count from 0, as in BED. */
const FROM_ZERO = 0x10000;
const PRESETS = {
  bed: {
    columns: [FROM_ZERO, 1, 2, 3],
    read: readBed,
    header: BLANK_OR_TRACK,
  },
  vcf: { columns: [2, 1, 2, 0], read: readVcf, header: BLANK_LINE },
  gff: { columns: [0, 1, 4, 5], read: readGff, header: BLANK_OR_TRACK },
} satisfies Record<string, Preset>;

const HASH = 0x23;
const NEWLINE = 10;
const GREATER = 0x3e;
const MARK = Buffer.from('##FASTA');

/** The index of a format; `auto`: .tbi if it holds all positions. */
export function tabixIndex(preset: keyof typeof PRESETS, kind: 'csi' | 'auto' = 'auto'): IndexBuilder {
  return new TabixIndex(preset, kind);
}

/** Whether a line begins the sequences at the end of GFF (src/input/fasta-section.ts). */
function beginsSequences(bytes: Uint8Array, at: number, end: number): boolean {
  return (
    bytes[at] === GREATER || (bytes[at] === HASH && MARK.equals(bytes.subarray(at, Math.min(end, at + MARK.length))))
  );
}

class TabixIndex implements IndexBuilder {
  readonly #format: string;
  readonly #preset: Preset;
  readonly #blocks = new BlockTable();
  readonly #records: RecordIndex;
  readonly #lines = new WholeRecords(recordFinder({ kind: 'lines', delimiter: NEWLINE }));
  readonly #interval: Interval = { contigEnd: 0, begin: 0, end: 0 };
  /** The contigs in order of appearance, and their numbers. */
  readonly #names: Buffer[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #nameOf = (contig: number): string => displayName(this.#names[contig]);
  #contig = -1;
  /** Whether the sequences of GFF have begun; these are not indexed. */
  #isOver = false;
  #name = Buffer.alloc(0);
  /** The end of the last complete line in the text. */
  #place = 0;

  constructor(preset: keyof typeof PRESETS, kind: 'csi' | 'auto') {
    this.#format = preset.toUpperCase();
    this.#preset = PRESETS[preset];
    this.#records = new RecordIndex(kind === 'csi' ? ['csi'] : ['tbi', 'csi'], TABIX_TREE, this.#blocks, this.#nameOf);
  }

  get kind(): IndexBuilder['kind'] {
    return this.#records.kind;
  }

  text(block: Uint8Array): void {
    for (const lines of this.#lines.texts(block)) this.#take(lines);
  }

  block(textBytes: number, compressedBytes: number): void {
    this.#blocks.add(textBytes, compressedBytes);
    this.#records.blocksAdded();
  }

  finish(): Buffer {
    // The last line may lack its newline.
    const last = Buffer.concat(this.#lines.rest());
    if (last.length > 0) this.#takeLine(last, 0, last.length, this.#place + last.length);
    const body = this.#records.finish(this.#names.length);
    const names = Buffer.concat(this.#names.flatMap((name) => [name, Buffer.alloc(1)]));
    const columns = [...this.#preset.columns, HASH, 0, names.length];
    const contigs = this.#names.length;
    return this.kind === 'tbi'
      ? Buffer.concat([magic('TBI'), numbers(contigs, ...columns), names, body])
      : Buffer.concat([
          magic('CSI'),
          numbers(TABIX_TREE.shift, TABIX_TREE.levels, 4 * columns.length + names.length, ...columns),
          names,
          numbers(contigs),
          body,
        ]);
  }

  /** Takes complete lines. */
  #take(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; ) {
      const newline = bytes.indexOf(NEWLINE, at);
      this.#place += newline + 1 - at;
      this.#takeLine(bytes, at, newline, this.#place);
      at = newline + 1;
    }
  }

  /** Takes the line from `at` to `end`; `placeAfter` is where the next one begins in the text. */
  #takeLine(bytes: Uint8Array, at: number, end: number, placeAfter: number): void {
    this.#isOver ||= this.#format === 'GFF' && beginsSequences(bytes, at, end);
    if (this.#isOver) return;
    if (bytes[at] === HASH || (this.#contig < 0 && this.#isHeader(bytes.subarray(at, end)))) {
      if (this.#contig < 0) this.#records.startAt(placeAfter);
      return;
    }
    const interval = this.#interval;
    const problem = this.#preset.read(bytes, at, end, interval);
    if (problem !== '') throw this.#records.bad(`not ${this.#format}: ${problem}`);
    if (!this.#isSameContig(bytes, at, interval.contigEnd)) this.#changeContig(bytes.subarray(at, interval.contigEnd));
    this.#records.add(this.#contig, interval.begin, interval.end, placeAfter);
  }

  #isHeader(line: Uint8Array): boolean {
    return this.#preset.header.test(asBuffer(line).toString('latin1'));
  }

  #isSameContig(bytes: Uint8Array, at: number, end: number): boolean {
    const name = this.#name;
    if (this.#contig < 0 || end - at !== name.length) return false;
    // Compared from the end: the last bytes of names differ more often than the first.
    for (let i = name.length - 1; i >= 0; i--) if (bytes[at + i] !== name[i]) return false;
    return true;
  }

  #changeContig(bytes: Uint8Array): void {
    const name = Buffer.from(bytes);
    if (name.includes(0)) throw this.#records.bad(`not ${this.#format}: the contig's name contains NUL`);
    const key = name.toString('latin1');
    const known = this.#numbers.get(key);
    this.#name = name;
    this.#contig = known ?? this.#names.length;
    if (known !== undefined) return;
    this.#numbers.set(key, this.#contig);
    this.#names.push(name);
  }
}

const magic = (name: string): Buffer => Buffer.from(`${name}\x01`, 'latin1');

function numbers(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  values.forEach((value, i) => bytes.writeInt32LE(value, 4 * i));
  return bytes;
}
