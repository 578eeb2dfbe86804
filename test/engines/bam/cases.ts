/**
 * What every sort of BAM as it is has to do, against a plain sort of the records: records that span blocks, texts and
 * stretches; damaged input, which is declined.
 */
import { expect, it } from 'vitest';
import { Declined } from '../../../src/contract/engine.js';
import { bamRecord } from '../../records/bam-reference.js';
import { bgzf } from '../../support/genomics-bam.js';
import { header, inOrder, records, type SortedBam } from './sorting.js';

/** Sorts files whose headers have so many bytes; `usual`: in pieces of the usual sizes instead of tiny ones. */
export type SortBam = (files: readonly Buffer[], headerBytes: number, usual?: boolean) => Promise<SortedBam>;

export function casesOfBam(sorted: SortBam): void {
  const some = records(700);
  const head = header();

  it.each([
    ['as samtools writes them', 65_280, 6],
    ['shorter than many records', 300, 1],
    ['stored', 5000, 0],
  ])('is sorted by coordinate from blocks %s', async (_, blockText, level) => {
    const file = bgzf(Buffer.concat([head, ...some]), level, blockText);
    const { text, blocks } = await sorted([file], head.length);
    const expected = inOrder(some);
    expect(text.equals(expected)).toBe(true);
    expect(blocks.equals(expected)).toBe(true);
  });

  it('may have a header longer than a text', async () => {
    const long = header(150_000);
    const { text } = await sorted([bgzf(Buffer.concat([long, ...some]))], long.length);
    expect(text.equals(inOrder(some))).toBe(true);
  });

  it('may have a record longer than a stretch, and bytes in it that look like records', async () => {
    const decoys = Buffer.concat([Buffer.alloc(70_001, 1), ...records(40), Buffer.alloc(20_000)]);
    const all = [...some.slice(0, 50), bamRecord({ reference: 1, body: decoys }), ...some.slice(50, 100)];
    const { blocks } = await sorted([bgzf(Buffer.concat([head, ...all]), 1, 999)], head.length);
    expect(blocks.equals(inOrder(all))).toBe(true);
  });

  it('may be several files, each of which ends inside a block and a stretch', async () => {
    const parts = [some.slice(0, 300), [], some.slice(300, 301), some.slice(301)];
    const files = parts.map((part) => bgzf(Buffer.concat([head, ...part]), 1, 7777));
    const { blocks } = await sorted(files, head.length);
    expect(blocks.equals(inOrder(some))).toBe(true);
  });

  it('is declined if the end of the first of several files is missing', async () => {
    const file = bgzf(Buffer.concat([head, ...some]), 1, 7777);
    await expect(sorted([file.subarray(0, -28), file], head.length)).rejects.toThrow(Declined);
  });

  it('may have no records', async () => {
    const { blocks } = await sorted([bgzf(head)], head.length);
    expect(blocks.length).toBe(0);
  });

  it('is sorted in pieces of the usual sizes', async () => {
    const { blocks } = await sorted([bgzf(Buffer.concat([head, ...some]))], head.length, true);
    expect(blocks.equals(inOrder(some))).toBe(true);
  });

  const whole = bgzf(Buffer.concat([head, ...some]), 1, 9000);
  const changed = (at: number): Buffer => {
    const file = Buffer.from(whole);
    file[at] ^= 0x40;
    return file;
  };
  const malformed = Buffer.from(some[7]);
  malformed[12] = 0;
  const tooShort = Buffer.from(some[7]);
  tooShort.writeUInt16LE(60_000, 16);
  const farthest = Buffer.from(some[7]);
  farthest.writeInt32LE(2 ** 31 - 1, 8);
  const nowhere = Buffer.from(some[7]);
  nowhere.writeInt32LE(-2, 8);
  it.each([
    ['a damaged block', changed(5000)],
    ['a header of another kind', changed(whole.indexOf('BC\x02\0', 60_000, 'latin1'))],
    ['no end block', whole.subarray(0, -28)],
    ['an incomplete block', whole.subarray(0, 60_000)],
    ['bytes after the end block', Buffer.concat([whole, Buffer.alloc(3)])],
    ['an incomplete record', bgzf(Buffer.concat([head, ...some]).subarray(0, -1))],
    ['a record without a name', bgzf(Buffer.concat([head, ...some, malformed]))],
    ['a position that leaves no bit for the strand', bgzf(Buffer.concat([head, ...some, farthest]))],
    ['a position below -1', bgzf(Buffer.concat([head, ...some, nowhere]))],
    ['a record shorter than its fields', bgzf(Buffer.concat([head, ...some, tooShort]))],
  ])('is declined if it has %s', async (_, file) => {
    await expect(sorted([file], head.length)).rejects.toThrow(Declined);
  });
}
