/** Keys of binary records and arrays: all spellings, the orderings they give, and the messages about the others. */
import { describe, expect, it } from 'vitest';
import { parseRecordKey } from '../../../src/cli/parse/record-key.js';
import { parseArguments } from '../../../src/cli/request.js';
import type { NumberType, Ordering } from '../../../src/job.js';

import { randomBelow } from '../../support/random.js';
import { compareTyped, encodeRecords } from '../../support/typed-records.js';
import { ourVerdict, SURROUNDINGS } from '../arguments.js';

const KINDS: Readonly<Record<string, NumberType['kind']>> = { u: 'unsigned', i: 'signed', f: 'float' };
const NAMES = ['u8', 'u16', 'u32', 'u64', 'u128', 'i8', 'i16', 'i32', 'i64', 'f32', 'f64'];

/** A type by its name. The reference: kind, width and byte order, read off one by one. */
function typeOf(name: string, order: string): NumberType {
  return { kind: KINDS[name[0]], bytes: Number(name.slice(1)) / 8, bigEndian: order === 'be' };
}

function orderingOf(...args: string[]): Ordering {
  const request = parseArguments(args, SURROUNDINGS);
  if (request.action !== 'sort') throw new Error(`asked for ${request.action}`);
  return request.job.ordering;
}

/** The message and the hint. */
function refusalOf(...args: string[]): string[] {
  const { stderr, status } = ourVerdict(args, 'gpusort');
  expect(status).toBe(2);
  return stderr
    .replace(/^gpusort: /, '')
    .split('\n')
    .slice(0, -1);
}

describe('a key of binary records', () => {
  it.each<[string, object]>([
    ['0:10', { offset: 0, length: 10, type: null, reverse: false }],
    ['0:10:r', { offset: 0, length: 10, type: null, reverse: true }],
    ['90:10:bytes', { offset: 90, length: 10, type: null, reverse: false }],
    ['90:10:bytes:r', { offset: 90, length: 10, type: null, reverse: true }],
    ['007:01', { offset: 7, length: 1, type: null, reverse: false }],
    ['99999999999999999999:1', { offset: Number.MAX_SAFE_INTEGER, length: 1, type: null, reverse: false }],
  ])('%s is a range of bytes', (text, expected) => {
    expect(parseRecordKey(text, '-k')).toEqual({ ...expected, text });
  });

  it('takes every type in every byte order, with its length or without, reversed or not', () => {
    for (const name of NAMES)
      for (const order of ['', 'le', 'be'])
        for (const reverse of [false, true])
          for (const length of ['', `:${Number(name.slice(1)) / 8}`]) {
            const text = `12${length}:${name}${order}${reverse ? ':r' : ''}`;
            const type = typeOf(name, order);
            expect(parseRecordKey(text, '-k')).toEqual({ offset: 12, length: type.bytes, type, reverse, text });
          }
  });
});

const PLACES =
  'Give OFFSET:LENGTH or OFFSET:TYPE, for example -k 0:10 or -k 8:u64le. OFFSET counts bytes from 0, and LENGTH is ' +
  'at least 1.';
const TYPES = `Use one of ${NAMES.join(' ')}, with le (the default) or be after it.`;

describe('a wrong key', () => {
  it.each([
    ...['', '0', 'x', '0:', ':4', '0:0', '0:0:u8', '0:4:', '-1:4', '1,2', '2n', '0:bytes', '0:bytes:r'],
    ...['0:4:bytes:x', '0:u32:x', '0:u32:le', 'u64', '0 :4', '+0:4', '0x1:4', '0:4:u32:r:r', '0::u32'],
  ])('%j is refused with what a key looks like', (key) => {
    expect(refusalOf('--record-size=99', '-k', key)).toEqual([`invalid -k argument '${key}'`, PLACES]);
  });

  it('in the old form is refused with the option to give', () => {
    expect(refusalOf('--record-size=99', '+1')).toEqual(["invalid + argument '+1'", PLACES]);
  });

  it.each([
    ['0:f16', 'f16'],
    ['0:U32', 'U32'],
    ['0:u32LE', 'u32LE'],
    ['0:i128', 'i128'],
    ['0:int32', 'int32'],
    ['0:4:n', 'n'],
    ['0:4:float', 'float'],
    ['0:r', 'r'],
    ['0:4:r:r', 'r'],
    ['0:-4', '-4'],
    ['0:4 ', '4 '],
  ])('%s is refused with the types', (key, word) => {
    expect(refusalOf('--record-size=99', '-k', key)).toEqual([`unknown type '${word}' in -k argument '${key}'`, TYPES]);
  });

  it.each([
    ['0:4:u64', 'key 0:4:u64 contradicts itself: u64 has 8 bytes', '0:u64'],
    ['3:2:u8:r', 'key 3:2:u8:r contradicts itself: u8 has 1 byte', '3:u8'],
    ['0:10:f64be', 'key 0:10:f64be contradicts itself: f64be has 8 bytes', '0:f64be'],
  ])('%s is refused with the length of the type', (key, message, better) => {
    expect(refusalOf('--record-size=99', '-k', key)).toEqual([message, `Give ${better}, or another LENGTH or TYPE.`]);
  });

  it.each([
    ['8', ['-k', '4:u64'], 'key 4:u64 lies outside records of 8 bytes: it is bytes 4 to 11, counted from 0'],
    ['8', ['-k', '8:1'], 'key 8:1 lies outside records of 8 bytes: it is byte 8, counted from 0'],
    ['1', ['-k', '0:1', '-k', '0:u16'], 'key 0:u16 lies outside records of 1 byte: it is bytes 0 to 1, counted from 0'],
    ['8', ['-k', '99999999999999999999:4'], 'key 99999999999999999999:4 lies outside records of 8 bytes'],
    ['8', ['--segment-by', '6:4'], 'key 6:4 lies outside records of 8 bytes: it is bytes 6 to 9, counted from 0'],
  ])('of records of %s bytes, %j, is refused with the numbers', (size, keys, message) => {
    expect(refusalOf('--record-size', size, ...keys)).toEqual([message]);
  });

  it('without --record-size is refused with what is missing', () => {
    const hint = 'Add --record-size: keys of OFFSET:LENGTH and OFFSET:TYPE are for binary records.';
    for (const key of ['0:4', '0:u32', '8:f64be:r', '0:4:bytes']) expect(refusalOf('-k', key).at(-1)).toBe(hint);
    for (const key of ['0:x', '1x', '0,4']) expect(refusalOf('-k', key)).not.toContain(hint);
  });
});

describe('--array', () => {
  it.each(NAMES.flatMap((name) => ['', 'le', 'be'].map((order) => [name, order])))('takes %s%s', (name, order) => {
    const { bytes } = typeOf(name, order);
    expect(orderingOf('--array', name + order)).toMatchObject({
      format: { kind: 'fixed', size: bytes },
      lastResort: false,
      reverse: false,
    });
    expect(orderingOf('--array', `${name + order}+u64`).format).toEqual({ kind: 'fixed', size: bytes + 8 });
  });

  it.each([
    ['u33', ["unknown type 'u33' in --array argument 'u33'", TYPES]],
    ['u32+int', ["unknown type 'int' in --array argument 'u32+int'", TYPES]],
    ['bytes', ["unknown type 'bytes' in --array argument 'bytes'", TYPES]],
    ...['', 'u32+', '+u32', 'f64+u32+u8', 'data/values.bin', '0:u32', '4'].map((text): [string, string[]] => [
      text,
      [
        `invalid --array argument '${text}'`,
        'Give TYPE or, for numbers with values that move with them, TYPE+TYPE; for example f64le or u32le+u64.',
      ],
    ]),
  ])('%j is refused', (text, lines) => {
    expect(refusalOf('--array', text)).toEqual(lines);
  });

  it('is given once, or repeated unchanged', () => {
    expect(refusalOf('--array=u32', '--array=u64')).toEqual(['multiple array types specified']);
    expect(orderingOf('--array=u32', '--array=u32')).toEqual(orderingOf('--array=u32'));
  });
});

describe('the ordering', () => {
  it.each<[string[], Partial<Ordering>]>([
    [['--record-size=16', '-k', '0:4'], { key: { kind: 'bytes', offset: 0, length: 4 }, lastResort: true }],
    [['--record-size=16', '-k', '4:u32be'], { key: { kind: 'bytes', offset: 4, length: 4 }, lastResort: true }],
    [['--record-size=16', '-k', '4:u32be', '-k', '8:u64be'], { key: { kind: 'bytes', offset: 4, length: 12 } }],
    [['--record-size=16', '-s', '-k', '0:4'], { lastResort: false }],
    [['--record-size=16', '-u', '-k', '0:4'], { unique: true, lastResort: false }],
    [['--record-size=4', '-k', '0:u32be'], { key: { kind: 'record' }, lastResort: true }],
    [['--array=u32be'], { key: { kind: 'record' }, lastResort: false }],
    [['--array=u8', '-r'], { reverse: true, lastResort: false }],
    [
      ['--record-size=16', '--segment-by=8:u32', '-k', '0:u32be'],
      { segments: { kind: 'bytes', offset: 8, length: 4 }, key: { kind: 'bytes', offset: 0, length: 4 } },
    ],
  ])('of %j', (args, expected) => {
    expect(orderingOf(...args)).toMatchObject(expected);
  });

  it('needs no encoding where bytes are in the order of the numbers', () => {
    for (const args of [
      ['-k', '4:u32be'],
      ['-k', '0:16', '-r'],
      ['-k', '4:u32be:r', '-r'],
      ['-k', '0:2', '-k', '2:2'],
    ])
      expect(orderingOf('--record-size=16', ...args).encoding).toBeUndefined();
    for (const args of [
      ['-k', '4:u32'],
      ['-k', '4:i8'],
      ['-k', '0:4:r'],
      ['-k', '2:2', '-k', '0:2'],
    ])
      expect(orderingOf('--record-size=16', ...args).encoding).toBeDefined();
  });

  it('is that of the keys as they were written; those without a letter follow -r', () => {
    const below = randomBelow(1661);
    const SIZE = 24;
    for (let round = 0; round < 300; round++) {
      const reverse = below(2) === 1;
      const parts = Array.from({ length: 1 + below(3) }, () => {
        const name = [...NAMES, 'bytes'][below(NAMES.length + 1)];
        const order = ['', 'le', 'be'][below(3)];
        const type = name === 'bytes' ? null : typeOf(name, order);
        const length = type?.bytes ?? 1 + below(8);
        const offset = below(SIZE - length + 1);
        const own = below(2) === 1;
        const what = type === null ? `${length}` : `${name}${order}`;
        return { offset, length, type, reverse: own || reverse, text: `${offset}:${what}${own ? ':r' : ''}` };
      });
      const ordering = orderingOf(
        `--record-size=${SIZE}`,
        ...(reverse ? ['-r'] : []),
        ...parts.flatMap(({ text }) => ['-k', text]),
      );
      const records = [0, 1].map(() => Uint8Array.from({ length: SIZE }, () => [0, 127, 128, 255][below(4)]));
      const [a, b] = records.map((record) => {
        const copy = record.slice();
        if (ordering.encoding !== undefined) encodeRecords(ordering.encoding, copy);
        const { key } = ordering;
        return key.kind === 'bytes' ? copy.subarray(key.offset, key.offset + key.length) : copy;
      });
      const sign = Buffer.compare(a, b) * (ordering.reverse ? -1 : 1) + 0;
      expect(sign, parts.map(({ text }) => text).join(' ')).toBe(compareTyped(parts, records[0], records[1]) + 0);
    }
  });
});
