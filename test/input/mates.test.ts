/** Files of mates joined, whatever parts they arrive in, against a plain reader; damaged ones are refused alike. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { joinMates } from '../../src/input/mates.js';
import {
  bareName,
  damage,
  drawName,
  drawRead,
  framed,
  nameOf,
  Refused,
  readFastq,
  resultOf,
} from '../records/fastx-reference.js';
import { pick } from '../support/draws.js';
import { property } from '../support/property.js';
import { type RandomBelow, randomBelow } from '../support/random.js';
import { inPieces } from '../support/streams.js';

async function join(texts: readonly string[], partBytes: () => number): Promise<string> {
  const joined = joinMates(texts.map((text, i) => ({ label: `R${i + 1}`, reader: inPieces(text, partBytes) })));
  let result = '';
  for (let bytes = await joined.read(); bytes !== null; bytes = await joined.read()) {
    expect(bytes.length).toBeGreaterThan(0);
    result += Buffer.from(bytes).toString('latin1');
  }
  expect(await joined.read()).toBeNull();
  return result;
}

function joinByHand(texts: readonly string[]): string {
  let first = '';
  let read = 1;
  const files = texts.map((text, i) =>
    readFastq(text, `R${i + 1}`, 4, (line) => {
      if (i === 0) first = nameOf(line);
      else if (bareName(nameOf(line)) !== bareName(first))
        throw new Refused(`R1 and R${i + 1}: names differ at read ${read}`);
    }),
  );
  const passed = texts.map(() => 0);
  const records: string[][] = [];
  const shorter = (i: number, than: number) =>
    new Refused(`R${i + 1} has ${read - 1} reads?, but R${than + 1} has more`);
  for (; ; read++) {
    const record: string[] = [];
    for (const [i, file] of files.entries()) {
      const next = file.next();
      if (next.done) {
        if (i > 0) throw shorter(i, 0);
        const longer = files.findIndex((_, k) => k > 0 && !/^[\r\n]*$/.test(texts[k].slice(passed[k])));
        if (longer > 0) throw shorter(0, longer);
        return framed(records);
      }
      passed[i] += next.value.join('\n').length + 1;
      record.push(...next.value);
    }
    records.push(record);
  }
}

async function expectSame(texts: readonly string[], partBytes: () => number): Promise<boolean> {
  const [want, got] = [await resultOf(() => joinByHand(texts)), await resultOf(() => join(texts, partBytes))];
  if (want.refused === undefined) expect(got).toEqual(want);
  else expect(got.refused, JSON.stringify(texts)).toMatch(new RegExp(`^${want.refused}\\b`));
  return want.refused === undefined;
}

function drawMates(below: RandomBelow, files: number, count: number, most: number): string[] {
  const texts = Array.from({ length: files }, () => '');
  for (let i = 0; i < count; i++) {
    const name = drawName(below);
    for (let k = 0; k < files; k++)
      texts[k] += drawRead(below, name + ['', `/${k + 1}`][below(2)], most, ['\n', '\r\n'][k % 2]);
  }
  return texts.map((text) => [text, text.replace(/\r?\n$/, ''), `${text}\n`][below(3)]);
}

property(
  'joins files of mates, however they are cut',
  [pick([1, 2, 4]), fc.nat(5), pick([1, 8, 300]), fc.nat()],
  async (files, count, most, seed) => {
    const below = randomBelow(seed);
    expect(await expectSame(drawMates(below, files, count, 30), () => 1 + below(most))).toBe(true);
  },
  { runs: 600 },
);

property(
  'joins long files of mates in parts of any size',
  [pick([1 << 21, 1 << 17, 4000]), fc.nat()],
  async (most, seed) => {
    const below = randomBelow(seed);
    const texts = drawMates(below, 2, 8000, 400);
    expect(texts[0].length).toBeGreaterThan(2 << 20);
    await expectSame(texts, () => 1 + below(most));
  },
  { runs: 3 },
);

it('joins mates longer than one result of the reader', async () => {
  const below = randomBelow(8);
  const texts = ['A', 'C'].map((base) => `@r\n${base.repeat(3 << 20)}\n+\n${'I'.repeat(3 << 20)}`);
  await expectSame([texts[0], `${texts[1]}\n`], () => 1 + below(1 << 20));
});

property(
  'finds the first problem in damaged files of mates',
  [fc.integer({ min: 2, max: 3 }), fc.nat(4), pick([1, 20, 500]), fc.nat()],
  async (files, count, most, seed) => {
    const below = randomBelow(seed);
    const texts = drawMates(below, files, count, 20);
    const at = below(files);
    texts[at] = damage(below, texts[at]);
    await expectSame(texts, () => 1 + below(most));
  },
  { runs: 1500 },
);

it('reports which file of mates is wrong, and why', async () => {
  const messageOf = async (...texts: string[]) => (await resultOf(() => join(texts, () => 5))).refused;
  const read = (name: string) => `@${name}\nAC\n+\nII\n`;
  expect(await messageOf(read('a') + read('b/1'), read('a') + read('c/2'))).toBe(
    'R1 and R2: names differ at read 2: "b/1" and "c/2"',
  );
  expect(await messageOf(read('a'), read('a') + read('b'))).toBe('R1 has 1 read, but R2 has more');
  expect(await messageOf(read('a'), read('a'), '')).toBe('R3 has 0 reads, but R1 has more');
  expect(await messageOf(read('a'), '@a\nAC\n+')).toBe('R2: line 1: the last record is cut off: it has 3 of 4 lines');
  expect(await messageOf(read('a'), '@a\nAC\nGT\n+\n')).toMatch(/^R2: line 3 does not begin with "\+"/);
});

it('closes all files of mates', () => {
  const readers = [inPieces('', () => 1), inPieces('', () => 1)];
  joinMates(readers.map((reader) => ({ label: '', reader }))).close();
  expect(readers.map(({ closes }) => closes)).toEqual([1, 1]);
});
