/** Keys of binary records and arrays: all spellings, and the orderings they give. own-errors.test.ts has the others. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseRecordKey } from '../../../src/cli/parse/record-key.js';
import type { NumberType, Ordering } from '../../../src/job/ordering.js';
import { property } from '../../support/property.js';
import { compareTyped, encodeRecords } from '../../support/typed-records.js';
import { type Arguments, jobOf } from '../arguments.js';

const KINDS: Readonly<Record<string, NumberType['kind']>> = { u: 'unsigned', i: 'signed', f: 'float' };
const NAMES = ['u8', 'u16', 'u32', 'u64', 'u128', 'i8', 'i16', 'i32', 'i64', 'f32', 'f64'];
const ORDERS = ['', 'le', 'be'];
const TYPES = NAMES.flatMap((name) => ORDERS.map((order) => ({ name, order })));

/** A type by its name. The reference: kind, width and byte order, read off one by one. */
function typeOf(name: string, order: string): NumberType {
  return { kind: KINDS[name[0]], bytes: Number(name.slice(1)) / 8, bigEndian: order === 'be' };
}

const orderingOf = (args: Arguments): Ordering => jobOf(args).ordering;

describe('a key of binary records', () => {
  it.each([
    ['0:10', { offset: 0, length: 10, reverse: false }],
    ['0:10:r', { offset: 0, length: 10, reverse: true }],
    ['90:10:bytes', { offset: 90, length: 10, reverse: false }],
    ['90:10:bytes:r', { offset: 90, length: 10, reverse: true }],
    ['007:01', { offset: 7, length: 1, reverse: false }],
    ['99999999999999999999:1', { offset: Number.MAX_SAFE_INTEGER, length: 1, reverse: false }],
  ])('%s is a range of bytes', (text, expected) => {
    expect(parseRecordKey(text, '-k')).toEqual({ ...expected, type: null, text });
  });

  it('accepts every type in every byte order, with or without its length, reversed or not', () => {
    for (const { name, order } of TYPES)
      for (const reverse of [false, true])
        for (const length of ['', `:${Number(name.slice(1)) / 8}`]) {
          const text = `12${length}:${name}${order}${reverse ? ':r' : ''}`;
          const type = typeOf(name, order);
          expect(parseRecordKey(text, '-k')).toEqual({ offset: 12, length: type.bytes, type, reverse, text });
        }
  });
});

it('--array accepts every type, and a value of any size', () => {
  for (const { name, order } of TYPES) {
    const { bytes } = typeOf(name, order);
    expect(orderingOf(`--array ${name}${order}`)).toMatchObject({
      format: { kind: 'fixed', size: bytes },
      lastResort: false,
      reverse: false,
    });
    expect(orderingOf(`--array ${name}${order}+u64`).format).toEqual({ kind: 'fixed', size: bytes + 8 });
  }
});

it('records are encoded only if their bytes are not in the order of the numbers', () => {
  for (const keys of ['-k 4:u32be', '-k 0:16 -r', '-k 4:u32be:r -r', '-k 0:2 -k 2:2'])
    expect(orderingOf(`--record-size=16 ${keys}`).encoding).toBeUndefined();
  for (const keys of ['-k 4:u32', '-k 4:i8', '-k 0:4:r', '-k 2:2 -k 0:2', '--segment-by=8:u32 -k 4:u32'])
    expect(orderingOf(`--record-size=16 ${keys}`).encoding).toBeDefined();
});

const SIZE = 24;
/** A key as it is written, whether it has the letter r, and where its bytes are. */
const KEY = fc.constantFrom(...TYPES, null).chain((type) => {
  const bytes = type === null ? fc.integer({ min: 1, max: 8 }) : fc.constant(typeOf(type.name, type.order).bytes);
  return bytes.chain((length) =>
    fc.record({
      offset: fc.nat(SIZE - length),
      length: fc.constant(length),
      type: fc.constant(type === null ? null : typeOf(type.name, type.order)),
      what: fc.constant(type === null ? `${length}` : type.name + type.order),
      own: fc.boolean(),
    }),
  );
});
const RECORD = fc.array(fc.constantFrom(0, 127, 128, 255), { minLength: SIZE, maxLength: SIZE });

property(
  'records are sorted by their keys in order of precedence; keys without a letter follow -r',
  [fc.array(KEY, { minLength: 1, maxLength: 3 }), fc.boolean(), RECORD, RECORD],
  (keys, reverse, ...records) => {
    const words = keys.flatMap(({ offset, what, own }) => ['-k', `${offset}:${what}${own ? ':r' : ''}`]);
    const ordering = orderingOf([`--record-size=${SIZE}`, ...(reverse ? ['-r'] : []), ...words]);
    const [a, b] = records.map((record) => {
      const copy = Uint8Array.from(record);
      if (ordering.encoding !== undefined) encodeRecords(ordering.encoding, copy);
      const { key } = ordering;
      return key.kind === 'bytes' ? copy.subarray(key.offset, key.offset + key.length) : copy;
    });
    const parts = keys.map(({ own, ...key }) => ({ ...key, reverse: own || reverse }));
    const [first, second] = records.map((record) => Uint8Array.from(record));
    expect(Buffer.compare(a, b) * (ordering.reverse ? -1 : 1) + 0).toBe(compareTyped(parts, first, second) + 0);
  },
  { runs: 300 },
);
