/** FASTQ framed in parts cut anywhere, against a plain reader; damaged texts are refused at the same line. */
import { describe, expect, it } from 'vitest';
import { fastqFramer } from '../../src/records/fastq.js';
import { newlineRestorer } from '../../src/records/newlines.js';
import { randomBelow } from '../support/random.js';
import { damage, drawFastq, drawRead, equalNames, frame, framed, readFastq, resultOf } from './fastx-reference.js';

const expected = (text: string, lines: number) =>
  resultOf(() => framed(readFastq(text, 'x', lines, lines > 4 ? equalNames('x', lines) : undefined)));
const found = (text: string, lines: number, partBytes: () => number) =>
  resultOf(() => frame(fastqFramer('x', lines), text, partBytes));

async function expectSame(
  text: string,
  lines: number,
  partBytes: () => number,
  want: { text?: string; refused?: string } | null = null,
): Promise<void> {
  want ??= await expected(text, lines);
  const got = await found(text, lines, partBytes);
  if (want.refused === undefined) expect(got).toEqual(want);
  else expect(got.refused, JSON.stringify(text)).toMatch(new RegExp(`^${want.refused}\\b`));
}

/** The message for a text. */
const messageOf = async (text: string, lines = 4) => (await found(text, lines, () => 1 << 20)).refused;

describe.each([4, 8, 12])('records of %i lines', (lines) => {
  const below = randomBelow(lines);

  it('are found however the text is cut', async () => {
    for (let round = 0; round < 10; round++) {
      const text = drawFastq(below, 2, lines, 30);
      const want = await expected(text, lines);
      for (let cut = 1; cut <= text.length; cut++) {
        const cuts = [cut, text.length];
        await expectSame(text, lines, () => cuts.shift()!, want);
      }
      await expectSame(text, lines, () => 1);
    }
  });

  it('are found in long texts', async () => {
    const text = drawFastq(below, 3000, lines, 400);
    expect(text.length).toBeGreaterThan(1 << 20);
    for (const most of [1 << 21, 1 << 17, 5000]) await expectSame(text, lines, () => 1 + below(most));
  });

  it('are found, or the first wrong line, in damaged texts', async () => {
    let refused = 0;
    for (let round = 0; round < 2000; round++) {
      const text = damage(below, drawFastq(below, below(5), lines, 30));
      const most = [1, 20, 500][round % 3];
      await expectSame(text, lines, () => 1 + below(most));
      if ((await expected(text, lines)).refused !== undefined) refused++;
    }
    expect(refused).toBeGreaterThan(500);
    expect(refused).toBeLessThan(1950);
  });
});

it.each([1, 700, 1500, 1 << 20])('compares names in long headers cut into parts of %i bytes', async (bytes) => {
  const below = randomBelow(4);
  const words = Array.from({ length: 3000 }, () => 'abcdefgh'[below(8)]).join('');
  const read = (header: string, bases: string) => `@${header}\n${bases}\n+\n${bases}\n`;
  for (const [one, two] of [
    [`a ${words}`, `a/2 ${words}`],
    [words, `${words.slice(0, 900)}x${words.slice(901)}`],
    [words, words],
  ])
    await expectSame(read(one, words) + read(two, 'AC'), 8, () => bytes);
});

it('keeps the states of several inputs apart', () => {
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

it('restores newlines', () => {
  const below = randomBelow(6);
  const text = Array.from({ length: 3000 }, (_, i) => drawRead(below, `r${i}`, 300, '\n')).join('');
  const restorer = newlineRestorer();
  const block = Buffer.from(
    frame(fastqFramer('x'), text, () => 9999),
    'latin1',
  );
  const before = Buffer.from(block);
  expect(
    Buffer.concat([restorer.next(block, Buffer.alloc(block.length)), restorer.end()]).toString('latin1') === text,
  ).toBe(true);
  expect(block.equals(before)).toBe(true);
});

it('says what is wrong, and where', async () => {
  const read = '@a\nACGT\n+\nIIII\n';
  expect(await messageOf(`${read}@b\nACGT\nACGT\n+\n`)).toBe(
    'x: line 7 does not begin with "+": is a sequence wrapped over several lines?',
  );
  expect(await messageOf('>a\nACGT\n')).toBe('x: line 1 does not begin with "@"');
  expect(await messageOf(`${read}@b\nACGT\n+\nIII`)).toBe(
    'x: line 8: sequence and qualities differ in length: 4 and 3',
  );
  expect(await messageOf(`${read}@b\nACGT\n+\n`)).toBe('x: line 5: the last record is cut off: it has 3 of 4 lines');
  expect(await messageOf(`${read}${read}${read}`, 8)).toBe(
    'x: line 9: the last group of reads is cut off: it has 4 of 8 lines',
  );
  expect(await messageOf('@a\nAC\0T\n+\nIIII\n')).toBe('x: line 2 contains NUL, which FASTQ cannot contain');
  expect(await messageOf(`${read}\n${read}`)).toBe('x: line 5 is empty, but reads follow it');
  expect(await messageOf(`${read}@b c\nA\n+\nI\n`, 8)).toBe('x: line 5 names "b", but its mate is "a"');
  const long = 'n'.repeat(999);
  const pair = (one: string, two: string) => `@${one}\n\n+\n\n@${two}\n\n+\n\n`;
  expect(await messageOf(pair(`${long}/1`, `${long}b`), 8)).toBeUndefined();
  expect(await messageOf(pair(`a${long}`, `b${long}`), 8)).toBe(
    `x: line 5 names "b${'n'.repeat(79)}...", but its mate is "a${'n'.repeat(79)}..."`,
  );
});
