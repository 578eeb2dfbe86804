/** Lines `###` of GFF3, which say that all references so far are resolved: sorted GFF has none. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { sortOn } from '../battery/here.js';
import { expectSameBytes, freshDirectory } from '../battery/runner.js';
import { expectSame, sorted as sortedIn } from '../cluster/both.js';
import { bgzf, unBgzf } from '../support/genomics-bam.js';
import { genes } from '../support/genomics-data.js';
import { gffOrder, ordered } from '../support/genomics-models.js';

const run = sortOn('cpu');
const text = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');
const RESOLVED = ['###', '###', '### \r', '###'];
/** A line of `###` after each third record, and comments, which stay. */
function marked(lines: readonly string[]): string[] {
  return lines.flatMap((line, i) => [
    line,
    ...(i % 3 === 2 ? [RESOLVED[i % 4]] : []),
    ...(i % 50 === 7 ? [`##sequence-region c${i} 1 9`, '####', `#${i}`] : []),
  ]);
}
/** Genes whose parents come first, so that the model needs no moves. */
const LINES = ordered(genes(71, 500), gffOrder)
  .toReversed()
  .filter((line) => !line.includes('Parent='));
const DIRECTIVES = marked(LINES).filter((line) => /^(##s|####|#\d)/.test(line));
const HEADER = ['##gff-version 3', '#!processor NCBI annotwriter', '##species x'];
const INPUT = text([...HEADER, '###', ...marked(LINES)]);
const SORTED = text([...HEADER, ...DIRECTIVES, ...ordered(LINES, gffOrder)]);
const SECTION = '##FASTA\n>a\nACGT\n###\n';

async function sorted(
  args: readonly string[],
  files: Readonly<Record<string, string | Buffer>>,
  stdin?: string,
): Promise<string> {
  const cwd = freshDirectory('resolved');
  for (const [name, content] of Object.entries(files)) writeFileSync(join(cwd, name), content, 'latin1');
  const names = [...(stdin === undefined ? [] : ['-']), ...Object.keys(files)];
  const { status, stdout, stderr } = await run(['--format', 'gff', ...args, ...names], {
    cwd,
    ...(stdin !== undefined && { stdin: Buffer.from(stdin, 'latin1') }),
  });
  expect({ args, status, stderr }).toEqual({ args, status: 0, stderr: '' });
  return stdout.toString('latin1');
}

it.each<[string, string | Buffer]>([
  ['a file', INPUT],
  ['a file that ends in ###', `${INPUT}###`],
  ['gzip', gzipSync(INPUT)],
  ['BGZF', bgzf(Buffer.from(INPUT), 1, 5000)],
])('sorted GFF has no ### from %s', async (_, input) => {
  expect(await sorted(['--verify'], { in: input })).toBe(SORTED);
  expect(await sorted(['--verify', '--chunk-size', '4K'], { in: input })).toBe(SORTED);
});

it('sorted GFF has no ### from a pipe, nor from several inputs', async () => {
  expect(await sorted(['--verify'], {}, INPUT)).toBe(SORTED);
  const [half, records] = [LINES.length / 2, (lines: readonly string[]) => text([...HEADER, ...lines])];
  const halves = {
    a: records(marked(LINES.slice(0, half))),
    b: records(['###', ...LINES.slice(half)]),
    c: gzipSync(records([])),
  };
  const kept = marked(LINES.slice(0, half)).filter((line) => DIRECTIVES.includes(line));
  expect(await sorted(['--verify'], halves)).toBe(text([...HEADER, ...kept, ...ordered(LINES, gffOrder)]));
});

it('### counts neither for --top, --bottom nor -u, and is no reason to refuse an input of -m', async () => {
  const first = text([...HEADER, ...DIRECTIVES, ordered(LINES, gffOrder)[0]]);
  expect(await sorted(['--top', String(DIRECTIVES.length + 1)], { in: INPUT })).toBe(first);
  expect(await sorted(['--bottom', '1'], { in: INPUT })).toBe(text([...HEADER, ordered(LINES, gffOrder).at(-1)!]));
  expect(
    await sorted(['-u', '--by', 'strand:r'], { in: text(['a\tb\tc\t1\t2\t.\t+\t.\tx', '###', '###', '#c']) }),
  ).toBe(text(['#c', 'a\tb\tc\t1\t2\t.\t+\t.\tx']));
  const inOrder = ordered(LINES, gffOrder);
  const merged = await sorted(['-m', '--verify'], {
    a: text([...HEADER, ...inOrder.flatMap((line) => [line, '###'])]),
    b: text(HEADER),
  });
  expect(merged).toBe(text([...HEADER, ...inOrder]));
});

it('### among sequences stays, and -r and lists leave out the others', async () => {
  expect(await sorted(['--verify'], { in: INPUT + SECTION })).toBe(SORTED + SECTION);
  expect(await sorted([], {}, INPUT + SECTION)).toBe(SORTED + SECTION);
  for (const options of [['-r'], ['--by', 'type,start:r']])
    expect((await sorted(options, { in: INPUT })).match(/^###\s*$/m)).toBeNull();
});

it('--cluster leaves ### out, of a file, a compressed file and with -m', async () => {
  const files = { a: INPUT, b: INPUT.replace(/^###.*\n/gm, '') };
  await expectSame(['--format', 'gff', 'a', 'b'], files, { shares: 3, ranges: 2 });
  const { output } = await sortedIn(['--format', 'gff', 'a'], { a: INPUT }, { shares: 2, ranges: 2 });
  expect(output.toString('latin1')).toBe(SORTED);
  const packed = await sortedIn(['--format', 'gff', 'a'], { a: gzipSync(INPUT) }, { shares: 2, ranges: 2 });
  expect(packed.output.toString('latin1')).toBe(SORTED);
  const inOrder = text([...HEADER, ...ordered(LINES, gffOrder).flatMap((line) => [line, '###'])]);
  const merged = await sortedIn(['--format', 'gff', '-m', 'a'], { a: inOrder }, { shares: 2, ranges: 2 });
  expect(merged.output.toString('latin1')).toBe(text([...HEADER, ...ordered(LINES, gffOrder)]));
});

it('-c finds a ### where a sort would leave it out, and messages count it', async () => {
  const cwd = freshDirectory('resolved');
  const [one, two] = ['c\t.\tx\t1\t2\t.\t+\t.\tx', 'c\t.\tx\t5\t6\t.\t+\t.\tx'];
  writeFileSync(join(cwd, 'in'), text(['##gff-version 3', one, '###', two]));
  expect(await run(['--format', 'gff', '-c', 'in'], { cwd })).toMatchObject({
    status: 1,
    stderr: 'gpusort: in:3: disorder: ###\n',
  });
  writeFileSync(join(cwd, 'in'), text(['##gff-version 3', '###', one, '###', two.replace('\t5\t', '\tx\t')]));
  expect((await run(['--format', 'gff', 'in'], { cwd })).stderr).toContain('in: line 5, column 4');
});

it('### stays in other formats', async () => {
  const cwd = freshDirectory('resolved');
  writeFileSync(join(cwd, 'in'), 'b\t1\t2\n###\na\t1\t2\n###\n');
  const { stdout } = await run(['--format', 'bed', 'in'], { cwd });
  expect(stdout.toString()).toBe('###\n###\na\t1\t2\nb\t1\t2\n');
});

it('--index of GFF with ### finds its records', async () => {
  const cwd = freshDirectory('resolved');
  writeFileSync(join(cwd, 'in'), INPUT);
  const { status } = await run(['--format', 'gff', '--index', '-o', 'out.gff.gz', 'in'], { cwd });
  expect(status).toBe(0);
  expectSameBytes(unBgzf(readFileSync(join(cwd, 'out.gff.gz'))), Buffer.from(SORTED, 'latin1'));
});
