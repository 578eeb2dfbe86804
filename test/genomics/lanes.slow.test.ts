/**
 * SAM and BAM of several lanes against `samtools merge`: the same header lines and the same records, up to the suffixes
 * of IDs and the place of the changed tags, which samtools moves to the end. IDs are therefore replaced by what their
 * lines say, without suffixes. Equal lines are one here; samtools makes two of them, unless -c or -p is given.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { sortOn } from '../battery/here.js';
import { expectSameBytes, freshDirectory } from '../battery/runner.js';
import { encodeBam } from '../support/genomics-bam.js';
import { alignments, CONTIG_LINES, CONTIGS, sam } from '../support/genomics-data.js';
import { alignmentOrder, ordered } from '../support/genomics-models.js';
import { itWith, oracle } from './oracles.js';

const names = CONTIGS.map(([name]) => name);

/** A lane in order, whose records have these tags in turn. */
function lane(seed: number, header: readonly string[], tags: readonly string[]): string {
  const lines = alignments(seed, 200, true).map((line, i) =>
    [line, ...tags[i % tags.length].split(' ').filter((tag) => tag !== '')].join('\t'),
  );
  const head = header.map((line) => `${line.replaceAll(' ', '\t')}\n`).join('');
  return sam(ordered(lines, alignmentOrder('coordinate', names)), `@HD\tVN:1.6\tSO:coordinate\n${CONTIG_LINES}${head}`);
}

const LANE_TAGS = ['RG:Z:lane', 'RG:Z:lane PG:Z:bwa', '', 'PG:Z:fix', 'PG:Z:bwa XX:i:1 RG:Z:both'];
const chain = (file: string): string[] => [`@PG ID:bwa CL:${file}`, '@PG ID:fix PP:bwa', '@PG ID:sort PN:s PP:fix'];
const groups = (sample: string): string[] => [`@RG ID:lane SM:${sample}`, '@RG ID:both SM:all PG:bwa'];

const CASES: Readonly<Record<string, readonly string[]>> = {
  'equal lines of read groups': [
    lane(1, [...groups('s'), ...chain('a'), '@CO a'], LANE_TAGS),
    lane(2, [...groups('s'), ...chain('a'), '@CO b'], LANE_TAGS),
  ],
  'read groups with one ID': [
    lane(3, [...groups('s'), ...chain('a'), '@CO a'], LANE_TAGS),
    lane(4, [...groups('t'), ...chain('a'), '@CO b'], LANE_TAGS),
  ],
  'chains of programs': [
    lane(5, [...chain('a'), ...groups('s'), '@CO a'], LANE_TAGS),
    lane(6, [...chain('b').reverse(), ...groups('s'), '@CO b'], LANE_TAGS),
  ],
  'no read groups in one lane': [
    lane(7, chain('a'), ['PG:Z:bwa', '']),
    lane(8, [...groups('t'), ...chain('b'), '@CO b'], LANE_TAGS),
  ],
  'three lanes': ['a', 'b', 'c'].map((name, i) =>
    lane(9 + i, [...groups(name), ...chain(name), `@CO ${name}`], LANE_TAGS),
  ),
  'records without read groups': [
    lane(12, [...groups('s'), ...chain('a'), '@CO a'], ['']),
    lane(13, [...groups('t'), ...chain('b'), '@CO b'], ['', 'NM:i:0']),
  ],
};

/** The lines of a header, each once, and the records, with IDs replaced by what their lines say. */
function meaning(text: string): string {
  const lines = text.split('\n').slice(0, -1);
  const fieldsOf = new Map<string, string[]>();
  for (const line of lines) {
    const [kind, ...fields] = line.split('\t');
    const id = fields.find((field) => field.startsWith('ID:'))?.slice(3);
    if (kind === '@RG' || kind === '@PG') fieldsOf.set(`${kind.slice(1)} ${id}`, fields);
  }
  const said = (kind: string, id: string): string =>
    `<${(fieldsOf.get(`${kind} ${id}`) ?? ['missing'])
      .map((field) => {
        const [name, value] = [field.slice(0, 2), field.slice(3)];
        if (name === 'ID') return value.replace(/-[0-9A-F]+$/, '');
        return name === 'PP' || name === 'PG' ? said('PG', value) : field;
      })
      .join(' ')}>`;
  const header = lines.filter((line) => line.startsWith('@') && !/^@(RG|PG)\t/.test(line));
  const described = [...fieldsOf.keys()].map((key) => `${key.slice(0, 2)} ${said(key.slice(0, 2), key.slice(3))}`);
  const records = lines
    .filter((line) => !line.startsWith('@'))
    .map((line) => {
      const fields = line
        .split('\t')
        .map((field, i) =>
          i < 11 ? field : field.replace(/^(RG|PG):Z:(.*)/, (_, kind, id) => `${kind}:${said(kind, id)}`),
        );
      return [...fields.slice(0, 11), ...fields.slice(11).sort()].join('\t');
    });
  return [...header, ...[...new Set(described)].sort(), ...records, ''].join('\n');
}

const COMBINED = [
  ['', []],
  ['-c', ['--combine-rg']],
  ['-p', ['--combine-pg']],
  ['-c -p', ['--combine-rg', '--combine-pg']],
] as const;

for (const [what, lanes] of Object.entries(CASES))
  for (const [theirs, ours] of COMBINED)
    for (const form of ['sam', 'bam'] as const)
      itWith('samtools')(`merges ${form} like samtools merge ${theirs}: ${what}`.replace(' :', ':'), async () => {
        const cwd = freshDirectory('lanes');
        const files = Object.fromEntries(
          lanes.map((text, i) => [`${i}.${form}`, form === 'sam' ? text : encodeBam(text)]),
        );
        for (const [name, content] of Object.entries(files)) writeFileSync(join(cwd, name), content, 'latin1');
        const inputs = Object.keys(files).join(' ');
        const expected = meaning(oracle(`samtools merge --no-PG ${theirs} -O sam -o - ${inputs}`, files));
        for (const mode of [[], ['-m']]) {
          const args = [...mode, '--format', form, ...ours, ...Object.keys(files)];
          const { status, stdout, stderr } = await sortOn('cpu')(args, { cwd });
          expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
          const text = form === 'sam' ? stdout.toString('latin1') : oracle('samtools view -h --no-PG x', { x: stdout });
          expectSameBytes(Buffer.from(meaning(text), 'latin1'), Buffer.from(expected, 'latin1'));
        }
      });

/** Lanes with lists of sequences of their own, in order by these. */
function lanesWith(lists: readonly (readonly string[])[]): Record<string, string> {
  const lengths = new Map(CONTIGS);
  return Object.fromEntries(
    lists.map((list, i) => {
      const lines = alignments(20 + i, 300, true).filter((line) =>
        [2, 6].every((column) => ['*', '=', ...list].includes(line.split('\t')[column])),
      );
      const sequences = list.map((name) => `@SQ\tSN:${name}\tLN:${lengths.get(name)}\n`).join('');
      const header = `@HD\tVN:1.6\tSO:coordinate\n${sequences}`;
      return [`${i}.sam`, sam(ordered(lines, alignmentOrder('coordinate', list)), header)];
    }),
  );
}

const [first, second, third, fourth] = names;
const LISTS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  'more sequences at the end': [
    [first, second],
    [first, second, third, fourth],
    [second, fourth],
  ],
  'sequences in between': [
    [second, third],
    [first, third, fourth],
    [second, fourth],
  ],
};

for (const [what, lists] of Object.entries(LISTS))
  for (const form of ['sam', 'bam'] as const)
    itWith('samtools')(`sorts ${form} like samtools merge and sort: ${what}`, async () => {
      const cwd = freshDirectory('lanes');
      const texts = lanesWith(lists);
      const files = Object.fromEntries(
        Object.entries(texts).map(([name, text]) => [name, form === 'sam' ? text : encodeBam(text)]),
      );
      for (const [name, content] of Object.entries(files)) writeFileSync(join(cwd, name), content, 'latin1');
      const args = ['--format', form, '--output-format', 'bam', '--index', '-o', 'out.bam', ...Object.keys(files)];
      const { status, stderr } = await sortOn('cpu')(args, { cwd });
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      const merge = `samtools merge --no-PG -u -o - ${Object.keys(files).join(' ')}`;
      const isInFirstOrder = what !== 'sequences in between';
      const bam = readFileSync(join(cwd, 'out.bam'));
      // samtools sorts what it merged in the order of the first names. It also leaves our output as it is.
      const theirs = oracle(`${merge} | samtools sort --no-PG -O sam ${isInFirstOrder ? '' : '-n'}`, files);
      const ours = oracle(`samtools ${isInFirstOrder ? 'view -h' : 'sort -n -O sam'} --no-PG x.bam`, { 'x.bam': bam });
      const records = (text: string): string => text.replace(/^@.*\n/gm, '');
      expectSameBytes(
        Buffer.from(isInFirstOrder ? ours : records(ours)),
        Buffer.from(isInFirstOrder ? theirs : records(theirs)),
      );
      const again = oracle('samtools sort --no-PG -O sam x.bam', { 'x.bam': bam });
      expectSameBytes(Buffer.from(again), Buffer.from(oracle('samtools view -h --no-PG x.bam', { 'x.bam': bam })));
      const index = { 'x.bam': bam, 'x.bam.bai': readFileSync(join(cwd, 'out.bam.bai')) };
      const listed = [...again.matchAll(/\tSN:([^\t]*)/g)].map(([, name]) => name);
      const found = listed.map((name) => oracle(`samtools view x.bam ${name}`, index)).join('');
      expectSameBytes(Buffer.from(found), Buffer.from(records(again).replace(/^[^\t]*\t\d+\t\*\t.*\n/gm, '')));
    });
