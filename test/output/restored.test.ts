/**
 * The newlines that end framed records are written by the engines, unless a stage needs records as engines hold them.
 */
import { expect, it } from 'vitest';
import { withOutputDelimiter } from '../../src/output/restored.js';
import { changed, job } from '../support/jobs.js';
import { byNumber } from '../support/keyed.js';
import { LINES } from '../support/records.js';

const NULS = { kind: 'lines', delimiter: 0 } as const;
const csv = job({ framing: { kind: 'csv', separator: 44 }, ordering: byNumber({ format: NULS }) });

it.each([
  ['CSV', csv],
  ['FASTQ', changed(csv, { framing: { kind: 'fastq', reads: 2 } })],
  ['FASTA', changed(csv, { framing: { kind: 'fasta' } })],
  ['CSV with a header', changed(csv, { header: { kind: 'records', count: 1 } })],
] as const)('lets the engine write the newlines of framed records: %s', (_, framed) => {
  expect(withOutputDelimiter(framed, false)).toEqual({
    ...framed,
    ordering: { ...framed.ordering, outputDelimiter: 10 },
  });
});

it.each([
  ['lines', changed(csv, { framing: null })],
  ['BAM', changed(csv, { framing: { kind: 'bam' } })],
  ['records without keys', changed(csv, { ordering: { ...LINES, format: NULS } })],
  ['--count', changed(csv, { count: true })],
  ['--top', changed(csv, { limit: { count: 1, end: 'first' } })],
  ['--debug', changed(csv, { underline: true })],
  ['--verify', changed(csv, { verify: true })],
  ['mates', changed(csv, { mates: [{ input: null, output: null }] })],
] as const)('leaves the newlines of records to later stages: %s', (_, other) => {
  expect(withOutputDelimiter(other, false)).toBe(other);
});

it('leaves the newlines of records to later stages if records are counted', () => {
  expect(withOutputDelimiter(csv, true)).toBe(csv);
});
