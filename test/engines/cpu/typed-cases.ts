/** Random command lines for binary records with typed keys, records for them, and a plain model of the result. */
import { parseArrayType, parseRecordKey } from '../../../src/cli/parse/record-key.js';
import type { RecordPart } from '../../../src/job/ordering.js';
import { pick } from '../../support/distributions.js';
import type { RandomBelow } from '../../support/random.js';
import { compareTyped } from '../../support/typed-records.js';

const KINDS = ['u8', 'u16', 'u32', 'u64', 'u128', 'i8', 'i16', 'i32', 'i64', 'f32', 'f64'] as const;

/** A command line on records of `size` bytes, and its meaning. */
export interface Case {
  readonly words: readonly string[];
  readonly size: number;
  readonly parts: readonly RecordPart[];
  readonly reverse: boolean;
  readonly unique: boolean;
  readonly lastResort: boolean;
  readonly segment: readonly [offset: number, length: number] | null;
  readonly limit: readonly [end: 'top' | 'bottom', count: number] | null;
}

const typeText = (below: RandomBelow): string => pick(below, KINDS) + pick(below, ['', 'le', 'be']);

export function randomCase(below: RandomBelow): Case {
  const reverse = below(4) === 0;
  const unique = below(4) === 0;
  const flags = [...(reverse ? ['-r'] : []), ...(unique ? ['-u'] : [])];
  const limit = below(5) === 0 ? ([pick(below, ['top', 'bottom'] as const), below(40)] as const) : null;
  const limits = limit === null ? [] : [`--${limit[0]}=${limit[1]}`];
  if (below(2) === 0) {
    const text = typeText(below) + (below(2) === 0 ? '' : `+${typeText(below)}`);
    const { type, valueBytes } = parseArrayType(text, '--array');
    return {
      words: [...flags, ...limits, '--array', text],
      size: type.bytes + valueBytes,
      parts: [{ offset: 0, length: type.bytes, type, reverse }],
      reverse,
      unique,
      lastResort: false,
      segment: null,
      limit,
    };
  }
  const size = pick(below, [1, 2, 3, 4, 6, 8, 12, 13, 16, 17, 24, 100]);
  const keys: string[] = [];
  for (let left = below(4); left > 0; left--) {
    const type = typeText(below);
    const bytes = parseArrayType(type, '').type.bytes;
    const plain = below(3) === 0 || bytes > size;
    const length = plain ? 1 + below(Math.min(size, 12)) : bytes;
    keys.push(`${below(size - length + 1)}:${plain ? length : type}${below(3) === 0 ? ':r' : ''}`);
  }
  const isStable = below(3) === 0;
  const segment = limit === null && below(4) === 0 ? ([below(size), 1] as const) : null;
  return {
    words: [
      ...flags,
      ...limits,
      ...(isStable ? ['-s'] : []),
      ...(segment === null ? [] : [`--segment-by=${segment.join(':')}`]),
      `--record-size=${size}`,
      ...keys.map((key) => `--key=${key}`),
    ],
    size,
    // Without keys, records are compared as bytes.
    parts: (keys.length === 0 ? [`0:${size}`] : keys).map((key) => {
      const part = parseRecordKey(key, '--key');
      return { ...part, reverse: part.reverse || reverse };
    }),
    reverse,
    unique,
    lastResort: !isStable && !unique,
    segment,
    limit,
  };
}

/** Records of extremes, of few distinct bytes or of any; the last bytes often differ although the keys do not. */
export function randomRecords(below: RandomBelow, size: number, count: number): Buffer[] {
  const bytes = pick(below, [[0, 1, 0x7f, 0x80, 0xff], [0, 0x80], [7], null]);
  const kinds = 1 + below(count);
  const some = Array.from({ length: kinds }, () =>
    Buffer.from(Array.from({ length: size }, () => byteOf(below, bytes))),
  );
  const order = below(4);
  const records = Array.from({ length: count }, () => Buffer.from(pick(below, some)));
  if (below(2) === 0) for (const record of records) record[size - 1] = below(256);
  if (order < 2) records.sort(Buffer.compare);
  if (order === 1) records.reverse();
  return records;
}

function byteOf(below: RandomBelow, bytes: readonly number[] | null): number {
  return bytes === null ? below(256) : pick(below, bytes);
}

export function expected(
  { parts, reverse, unique, lastResort, segment, limit }: Case,
  records: readonly Buffer[],
): Buffer {
  const compare = (a: Buffer, b: Buffer): number =>
    compareTyped(parts, a, b) || (lastResort ? (reverse ? Buffer.compare(b, a) : Buffer.compare(a, b)) : 0);
  const sorted = segmentsOf(records, segment).flatMap((list) => {
    const ordered = list.toSorted(compare);
    return unique
      ? ordered.filter((record, i) => i === 0 || compareTyped(parts, ordered[i - 1], record) !== 0)
      : ordered;
  });
  const [end, count] = limit ?? ['top', Infinity];
  return Buffer.concat(end === 'top' ? sorted.slice(0, count) : sorted.slice(Math.max(0, sorted.length - count)));
}

function segmentsOf(records: readonly Buffer[], segment: Case['segment']): Buffer[][] {
  const segments: Buffer[][] = [];
  records.forEach((record, i) => {
    const isSame = segment === null || (i > 0 && record[segment[0]] === records[i - 1][segment[0]]);
    if (i > 0 && isSame) segments.at(-1)!.push(record);
    else segments.push([record]);
  });
  return segments;
}
