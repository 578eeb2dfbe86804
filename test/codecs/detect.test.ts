/** Compression is recognized by the first bytes, and text is not mistaken for it. */
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { END_BLOCK } from '../../src/codecs/bgzf.js';
import {
  bytesToDetect,
  detectCompression,
  isSkippable,
  isTooShort,
  isUndecided,
  type KnownCompression,
  packedForm,
} from '../../src/codecs/detect.js';

const bytes = (hex: string): Buffer => Buffer.from(hex.replaceAll(' ', ''), 'hex');

const HEADS: readonly (readonly [string, Buffer, KnownCompression | null])[] = [
  ['gzip', gzipSync('text'), 'gzip'],
  ['BGZF', Buffer.from(END_BLOCK), 'bgzf'],
  [
    'BGZF with another field before BC',
    bytes('1f8b0804 00000000 00ff 0b00 5858 0100 07 4243 0200 2000 0300 0000000000000000'),
    'bgzf',
  ],
  ['gzip with another extra field', bytes('1f8b0804 00000000 00ff 0500 5858 0100 07 0300 0000000000000000'), 'gzip'],
  [
    'gzip whose BC field lies about its end',
    bytes('1f8b0804 00000000 00ff 0600 4243 0300 1b00 0300 0000000000000000'),
    'gzip',
  ],
  ['gzip that is cut off in its extra field', bytes('1f8b0804 00000000 00ff 0600 4243'), 'gzip'],
  ['zstd', bytes('28b52ffd 2400 01 0000'), 'zstd'],
  ['zstd after a frame to be skipped', bytes('5f2a4d18 00000000 28b52ffd'), 'zstd'],
  ['xz', bytes('fd377a585a00 0004'), 'xz'],
  ['bzip2', bytes('425a68 39 314159265359'), 'bzip2'],
  ['empty bzip2', bytes('425a68 31 177245385090'), 'bzip2'],
  ['lz4', bytes('04224d18 64 40'), 'lz4'],
  ['lz4 of the older format', bytes('02214c18 05000000'), 'lz4'],
  ['CRAM', bytes('4352414d 03 00'), 'cram'],
  ['text that begins as bzip2 does', Buffer.from('BZh9 is a name\n'), null],
  ['text that begins as CRAM does', Buffer.from('CRAMPED\n'), null],
  ['text', Buffer.from('@HD\tVN:1.6\n'), null],
  ['nothing', Buffer.alloc(0), null],
  ['two bytes of gzip', bytes('1f8b'), null],
];

it.each(HEADS)('detects the compression of %s', (_, head, compression) => {
  expect(detectCompression(head)).toBe(compression);
});

it('needs no more bytes than show the form, however few come at once', () => {
  const forms = ['PAR1\x15', 'PK\x03\x04', 'ARROW1\0', 'BCF\x02', 'BAM\x01', 'Obj\x01', 'SQLite format 3\0'];
  const samples = [...HEADS.map(([, head]) => head), ...forms.map((text) => Buffer.from(`${text} and more`, 'latin1'))];
  const shownBy = (head: Buffer): string | null => detectCompression(head) ?? packedForm(head);
  for (const sample of samples) {
    let length = 0;
    while (length < sample.length && isUndecided(sample.subarray(0, length))) length++;
    expect(shownBy(sample.subarray(0, length)), sample.toString('latin1')).toBe(shownBy(sample));
    expect(length).toBeLessThanOrEqual(18 + 12);
  }
  expect(isUndecided(Buffer.from('b\na\n'))).toBe(false);
  expect(isUndecided(Buffer.from('P'))).toBe(true);
});

it('asks for the whole extra field of gzip and for ten bytes of everything else', () => {
  expect(bytesToDetect(Buffer.alloc(0))).toBe(10);
  expect(bytesToDetect(gzipSync('text'))).toBe(10);
  expect(bytesToDetect(END_BLOCK.subarray(0, 10))).toBe(12);
  expect(bytesToDetect(END_BLOCK)).toBe(18);
  expect(bytesToDetect(bytes('1f8b0804 00000000 00ff 0201'))).toBe(12 + 258);
});

it('knows beginnings that are too short to be recognized, and nothing else', () => {
  const wholes: readonly (readonly [KnownCompression, Buffer])[] = [
    ['gzip', bytes('1f8b0800')],
    ['bgzf', bytes('1f8b0804')],
    ['zstd', bytes('28b52ffd')],
    ['zstd', bytes('5a2a4d18')],
    ['xz', bytes('fd377a585a00')],
    ['bzip2', bytes('425a6835 314159265359')],
    ['bzip2', bytes('425a6831 177245385090')],
    ['lz4', bytes('04224d18')],
  ];
  for (const [compression, whole] of wholes) {
    for (let length = 1; length < whole.length; length++)
      expect(isTooShort(whole.subarray(0, length), compression)).toBe(true);
    const other = Buffer.from(whole);
    other[0] ^= 0x80;
    for (const head of [whole, other.subarray(0, 1), Buffer.alloc(0)])
      expect(isTooShort(head, compression)).toBe(false);
  }
  expect(isTooShort(bytes('1f8b'), 'zstd')).toBe(false);
});

it('knows the frame that zstd and lz4 have in common', () => {
  expect(['502a4d18', '5f2a4d1800', '602a4d18', '28b52ffd', '502a4d'].map((hex) => isSkippable(bytes(hex)))).toEqual([
    ...[true, true],
    ...[false, false, false],
  ]);
});
