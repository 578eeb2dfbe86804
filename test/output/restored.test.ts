/** The form in which merges write records: that of the output, unless a stage needs records as engines hold them. */
import { expect, it } from 'vitest';
import { streamForm } from '../../src/output/restored.js';
import { changed, job } from '../support/jobs.js';
import { byNumber } from '../support/keyed.js';
import { LINES } from '../support/records.js';

const NULS = { kind: 'lines', delimiter: 0 } as const;
const csv = job({ framing: { kind: 'csv', separator: 44 }, ordering: byNumber({ format: NULS }) });
const bam = changed(csv, { framing: { kind: 'bam' } });
const ON_CPU = { engine: 'cpu', tallied: false } as const;

it.each([
  ['CSV', csv],
  ['FASTQ', changed(csv, { framing: { kind: 'fastq', reads: 2 } })],
  ['FASTA', changed(csv, { framing: { kind: 'fasta' } })],
  ['CSV with a header', changed(csv, { header: { kind: 'records', count: 1 } })],
  ['CSV that is merged', changed(csv, { mode: 'merge' })],
] as const)('has newlines for framed records: %s', (_, framed) => {
  expect(streamForm(framed, ON_CPU)).toBe('newlines');
  expect(streamForm(framed, { ...ON_CPU, engine: 'gpu' })).toBe('newlines');
});

it('is that of BAM on the CPU only', () => {
  expect(streamForm(bam, ON_CPU)).toBe('bam');
  expect(streamForm(bam, { ...ON_CPU, engine: 'gpu' })).toBe('plain');
});

it.each([
  ['lines', changed(csv, { framing: null })],
  ['records without keys', changed(csv, { ordering: { ...LINES, format: NULS } })],
  ['--top', changed(csv, { limit: { count: 1, end: 'first' } })],
  ['--debug', changed(csv, { underline: true })],
  ['--verify', changed(csv, { verify: true })],
  ['mates', changed(csv, { mates: [{ input: null, output: null }] })],
] as const)('is that of the input if later stages restore records: %s', (_, other) => {
  expect(streamForm(other, ON_CPU)).toBe('plain');
});

it('is that of the input if records are counted', () => {
  expect(streamForm(csv, { ...ON_CPU, tallied: true })).toBe('plain');
  expect(streamForm(bam, { ...ON_CPU, tallied: true })).toBe('plain');
});

it.each([
  ['--count', { count: true }],
  ['--dupes-output', { duplicates: { file: Buffer.from('d'), compression: null } }],
] as const)('has keys if a later stage compares them: %s', (_, settings) => {
  expect(streamForm(changed(csv, settings), ON_CPU)).toBe('run');
});
