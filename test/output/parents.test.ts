/** Parents of GFF before their children, within records of one contig and start. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parentsFirst } from '../../src/output/parents.js';
import { property } from '../support/property.js';

/** Passes lines to the filter in blocks, and returns what it writes. */
async function filtered(lines: readonly string[], blockBytes: number, mostBytes?: number): Promise<string[]> {
  let text = '';
  const filter = parentsFirst(async (block) => {
    text += Buffer.from(block).toString('latin1');
  }, mostBytes);
  const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''), 'latin1');
  for (let at = 0; at < bytes.length; at += blockBytes) {
    const block = Buffer.from(bytes.subarray(at, at + blockBytes));
    await filter.write(block);
    block.fill(0xaa);
  }
  await filter.finish();
  return text.split('\n').slice(0, -1);
}

const row = (contig: string, start: number, attributes: string): string =>
  `${contig}\tmade\tx\t${start}\t900\t.\t+\t.\t${attributes}`;

const idOf = (line: string): string | undefined => /[\t; ]ID=([^;]+)/.exec(line)?.[1];
const parentsOf = (line: string): string[] => (/[\t; ]Parent=([^;]*)/.exec(line)?.[1].split(',') ?? []).filter(Boolean);

/** The model: a record is written after all records of its group that it names as parents. */
function model(lines: readonly string[]): string[] {
  const groupOf = (line: string): string => [0, 3].map((column) => line.split('\t')[column]).join();
  const written: number[] = [];
  const open: number[] = [];
  const visit = (at: number): void => {
    if (written.includes(at) || open.includes(at)) return;
    open.push(at);
    let [first, last] = [at, at];
    while (first > 0 && groupOf(lines[first - 1]) === groupOf(lines[at])) first--;
    while (last + 1 < lines.length && groupOf(lines[last + 1]) === groupOf(lines[at])) last++;
    for (const parent of parentsOf(lines[at]))
      for (let i = first; i <= last; i++) if (idOf(lines[i]) === parent) visit(i);
    open.pop();
    written.push(at);
  };
  for (const i of lines.keys()) visit(i);
  return written.map((i) => lines[i]);
}

const name = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'long name', '');
const attributes = fc
  .record({ id: fc.option(name), parents: fc.array(name, { maxLength: 3 }), other: fc.boolean() })
  .map(({ id, parents, other }) =>
    [
      ...(other ? ['XID=a', 'Note=Parent=a'] : []),
      ...(parents.length > 0 ? [`Parent=${parents.join(',')}`] : []),
      ...(id === null ? [] : [` ID=${id}`]),
    ].join(';'),
  );

describe('parents first', () => {
  property(
    'orders groups like the model, whatever the blocks',
    [
      fc.array(fc.tuple(fc.constantFrom('c1', 'c2'), fc.integer({ min: 1, max: 3 }), attributes), { maxLength: 40 }),
      fc.integer({ min: 1, max: 400 }),
    ],
    async (rows, blockBytes) => {
      const lines = rows
        .map(([contig, start, text]) => row(contig, start, text))
        .sort((a, b) => (a.slice(0, 12) < b.slice(0, 12) ? -1 : a.slice(0, 12) > b.slice(0, 12) ? 1 : 0));
      expect(await filtered(lines, blockBytes)).toEqual(model(lines));
    },
    { runs: 150 },
  );

  it('moves a gene and its transcript before an exon, and nothing else', async () => {
    const lines = ['Parent=t1', 'ID=other', 'ID=t1;Parent=g1', 'ID=g1', 'ID=last'].map((text) => row('c', 5, text));
    const order = [3, 2, 0, 1, 4].map((i) => lines[i]);
    expect(await filtered(lines, 1000)).toEqual(order);
  });

  it('keeps lines that are not of GFF, comments, and records at other starts', async () => {
    const lines = ['#a', '#b', '', 'x', row('c', 1, 'Parent=p'), row('c', 2, 'ID=p'), row('d', 2, 'Parent=p')];
    expect(await filtered(lines, 10)).toEqual(lines);
  });

  it('orders a group of more parents than the table of the kernel holds', async () => {
    const children = Array.from({ length: 3000 }, (_, i) => row('c', 1, `Parent=p${i}`));
    const parents = Array.from({ length: 3000 }, (_, i) => row('c', 1, `ID=p${i}`));
    const expected = children.flatMap((child, i) => [parents[i], child]);
    expect(await filtered([...children, ...parents], 7000)).toEqual(expected);
  });

  it('orders a chain of parents that is as long as its group', async () => {
    const lines = Array.from({ length: 20_000 }, (_, i) => row('c', 1, `ID=n${i};Parent=n${i + 1}`));
    expect(await filtered(lines, 1 << 20)).toEqual(lines.toReversed());
  });

  it('writes a group that is too large in parts', async () => {
    const lines = Array.from({ length: 100 }, (_, i) => row('c', 1, i === 99 ? 'ID=p' : 'Parent=p'));
    const parts = await filtered(lines, 100, 500);
    expect(parts.toSorted()).toEqual(lines.toSorted());
    expect(parts.slice(0, 80)).toEqual(lines.slice(0, 80));
    expect((await filtered(lines, 100, 50_000))[0]).toBe(lines[99]);
  });
});
