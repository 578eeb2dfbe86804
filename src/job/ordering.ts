/**
 * The ordering of records: where they end, their keys and key parts, segments, and tie-breaking. Engines, runs and
 * merges get this part of a job and nothing else.
 */

/** How input is split into records. */
export type RecordFormat =
  /**
   * Records end in `delimiter` (10 or 0), which is not part of the key. A delimiter is added if an input's last record
   * lacks it.
   */
  | { readonly kind: 'lines'; readonly delimiter: number }
  /** Every record is exactly `size` bytes; there is no delimiter. */
  | { readonly kind: 'fixed'; readonly size: number };

/** The key of records; the last-resort comparison comes after it. */
export type SortKey =
  | { readonly kind: 'record' }
  /** Bytes [offset, offset + length) of a fixed record, counted from 0; they lie inside the record. */
  | { readonly kind: 'bytes'; readonly offset: number; readonly length: number }
  /**
   * Parts of the record, each with its own ordering; earlier parts take precedence. Engines put a normalized key before
   * each record; its bytes compare as the parts do (src/keys/keyed.ts). Only with lines. `seed`: the 16-byte seed of
   * -R; null: not drawn yet.
   */
  | { readonly kind: 'normalized'; readonly parts: readonly KeyPart[]; readonly seed: Uint8Array | null }
  /**
   * Like `normalized`, but parts of order `bytes` are compared by the collation of a language (src/keys/collation/),
   * and records get no keys. There is at least one part. Only with lines. `locale`: a BCP 47 tag.
   */
  | {
      readonly kind: 'collated';
      readonly locale: string;
      readonly parts: readonly KeyPart[];
      readonly seed: Uint8Array | null;
    };

/**
 * A place in a record: `byte` bytes after the beginning of field `field`, or after its leading
 * blanks. Both count from 0.
 */
export interface FieldPosition {
  readonly field: number;
  readonly byte: number;
  readonly skipBlanks: boolean;
}

/** A part of a record as in `sort -k`: POS1[,POS2], with -t. */
export interface FieldSpan {
  readonly begin: FieldPosition;
  /** The place after the last byte: `byte` 0 is the end of field number `field`. Null: the record's end. */
  readonly end: FieldPosition | null;
  /** The 1 to 4 bytes that separate fields. Null: a field begins with its leading blanks. */
  readonly separator: Uint8Array | null;
  /**
   * Fields may be quoted as in CSV and are compared unquoted (kernels/wasm/keys/csv.ts). The separator is then one
   * byte.
   */
  readonly quoted?: true;
}

/**
 * The orderings of key parts: those of `-n -g -h -M -V -R`; `bytes`, without any of these letters; those of genomics
 * data, from `natural` on; and `empty`, which only puts empty parts after all others (docs/ordering.md). Kernels number
 * them by their index here.
 */
export const PART_ORDERS = [
  'bytes',
  'numeric',
  'general-numeric',
  'human-numeric',
  'month',
  'version',
  'random',
  'natural',
  'length',
  'quality',
  'similar',
  'contig',
  'mate-contig',
  'integer',
  'signed',
  'strand',
  'template',
  'picard-template',
  'tag',
  'alleles',
  'comment',
  'mapped-contig',
  'span',
  'template-coordinate',
  'minimiser',
  'empty',
] as const;
export type PartOrder = (typeof PART_ORDERS)[number];

/**
 * The fields of a BAM record that a key part can be (kernels/wasm/keys/bam.ts). Kernels number them by their index
 * here. Positions count from 1, as in SAM.
 */
export const BAM_FIELDS = [
  'name',
  'flag',
  'contig',
  'position',
  'mapq',
  'mate-contig',
  'mate-position',
  'template-length',
  'tags',
  'record',
] as const;
export type BamField = (typeof BAM_FIELDS)[number];

/**
 * The read groups that have a library, each followed by a newline, and for each of them the rank of its library as a
 * number of 4 bytes.
 */
export interface Libraries {
  readonly groups: Uint8Array;
  readonly ranks: Uint8Array;
}

/** One `-k` with its ordering options. */
export interface KeyPart {
  readonly span: FieldSpan;
  /** The header's name for field 0 of `span`, until src/keys/names.ts resolves it to a number. */
  readonly name?: Uint8Array;
  /** The parts to compare instead if the header has no such name: the parts of a list of names. */
  readonly instead?: readonly KeyPart[];
  /** The line is JSON; `span` is relative to the value at this path of names (kernels/wasm/keys/json.ts). */
  readonly path?: readonly Uint8Array[];
  /**
   * A carriage return at the end of the part is ignored if the record, or a line in it, ends there; elsewhere it is
   * text. Not with `path`, `bam` and quoted fields.
   */
  readonly dropsReturn?: true;
  /** Whether the JSON value `null` counts as missing. Only with `path`. */
  readonly nullIsMissing?: true;
  /** Whether a line that is not JSON is a problem. Only with `path`, and only in the first part of a key. */
  readonly mustBeJson?: true;
  /** The line is a BAM record, encoded by COBS, and the part is this field of it; `span` is the whole line. */
  readonly bam?: BamField;
  /**
   * With orders `contig`, `mate-contig`, `template-coordinate` and `minimiser`: the names in their order, each followed
   * by a newline.
   */
  readonly contigs?: Uint8Array;
  /** With order `template-coordinate`: the libraries of read groups. */
  readonly libraries?: Libraries;
  /** With order `tag`: the two characters of the optional field's name. */
  readonly tag?: string;
  /** Whether the part is one of --per; for messages. */
  readonly isGroup?: true;
  readonly order: PartOrder;
  /** -d: only blanks, letters and digits count. */
  readonly dictionary: boolean;
  /** -i: only printable bytes count. */
  readonly printing: boolean;
  /** -f: fold lowercase to uppercase. */
  readonly fold: boolean;
  /** Whether larger parts come first, whatever Ordering.reverse says. */
  readonly reverse: boolean;
}

/**
 * The rule that assigns records to segments. Neighbors of the same segment are sorted among themselves; segments stay
 * in place.
 */
export type SegmentRule =
  /** Blank lines separate segments and stay in place. */
  | { readonly kind: 'blank' }
  /** Neighbors with equal bytes in `span` form a segment. */
  | { readonly kind: 'fields'; readonly span: FieldSpan }
  /** The same for fixed records, with bytes [offset, offset + length), counted from 0. */
  | { readonly kind: 'bytes'; readonly offset: number; readonly length: number };

/**
 * How engines hold fixed records with typed keys (src/keys/record-encoding.ts): a record keeps its length, and its key
 * becomes one range of bytes that memcmp compares. Bytes that no step names stay as they are.
 */
export interface RecordEncoding {
  /** The size of a record in bytes. */
  readonly size: number;
  /**
   * The steps, in an order in which they can be decoded: a step that needs a sign comes after the step that holds it.
   */
  readonly steps: readonly EncodingStep[];
}

/** The encoding of some bytes of a record. */
export interface EncodingStep {
  readonly bytes: number;
  /** The byte of the encoded record at which they begin. */
  readonly to: number;
  /** The byte of the record that comes first. The other bytes follow it or, with `backwards`, precede it. */
  readonly from: number;
  readonly backwards: boolean;
  /** The values with which the first byte and the other bytes are XORed. */
  readonly first: number;
  readonly rest: number;
  /**
   * The byte of the record that holds the sign of a floating-point number, in its top bit; null: there is none. If it
   * is set, the bits below the sign are complemented as well.
   */
  readonly sign: number | null;
}

/** The type of a number in a binary record. Floating-point numbers have IEEE 754's total order. */
export interface NumberType {
  readonly kind: 'unsigned' | 'signed' | 'float';
  /** 1, 2, 4, 8 or 16. */
  readonly bytes: number;
  readonly bigEndian: boolean;
}

/** A key of binary records: bytes [offset, offset + length), inside the record. */
export interface RecordPart {
  readonly offset: number;
  readonly length: number;
  /** Null: compared as bytes. */
  readonly type: NumberType | null;
  /** Whether larger keys come first, whatever Ordering.reverse says. */
  readonly reverse: boolean;
}

/** Everything that decides which of two records comes first. Engines and merges get this and nothing else. */
export interface Ordering {
  readonly format: RecordFormat;
  readonly key: SortKey;
  /**
   * Whether larger keys come first, and larger records in the last-resort comparison. Key parts have a `reverse` of
   * their own. Equal records still keep their input order.
   */
  readonly reverse: boolean;
  /** Whether only the first record in the input of those with equal keys is kept. */
  readonly unique: boolean;
  /** Whether ties are broken by comparing whole records (reversed under `reverse`). False under `-s` and `-u`. */
  readonly lastResort: boolean;
  /** Absent: all records are one segment. Merges ignore it: each merge gets records of one segment. */
  readonly segments?: SegmentRule;
  /**
   * Only with fixed records. `key` and `segments` are then places in encoded records, which is what engines and runs
   * hold; `order` encodes records and `merge` decodes them. Absent: engines and runs hold records as they were read.
   */
  readonly encoding?: RecordEncoding;
}
