/** What messages say about bytes. */
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { END_BLOCK } from '../../src/codecs/bgzf.js';
import { type Contents, contentsOf } from '../../src/input/damaged.js';

const CASES: readonly (readonly [string, Buffer, Contents['kind'], string])[] = [
  ['gzip', gzipSync('text'), 'compressed', 'gzip'],
  ['BGZF', Buffer.from(END_BLOCK), 'compressed', 'BGZF'],
  ['zstd', Buffer.from('28b52ffd24', 'hex'), 'compressed', 'zstd'],
  ['CRAM', Buffer.from('CRAM\x03\0'), 'compressed', 'CRAM'],
  ['a line', Buffer.from('a\r\n'), 'text', 'text'],
  ['colors and tabs', Buffer.from('\x1b[1ma\tb'), 'text', 'text'],
  ['UTF-8', Buffer.from('\u00e4\u20ac'), 'text', 'text'],
  ['UTF-8 whose last character is cut off', Buffer.from('a\u20ac').subarray(0, 3), 'text', 'text'],
  ['a NUL after the bytes that are looked at', Buffer.from(`${'x'.repeat(64)}\0`), 'text', 'text'],
  ['a NUL', Buffer.from('text\0'), 'other', '74 65 78 74'],
  ['a deleted character', Buffer.from('a\x7f'), 'other', '61 7f'],
  ['bytes that are no UTF-8', Buffer.from('ff', 'hex'), 'other', 'ff'],
  ['gzip with a flipped bit', Buffer.from('1e8b080000', 'hex'), 'other', '1e 8b 08 00'],
];

it.each(CASES)('recognizes %s', (_, head, kind, words) => {
  expect(contentsOf(head)).toEqual({ kind, words });
});
