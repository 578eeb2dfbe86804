/** Joined records of mates split into files, however the stream is cut into blocks, against a plain splitter. */
import { describe, expect, it } from 'vitest';
import { splitMates } from '../../src/output/mates.js';
import { collector } from '../support/jobs.js';
import { randomBelow } from '../support/random.js';

async function split(text: string, files: number, blockBytes: () => number, waits: boolean): Promise<string[]> {
  const outs = Array.from({ length: files }, collector);
  const filter = splitMates(
    outs.map(({ write }) => async (block) => {
      await new Promise(setImmediate);
      await write(block);
    }),
  );
  const bytes = Buffer.from(text, 'latin1');
  const writes: Promise<void>[] = [];
  for (let at = 0; at < bytes.length; ) {
    // Like the engine's memory: shared with threads, and reused after the write.
    const part = bytes.subarray(at, (at += blockBytes()));
    const block = new Uint8Array(new SharedArrayBuffer(part.length));
    block.set(part);
    const taken = filter.write(block).then(() => {
      block.fill(0x2a);
    });
    writes.push(taken);
    if (waits) await taken;
  }
  await Promise.all(writes);
  await filter.finish();
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
  const below = randomBelow(files);
  const draw = (records: number, most: number): string =>
    Array.from(
      { length: records },
      () => `${Array.from({ length: 4 * files }, () => '\tAB'[below(3)].repeat(below(most))).join('\n')}\0`,
    ).join('');

  it('are split at every byte', async () => {
    const text = draw(2, 20);
    const expected = splitByHand(text, files);
    for (let cut = 1; cut <= text.length; cut++) {
      const cuts = [cut, text.length];
      expect(await split(text, files, () => cuts.shift()!, cut % 2 === 0)).toEqual(expected);
    }
    expect(await split(text, files, () => 1, true)).toEqual(expected);
  });

  it('are split in long streams, of records that end in NUL or newline', async () => {
    const text = draw(3000, 600 / files);
    expect(text.length).toBeGreaterThan(3 << 20);
    for (const stream of [text, text.replaceAll('\0', '\n')]) {
      const parts = await split(stream, files, () => 1 + below(1 << 20), stream === text);
      expect(parts.map((part, i) => part === splitByHand(text, files)[i])).toEqual(parts.map(() => true));
    }
  });
});

it('splits reads longer than a write', async () => {
  const text = `@a\n${'A'.repeat(5 << 20)}\n+\n${'I'.repeat(5 << 20)}\n@a\n\n+\n\0`;
  const [one, two] = await split(text, 2, () => 3 << 20, true);
  expect([one.length, two]).toEqual([text.length - 7, '@a\n\n+\n\n']);
});

it('waits for the slower of its writers', async () => {
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

it('fails with the error of an output', async () => {
  const fails = () => Promise.reject(new Error('disk full'));
  const filter = splitMates([async () => undefined, fails]);
  await filter.write(Buffer.from('a\n\n\n\nb\n\n\n\0'));
  await expect(filter.finish()).rejects.toThrow('disk full');
});
