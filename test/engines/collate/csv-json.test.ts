/** --locale with --csv and --json: the collator compares decoded field and value texts. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { gpusortHere } from '../../cli/here.js';
import { gpusort, withDirectory } from '../../cli/run.js';
import { parseCsv } from '../../keys/csv-reference.js';
import { randomBelow } from '../../support/random.js';
import { sampled } from '../../support/tier.js';

const below = randomBelow(71);
const NAMES = ['Zebra', 'Apfel', 'Äpfel', 'apfel', 'Öl', 'ol', 'Ähre, reif', 'a "b"', 'ä\nb', 'ae', '', 'ß', 'ss'];

interface Row {
  readonly id: number;
  readonly name: string;
  readonly n: number;
  readonly csv: string;
  readonly json: string;
}
const ROWS = Array.from({ length: 1500 }, (_, id): Row => {
  const [name, n] = [NAMES[below(NAMES.length)] + below(20), below(9)];
  const quoted = /[",\n]/.test(name) || below(2) === 0 ? `"${name.replaceAll('"', '""')}"` : name;
  const json = JSON.stringify({ id, name, n });
  return { id, name, n, csv: `${id},${quoted},${n}`, json: below(2) === 0 ? json : json.replaceAll('ä', '\\u00e4') };
});

type Compare = (a: Row, b: Row) => number;
const collator = new Intl.Collator('de');
const byName: Compare = (a, b) => collator.compare(a.name, b.name);
const byFolded: Compare = (a, b) => collator.compare(a.name.toLocaleUpperCase('de'), b.name.toLocaleUpperCase('de'));
const raw = ({ csv }: Row): string => parseCsv(csv)[0].raw;
const byRaw: Compare = (a, b) => collator.compare(raw(a), raw(b)) || (raw(a) < raw(b) ? -1 : 1);

const textOf = (form: 'csv' | 'json', rows: readonly Row[]): string =>
  (form === 'csv' ? 'id,"the ""name""",n\n' : '') + rows.map((row) => `${row[form]}\n`).join('');

/** Keys, and the order that they define. */
const CASES: readonly { readonly form: 'csv' | 'json'; readonly keys: readonly string[]; readonly order: Compare }[] = [
  { form: 'csv', keys: ['-s', '-k', 'the "name"'], order: byName },
  { form: 'csv', keys: ['-s', '-k3,3n', '-k', 'the "name":fr'], order: (a, b) => a.n - b.n || byFolded(b, a) },
  // Equal keys are ordered by entire records.
  { form: 'csv', keys: ['-kn'], order: (a, b) => a.n - b.n || byRaw(a, b) },
  { form: 'json', keys: ['-s', '--json', 'name'], order: byName },
  { form: 'json', keys: ['-s', '--json', 'n:n', '--json', 'name:f'], order: (a, b) => a.n - b.n || byFolded(a, b) },
];
const WAYS: Readonly<Record<string, readonly string[]>> = {
  'in one chunk': [],
  'in chunks and runs': ['--chunk-size', '4K', '-S', '64K'],
  'by a merge': ['-m'],
};
const RUNS = CASES.flatMap((one) => Object.keys(WAYS).map((way) => ({ ...one, way })));

describe('--locale=de', () => {
  it.each(sampled(RUNS, { count: Infinity, seed: 1, values: ({ keys, way }) => [keys.join(' '), way] }))(
    'sorts $form by $keys, $way',
    ({ form, keys, order, way }) =>
      withDirectory(async (cwd) => {
        // Sorted files, if they are merged.
        const parts = way === 'by a merge' ? [ROWS.slice(0, 700).sort(order), ROWS.slice(700).sort(order)] : [ROWS];
        for (const [i, part] of parts.entries()) writeFileSync(join(cwd, `${i}`), textOf(form, part));
        const args = ['--locale=de', ...(form === 'csv' ? ['--csv'] : []), ...keys, ...WAYS[way]];
        const { stdout, ...ended } = await gpusortHere([...args, ...parts.keys()].map(String), { cwd });
        expect(ended).toEqual({ status: 0, signal: null, stderr: '' });
        const sorted = Buffer.from(textOf(form, parts.flat().sort(order))).toString('latin1');
        expect(stdout === sorted).toBe(true);
        writeFileSync(join(cwd, 'sorted'), stdout, 'latin1');
        expect((await gpusortHere([...args.filter((word) => word !== '-m'), '-c', 'sorted'], { cwd })).status).toBe(0);
      }),
  );

  it('checks CSV on a pipe', () => {
    const input = Buffer.from('x,y\n1,"z"\n2,ä\n').toString('latin1');
    expect(gpusort(['--locale=de', '--csv', '-k', 'y', '-c'], { input })).toMatchObject({
      status: 1,
      stderr: 'gpusort: -:3: disorder: 2,\xc3\xa4\n',
    });
  });
});
