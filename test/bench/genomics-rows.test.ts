/**
 * The rows of genomics run from end to end on a few records; their inputs are made; the check finds faults. No GPU. By
 * day a sample of the rows: each format, and each set of programs.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodeBam } from '../support/genomics-bam.js';
import { sampled } from '../support/tier.js';
// @ts-expect-error: plain JavaScript, because the benchmarks run without a build of their own
import { genomicsVerdict, scanGenomics } from './genomics-check.mjs';
// @ts-expect-error
import { generateGenomics } from './genomics-data.mjs';
// @ts-expect-error
import { genomicsInputs, INPUT_NAMES } from './genomics-inputs.mjs';
// @ts-expect-error
import { GENOMICS_ROWS } from './genomics-rows.mjs';

interface Command {
  readonly name: string;
  readonly error: string | null;
  readonly output: string;
  readonly written?: number;
  readonly memory?: number;
}

const RUN = join(import.meta.dirname, 'run.mjs');
const rowOf = (id: string) => GENOMICS_ROWS.find((row: { id: string }) => row.id === id);

let folder: string;
/** Small files instead of those of packages. */
let given: { alignments: string; reads: string };
beforeAll(() => {
  folder = mkdtempSync(join(process.env.GPUSORT_TEST_TMP ?? '/tmp', 'genomics-rows-'));
  given = { alignments: join(folder, 'from.sam'), reads: `${join(folder, 'R1')},${join(folder, 'R2')}` };
  generateGenomics('sam', given.alignments, { records: 40_000 });
  for (const [i, path] of given.reads.split(',').entries())
    generateGenomics(i === 0 ? 'reads' : 'mates', path, { records: 50 });
});
afterAll(() => rmSync(folder, { recursive: true }));

it('says what a missing package is', () => {
  const inputs = genomicsInputs(folder, { ...given, alignments: '/none.bam' });
  expect(inputs.missing('alignments.sam')).toBe(
    '/none.bam is missing: install lumpy-sv-examples, or give --alignments',
  );
  expect([inputs.missing('package pairs.gz'), inputs.missing('sam')]).toEqual([null, null]);
});

it('makes every input; rows name no other', async () => {
  const inside = join(folder, 'inputs');
  mkdirSync(inside);
  const inputs = genomicsInputs(inside, given);
  const formats = new Map<string, string>(
    GENOMICS_ROWS.map(({ genomics }: { genomics: { input: string; format: string } }) => [
      genomics.input,
      genomics.format,
    ]),
  );
  expect([...formats.keys()].filter((name) => !INPUT_NAMES.includes(name))).toEqual([]);
  const counts: Record<string, number> = { 'package pairs.gz': 50, 'alignments.sam': 40, 'alignments.bam': 40 };
  for (const name of INPUT_NAMES.filter((one: string) => inputs.missing(one) === null)) {
    const opened = inputs.open(name, 20_000, 0.001);
    const { records } = await scanGenomics(formats.get(name), opened.inputs);
    expect(records, name).toBe(counts[name] ?? 20);
    opened.close();
  }
}, 60_000);

it('makes the same alignments as BAM and as SAM', () => {
  const [sam, bam] = ['sam', 'bam'].map((kind) => {
    generateGenomics(kind, join(folder, kind), { records: 500 });
    return readFileSync(join(folder, kind));
  });
  expect(encodeBam(sam!.toString('latin1')).equals(bam!)).toBe(true);
});

it('compresses without sorting', () => {
  const [from, to] = [join(folder, 'plain'), join(folder, 'compressed')];
  const text = Buffer.from('some text\n'.repeat(300_000));
  writeFileSync(from, text);
  const { status, stderr } = spawnSync(
    process.execPath,
    [join(import.meta.dirname, 'recompress.mjs'), '1', '2', from, to, to, from],
    { encoding: 'utf8', timeout: 60_000 },
  );
  expect([status, stderr]).toEqual([0, '']);
  expect(gunzipSync(readFileSync(to)).equals(text)).toBe(true);
  expect(readFileSync(from).equals(readFileSync(to))).toBe(true);
});

describe('the check', () => {
  const record = (name: string, bases: string): string => `@${name}\n${bases}\n+\n${'F'.repeat(bases.length)}\n`;
  const reads = [record('b', 'ACGT'), record('a', 'CC'), record('c', 'A'), record('a', 'CC')];
  const path = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const sumOf = async (...files: string[][]): Promise<string> =>
    (
      await scanGenomics(
        'fastq',
        files.map((parts, i) => path(`scan${i}`, parts.join(''))),
      )
    ).checksum;

  it('knows records in any order', async () => {
    const sum = await sumOf(reads);
    expect(await sumOf([...reads].reverse())).toBe(sum);
    for (const wrong of [
      reads.slice(1),
      [...reads, reads[0]!],
      reads.with(0, reads[1]!),
      reads.with(0, record('b', 'ACGA')),
      reads.with(3, reads[3]!.slice(0, -2)),
      [reads[0]!.replace('@b', '@a'), reads[1]!.replace('@a', '@b'), ...reads.slice(2)],
    ])
      expect(await sumOf(wrong)).not.toBe(sum);
  });

  it('finds mates out of step', async () => {
    const mates = reads.map((text) => text.replaceAll('C', 'G'));
    const sum = await sumOf(reads, mates);
    expect(await sumOf([...reads].reverse(), [...mates].reverse())).toBe(sum);
    expect(await sumOf(reads, [...mates].reverse())).not.toBe(sum);
  });

  it('leaves headers out', async () => {
    const scan = (format: string, text: string) => scanGenomics(format, [path('header', text)]);
    expect(await scan('sam', '@HD\tVN:1\n@CO\n1\n2\n')).toEqual(await scan('sam', '2\n1\n'));
    expect((await scan('bed', '#x\n1\n2')).records).toBe(2);
  });

  it('gives verdicts', async () => {
    const row = rowOf('g10');
    const sorted = [2, 0, 1, 3].map((i) => reads[i]!).join('');
    const given = scanGenomics('fastq', [path('given', reads.join(''))]);
    const verdict = (name: string, text: string, reference: string | null, equal = true): Promise<string> =>
      genomicsVerdict(
        name,
        { ...row, genomics: { ...row.genomics, equal } },
        {
          outputs: [path('found', text)],
          references: [path('wanted', reference ?? '')],
          given,
          hasReference: reference !== null,
        },
      );
    const unsorted = reads.join('');
    expect(await verdict('gpusort', sorted, sorted)).toBe('same');
    expect(await verdict('gpusort', sorted, unsorted)).toBe('DIFFERS');
    expect(await verdict('gpusort', sorted, unsorted, false)).toBe('same records, in order');
    expect(await verdict('gpusort', unsorted, null)).toBe('WRONG');
    expect(await verdict('gpusort', sorted.slice(0, -2), sorted)).toBe('WRONG');
    expect(await verdict('seqkit', unsorted, sorted)).toBe('same records');
    expect(await verdict('seqkit', sorted.slice(0, -2), null)).toBe('other records');
  });
});

interface Row {
  readonly id: string;
  readonly programs: readonly string[];
  readonly genomics: { readonly format: string };
}
const TODAY = sampled<Row>(GENOMICS_ROWS, {
  count: 9,
  seed: 1,
  values: ({ programs, genomics }) => [genomics.format, programs.join()],
});

it('runs rows from end to end', () => {
  const docs = join(folder, 'docs/try');
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [
      ...[
        RUN,
        '--rows',
        TODAY.map(({ id }) => id).join(),
        '--scale',
        '0.0005',
        '--runs',
        '1',
        '--dir',
        folder,
        '--docs',
        docs,
      ],
      ...['--alignments', given.alignments, '--reads', given.reads, '--option=--engine=cpu'],
    ],
    { encoding: 'utf8', timeout: 230_000 },
  );
  expect([status, status === 0 || `${stdout}\n${stderr}`]).toEqual([0, true]);
  const left = [...stdout.matchAll(/^Without (.*)$/gm)].map(([, what]) => what);
  for (const what of left) console.log(`bench: not tried: ${what}`);
  const { rows } = JSON.parse(readFileSync(`${docs}.json`, 'utf8')) as { rows: { id: string; commands: Command[] }[] };
  const absent = TODAY.filter(({ id }) => left.some((what) => what!.startsWith(`row ${id}:`)));
  expect(rows.length).toBe(TODAY.length - absent.length);
  for (const { id, commands } of rows) {
    for (const { name, error, output, written } of commands) {
      expect(error, `${id} ${name}`).toBeNull();
      expect(written, `${id} ${name}`).toBeGreaterThan(0);
      if (name.startsWith('gpusort') && name !== 'gpusort recompress')
        expect(['same', 'same records, in order'], `${id} ${name}`).toContain(output);
    }
  }
}, 240_000);
