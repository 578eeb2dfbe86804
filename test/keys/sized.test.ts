/** Sized records: their keys, where they end, and where those of BAM begin in a text. */
import { describe, expect, it } from 'vitest';
import type { KeyPart, Ordering } from '../../src/job/ordering.js';
import { KeyMaker } from '../../src/keys/key-maker.js';
import { keyHeaderBytes, keyLength, textWithoutKey } from '../../src/keys/keyed.js';
import { recordFinder } from '../../src/records/record-finder.js';
import { growTo, newMemory } from '../../src/system/memory.js';
import { finish } from '../../src/system/resumable.js';
import { bamOrdering } from '../engines/bam/in-groups.js';
import { bamRecord, parseRecords } from '../records/bam-reference.js';
import { encodeBam } from '../support/genomics-bam.js';
import { alignments, CONTIGS, sam } from '../support/genomics-data.js';
import { cobsLine } from '../support/genomics-orders.js';
import { bySizedKeys, keyedSized, sized } from '../support/sized.js';
import { keysOf } from './orderings.js';

describe('keyed sized records', () => {
  const ordering = bySizedKeys();
  const key = Buffer.alloc(300, '\n\0');
  const plain = sized(Buffer.from('text'));

  it('have a key and a text', () => {
    for (const one of [key, Buffer.alloc(0), Buffer.alloc(70_000, 1)]) {
      const record = keyedSized(one, plain);
      expect(keyLength(ordering, record)).toBe(one.length);
      expect(record.subarray(keyHeaderBytes(ordering)).subarray(0, one.length).equals(one)).toBe(true);
      expect(plain.equals(textWithoutKey(ordering, record))).toBe(true);
    }
    const withoutKey: Ordering = { ...ordering, key: { kind: 'record' } };
    expect(textWithoutKey(withoutKey, plain)).toBe(plain);
  });

  it('end where their lengths say', () => {
    const finder = recordFinder({ kind: 'sized' });
    const parts = [sized(Buffer.alloc(0)), sized(Buffer.alloc(9)), keyedSized(key, plain)];
    const text = Buffer.concat(parts);
    const ends = [4, 17, text.length];
    expect(finder.delimiter).toBe(null);
    for (let length = 0; length <= text.length; length++) {
      const window = text.subarray(0, length);
      expect(finder.lastEnd(window, 0)).toBe(ends.findLast((end) => end <= length) ?? -1);
      for (const from of [0, 4, 17])
        expect(finder.firstEnd(window, 0, from)).toBe(ends.find((end) => end > from && end <= length) ?? -1);
    }
    expect(() => finder.checkWhole('file', 3)).not.toThrow();
  });
});

/** The keys that entries have, and the records of their items, checked against a text. */
function keysOfEntries(ordering: Ordering, records: readonly Buffer[], begin = 5): Buffer[] {
  const memory = newMemory();
  const maker = new KeyMaker(ordering, { memory });
  const text = Buffer.concat(records);
  const from = maker.free + begin;
  const items = from + text.length + 64;
  const target = items + 16 * records.length + 64;
  growTo(memory, target);
  Buffer.from(memory.buffer).set(text, from);
  const { end, count } = finish(maker.entrySteps(from, from + text.length, target, items));
  expect(count).toBe(records.length);
  const bytes = Buffer.from(memory.buffer);
  let [at, entry] = [from, target];
  const keys = records.map((record, i) => {
    const length = bytes.readUInt32LE(entry + 4);
    expect(bytes.readUInt32LE(entry)).toBe(4 + length + record.length);
    expect([8, 12].map((place) => bytes.readUInt32LE(items + 16 * i + place))).toEqual([entry, at]);
    at += record.length;
    entry += 8 + length;
    return Buffer.from(bytes.subarray(entry - length, entry));
  });
  expect(entry).toBe(end);
  return keys;
}

describe('entries of records of BAM', () => {
  const contigs = CONTIGS.map(([name]) => `${name}\n`).join('');
  const text = encodeBam(sam(alignments(5, 250).map((line) => `${line}\tMC:Z:9M`)));
  const { records } = parseRecords(text.subarray(encodeBam(sam([])).length), CONTIGS.length);
  const long = bamRecord({ name: Buffer.from('long\0'), body: Buffer.alloc(600_000) });

  const partsOf = ({ key }: Ordering): readonly KeyPart[] => ('parts' in key ? key.parts : []);

  it.each([
    ['coordinate', []],
    ['coordinate', ['--as', 'picard']],
    ['queryname', []],
    ['queryname', ['--as', 'picard']],
    ['queryname-ascii', ['-r']],
    ['tag:XX,mapq:r', []],
    ['minimiser', []],
    ['template-coordinate', []],
    ['strand,template-length,flag', []],
  ] as const)('have keys in the order of those of lines: %s, %j', (by, words) => {
    const found = bamOrdering(by, words, contigs);
    const libraries = { groups: Buffer.from('g1\n'), ranks: Buffer.alloc(4, 1) };
    const parts = partsOf(found).map((part) => (part.order === 'template-coordinate' ? { ...part, libraries } : part));
    const ordering = { ...found, key: { kind: 'normalized', parts, seed: null } } as const;
    const own = keysOfEntries(ordering, records);
    const ofLines = keysOf(
      { ...ordering, format: { kind: 'lines', delimiter: 10 } },
      records.map((record) => cobsLine(record).toString('latin1')),
    );
    for (let a = 0; a < records.length; a++)
      for (let b = a + 1; b < records.length; b++)
        if (Buffer.compare(own[a], own[b]) !== Buffer.compare(ofLines[a], ofLines[b]))
          expect([a, b, own[a], own[b]]).toEqual([ofLines[a], ofLines[b]]);
  });

  it('may be made of records longer than a batch, and of none', () => {
    const ordering = bamOrdering('queryname-ascii');
    const [first, , last] = keysOfEntries(ordering, [records[0], long, records[1], long]);
    expect([first, last]).toEqual(keysOfEntries(ordering, records.slice(0, 2)));
    expect(keysOfEntries(ordering, [])).toEqual([]);
  });

  it('are not made of a record whose tags are malformed', () => {
    const bad = bamRecord({ name: Buffer.from('bad\0'), body: Buffer.from('XX?') });
    const error = { code: 'bad-records', message: expect.stringMatching(/^record 'bad': malformed optional field/) };
    expect(() => keysOfEntries(bamOrdering('tag:XX'), [records[0], bad])).toThrow(expect.objectContaining(error));
  });
});

describe('records of BAM in memory', () => {
  const REFERENCES = 2;
  const memory = newMemory();
  const maker = new KeyMaker(bamOrdering('coordinate'), { memory });
  const { records } = maker;
  const base = maker.free + 3;

  function place(text: Uint8Array): void {
    growTo(memory, base + text.length + 64);
    Buffer.from(memory.buffer)
      .fill(0xff, base, base + text.length + 64)
      .set(text, base);
  }
  function checked(text: Uint8Array, stop = text.length): { readonly end: number; readonly bad: number } {
    place(text);
    const end = records.checkRecords(base, base + stop, base + text.length, REFERENCES) - base;
    return { end, bad: records.isMalformed() };
  }
  function firstIn(text: Uint8Array): number {
    place(text);
    return records.findFirstRecord(base, base + text.length, REFERENCES) - base;
  }

  const good = bamRecord({ reference: 1, mate: 0, name: Buffer.from('r\0'), body: Buffer.alloc(20) });
  const changed = (change: (record: Buffer) => void): Buffer => {
    const record = Buffer.from(good);
    change(record);
    return record;
  };

  it.each([
    ['a length below 32', changed((record) => record.writeUInt32LE(31, 0))],
    ['a negative length', changed((record) => record.writeUInt32LE(0x8000_0000, 0))],
    ['no name', changed((record) => record.writeUInt8(0, 12))],
    ['an unlisted reference', changed((record) => record.writeInt32LE(REFERENCES, 4))],
    ['a reference below -1', changed((record) => record.writeInt32LE(-2, 4))],
    ['an unlisted reference of the mate', changed((record) => record.writeInt32LE(REFERENCES, 24))],
    ['a longer name than it can hold', changed((record) => record.writeUInt8(23, 12))],
    ['more operations than it can hold', changed((record) => record.writeUInt16LE(6, 16))],
    ['more bases than it can hold', changed((record) => record.writeUInt32LE(14, 20))],
    ['far more bases than it can hold', changed((record) => record.writeUInt32LE(0xffff_ffff, 20))],
  ])('are malformed with %s', (_, bad) => {
    expect(checked(bad)).toEqual({ end: 0, bad: 1 });
    expect(checked(Buffer.concat([good, bad, good]))).toEqual({ end: good.length, bad: 1 });
    expect(checked(Buffer.concat([good, bad]), good.length)).toEqual({ end: good.length, bad: 0 });
  });

  it('may be filled by their fields, and have no reference', () => {
    for (const record of [
      changed((one) => one.writeUInt8(22, 12)),
      changed((one) => one.writeUInt16LE(5, 16)),
      changed((one) => one.writeUInt32LE(13, 20)),
      bamRecord({ name: Buffer.from('\0') }),
    ])
      expect(checked(record)).toEqual({ end: record.length, bad: 0 });
  });

  it('are checked as far as the text holds them', () => {
    const text = Buffer.concat([good, good, good]);
    for (let length = 0; length <= text.length; length++)
      expect(checked(text.subarray(0, length))).toEqual({
        end: Math.floor(length / good.length) * good.length,
        bad: 0,
      });
    for (let stop = 0; stop <= text.length; stop++)
      expect(checked(text, stop).end).toBe(Math.ceil(stop / good.length) * good.length);
  });

  it('may have a reference, but no position', () => {
    const has = (...all: Buffer[]): number => {
      checked(Buffer.concat(all));
      return records.hasUnplaced();
    };
    const placed = changed((record) => record.writeInt32LE(0, 8));
    const nowhere = changed((record) => record.writeInt32LE(-1, 4));
    expect([has(placed), has(nowhere), has(placed, good, placed), has(placed)]).toEqual([0, 0, 1, 0]);
  });

  it('are found after the rest of another one', () => {
    const nine = Buffer.concat(Array.from({ length: 9 }, () => good));
    for (const length of [0, 1, 35, 36, 37, 100]) {
      expect(firstIn(Buffer.concat([Buffer.alloc(length, 0xff), nine]))).toBe(length);
      expect(firstIn(Buffer.alloc(length, 0xff))).toBe(length);
    }
    // What looks like seven records is passed over if no record follows; eight are believed.
    const decoys = (count: number): Buffer =>
      Buffer.concat([...Array.from({ length: count }, () => good), Buffer.alloc(40, 0xff), nine]);
    expect([firstIn(decoys(7)), firstIn(decoys(8))]).toEqual([7 * good.length + 40, 0]);
    // One record that is cut off is not believed, but one after another is.
    expect(firstIn(good.subarray(0, -1))).toBe(good.length - 1);
    for (const length of [35, 36, good.length - 1])
      expect(firstIn(Buffer.concat([Buffer.alloc(9, 0xff), good, good.subarray(0, length)]))).toBe(9);
  });
});
