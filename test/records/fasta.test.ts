/** FASTA framed in parts cut anywhere, against a plain reader; damaged texts are refused at the same line. */
import { expect, it } from 'vitest';
import { fastaFramer } from '../../src/records/fasta.js';
import { randomBelow } from '../support/random.js';
import { damage, drawFasta, frame, frameFasta, resultOf } from './fastx-reference.js';

const found = (text: string, partBytes: () => number) => resultOf(() => frame(fastaFramer('x'), text, partBytes));

async function expectSame(text: string, partBytes: () => number): Promise<void> {
  const [want, got] = [await resultOf(() => frameFasta(text, 'x')), await found(text, partBytes)];
  if (want.refused === undefined) expect(got).toEqual(want);
  else expect(got.refused, JSON.stringify(text)).toMatch(new RegExp(`^${want.refused}\\b`));
}

it('finds records however the text is cut', async () => {
  const below = randomBelow(1);
  for (let round = 0; round < 60; round++) {
    const text = drawFasta(below, 4);
    for (let cut = 1; cut <= text.length; cut++) {
      const cuts = [cut, text.length];
      await expectSame(text, () => cuts.shift()!);
    }
    await expectSame(text, () => 1);
  }
  await expectSame('', () => 1);
});

it('finds records in long texts', async () => {
  const below = randomBelow(2);
  const text = drawFasta(below, 20_000);
  expect(text.length).toBeGreaterThan(1 << 20);
  for (const most of [1 << 21, 1 << 17, 5000]) await expectSame(text, () => 1 + below(most));
});

it('finds the first wrong line of damaged texts', async () => {
  const below = randomBelow(3);
  let refused = 0;
  for (let round = 0; round < 6000; round++) {
    const text = damage(below, drawFasta(below, below(5)));
    const most = [1, 20, 500][round % 3];
    await expectSame(text, () => 1 + below(most));
    if ((await resultOf(() => frameFasta(text, 'x'))).refused !== undefined) refused++;
  }
  expect(refused).toBeGreaterThan(1000);
  expect(refused).toBeLessThan(5000);
});

it('says what is wrong, and where', async () => {
  const messageOf = async (text: string) => (await found(text, () => 3)).refused;
  expect(await messageOf('ACGT\n')).toBe('x: line 1 does not begin with ">"');
  expect(await messageOf('>a\nAC\n;b\nGT\n')).toBe('x: line 3 begins with ";": comments are not supported');
  expect(await messageOf('>a\nAC\nG\0\n')).toBe('x: line 3 contains NUL, which FASTA cannot contain');
});
