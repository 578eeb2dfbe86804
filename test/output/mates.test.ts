/** Joined records of mates split into files, however the stream is cut into blocks, against a plain splitter. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitMates } from '../../src/output/mates.js';
import { pour, pouring } from '../support/cuts.js';
import { collector } from '../support/jobs.js';
import { property } from '../support/property.js';
import { type RandomBelow, randomBelow } from '../support/random.js';

async function split(text: string, files: number, poured: Parameters<typeof pour>[2]): Promise<string[]> {
  const outs = Array.from({ length: files }, collector);
  const filter = splitMates(
    outs.map(({ write }) => async (block) => {
      await new Promise(setImmediate);
      await write(block);
    }),
  );
  await pour(filter, Buffer.from(text, 'latin1'), poured);
  return outs.map((out) => out.bytes().toString('latin1'));
}

function splitByHand(text: string, files: number): string[] {
  const lines = text.split(/[\n\0]/).slice(0, -1);
  return Array.from({ length: files }, (_, file) =>
    lines
      .filter((_, i) => Math.floor(i / 4) % files === file)
      .map((line) => `${line}\n`)
      .join(''),
  );
}

describe.each([1, 2, 3])('records of %i files', (files) => {
  const draw = (below: RandomBelow, records: number, most: number): string =>
    Array.from(
      { length: records },
      () => `${Array.from({ length: 4 * files }, () => '\tAB'[below(3)].repeat(below(most))).join('\n')}\0`,
    ).join('');

  property(
    `splits records of ${files} files however they are cut`,
    [fc.nat(), fc.nat(4), pouring(60)],
    async (seed, records, poured) => {
      const text = draw(randomBelow(seed), records, 20);
      expect(await split(text, files, poured)).toEqual(splitByHand(text, files));
    },
    { runs: 150 },
  );

  it(`splits long streams of records of ${files} files that end in NUL or newline`, async () => {
    const below = randomBelow(files);
    const text = draw(below, 3000, 600 / files);
    expect(text.length).toBeGreaterThan(3 << 20);
    const expected = splitByHand(text, files);
    for (const stream of [text, text.replaceAll('\0', '\n')]) {
      const sizes = Array.from({ length: 20 }, () => 1 + below(1 << 20));
      const parts = await split(stream, files, { sizes, waits: stream === text });
      expect(parts.map((part, i) => part === expected[i])).toEqual(parts.map(() => true));
    }
  });
});

it('splits mates longer than one write', async () => {
  const text = `@a\n${'A'.repeat(5 << 20)}\n+\n${'I'.repeat(5 << 20)}\n@a\n\n+\n\0`;
  const [one, two] = await split(text, 2, { sizes: [3 << 20], waits: true });
  expect([one.length, two]).toEqual([text.length - 7, '@a\n\n+\n\n']);
});

it('waits for the slower writer of two outputs of mates', async () => {
  let release = (): void => undefined;
  const slow = new Promise<void>((resolve) => {
    release = resolve;
  });
  let [taken, written] = [0, 0];
  const filter = splitMates([
    async (block) => {
      written += block.length;
    },
    () => slow,
  ]);
  const block = Buffer.from(`${'a\n'.repeat(7)}a\0`.repeat(1 << 16));
  const writes = Array.from({ length: 20 }, () => filter.write(block).then(() => (taken += block.length)));
  for (let i = 0; i < 200; i++) await new Promise(setImmediate);
  expect(taken).toBeLessThan(8 << 20);
  release();
  await Promise.all(writes);
  await filter.finish();
  expect(written).toBe(10 * block.length);
});

it('fails to split mates with the error of an output', async () => {
  const fails = () => Promise.reject(new Error('disk full'));
  const filter = splitMates([async () => undefined, fails]);
  await filter.write(Buffer.from('a\n\n\n\nb\n\n\n\0'));
  await expect(filter.finish()).rejects.toThrow('disk full');
});
