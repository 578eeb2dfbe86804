/**
 * Key parts of BAM records equal those of their fields, in records with newlines at any place and with hostile lengths.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BamField, KeyPart, PartOrder } from '../../src/job/ordering.js';
import { compareBytes } from '../../src/keys/compare.js';
import { KeyMaker } from '../../src/keys/key-maker.js';
import {
  type BamRecord,
  type BamTag,
  bamBytes,
  cobsLine,
  compareNatural,
  comparePicardTemplates,
  compareTags,
  strandOf,
  type TagValue,
  templateOf,
} from '../support/genomics-orders.js';
import { property } from '../support/property.js';
import { randomBelow } from '../support/random.js';
import { compareStrings } from './models.js';
import { keysOf, orderingOf, wholeLine } from './orderings.js';

const below = randomBelow(2417);
const pick = <T>(values: readonly T[]): T => values[below(values.length)];
/** Numbers whose bytes are often newlines. */
const number = (limit: number): number => pick([below(limit), below(30), 10, 0x0a0a % limit, 0x0a0a0a0a % limit]);

function bytesOf(type: string, value: string): Uint8Array {
  const bytes = Buffer.alloc(4);
  if (type === 'A') return Buffer.from(value, 'latin1');
  if (type === 'Z' || type === 'H') return Buffer.from(`${value}\0`, 'latin1');
  if (type === 'B') return Buffer.from([99, 2, 0, 0, 0, 10, 10]);
  if (type === 'f') bytes.writeFloatLE(Number(value));
  else if ('CSI'.includes(type)) bytes.writeUInt32LE(Number(value));
  else bytes.writeInt32LE(Number(value));
  return bytes.subarray(0, { c: 1, C: 1, s: 2, S: 2 }[type] ?? 4);
}

function drawnTag(): { readonly tag: BamTag; readonly value: TagValue } {
  const [type, value] = pick([
    () => ['A', pick(['a', '\n', 'Z'])],
    () => ['c', String(below(256) - 128)],
    () => ['C', String(below(256))],
    () => ['s', String(below(65536) - 32768)],
    () => ['S', String(number(65536))],
    () => ['i', String(number(2 ** 31) - 2 ** 30)],
    () => ['I', String(number(2 ** 32))],
    () => ['f', String((below(400) - 200) / 8)],
    () => ['Z', pick(['', '\n', 'a\n', 'a', 'ab', 'a'.repeat(300)])],
    () => ['H', pick(['', '1A'])],
    () => ['B', ''],
  ])() as [string, string];
  return {
    tag: { name: 'CB', type, bytes: bytesOf(type, value) },
    value: { type: 'cCsSiI'.includes(type) ? 'i' : type, value },
  };
}

const records = Array.from({ length: 3000 }, () => {
  const cell = below(6) === 0 ? null : drawnTag();
  const others = ['NM', 'XC', 'BC'].filter(() => below(3) === 0).map((name) => ({ ...drawnTag().tag, name }));
  const record: BamRecord = {
    name: pick(['r', 'r:', 'x\n', '']) + below(2000) + pick(['', 'y'.repeat(below(240))]),
    flag: number(4096),
    contig: below(13) - 1,
    position: number(2 ** 31 - 1) - 1,
    mapq: number(256),
    mateContig: below(13) - 1,
    matePosition: number(2 ** 31 - 1) - 1,
    templateLength: number(2 ** 31) - 2 ** 30,
    operations: below(4),
    bases: pick([0, 1, 10, 151, 400]),
    tags: [...others, ...(cell === null ? [] : [cell.tag])].sort(() => below(3) - 1),
  };
  return { record, cell: cell?.value ?? null };
});
const lines = records.map(({ record }) => cobsLine(bamBytes(record, pick([0, 10, 255]))).toString('latin1'));
const contigs = Buffer.from(Array.from({ length: 12 }, (_, i) => `chr${i}\n`).join(''));

function part(bam: BamField, order: PartOrder, reverse: boolean): KeyPart {
  return wholeLine({
    bam,
    order,
    reverse,
    ...(order.endsWith('contig') ? { contigs } : {}),
    ...(order === 'tag' ? { tag: 'CB' } : {}),
  });
}

type Compare = (a: (typeof records)[number], b: (typeof records)[number]) => number;
const by =
  (value: (record: BamRecord) => number): Compare =>
  (a, b) =>
    value(a.record) - value(b.record);

describe.each([false, true])('keys of BAM records, reversed: %s', (reverse) => {
  it.each<[BamField, PartOrder, Compare]>([
    ['name', 'natural', (a, b) => compareNatural(a.record.name, b.record.name)],
    ['name', 'bytes', (a, b) => compareStrings(a.record.name, b.record.name)],
    ['contig', 'contig', by(({ contig }) => (contig < 0 ? 12 : contig))],
    ['mate-contig', 'mate-contig', by(({ mateContig }) => mateContig)],
    ['position', 'integer', by(({ position }) => position)],
    ['mate-position', 'integer', by(({ matePosition }) => matePosition)],
    ['mapq', 'integer', by(({ mapq }) => mapq)],
    ['template-length', 'signed', by(({ templateLength }) => templateLength)],
    ['flag', 'integer', by(({ flag }) => flag)],
    ['flag', 'strand', by(({ flag }) => strandOf(flag))],
    ['flag', 'template', by(({ flag }) => templateOf(flag))],
    ['flag', 'picard-template', (a, b) => comparePicardTemplates(a.record.flag, b.record.flag)],
    ['tags', 'tag', (a, b) => compareTags(a.cell, b.cell)],
  ])('%s by %s', (field, order, compare) => {
    const keys = keysOf(orderingOf([part(field, order, reverse)]), lines);
    const sorted = lines.map((_, i) => i).sort((a, b) => compareBytes(keys[a], keys[b]));
    for (let i = 1; i < sorted.length; i++) {
      const [a, b] = [sorted[i - 1], sorted[i]];
      const sign = compare(records[a], records[b]);
      const found = compareBytes(keys[a], keys[b]);
      if (found !== (Math.sign(reverse ? -sign : sign) || 0)) expect([found, records[a], records[b]]).toEqual([sign]);
    }
  });
});

describe('hostile BAM records', () => {
  const { record } = records[0];
  const whole = bamBytes({ ...record, name: 'read', tags: [{ name: 'CB', type: 'Z', bytes: Buffer.from('x\0') }] }, 10);
  const maker = new KeyMaker(orderingOf([part('name', 'natural', false), part('tags', 'tag', true)]));
  const altered = (change: (bytes: Buffer) => Buffer | undefined): Buffer => {
    const copy = Buffer.from(whole);
    return change(copy) ?? copy;
  };
  it.each<[string, Buffer]>([
    ['nothing', Buffer.alloc(0)],
    ['a cut head', whole.subarray(0, 35)],
    ['a cut name', whole.subarray(0, 38)],
    ['no name', altered((bytes) => void bytes.fill(0, 12, 13))],
    ['a wrong size', altered((bytes) => void bytes.writeUInt32LE(0xffffffff))],
    ['a size too small', altered((bytes) => void bytes.writeUInt32LE(40))],
    ['many bases', altered((bytes) => void bytes.writeUInt32LE(0xffffffff, 20))],
    ['many operations', altered((bytes) => void bytes.writeUInt16LE(0xffff, 16))],
    ['a tag without a valid type', altered((bytes) => void bytes.write('?', bytes.length - 3))],
    ['text without an end', altered((bytes) => void bytes.write('y', bytes.length - 1))],
    ['an array without a count', altered((bytes) => void bytes.write('B', bytes.length - 3))],
    ['a cut tag', altered((bytes) => void bytes.writeUInt32LE(bytes.length - 7)).subarray(0, -3)],
  ])('are reported or get a key: %s', (_, bytes) => {
    for (const one of ['name', 'tags', 'contig'] as const) {
      const order = one === 'name' ? 'natural' : one === 'tags' ? 'tag' : 'contig';
      const maker = new KeyMaker(orderingOf([part(one, order, false)]));
      const text = Buffer.concat([cobsLine(bytes), Buffer.from('\n')]);
      try {
        maker.keyed(text);
      } catch (error) {
        expect(error).toMatchObject({ code: 'bad-records', message: expect.stringMatching(/^record '/) });
      }
    }
    const tagged = new KeyMaker(orderingOf([part('tags', 'tag', false)]));
    expect(() => tagged.keyed(Buffer.concat([cobsLine(bytes), Buffer.from('\n')]))).toThrow(/BAM|optional field/);
  });

  property(
    'are reported or get a key: random bytes',
    [fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 4 }), fc.option(fc.nat(), { freq: 3 })],
    (changes, end) => {
      const bytes = altered((copy) => {
        for (const [at, byte] of changes) copy[at % copy.length] = byte;
        return copy.subarray(0, end === null ? copy.length : end % copy.length);
      });
      try {
        maker.keyed(Buffer.concat([cobsLine(bytes), Buffer.from('\n')]));
      } catch (error) {
        expect(error).toMatchObject({ code: 'bad-records' });
      }
    },
    { runs: 3000 },
  );
});
