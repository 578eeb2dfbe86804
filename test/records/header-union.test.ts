/** United headers of alignments, by hand: which lines they have, which IDs change, which inputs are refused. */
import { describe, expect, it } from 'vitest';
import { HeaderUnion } from '../../src/records/header-union.js';
import type { Renaming } from '../../src/records/renaming.js';

const NONE = { readGroups: false, programs: false };
const SQ = '@SQ SN:c LN:9';

/** Lines with blanks instead of tabs, as a header. */
const text = (lines: readonly string[]): Buffer =>
  Buffer.from(lines.map((line) => `${line.replaceAll(' ', '\t')}\n`).join(''), 'latin1');

/** Adds headers; the inputs have the names a, b, c. */
function united(
  headers: readonly (readonly string[])[],
  combined = NONE,
): { readonly lines: string[]; readonly renamings: (Renaming | null)[] } {
  const union = new HeaderUnion(combined);
  const renamings = headers.map((lines, i) =>
    union.add({ label: 'abc'[i], number: i + 1, text: text(lines), references: null }),
  );
  return { lines: union.text.toString('latin1').replaceAll('\t', ' ').split('\n').slice(0, -1), renamings };
}

const changes = (readGroups: string, programs = ''): Renaming => {
  const pairs = (list: string): (readonly [string, string])[] =>
    list.split(' ').flatMap((pair) => (pair === '' ? [] : [pair.split('>') as [string, string]]));
  return { readGroups: pairs(readGroups), programs: pairs(programs) };
};

describe('lines', () => {
  it('have the order of samtools, and those of later inputs come after those of earlier ones', () => {
    const { lines, renamings } = united([
      ['@HD VN:1.6', SQ, '@RG ID:1', '@PG ID:p', '@CO one'],
      [SQ, '@CO two', '@PG ID:q', '@RG ID:2', '@XX other'],
      ['@HD VN:1.5', '@RG ID:3', SQ, '@CO two', '@XX other'],
    ]);
    expect(lines).toEqual(
      ['@HD VN:1.6', SQ, '@RG ID:1', '@RG ID:2', '@RG ID:3', '@PG ID:p', '@PG ID:q', '@XX other'].concat([
        '@CO one',
        '@CO two',
        '@CO two',
      ]),
    );
    expect(renamings).toEqual([null, null, null]);
  });

  it('of @HD come from the first header that has one', () => {
    expect(united([[SQ], ['@HD VN:1.5', SQ], ['@HD VN:1.6', SQ]]).lines).toEqual(['@HD VN:1.5', SQ]);
  });

  it('of the first header stay as they are, and those of an equal header add nothing', () => {
    const header = [SQ, '@CO one', '@RG ID:1', '@RG ID:1', '@RG SM:none'];
    expect(united([header, header, header])).toEqual({ lines: header, renamings: [null, null, null] });
    expect(united([[], []])).toEqual({ lines: [], renamings: [null, null] });
  });

  it('of a header that equals a later one are added once', () => {
    const other = [SQ, '@RG ID:1 SM:t', '@CO other'];
    expect(united([[SQ, '@RG ID:1 SM:s'], other, other])).toEqual({
      lines: [SQ, '@RG ID:1 SM:s', '@RG ID:1-2 SM:t', '@CO other'],
      renamings: [null, changes('1>1-2'), changes('1>1-2')],
    });
  });

  it('keep their ends', () => {
    const union = new HeaderUnion(NONE);
    const add = (number: number, header: string): unknown =>
      union.add({ label: 'x', number, text: Buffer.from(header), references: null });
    add(1, '@RG\tID:1\tSM:s\r\n@CO\tone');
    expect(add(2, '@RG\tID:1\tSM:s\n@RG\tID:2\r\n@CO\ttwo\n')).toBe(null);
    expect(union.text.toString()).toBe('@RG\tID:1\tSM:s\r\n@RG\tID:2\r\n@CO\tone\n@CO\ttwo\n');
  });
});

describe('IDs of read groups', () => {
  it('get the number of the input if another line has them, and equal lines are one', () => {
    const { lines, renamings } = united([
      ['@RG ID:a SM:1', '@RG ID:b SM:1'],
      ['@RG ID:a SM:1', '@RG ID:b SM:2'],
      ['@RG ID:a SM:3', '@RG ID:b SM:2'],
    ]);
    expect(lines).toEqual(['@RG ID:a SM:1', '@RG ID:b SM:1', '@RG ID:b-2 SM:2', '@RG ID:a-3 SM:3']);
    expect(renamings).toEqual([null, changes('b>b-2'), changes('a>a-3 b>b-2')]);
  });

  it('are never those of other lines', () => {
    const { lines, renamings } = united([
      ['@RG ID:a SM:1', '@RG ID:a-2 SM:1'],
      ['@RG ID:a SM:2', '@RG ID:a-2-2 SM:2'],
      ['@RG ID:a-2 SM:1', '@RG ID:a-2-2-2 SM:3'],
    ]);
    expect(lines).toEqual([
      ...['@RG ID:a SM:1', '@RG ID:a-2 SM:1', '@RG ID:a-2-2-2 SM:2', '@RG ID:a-2-2 SM:2'],
      '@RG ID:a-2-2-2-3 SM:3',
    ]);
    expect(renamings).toEqual([null, changes('a>a-2-2-2'), changes('a-2-2-2>a-2-2-2-3')]);
  });

  it('stay the same if an output is united with one of its inputs again', () => {
    const inputs = [['@RG ID:a SM:1'], ['@RG ID:a SM:2']];
    const { lines } = united(inputs);
    expect(united([lines, lines, inputs[0]])).toEqual({ lines, renamings: [null, null, null] });
    expect(united([...inputs, lines])).toEqual({ lines, renamings: [null, changes('a>a-2'), null] });
  });

  it('are combined on request, and the first line is kept', () => {
    const combined = { readGroups: true, programs: false };
    const headers = [
      ['@RG ID:a SM:1', '@PG ID:p CL:1'],
      ['@RG ID:a SM:2', '@RG ID:b', '@PG ID:p CL:2'],
    ];
    expect(united(headers, combined)).toEqual({
      lines: ['@RG ID:a SM:1', '@RG ID:b', '@PG ID:p CL:1', '@PG ID:p-2 CL:2'],
      renamings: [null, changes('', 'p>p-2')],
    });
    expect(united(headers, { readGroups: true, programs: true })).toEqual({
      lines: ['@RG ID:a SM:1', '@RG ID:b', '@PG ID:p CL:1'],
      renamings: [null, null],
    });
  });
});

describe('IDs of programs', () => {
  it('change with those that PP and the PG of read groups name, whatever the order of the lines', () => {
    const { lines, renamings } = united([
      ['@RG ID:r PG:sort', '@PG ID:bwa CL:1', '@PG ID:fix PP:bwa', '@PG ID:sort PP:fix'],
      ['@RG ID:r PG:sort', '@PG ID:sort PP:fix', '@PG ID:fix PP:bwa', '@PG ID:bwa CL:2'],
    ]);
    expect(lines).toEqual([
      ...['@RG ID:r PG:sort', '@RG ID:r-2 PG:sort-2'],
      ...['@PG ID:bwa CL:1', '@PG ID:fix PP:bwa', '@PG ID:sort PP:fix'],
      ...['@PG ID:sort-2 PP:fix-2', '@PG ID:fix-2 PP:bwa-2', '@PG ID:bwa-2 CL:2'],
    ]);
    expect(renamings[1]).toEqual(changes('r>r-2', 'bwa>bwa-2 fix>fix-2 sort>sort-2'));
  });

  it('stay the same if the chain is the same', () => {
    const chain = ['@PG ID:bwa', '@PG ID:fix PP:bwa'];
    expect(united([chain, [...chain, '@PG ID:sort PP:fix']])).toEqual({
      lines: [...chain, '@PG ID:sort PP:fix'],
      renamings: [null, null],
    });
  });

  it('may name programs that are missing, themselves or each other', () => {
    const { lines, renamings } = united([
      ['@PG ID:a CL:1', '@PG ID:b CL:1'],
      ['@PG ID:a PP:b', '@PG ID:b PP:a', '@PG ID:c PP:c', '@PG ID:d PP:none'],
    ]);
    expect(lines.slice(2)).toEqual(['@PG ID:a-2 PP:b-2', '@PG ID:b-2 PP:a', '@PG ID:c PP:c', '@PG ID:d PP:none']);
    expect(renamings[1]).toEqual(changes('', 'b>b-2 a>a-2'));
  });

  it('are found in a chain of any length', () => {
    const chain = (line: string): string[] => [
      `@PG ID:0 CL:${line}`,
      ...Array.from({ length: 5_000 }, (_, i) => `@PG ID:${i + 1} PP:${i}`),
    ];
    const { lines, renamings } = united([chain('a'), chain('b').reverse()]);
    expect([lines.length, lines.at(-1), lines.at(5_001)]).toEqual([
      10_002,
      '@PG ID:0-2 CL:b',
      '@PG ID:5000-2 PP:4999-2',
    ]);
    expect(renamings[1]?.programs.length).toBe(5_001);
  });
});

describe('lines of sequences', () => {
  const sequence = (name: string, more = ''): string => `@SQ SN:${name} LN:9${more}`;

  it('come in the common order of all lists, each as the first input that lists it has it', () => {
    const { lines } = united([
      ['@HD VN:1.6', sequence('a'), sequence('c', ' M5:x'), '@RG ID:1', '@CO one'],
      [sequence('a', ' M5:y'), sequence('b'), sequence('c', ' UR:z'), '@CO two'],
      ['@CO three'],
    ]);
    const sequences = [sequence('a'), sequence('b'), sequence('c', ' M5:x')];
    expect(lines).toEqual(['@HD VN:1.6', ...sequences, '@RG ID:1', '@CO one', '@CO two', '@CO three']);
    expect(united([['@RG ID:1'], [sequence('a')]]).lines).toEqual([sequence('a'), '@RG ID:1']);
  });

  it('stay as they are if all inputs list the same', () => {
    const headers = [
      [sequence('a', ' UR:x'), '@CO one', sequence('b')],
      [sequence('a', ' M5:y'), sequence('b')],
    ];
    expect(united(headers).lines).toEqual(headers[0]);
  });

  it('of BAM are those of its text, or made from its references', () => {
    const union = new HeaderUnion(NONE);
    const bam = (number: number, names: string, lines: readonly string[]): unknown =>
      union.add({
        ...{ label: 'x', number, text: text(lines) },
        references: [...names].map((name) => ({ name: Buffer.from(name), length: 9 })),
      });
    bam(1, 'ac', ['@CO one']);
    bam(2, 'bc', [sequence('c', ' UR:z'), sequence('b', ' UR:y')]);
    bam(3, 'ac', ['@CO one']);
    expect(union.text.toString('latin1').replaceAll('\t', ' ')).toBe(
      `${[sequence('a'), sequence('b', ' UR:y'), sequence('c'), '@CO one'].join('\n')}\n`,
    );
    expect(union.references.map(({ name, length }) => `${name.toString()}${length}`)).toEqual(['a9', 'b9', 'c9']);
    expect([1, 2, 3].map((number) => union.placesOf(number))).toEqual([
      [0, 2],
      [1, 2],
      [0, 2],
    ]);
    expect(union.unitesSequences).toBe(true);
  });
});

describe('refused', () => {
  it.each([
    [
      'another length',
      ['@SQ SN:c LN:9'],
      ['@SQ SN:c LN:8'],
      'b: sequence 1 of the header is c of 8 bases, but c of 9 bases in a',
      'Align all',
    ],
    [
      'one ID for two read groups',
      ['@RG ID:a'],
      ['@RG ID:a SM:1', '@RG ID:a SM:2'],
      'b: the header has two @RG lines with one ID: @RG\tID:a\tSM:2',
      null,
    ],
    ['a program without ID', ['@PG ID:a'], ['@PG CL:1'], 'b: an @PG line of the header has no ID: @PG\tCL:1', null],
  ])('is %s', (_, first, second, message, hint) => {
    const refused = (): unknown => united([first, second]);
    expect(refused).toThrow(message);
    if (hint === null) return;
    expect(refused).toThrow(expect.objectContaining({ hint: expect.stringContaining(hint) }));
  });

  it('is BAM with another reference, whatever the text says', () => {
    const union = new HeaderUnion(NONE);
    const bam = (number: number, label: string, ...lengths: number[]): unknown =>
      union.add({
        ...{ label, number, text: text([SQ]) },
        references: lengths.map((length, i) => ({ name: Buffer.from(`c${i}`), length })),
      });
    expect([bam(1, 'a', 9, 8), bam(2, 'b', 9, 8)]).toEqual([null, null]);
    expect(() => bam(3, 'c', 9, 7)).toThrow('c: sequence 2 of the header is c1 of 7 bases, but c1 of 8 bases in a');
  });
});
