/**
 * The .tbi or .csi index of BED, VCF or GFF sorted by position. Header lines and blank lines before the first record
 * are skipped; every other line must be a record. Source: the specification of tabix.
 */

import { displayName } from '../../report/names.js';
import { TABIX_TREE } from './bin-tree.js';
import { BlockTable, type IndexBuilder } from './index-builder.js';
import { PositionReader } from './position-reader.js';
import { RecordIndex } from './record-index.js';

/** The flag for positions that count from 0, as in BED. */
const FROM_ZERO = 0x10000;
/**
 * The number of each format in kernels/wasm/index/intervals.ts; and its number and the columns of contig, begin and
 * end, as written to the index.
 */
const PRESETS = {
  bed: { number: 0, columns: [FROM_ZERO, 1, 2, 3] },
  vcf: { number: 1, columns: [2, 1, 2, 0] },
  gff: { number: 2, columns: [0, 1, 4, 5] },
} as const;
type PresetName = keyof typeof PRESETS;

const HASH = 0x23;
/** The problems of lines, by their numbers in kernels/wasm/index/problem.ts, from 5 on. */
const PROBLEMS = [
  'it has no start',
  'a position is not a number',
  'it has no position',
  'it has no reference allele',
] as const;
const FIRST_PROBLEM = 5;

/** The index of a format; `auto`: .tbi if it holds all positions. */
export function tabixIndex(preset: PresetName, kind: 'csi' | 'auto' = 'auto'): IndexBuilder {
  return new TabixIndex(preset, kind);
}

class TabixIndex implements IndexBuilder {
  readonly #format: PresetName;
  readonly #blocks = new BlockTable();
  readonly #records: RecordIndex;
  readonly #reader: PositionReader;
  /** The contigs in order of appearance, and their numbers. */
  readonly #names: Buffer[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #nameOf = (contig: number): string => displayName(this.#names[contig]);

  constructor(preset: PresetName, kind: 'csi' | 'auto') {
    this.#format = preset;
    const kinds = kind === 'csi' ? (['csi'] as const) : (['tbi', 'csi'] as const);
    this.#records = new RecordIndex(kinds, TABIX_TREE, this.#blocks, this.#nameOf);
    this.#reader = new PositionReader(
      { kind: 'lines', format: PRESETS[preset].number, numberOf: (name) => this.#numberOf(name) },
      TABIX_TREE.levels,
      0,
      this.#records,
      (number) => `not ${preset.toUpperCase()}: ${PROBLEMS[number - FIRST_PROBLEM]}`,
    );
  }

  get kind(): IndexBuilder['kind'] {
    return this.#records.kind;
  }

  text(block: Uint8Array): void {
    this.#reader.take(block);
  }

  block(textBytes: number, compressedBytes: number): void {
    this.#blocks.add(textBytes, compressedBytes);
    this.#records.blocksAdded();
  }

  finish(): Buffer {
    this.#reader.end();
    const body = this.#records.finish(this.#names.length);
    const names = Buffer.concat(this.#names.flatMap((name) => [name, Buffer.alloc(1)]));
    const columns = [...PRESETS[this.#format].columns, HASH, 0, names.length];
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

  /** The number of the contig of this name, which may be new. */
  #numberOf(bytes: Uint8Array): number {
    const name = Buffer.from(bytes);
    const key = name.toString('latin1');
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    if (name.includes(0)) throw this.#records.bad(`not ${this.#format.toUpperCase()}: the contig's name contains NUL`);
    this.#numbers.set(key, this.#names.length);
    this.#names.push(name);
    return this.#names.length - 1;
  }
}

const magic = (name: string): Buffer => Buffer.from(`${name}\x01`, 'latin1');

function numbers(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  values.forEach((value, i) => bytes.writeInt32LE(value, 4 * i));
  return bytes;
}
