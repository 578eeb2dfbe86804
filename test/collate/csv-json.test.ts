/** --locale with --csv and --json: the collator compares decoded field and value texts. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { expectSameBytes, freshDirectory, gpusort, script } from '../battery/runner.js';
import { parseCsv } from '../keys/csv-reference.js';
import { randomBelow } from '../support/random.js';

const below = randomBelow(71);
const NAMES = ['Zebra', 'Apfel', 'Äpfel', 'apfel', 'Öl', 'ol', 'Ähre, reif', 'a "b"', 'ä\nb', 'ae', '', 'ß', 'ss'];
const rows = Array.from({ length: 1500 }, (_, i) => ({
  id: i,
  name: NAMES[below(NAMES.length)] + below(20),
  n: below(9),
}));
type Row = (typeof rows)[number];
const csvOf = ({ id, name, n }: Row): string =>
  `${id},${/[",\n]/.test(name) || below(2) === 0 ? `"${name.replaceAll('"', '""')}"` : name},${n}`;
const jsonOf = (row: Row): string =>
  below(2) === 0 ? JSON.stringify(row) : JSON.stringify(row).replaceAll('ä', '\\u00e4');

const collator = new Intl.Collator('de');
const byName = (a: Row, b: Row): number => collator.compare(a.name, b.name);
const fold = (name: string): string => name.toLocaleUpperCase('de');
let cwd = '';
let texts: Map<Row, string>;
const textOf = (list: readonly Row[], header = ''): Buffer =>
  Buffer.from(header + list.map((row) => `${texts.get(row)}\n`).join(''));
beforeAll(() => {
  cwd = freshDirectory('collated-csv');
});

async function same(args: readonly string[], expected: Buffer, stdin?: Buffer): Promise<void> {
  const { status, stderr, stdout } = await gpusort(['--locale=de', ...args], { cwd, ...(stdin && { stdin }) });
  expect({ args, status, stderr }).toEqual({ args, status: 0, stderr: '' });
  expectSameBytes(stdout, expected);
}

describe('CSV', () => {
  const HEADER = 'id,"the ""name""",n\n';
  const NAME = ['--csv', '-k', 'the "name"'];
  beforeAll(() => {
    texts = new Map(rows.map((row) => [row, csvOf(row)]));
    writeFileSync(join(cwd, 'csv'), textOf(rows, HEADER));
    writeFileSync(join(cwd, 'a.csv'), textOf(rows.slice(0, 700).sort(byName), HEADER));
    writeFileSync(join(cwd, 'b.csv'), textOf(rows.slice(700).sort(byName), HEADER));
  });

  it('is sorted by field name, from files and pipes, in chunks and runs', async () => {
    const expected = textOf([...rows].sort(byName), HEADER);
    await same([...NAME, '-s', 'csv'], expected);
    await same([...NAME, '-s', '--chunk-size', '4K', '-S', '64K'], expected, textOf(rows, HEADER));
    await same(
      ['--csv', '-k3,3n', '-k', 'the "name":fr', '-s', 'csv'],
      textOf(
        [...rows].sort((a, b) => a.n - b.n || collator.compare(fold(b.name), fold(a.name))),
        HEADER,
      ),
    );
  });

  it('is ordered by entire records if keys are equal', async () => {
    const raw = (row: Row): string => parseCsv(texts.get(row)!)[0].raw;
    await same(
      ['--csv', '-kn', 'csv'],
      textOf(
        [...rows].sort(
          (a, b) =>
            a.n - b.n || collator.compare(raw(a), raw(b)) || Buffer.compare(Buffer.from(raw(a)), Buffer.from(raw(b))),
        ),
        HEADER,
      ),
    );
  });

  it('is merged and checked', async () => {
    await same(
      [...NAME, '-s', '-m', 'a.csv', 'b.csv'],
      textOf([...rows.slice(0, 700).sort(byName), ...rows.slice(700).sort(byName)].sort(byName), HEADER),
    );
    expect(await script(`cat a.csv | gpusort --locale=de --csv -k 'the "name"' -s -c`, { cwd })).toMatchObject({
      status: 0,
      stderr: '',
    });
    expect(await script('printf \'x,y\\n1,"z"\\n2,ä\\n\' | gpusort --locale=de --csv -k y -c', { cwd })).toMatchObject({
      status: 1,
      stderr: 'gpusort: -:3: disorder: 2,\xc3\xa4\n',
    });
  });
});

describe('JSON', () => {
  beforeAll(() => {
    texts = new Map(rows.map((row) => [row, jsonOf(row)]));
  });

  it('is sorted by a string, from files and pipes, in chunks and runs', async () => {
    const expected = textOf([...rows].sort(byName));
    await same(['--json', 'name', '-s'], expected, textOf(rows));
    await same(['--json', 'name', '-s', '--chunk-size', '4K', '-S', '64K'], expected, textOf(rows));
    await same(
      ['--json', 'n:n', '--json', 'name:f', '-s'],
      textOf([...rows].sort((a, b) => a.n - b.n || collator.compare(fold(a.name), fold(b.name)))),
      textOf(rows),
    );
  });
});
