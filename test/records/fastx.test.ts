/**
 * FASTQ and FASTA framed in parts cut anywhere, against plain readers: the same records, or a message about the same
 * line of a damaged text.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fastaFramer } from '../../src/records/fasta.js';
import { fastqFramer, frameReadsPart } from '../../src/records/fastq.js';
import { framePart, type PartRule } from '../../src/records/framed-parts.js';
import { newlineRestorer, type PartFramer } from '../../src/records/record-finder.js';
import { type PartSizes, partSizes, partsOf } from '../support/cuts.js';
import { property } from '../support/property.js';
import { type RandomBelow, randomBelow } from '../support/random.js';
import {
  damage,
  drawFasta,
  drawFastq,
  drawRead,
  equalNames,
  frame,
  framed,
  frameFasta,
  readFastq,
  resultOf,
} from './fastx-reference.js';

/** The arbitrary of a format, its framer, and a plain reader. */
interface Format {
  readonly name: string;
  draw(below: RandomBelow, records: number): string;
  readonly framer: () => PartFramer;
  readonly rule: PartRule;
  readonly plain: (text: string) => string;
}

const fastq = (lines: number): Format => ({
  name: `FASTQ with ${lines} lines a record`,
  draw: (below, records) => drawFastq(below, records, lines, records > 100 ? 400 : 30),
  framer: () => fastqFramer('x', lines),
  rule: { kind: 'fastq', lines },
  plain: (text) => framed(readFastq(text, 'x', lines, lines > 4 ? equalNames('x', lines) : undefined)),
});
const FASTA: Format = {
  name: 'FASTA',
  draw: drawFasta,
  framer: () => fastaFramer('x'),
  rule: { kind: 'fasta' },
  plain: (text) => frameFasta(text, 'x'),
};
const FORMATS = [fastq(4), fastq(8), fastq(12), FASTA];

const inTurn = (sizes: PartSizes): (() => number) => {
  let i = 0;
  return () => sizes[i++ % sizes.length];
};

type Result = Awaited<ReturnType<typeof resultOf>>;
const wanted = ({ plain }: Format, text: string): Promise<Result> => resultOf(() => plain(text));

async function expectSame(format: Format, text: string, sizes: PartSizes, want?: Result): Promise<void> {
  want ??= await wanted(format, text);
  const got = await resultOf(() => frame(format.framer(), text, inTurn(sizes)));
  if (want.refused === undefined) expect(got).toEqual(want);
  else expect(got.refused, JSON.stringify(text)).toMatch(new RegExp(`^${want.refused}\\b`));
}

const SEED = fc.nat();

describe.each(FORMATS)('$name', (format) => {
  property(
    `frames the same records of ${format.name} wherever a text is cut in two`,
    [SEED],
    async (seed) => {
      const text = format.draw(randomBelow(seed), 2);
      const want = await wanted(format, text);
      for (let cut = 1; cut <= text.length; cut++) await expectSame(format, text, [cut, text.length], want);
    },
    { runs: 7 },
  );

  property(
    `frames damaged ${format.name} like a plain reader, or rejects the same line`,
    [SEED, fc.nat(4), partSizes(500)],
    async (seed, records, sizes) => {
      const below = randomBelow(seed);
      await expectSame(format, damage(below, format.draw(below, records)), sizes);
    },
    { runs: 2000 },
  );

  it(`frames the same records of ${format.name} in long texts`, async () => {
    const below = randomBelow(2);
    const text = format.draw(below, format === FASTA ? 20_000 : 3000);
    expect(text.length).toBeGreaterThan(1 << 20);
    for (const most of [1 << 21, 1 << 17, 5000])
      await expectSame(
        format,
        text,
        Array.from({ length: 99 }, () => 1 + below(most)),
      );
  });

  it(`draws damaged ${format.name}, some of which the plain reader refuses`, async () => {
    const below = randomBelow(3);
    const texts = Array.from({ length: 200 }, () => damage(below, format.draw(below, below(5))));
    const results = await Promise.all(texts.map((text) => wanted(format, text)));
    const refused = results.filter((result) => result.refused !== undefined).length;
    expect(refused).toBeGreaterThan(40);
    expect(refused).toBeLessThan(195);
  });

  it(`frames no records of ${format.name} in an empty text`, () => expectSame(format, '', [1]));
});

it.each([1, 700, 1500, 1 << 20])(
  'compares names of mates in long headers cut into parts of %i bytes',
  async (bytes) => {
    const below = randomBelow(4);
    const words = Array.from({ length: 3000 }, () => 'abcdefgh'[below(8)]).join('');
    const read = (header: string, bases: string) => `@${header}\n${bases}\n+\n${bases}\n`;
    for (const [one, two] of [
      [`a ${words}`, `a/2 ${words}`],
      [words, `${words.slice(0, 900)}x${words.slice(901)}`],
      [words, words],
    ])
      await expectSame(fastq(8), read(one, words) + read(two, 'AC'), [bytes]);
  },
);

it('keeps the framers of several FASTQ inputs independent', () => {
  const below = randomBelow(5);
  const texts = [drawFastq(below, 40, 8, 30), drawFastq(below, 40, 8, 30)];
  const framers = texts.map((_, i) => fastqFramer(`${i}`, 8));
  const results = ['', ''];
  for (let at = 0; at < Math.max(texts[0].length, texts[1].length); at += 7)
    for (const [i, framer] of framers.entries())
      results[i] += Buffer.from(framer.next(Buffer.from(texts[i].slice(at, at + 7), 'latin1'))).toString('latin1');
  for (const [i, framer] of framers.entries()) results[i] += Buffer.from(framer.end()).toString('latin1');
  expect(results).toEqual(texts.map((text) => framed(readFastq(text, '', 8))));
});

it('restores the newlines of framed reads', () => {
  const below = randomBelow(6);
  const text = Array.from({ length: 3000 }, (_, i) => drawRead(below, `r${i}`, 300, '\n')).join('');
  const restorer = newlineRestorer();
  const block = Buffer.from(
    frame(fastqFramer('x'), text, () => 9999),
    'latin1',
  );
  const before = Buffer.from(block);
  const restored = Buffer.concat([restorer.next(block, Buffer.alloc(block.length)), restorer.end()]);
  expect(restored.toString('latin1') === text).toBe(true);
  expect(block.equals(before)).toBe(true);
});

describe('in threads', () => {
  /**
   * Frames a text in pieces, each of which a thread has framed as far as it could. `framed`: bytes that threads framed.
   */
  function frameAfterThreads({ framer: open, rule }: Format, text: string, sizes: PartSizes) {
    const framer = open();
    let [result, framed] = ['', 0];
    for (const piece of partsOf(Buffer.from(text, 'latin1'), sizes)) {
      const target = new Uint8Array(new SharedArrayBuffer(piece.length)).fill(0x2a);
      const part = framePart(piece, rule, target);
      framed += part?.lines ?? 0;
      const all = part === null ? [framer.next(Buffer.from(piece))] : framer.pieces(target, part);
      for (const lines of all) result += Buffer.from(lines).toString('latin1');
    }
    return { text: result + Buffer.from(framer.end()).toString('latin1'), framed };
  }
  const inOrder = ({ framer }: Format, text: string) => resultOf(() => frame(framer(), text, () => 1 << 30));

  property(
    'frames or refuses texts that threads have framed in part like texts that one framer gets',
    [SEED, fc.constantFrom(...FORMATS), fc.boolean(), partSizes(500)],
    async (seed, format, isDamaged, sizes) => {
      const below = randomBelow(seed);
      const whole = format.draw(below, below(9));
      const text = isDamaged ? damage(below, whole) : whole;
      expect(await resultOf(() => frameAfterThreads(format, text, sizes).text)).toEqual(await inOrder(format, text));
    },
    { runs: 2000 },
  );

  it.each(FORMATS)('leaves only the border of pieces of $name to the framer of the text', async (format) => {
    const text = format.draw(randomBelow(7), format === FASTA ? 5000 : 1000);
    const { text: got, framed } = frameAfterThreads(format, text, [100_000, 50_000]);
    expect({ text: got }).toEqual(await inOrder(format, text));
    expect(framed / text.length).toBeGreaterThan(0.7);
  });

  it('frames in place', () => {
    const text = '@a\nA\n+\nI\n'.repeat(3);
    const piece = Buffer.from(text);
    expect(frameReadsPart(piece, 4, piece)).toEqual({ bytes: 27, head: 9, lines: 18, text: 18, places: 8 });
    expect(piece.toString()).toBe('@a\nA\n+\nI\n@a\nA\n+\nI\0@a\nA\n+\nI\0');
  });

  it('does not believe a thread that paired reads with those of other pairs', async () => {
    const text = '@a\nA\n+\nI\n'.repeat(40);
    const { text: got, framed } = frameAfterThreads(fastq(8), text, [63, 90, 90]);
    expect({ text: got }).toEqual(await inOrder(fastq(8), text));
    expect(framed).toBeGreaterThan(0);
  });
});

describe('messages about damaged reads', () => {
  const read = '@a\nACGT\n+\nIIII\n';
  const long = 'n'.repeat(999);
  const pair = (one: string, two: string): string => `@${one}\n\n+\n\n@${two}\n\n+\n\n`;
  const shown = (letter: string): string => `"${letter}${'n'.repeat(79)}..."`;
  it.each<[message: string | undefined, Format, text: string]>([
    ['line 7 does not begin with "+": is a sequence wrapped over several lines?', fastq(4), `${read}@b\nA\nA\n+\n`],
    ['line 1 does not begin with "@"', fastq(4), '>a\nACGT\n'],
    ['line 8: sequence and qualities differ in length: 4 and 3', fastq(4), `${read}@b\nACGT\n+\nIII`],
    ['line 5: the last record is cut off: it has 3 of 4 lines', fastq(4), `${read}@b\nACGT\n+\n`],
    ['line 9: the last group of reads is cut off: it has 4 of 8 lines', fastq(8), `${read}${read}${read}`],
    ['line 2 contains NUL, which FASTQ cannot contain', fastq(4), '@a\nAC\0T\n+\nIIII\n'],
    ['line 5 is empty, but reads follow it', fastq(4), `${read}\n${read}`],
    ['line 5 names "b", but its mate is "a"', fastq(8), `${read}@b c\nA\n+\nI\n`],
    [undefined, fastq(8), pair(`${long}/1`, `${long}b`)],
    [`line 5 names ${shown('b')}, but its mate is ${shown('a')}`, fastq(8), pair(`a${long}`, `b${long}`)],
    ['line 1 does not begin with ">"', FASTA, 'ACGT\n'],
    ['line 3 begins with ";": comments are not supported', FASTA, '>a\nAC\n;b\nGT\n'],
    ['line 3 contains NUL, which FASTA cannot contain', FASTA, '>a\nAC\nG\0\n'],
  ])('reports the wrong line of FASTQ and FASTA, and why: %s', async (message, { framer }, text) => {
    const { refused } = await resultOf(() => frame(framer(), text, () => 1 << 20));
    expect(refused).toBe(message && `x: ${message}`);
  });
});
