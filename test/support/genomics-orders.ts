/**
 * Plain models of the orders of genomics: comparisons of texts, as docs/ordering.md describes them. Texts are strings
 * of one character a byte.
 */

type Compare = (a: string, b: string) => number;

const compareStrings: Compare = (a, b) => Number(a > b) - Number(a < b);
const compareNumbers = (a: number | bigint, b: number | bigint): number => Number(a > b) - Number(a < b);
const withoutReturn = (text: string): string => text.replace(/\r$/, '');

/**
 * Names as samtools 1.17 and later order them: runs of digits as numbers, whose leading zeros do not count; everything
 * else by bytes.
 */
export const compareNatural: Compare = (a, b) => {
  const [x, y] = [a, b].map((name) => name.match(/\d+|\D/g) ?? []);
  for (let i = 0; i < x.length && i < y.length; i++) {
    const areNumbers = /\d/.test(x[i]) && /\d/.test(y[i]);
    const sign = areNumbers ? compareNumbers(BigInt(x[i]), BigInt(y[i])) : compareStrings(x[i], y[i]);
    if (sign !== 0) return sign;
  }
  return x.length - y.length;
};

export const compareLengths: Compare = (a, b) => withoutReturn(a).length - withoutReturn(b).length;

/** By the mean, as a fraction; no base: first. */
export const compareQualities: Compare = (a, b) => {
  const [x, y] = [a, b].map((text) => Buffer.from(withoutReturn(text), 'latin1'));
  if (x.length === 0 || y.length === 0) return Number(x.length > 0) - Number(y.length > 0);
  const sum = (bytes: Buffer): bigint => BigInt(bytes.reduce((total, byte) => total + byte - 33, 0));
  return compareNumbers(sum(x) * BigInt(y.length), sum(y) * BigInt(x.length));
};

export const compareIntegers: Compare = (a, b) => compareNumbers(BigInt(withoutReturn(a)), BigInt(withoutReturn(b)));

/** By the place in a list; `*` after all. */
export const byContig = (contigs: readonly string[]): Compare => {
  const rank = (name: string): number => (contigs.includes(name) ? contigs.indexOf(name) : contigs.length);
  return (a, b) => rank(a) - rank(b);
};

/** By the place in a list of the mate's contig, the last of several fields; `=` is the first field, `*` before all. */
export const byMateContig = (contigs: readonly string[]): Compare => {
  const rank = (text: string): number => {
    const fields = text.split('\t');
    return contigs.indexOf(fields.at(-1) === '=' ? fields[0]! : fields.at(-1)!);
  };
  return (a, b) => rank(a) - rank(b);
};

export const strandOf = (flag: number): number => Number((flag & 16) !== 0);
/** The number that samtools 1.20 and later compare. */
export const templateOf = (flag: number): number =>
  ((flag & 0xc0) << 8) | ((flag & 0x100) << 3) | ((flag & 0x800) >> 3);

/** Picard's SAMRecordQueryNameComparator, after the name and before HI. */
export function comparePicardTemplates(a: number, b: number): number {
  const rank = (flag: number): number =>
    (flag & 1) === 0 ? 3 : (flag & 0xc0) === 0x40 ? 0 : (flag & 0xc0) === 0x80 ? 2 : 1;
  return (
    rank(a) - rank(b) ||
    [0x10, 0x100, 0x800].map((bit) => Number((a & bit) !== 0) - Number((b & bit) !== 0)).find((sign) => sign !== 0) ||
    0
  );
}

/** A value of an optional field: its type in SAM, and the value as SAM writes it. */
export interface TagValue {
  readonly type: string;
  readonly value: string;
}

/** `samtools sort -t`: absent first, then by type, numbers by value. */
export function compareTags(a: TagValue | null, b: TagValue | null): number {
  const kind = (tag: TagValue | null): number => (tag === null ? 0 : 1 + 'ABHZif'.indexOf(tag.type));
  const group = [0, 1, 2, 3, 3, 4, 4];
  const sign = group[kind(a)]! - group[kind(b)]!;
  if (sign !== 0 || a === null || b === null || a.type === 'B') return sign;
  const number = ({ type, value }: TagValue): number => {
    const exact = Number(value.replace('inf', 'Infinity'));
    return type === 'f' ? Math.fround(exact) : exact;
  };
  return group[kind(a)] === 4 ? compareNumbers(number(a), number(b)) : compareStrings(a.value, b.value);
}

/** bcftools 1.21 and later: the alleles with tabs between them, as bytes. */
export const compareAlleles: Compare = (a, b) => {
  const joined = (text: string): string => {
    const [ref, alt] = text.split('\t');
    return alt === '.' || alt === undefined ? ref! : [ref, ...alt.split(',')].join('\t');
  };
  return compareStrings(joined(a), joined(b));
};

const K = 21;

/** The least hash of a word in a sequence, its strand and the bases after it in its direction; null: no word. */
export function wordOf(sequence: string): { hash: bigint; isReverse: boolean; place: number } | null {
  let found: { hash: bigint; isReverse: boolean; place: number } | null = null;
  const opposite: Readonly<Record<string, string>> = { A: 'T', C: 'G', G: 'C', T: 'A' };
  for (let at = 0; at + K <= sequence.length; at++) {
    const word = sequence.slice(at, at + K).toUpperCase();
    if (/[^ACGT]/.test(word)) continue;
    const complement = [...word]
      .reverse()
      .map((base) => opposite[base])
      .join('');
    const codes = [word, complement].map((text) =>
      [...text].reduce((code, base) => code * 4n + BigInt('ACTG'.indexOf(base)), 0n),
    );
    const isReverse = codes[1]! < codes[0]!;
    const hash = hashOf(isReverse ? codes[1]! : codes[0]!);
    if (found === null || hash < found.hash)
      found = { hash, isReverse, place: isReverse ? at + K - 1 : sequence.length - K - at };
  }
  return found;
}

/** A permutation of numbers of 42 bits (kernels/wasm/keys/similar.ts). */
function hashOf(code: bigint): bigint {
  code ^= 0x2d358dccaa6n;
  const mixed = BigInt.asUintN(2 * K, (code ^ (code >> 19n)) * 0x9e3779b97f4a7c15n);
  return mixed ^ (mixed >> 21n);
}

export const compareSimilar: Compare = (a, b) => {
  const [x, y] = [wordOf(a), wordOf(b)];
  if (x === null || y === null) return x === y ? compareStrings(a.slice(0, 16), b.slice(0, 16)) : x === null ? 1 : -1;
  return (
    compareNumbers(x.hash, y.hash) || Number(x.isReverse) - Number(y.isReverse) || compareNumbers(x.place, y.place)
  );
};

/** A field of an optional field's name, type and bytes in BAM. */
export interface BamTag {
  readonly name: string;
  /** The type and the value in BAM. */
  readonly type: string;
  readonly bytes: Uint8Array;
}

/** The fields of a BAM record. */
export interface BamRecord {
  readonly name: string;
  readonly flag: number;
  readonly contig: number;
  /** From 0; -1: none. */
  readonly position: number;
  readonly mapq: number;
  readonly mateContig: number;
  readonly matePosition: number;
  readonly templateLength: number;
  readonly operations: number;
  readonly bases: number;
  readonly tags: readonly BamTag[];
}

/** A record in BAM (SAM specification, 4.2), with its `block_size`. Its CIGAR, sequence and qualities are `filler`. */
export function bamBytes(record: BamRecord, filler: number): Buffer {
  const head = Buffer.alloc(36);
  head.writeInt32LE(record.contig, 4);
  head.writeInt32LE(record.position, 8);
  head[12] = record.name.length + 1;
  head[13] = record.mapq;
  head.writeUInt16LE(record.operations, 16);
  head.writeUInt16LE(record.flag, 18);
  head.writeUInt32LE(record.bases, 20);
  head.writeInt32LE(record.mateContig, 24);
  head.writeInt32LE(record.matePosition, 28);
  head.writeInt32LE(record.templateLength, 32);
  const whole = Buffer.concat([
    head,
    Buffer.from(`${record.name}\0`, 'latin1'),
    Buffer.alloc(4 * record.operations + ((record.bases + 1) >> 1) + record.bases, filler),
    ...record.tags.flatMap(({ name, type, bytes }) => [Buffer.from(name + type, 'latin1'), bytes]),
  ]);
  whole.writeUInt32LE(whole.length - 4);
  return whole;
}

/** A record as a line: COBS, in which newline takes the place of zero. */
export function cobsLine(record: Uint8Array): Buffer {
  const line: number[] = [];
  let block: number[] = [];
  const close = (): void => {
    line.push((block.length + 1) ^ 10, ...block);
    block = [];
  };
  for (const [i, byte] of record.entries()) {
    if (byte === 10) close();
    else block.push(byte);
    if (block.length === 254 && i + 1 < record.length) close();
  }
  close();
  return Buffer.from(line);
}
