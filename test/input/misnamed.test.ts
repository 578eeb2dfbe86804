/** Names of inputs that disagree with their first bytes are refused; names that say nothing are not. */
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { END_BLOCK } from '../../src/codecs/bgzf.js';
import { decompressing } from '../../src/input/decompress.js';
import { knownCompression, namedForm, refuseMisnamed } from '../../src/input/misnamed.js';
import { readAll, readerOf } from '../support/streams.js';

const HEADS = {
  gzip: gzipSync('a\n'),
  BGZF: Buffer.from(END_BLOCK),
  zstd: Buffer.from('28b52ffd2400010000', 'hex'),
  skippable: Buffer.from('502a4d1800000000', 'hex'),
  xz: Buffer.from('fd377a585a000004', 'hex'),
  bzip2: Buffer.from('425a6839314159265359', 'hex'),
  lz4: Buffer.from('04224d186440', 'hex'),
  CRAM: Buffer.from('CRAM\x03\0'),
  BAM: Buffer.from('BAM\x01\0\0\0\0'),
  text: Buffer.from('b\na\n'),
  flipped: Buffer.from('1e8b080000', 'hex'),
  empty: Buffer.alloc(0),
  cut: Buffer.from('1f8b', 'hex'),
} as const;
type Head = keyof typeof HEADS;

/** The message, with `x` for the label; null: the name agrees. */
function refusal(name: string | null, head: Head): { message: string; hint: string } | null {
  try {
    refuseMisnamed('x', namedForm(name === null ? null : Buffer.from(name), null), HEADS[head]);
    return null;
  } catch (error) {
    return error as { message: string; hint: string };
  }
}

const agreeing = (name: string | null): string =>
  (Object.keys(HEADS) as Head[]).filter((head) => refusal(name, head) === null).join(' ');

it.each([
  ...['a.gz', 'a.bgz', 'a.bgzf', 'A.GZ', 'dir.d/.gz'].map((name) => [name, 'gzip BGZF CRAM']),
  ['a.zst', 'zstd skippable CRAM'],
  ['a.xz', 'xz CRAM'],
  ['a.bz2', 'bzip2 CRAM'],
  ['a.lz4', 'skippable lz4 CRAM'],
  ['a.bam', 'gzip BGZF CRAM BAM empty'],
  // BAM within another compression.
  ['a.bam.gz', 'gzip BGZF CRAM'],
  ...['a.txt', 'gz', 'a.gz/b', 'a.gz.txt', 'a.tgz', 'a.sam', ''].map((name) => [name, Object.keys(HEADS).join(' ')]),
])('a file named %s may begin with %s', (name, heads) => {
  expect(agreeing(name)).toBe(heads);
});

it('standard input may begin with anything', () => {
  expect(agreeing(null)).toBe(Object.keys(HEADS).join(' '));
});

it('a file named .bam may hold another format that is asked for', () => {
  const formats = ['bam', 'sam', 'bed', null] as const;
  expect(formats.filter((format) => namedForm(Buffer.from('a.bam'), format) === null)).toEqual(['sam', 'bed']);
  expect(namedForm(Buffer.from('a.sam.gz'), 'sam')?.title).toBe('gzip');
});

it.each<[string, Head, string, string]>([
  [
    'a.vcf.gz',
    'text',
    'x: the name says gzip, but the first bytes are text',
    'Rename it if it is not compressed, or pass it by standard input: gpusort ... < x',
  ],
  [
    'a.gz',
    'flipped',
    'x: the name says gzip, but the first bytes are 1e 8b 08 00',
    'Copy the file again. If it is not compressed, pass it by standard input: gpusort ... < x',
  ],
  [
    'a.bgz',
    'zstd',
    'x: the name says BGZF, but the first bytes are those of zstd',
    'Rename it, or pass it by standard input: gpusort ... < x',
  ],
  [
    'a.bam',
    'text',
    'x: the name says BAM, but the first bytes are text',
    'Rename it if it is SAM, or pass it by standard input: gpusort --format sam ... < x',
  ],
  [
    'a.zst',
    'empty',
    'x is empty, but the name says zstd, which has at least a header',
    'Check whether the program that wrote it failed.',
  ],
  [
    'a.gz',
    'cut',
    'x is cut off after byte 2, within the first bytes of gzip',
    'Copy the file again, or write it again.',
  ],
])('says what %s is: %s', (name, head, message, hint) => {
  expect(refusal(name, head)).toMatchObject({ message, hint, code: 'bad-records', exitCode: 2 });
});

it('takes a frame that zstd and lz4 have in common for what the name says', () => {
  const of = (name: string): unknown => knownCompression(HEADS.skippable, namedForm(Buffer.from(name), null));
  expect([of('a.lz4'), of('a.zst'), of('a')]).toEqual(['lz4', 'zstd', 'zstd']);
});

it('refuses streams once their first bytes have come, however few at a time', async () => {
  const named = namedForm(Buffer.from('fifo.gz'), null);
  for (const most of [1, 100]) {
    const read = (head: Head): Promise<Buffer> =>
      readAll(decompressing(readerOf(HEADS[head], most), { label: 'fifo.gz', named, threads: 0 }));
    await expect(read('text')).rejects.toThrow('the first bytes are text');
    await expect(read('empty')).rejects.toThrow('fifo.gz is empty');
    await expect(read('cut')).rejects.toThrow('cut off after byte 2');
    expect(`${await read('gzip')}`).toBe('a\n');
  }
});
