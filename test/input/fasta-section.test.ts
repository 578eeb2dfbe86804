/** The sequences at the end of GFF: found in files and streams however they are cut, and written last. */
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { beforeSection } from '../../src/input/fasta-section.js';
import { sortOn } from '../battery/here.js';
import { expectSameBytes, freshDirectory } from '../battery/runner.js';
import { gpusort } from '../cli/run.js';
import { property } from '../support/property.js';

const HEADER = '##gff-version 3\n';
const record = (contig: string): string => `${contig}\tx\tgene\t5\t9\t.\t+\t.\tID=a\n`;
const TWO = `${HEADER}${record('c2')}${record('c1')}`;
const SORTED = `${HEADER}${record('c1')}${record('c2')}`;
const SECTION = '##FASTA\n>c1 a\tb\nACGT\nAC\n>c2\nGG\n';
const sort = sortOn('cpu');

/** The text before the section and the section, from pieces that end at the places. */
async function cutAt(text: string, places: readonly number[]): Promise<[string, string]> {
  const ends = [...new Set(places.map((place) => place % (text.length + 1)))].sort((a, b) => a - b);
  const pieces = [0, ...ends].map((begin, i) => Buffer.from(text.slice(begin, ends[i] ?? text.length)));
  const left = pieces.filter((piece) => piece.length > 0);
  let section = '';
  const reader = beforeSection(
    { read: async () => left.shift() ?? null, close: () => undefined },
    'x',
    async (bytes) => {
      for await (const piece of bytes) section += Buffer.from(piece).toString('latin1');
    },
  );
  let before = '';
  for (let piece = await reader.read(); piece !== null; piece = await reader.read())
    before += Buffer.from(piece).toString('latin1');
  return [before, section];
}

/** The same, line by line. */
function model(text: string): [string, string] {
  const lines = text.split(/(?<=\n)/);
  const at = lines.findIndex((line) => /^(>|##FASTA[ \t\r]*$)/.test(line.replace(/\n$/, '')));
  return at < 0 ? [text, ''] : [lines.slice(0, at).join(''), lines.slice(at).join('')];
}

describe('a stream', () => {
  const line = fc.constantFrom(
    '##FASTA',
    '##FASTA \r',
    '##FASTAX',
    ' ##FASTA',
    '##FAST',
    '##',
    '',
    'a>b',
    '>',
    '>c',
    'A',
  );
  const text = fc
    .tuple(fc.array(line, { maxLength: 8 }), fc.boolean())
    .map(([lines, ends]) => lines.join('\n') + (ends ? '\n' : ''));
  property(
    'ends before its section, whatever its pieces are',
    [text, fc.array(fc.nat(), { maxLength: 12 })],
    async (given, places) => {
      expect(await cutAt(given, places)).toEqual(model(given));
    },
    { runs: 400 },
  );

  it('is refused if a feature follows the sequences', async () => {
    await expect(cutAt(`${TWO}${SECTION}${record('c3')}`, [])).rejects.toMatchObject({ code: 'bad-records' });
  });
});

describe('the section', () => {
  const inputs: Readonly<Record<string, string | Buffer>> = {
    'a.gff': TWO + SECTION,
    'b.gff': TWO,
    'c.gff': `${TWO}>c3\nTTT`,
    'd.gff': `${TWO}###\n\n##FASTA\n>c4\nCC\n`,
    'e.gff.gz': gzipSync(`${TWO}##FASTA\n>c5\nAA\n`),
    'f.gff': `${TWO}##FASTA`,
    'long.gff': `${TWO}##FASTA\n>c6\n${'ACGT'.repeat(50_000)}\n`,
  };
  const cwd = freshDirectory('fasta-section');
  for (const [name, text] of Object.entries(inputs)) writeFileSync(join(cwd, name), text);
  const sorted = async (args: readonly string[], stdin?: string | Buffer): Promise<string> => {
    const { status, stdout, stderr } = await sort(['--format', 'gff', '-T', cwd, ...args], {
      cwd,
      ...(stdin && { stdin: Buffer.from(stdin) }),
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    return stdout.toString();
  };

  it.each([[], ['-r'], ['--chunk-size', '64'], ['--verify'], ['--top', '9'], ['--bottom', '9']])(
    'is written last, with %j',
    async (...options: string[]) => {
      const [first, second] = options.includes('-r') ? ['c2', 'c1'] : ['c1', 'c2'];
      const expected = `${HEADER}${record(first)}${record(second)}${SECTION}`;
      expect(await sorted([...options, 'a.gff'])).toBe(expected);
      expect(await sorted(options, inputs['a.gff'])).toBe(expected);
    },
  );

  it('may be long, empty, implied, compressed, or after comments', async () => {
    expect(await sorted(['long.gff'])).toBe(String(inputs['long.gff']).replace(TWO, SORTED));
    expect(await sorted([], inputs['long.gff'])).toBe(String(inputs['long.gff']).replace(TWO, SORTED));
    expect(await sorted(['f.gff'])).toBe(`${SORTED}##FASTA\n`);
    expect(await sorted(['c.gff'])).toBe(`${SORTED}>c3\nTTT\n`);
    expect(await sorted(['e.gff.gz'])).toBe(`${SORTED}##FASTA\n>c5\nAA\n`);
    expect(await sorted(['d.gff'])).toBe(`${HEADER}\n${record('c1')}${record('c2')}##FASTA\n>c4\nCC\n`);
  });

  it('of several inputs has their order, and one line ##FASTA', async () => {
    const records = `${record('c1').repeat(5)}${record('c2').repeat(5)}`;
    const names = ['a.gff', 'b.gff', '-', 'e.gff.gz', 'f.gff'];
    expect(await sorted(names, inputs['c.gff'])).toBe(`${HEADER}${records}${SECTION}>c3\nTTT\n>c5\nAA\n`);
  });

  it('is kept by -m, and passed over by -c', async () => {
    writeFileSync(join(cwd, 's1'), SORTED + SECTION);
    writeFileSync(join(cwd, 's2'), `${SORTED}##FASTA\n>c7\nA\n`);
    const merged = `${HEADER}${record('c1').repeat(2)}${record('c2').repeat(2)}${SECTION}>c7\nA\n`;
    expect(await sorted(['-m', 's1', 's2'])).toBe(merged);
    expect(await sorted(['-c', 's1'])).toBe('');
  });

  it('leaves no temporary file', () => {
    expect(readdirSync(cwd).filter((name) => name.startsWith('.'))).toEqual([]);
  });

  it('is refused by --cluster', () => {
    const { status, stderr } = gpusort(
      ['--format', 'gff', '--cluster', 'local:2', '--tasks', '2', '-o', 'out', 'a.gff'],
      { cwd },
    );
    expect([status, stderr]).toEqual([
      2,
      'gpusort: a.gff: --cluster does not sort GFF with a ##FASTA section\nSort it without --cluster.\n',
    ]);
  });

  it('is not indexed', async () => {
    expectSameBytes(Buffer.from(await sorted(['--index', '-o', 'out.gff.gz', 'a.gff'])), Buffer.alloc(0));
    expect(readdirSync(cwd)).toContain('out.gff.gz.tbi');
  });
});
