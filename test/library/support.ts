/** Inputs of each kind with odd borders between blocks, outputs that are collected, and seeded lines. */
import { Readable, Writable } from 'node:stream';
import type { SortInput, SortOutput, SortSettings } from '../../src/index.js';
import { sort } from '../../src/index.js';
import { randomBelow } from '../support/random.js';

/** Lines of words and numbers, with repeats, empty lines and bytes that are not UTF-8. */
export function seededLines(seed: number, count: number, end = '\n'): Buffer {
  const below = randomBelow(seed);
  const words = ['b', 'a', 'B', 'aa', '', 'z z', '-3', '10', '9', '1e3', '\xff', 'v1.10', 'v1.9', '2K', 'JAN'];
  const word = (): string => words[below(words.length)]!;
  return Buffer.from(Array.from({ length: count }, () => `${word()} ${word()}\t${below(50)}${end}`).join(''), 'latin1');
}

/** `bytes` in blocks of 0 to `most` bytes. */
export function blocksOf(bytes: Uint8Array, seed: number, most: number): Buffer[] {
  const below = randomBelow(seed);
  const blocks: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const length = below(most + 1);
    blocks.push(Buffer.from(bytes.subarray(at, at + length)));
    at += length;
  }
  return blocks;
}

async function* later(blocks: readonly Buffer[]): AsyncGenerator<Buffer> {
  for (const block of blocks) {
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    yield block;
  }
}

/** Streams and iterables of each kind that give `blocks`. */
export const SOURCES: Readonly<Record<string, (blocks: readonly Buffer[]) => SortInput>> = {
  'a Readable': (blocks) => Readable.from(blocks, { objectMode: false }),
  'a Readable of objects': (blocks) => Readable.from(blocks.filter(({ length }) => length > 0)),
  'a slow Readable': (blocks) => Readable.from(later(blocks)),
  'a Web stream': (blocks) => new Blob(blocks as unknown as ConstructorParameters<typeof Blob>[0]).stream(),
  'a Web stream of many blocks': (blocks) => {
    const left = [...blocks];
    return new ReadableStream<Uint8Array>({
      pull: (controller) => {
        const block = left.shift();
        if (block === undefined) controller.close();
        else controller.enqueue(block);
      },
    });
  },
  'an async generator': later,
  'an iterable': (blocks) => new Set(blocks),
};

/** An output in memory. */
export class Collected extends Writable {
  readonly blocks: Buffer[] = [];

  override _write(block: Buffer, _: string, done: () => void): void {
    this.blocks.push(block);
    done();
  }

  get bytes(): Buffer {
    return Buffer.concat(this.blocks);
  }
}

/** The output of a sort. */
export async function sortedBytes(input: SortInput, settings?: SortSettings): Promise<Buffer> {
  const output = new Collected();
  await sort(input, output, settings);
  return output.bytes;
}

/** The error of a sort that must fail. */
export async function errorOf(input: SortInput, output: SortOutput, settings?: SortSettings): Promise<unknown> {
  try {
    await sort(input, output, settings);
  } catch (error) {
    return error;
  }
  throw new Error('the sort did not fail');
}
