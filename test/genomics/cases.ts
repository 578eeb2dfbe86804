/**
 * Each genomics order through the program on one engine: in one chunk, in chunks and spilled runs, with -r, -u, --top
 * and --bottom, from several files and pipes, with -m and -c. The reference is the order's model.
 */
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { sortOn } from '../battery/here.js';
import { expectSameBytes, freshDirectory } from '../battery/runner.js';
import { bgzf } from '../support/genomics-bam.js';
import { fastq, reads } from '../support/genomics-data.js';
import { sampled } from '../support/tier.js';
import { type Change, expectedOutput, fileOf, plainOutput, SUBJECTS, type Subject, sortedRecords } from './subjects.js';

type Engine = 'cpu' | 'gpu';

/** A way to run a sort: options, their effect, and the distribution of the records over inputs. */
interface Way {
  readonly name: string;
  readonly options: readonly string[];
  readonly change?: Change;
  readonly inputs?: 'one' | 'three' | 'pipe' | 'sorted' | 'compressed';
}

const ALONE: Way = { name: 'one chunk', options: [] };
const CHUNKS = ['--chunk-size', '16K'];
const SPILLED = ['-S', '64K', '--chunk-size', '16K'];
const WAYS: readonly Way[] = [
  { name: 'chunks', options: CHUNKS },
  { name: 'spilled', options: SPILLED },
  { name: '-r', options: ['-r'], change: { reverse: true } },
  { name: '-r, spilled', options: ['-r', ...SPILLED], change: { reverse: true } },
  { name: '-u', options: ['-u'], change: { unique: true } },
  { name: '-ru, chunks', options: ['-ru', ...CHUNKS], change: { reverse: true, unique: true } },
  { name: '--top', options: ['--top', '7'], change: { top: 7 } },
  { name: '--bottom, chunks', options: ['--bottom', '5', ...CHUNKS], change: { bottom: 5 } },
  { name: 'three files', options: [], inputs: 'three' },
  { name: 'three files, spilled', options: SPILLED, inputs: 'three' },
  { name: 'a pipe', options: [], inputs: 'pipe' },
  { name: '-m', options: ['-m'], inputs: 'sorted' },
  { name: '-m -u', options: ['-m', '-u'], inputs: 'sorted', change: { unique: true } },
  { name: 'compressed input', options: [], inputs: 'compressed' },
];

/** The ways in which `npm run test:all` runs these subjects on a software GPU. */
const ON_GPU: Readonly<Record<string, string>> = {
  'FASTQ by natural': 'chunks',
  'FASTQ by seq': 'spilled',
  'wrapped FASTA by length': '-r',
  'sam by coordinate as samtools': 'chunks',
  'bam by queryname as samtools': '-m',
  'BED of 6 columns': 'three files',
  VCF: '--top',
};

const FORMATS = [...new Set(SUBJECTS.map(({ format }) => format))];

interface Case {
  readonly subject: Subject;
  readonly way: Way;
}

/** -u is refused for alignments. */
const isPossible = ({ format }: Subject, { change }: Way): boolean =>
  !change?.unique || (format !== 'sam' && format !== 'bam');

/** The subjects and ways of this run, drawn from all. */
function casesOn(engine: Engine, formats: readonly string[]): readonly Case[] {
  const subjects = SUBJECTS.filter(({ format }) => formats.includes(format));
  const all = subjects.flatMap((subject) =>
    [ALONE, ...WAYS].filter((way) => isPossible(subject, way)).map((way): Case => ({ subject, way })),
  );
  const orderOf = ({ options }: Subject): string => options.join(' ');
  return engine === 'gpu'
    ? sampled(all, {
        count: 1,
        seed: 1,
        values: ({ subject }) => [subject.format],
        always: ({ subject, way }) => ON_GPU[subject.name] === way.name,
      })
    : sampled(all, {
        count: 2.5 * subjects.length,
        seed: 1,
        values: ({ subject, way }) => [orderOf(subject), subject.name.replace(/ by .*/, ''), way.name],
        always: ({ way }) => way === ALONE,
      });
}

/** Thirds of a list, in its order. */
function thirds<T>(records: readonly T[]): T[][] {
  const size = Math.ceil(records.length / 3);
  return [0, 1, 2].map((i) => records.slice(i * size, (i + 1) * size));
}

/** Runs a subject in a way, and compares. */
async function check(engine: Engine, subject: Subject, { options, change, inputs = 'one' }: Way): Promise<void> {
  const cwd = freshDirectory('genomics');
  const spill = freshDirectory('spill');
  const parts = inputs === 'three' || inputs === 'sorted' ? thirds(subject.records) : [subject.records];
  const files = parts.map((records) =>
    fileOf(subject, inputs === 'sorted' ? sortedRecords({ ...subject, records }) : records),
  );
  const names = files.map((bytes, i) => {
    const compressed = inputs === 'compressed' || (subject.format === 'bam' && i !== 1);
    writeFileSync(join(cwd, `in${i}`), compressed ? bgzf(bytes, 1, 5000) : bytes);
    return `in${i}`;
  });
  const args = [...subject.options, ...options, '-T', spill];
  const { status, stdout, stderr } = await (inputs === 'pipe'
    ? sortOn(engine)(args, { cwd, stdin: files[0] })
    : sortOn(engine)([...args, ...names], { cwd }));
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  const expected = expectedOutput(subject, change);
  const actual = plainOutput(subject, stdout);
  // Picard's changes of headers are not promised, so only records are compared.
  if (subject.options.includes('picard')) expectSameEnd(actual, expected, change, subject);
  else expectSameBytes(actual, expected);
  expect(readdirSync(spill)).toEqual([]);
}

/** Compares the bytes after the headers, by the length of the expected records. */
function expectSameEnd(actual: Buffer, expected: Buffer, change: Change | undefined, subject: Subject): void {
  const header = fileOf({ ...subject, header: subject.headerAfter(change?.reverse ?? false) }, []).length;
  const records = expected.subarray(header);
  expectSameBytes(actual.subarray(-records.length), records);
}

/** Registers the tests of an engine. */
export function genomics(engine: Engine, formats: readonly string[] = FORMATS): void {
  for (const { subject, way } of casesOn(engine, formats))
    it(`sorts ${subject.name}: ${way.name}`, () => check(engine, subject, way));
}

/**
 * Registers a test of --by similar, for which there is no model: the GPU engine must write the same as the CPU engine.
 */
export function similarOnGpu(): void {
  it('sorts FASTQ by similarity like the CPU engine', async () => {
    const cwd = freshDirectory('genomics');
    writeFileSync(join(cwd, 'in'), fastq(reads(54, 300)), 'latin1');
    const args = ['--format', 'fastq', '--by', 'similar', 'in'];
    const { status, stdout } = await sortOn('cpu')(args, { cwd });
    const ours = await sortOn('gpu')([...args, ...CHUNKS], { cwd });
    expect({ statuses: [status, ours.status], stderr: ours.stderr }).toEqual({ statuses: [0, 0], stderr: '' });
    expectSameBytes(ours.stdout, stdout);
  });
}

/** Registers the tests of -c, which knows no engine. */
export function checks(): void {
  const some = sampled(SUBJECTS, { count: 18, seed: 1, values: ({ format, options }) => [format, options.at(-1)!] });
  for (const subject of some)
    it(`accepts sorted ${subject.name} under -c and finds two records out of order`, async () => {
      const cwd = freshDirectory('genomics');
      const records = sortedRecords(subject);
      // The first two neighbors that differ, in the wrong order.
      const at = records.findIndex((record, k) => k > 0 && subject.compare(records[k - 1], record) < 0);
      const swapped = records.with(at - 1, records[at]).with(at, records[at - 1]);
      writeFileSync(join(cwd, 'sorted'), fileOf(subject, records));
      writeFileSync(join(cwd, 'swapped'), fileOf(subject, swapped));
      const sort = sortOn('cpu');
      expect(await sort([...subject.options, '-c', 'sorted'], { cwd })).toMatchObject({ status: 0, stderr: '' });
      const { status, stderr } = await sort([...subject.options, '-c', 'swapped'], { cwd });
      expect({ status, found: /^gpusort: swapped:.*disorder/.test(stderr) }).toEqual({ status: 1, found: true });
      expect(await sort([...subject.options, '-C', 'swapped'], { cwd })).toMatchObject({ status: 1, stderr: '' });
    });
}
