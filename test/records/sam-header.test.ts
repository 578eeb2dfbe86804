/** SAM headers for another order: contigs, and @HD as samtools and Picard write it. */
import { expect, it } from 'vitest';
import { refuseForeign } from '../../src/records/formats.js';
import { contigsOf, type HeaderOrder, sortedHeader, withReferenceLines } from '../../src/records/headers.js';

const COORDINATE: HeaderOrder = { by: 'coordinate', reverse: false, as: 'samtools' };
const bytes = (text: string): Buffer => Buffer.from(text, 'latin1');
const sorted = (text: string, order: Partial<HeaderOrder> = {}): string =>
  sortedHeader(bytes(text), { ...COORDINATE, ...order }).toString('latin1');

it.each<[string, Partial<HeaderOrder>, string, string]>([
  ['inserts @HD into an empty header', {}, '', '@HD\tVN:1.6\tSO:coordinate\n'],
  ['inserts @HD before all other lines', {}, '@SQ\tSN:a\n', '@HD\tVN:1.6\tSO:coordinate\n@SQ\tSN:a\n'],
  ['moves @HD to the beginning', {}, '@CO\t@HD\tx\n@HD\tVN:1.0\n', '@HD\tVN:1.0\tSO:coordinate\n@CO\t@HD\tx\n'],
  ['changes only the first @HD', {}, '@HD\tVN:1\n@HD\tVN:2\tSO:x\n', '@HD\tVN:1\tSO:coordinate\n@HD\tVN:2\tSO:x\n'],
  ['ends the last line of the header with a newline', {}, '@SQ\tSN:a\n@HD\tSO:x', '@HD\tSO:coordinate\n@SQ\tSN:a\n'],
  ['ends the last line after @HD with a newline', {}, '@HD\tSO:x\n@CO\ty', '@HD\tSO:coordinate\n@CO\ty\n'],
  ['sets SO of @HD in place', {}, '@HD\tSO:unsorted\tXX:\xff\tVN:1.0\n', '@HD\tSO:coordinate\tXX:\xff\tVN:1.0\n'],
  ['removes SS and GO from @HD', {}, '@HD\tVN:1.0\tGO:query\tSS:a:b\tYY:1\n', '@HD\tVN:1.0\tYY:1\tSO:coordinate\n'],
  ['changes only the first of two SO fields', {}, '@HD\tGO:q\tSO:a\tSO:b\tGO:r\n', '@HD\tSO:coordinate\tSO:b\tGO:r\n'],
  ['keeps CR at the ends of header lines', {}, '@HD\tSO:x\r\n@CO\ty\r\n', '@HD\tSO:coordinate\r\n@CO\ty\r\n'],
  ['inserts @HD with CR if the other lines have it', {}, '@CO\ty\r\n', '@HD\tVN:1.6\tSO:coordinate\r\n@CO\ty\r\n'],
  [
    'describes the order queryname in SO and SS',
    { by: 'queryname' },
    '@HD\tVN:1\n',
    '@HD\tVN:1\tSO:queryname\tSS:queryname:natural\n',
  ],
  ['sets SS of @HD in place', { by: 'queryname' }, '@HD\tSS:a\tSO:b\n', '@HD\tSS:queryname:natural\tSO:queryname\n'],
  [
    'describes the order queryname-ascii in SO and SS',
    { by: 'queryname-ascii' },
    '@HD\tVN:1\tGO:none\n',
    '@HD\tVN:1\tSO:queryname\tSS:queryname:lexicographical\n',
  ],
  ['describes an order by tag in SS', { by: 'tag:CB' }, '', '@HD\tVN:1.6\tSO:unsorted\tSS:unsorted:CB:coordinate\n'],
  [
    'writes SO:unknown for a reversed order',
    { reverse: true },
    '@HD\tVN:1\tSO:coordinate\tGO:none\n',
    '@HD\tVN:1\tSO:unknown\n',
  ],
  [
    'writes SO:unknown and removes SS for reversed names',
    { reverse: true, by: 'queryname' },
    '@HD\tSS:queryname:natural\n',
    '@HD\tSO:unknown\n',
  ],
  [
    'keeps GO and removes SS like Picard',
    { as: 'picard' },
    '@HD\tGO:none\tVN:1.5\tSS:a\n',
    '@HD\tGO:none\tVN:1.5\tSO:coordinate\n',
  ],
  [
    'writes SO:queryname without SS like Picard',
    { as: 'picard', by: 'queryname' },
    '@HD\tVN:1.5\n',
    '@HD\tVN:1.5\tSO:queryname\n',
  ],
])('%s', (_, order, text, expected) => {
  expect(sorted(text, order)).toBe(expected);
});

it('lists the contigs of @SQ lines in their order', () => {
  const text = '@HD\tVN:1\n@SQ\tSN:z\tLN:1\n@CO\t@SQ\tSN:no\n@SQ\tLN:2\tSN:a\r\n@SQ\tLN:3\tSN:\xe9\tAN:b';
  expect(Buffer.from(contigsOf('sam', bytes(text), null, 'x')).toString('latin1')).toBe('z\na\n\xe9\n');
  expect(contigsOf('sam', bytes('@HD\tVN:1\n'), null, 'x').length).toBe(0);
});

it.each([
  ['@SQ\tSN:a\tLN:1\n@SQ\tSN:b\n@SQ\tLN:2\tSN:a\n', 'x.sam: the header lists a contig twice: @SQ\tLN:2\tSN:a'],
  ['@SQ\tLN:1\n', 'x.sam: an @SQ line of the header has no name (SN): @SQ\tLN:1'],
  ['@SQ\tSN:\n', 'x.sam: an @SQ line of the header has no name (SN): @SQ\tSN:'],
])('refuses the contigs of the SAM header %j', (text, message) => {
  expect(() => contigsOf('sam', bytes(text), null, 'x.sam')).toThrow(
    expect.objectContaining({ code: 'bad-records', message }) as Error,
  );
});

const references = [...'abc'].map((name, i) => ({ name: bytes(name), length: i }));

it.each([
  ['', '@SQ\tSN:a\tLN:0\n@SQ\tSN:b\tLN:1\n@SQ\tSN:c\tLN:2\n'],
  ['@HD\tVN:1\n@CO\tx', '@HD\tVN:1\n@CO\tx\n@SQ\tSN:a\tLN:0\n@SQ\tSN:b\tLN:1\n@SQ\tSN:c\tLN:2\n'],
  ['@SQ\tLN:9\tSN:b\n@CO\tx\n', '@SQ\tLN:9\tSN:b\n@SQ\tSN:a\tLN:0\n@SQ\tSN:c\tLN:2\n@CO\tx\n'],
  ['@SQ\tSN:c\n@SQ\tSN:b\n@SQ\tSN:a\n', '@SQ\tSN:c\n@SQ\tSN:b\n@SQ\tSN:a\n'],
  ['@SQ\tSN:c\n@CO\tx\n@SQ\tSN:b\n', '@SQ\tSN:c\n@CO\tx\n@SQ\tSN:b\n@SQ\tSN:a\tLN:0\n'],
])('adds @SQ lines for references that the header %j lacks', (text, expected) => {
  expect(withReferenceLines(bytes(text), references).toString('latin1')).toBe(expected);
});

it('refuses CRAM and BCF and shows the pipeline to use', () => {
  expect(() => refuseForeign(bytes('CRAM\x03\x00'), 'a.cram')).toThrow(
    expect.objectContaining({
      code: 'bad-records',
      message: 'a.cram: gpusort does not read CRAM',
      hint: 'Convert it: samtools view -h a.cram | gpusort --format sam',
    }) as Error,
  );
  expect(() => refuseForeign(bytes('BCF\x02\x02'), '-')).toThrow(
    expect.objectContaining({ hint: 'Convert it: bcftools view - | gpusort --format vcf' }) as Error,
  );
  for (const other of ['', 'CRA', 'BAM\x01', 'CRAN', 'CRAM1\t5\t6\n', 'BCF\n']) refuseForeign(bytes(other), 'x');
});
