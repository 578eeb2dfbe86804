/** Large inputs: bounded memory, threads, and shares that are found by reading little. */
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { BLOCK_TEXT, END_BLOCK, writeBlock } from '../../src/codecs/bgzf.js';
import { fileSystem } from '../../src/file-system.js';
import { decompressing } from '../../src/input/decompress.js';
import { type InputFile, type InputForm, statInput } from '../../src/input/files.js';
import { openText } from '../../src/input/framed.js';
import { shareInputs } from '../../src/input/share-inputs.js';
import { cutShares } from '../../src/input/shares.js';
import type { StreamReader } from '../../src/input/stream.js';
import { freshDirectory } from '../battery/runner.js';
import { drawFastq, drawRead } from '../records/fastx-reference.js';
import { randomBelow } from '../support/random.js';
import { LINES } from '../support/records.js';
import { readerOf } from '../support/streams.js';

const file = join(freshDirectory('large-inputs'), 'x');
const FASTQ: Omit<InputForm, 'threads'> = {
  format: 'fastq',
  framing: { kind: 'fastq', reads: 1 },
  decompress: true,
  warnsOfCompression: false,
};

function inputOf(text: string, form?: InputForm): InputFile {
  writeFileSync(file, text, 'latin1');
  return statInput(Buffer.from(file), 'sort', form);
}

/** Reads to the end; returns the number of bytes. */
async function drained(reader: StreamReader, each: (bytes: Uint8Array) => void = () => undefined): Promise<number> {
  let total = 0;
  for (let bytes = await reader.read(); bytes !== null; bytes = await reader.read()) {
    total += bytes.length;
    each(bytes);
  }
  reader.close();
  return total;
}

it('expands BGZF in bounded memory', async () => {
  const target = Buffer.alloc(1 << 16);
  const block = Buffer.from(target.subarray(0, writeBlock(Buffer.alloc(BLOCK_TEXT), 9, target, 0)));
  const compressed = Buffer.concat([...Array.from({ length: 4000 }, () => block), END_BLOCK]);
  const before = process.memoryUsage().rss;
  let most = 0;
  const bytes = await drained(decompressing(readerOf(compressed), { label: 'in', threads: 2 }), () => {
    most = Math.max(most, process.memoryUsage().rss - before);
  });
  expect(bytes).toBe(4000 * BLOCK_TEXT);
  expect(most).toBeLessThan(bytes / 2);
});

it('expands gzip in bounded memory', async () => {
  const compressed = Buffer.concat(Array.from({ length: 8 }, () => gzipSync(Buffer.alloc(32 << 20))));
  let longest = 0;
  const bytes = await drained(decompressing(readerOf(compressed, 1 << 20), { label: 'in', threads: 0 }), (part) => {
    longest = Math.max(longest, part.length);
  });
  expect(bytes).toBe(256 << 20);
  expect(longest).toBeLessThan(4 << 20);
});

it('frames FASTQ in threads if the file is large, plain and read alone, and there are enough processors', async () => {
  const below = randomBelow(11);
  const part = drawRead(below, 'r', 400, '\n').repeat(300) + drawFastq(below, 3000, 4, 400).trimEnd();
  const text = `${part}\n`.repeat(Math.ceil((33 << 20) / part.length));
  let started = 0;
  const count = (): void => {
    started++;
  };
  process.on('worker', count);
  try {
    const digests = new Set<string>();
    for (const [threads, isOnly, workers] of [
      [4, true, 4],
      [100, true, 8],
      [3, true, 0],
      [4, false, 0],
    ] as const) {
      started = 0;
      const hash = createHash('sha256');
      await drained(await openText(inputOf(text, { ...FASTQ, threads }), null, isOnly), (bytes) => hash.update(bytes));
      digests.add(hash.digest('hex'));
      expect(started).toBe(workers);
    }
    expect(digests.size).toBe(1);
  } finally {
    process.off('worker', count);
  }
});

it('frames large shares of FASTQ in several threads', async () => {
  const some = `${drawFastq(randomBelow(11), 3000, 4, 400).trimEnd()}\n`.replaceAll('\r', '');
  const input = inputOf(some.repeat(Math.ceil((70 << 20) / some.length)), { ...FASTQ, threads: 0 });
  const ordering = { ...LINES, format: { kind: 'lines', delimiter: 0 } } as const;
  let bytes = 0;
  for (const parts of await cutShares([input], { ordering }, 2)) {
    const [share] = shareInputs([input], parts);
    bytes += await drained(await openText({ ...share, threads: 4 }, null, true));
  }
  expect(bytes).toBe(input.extent!.end);
});

it('finds shares by reading little, and each byte twice at most', async () => {
  const line = `${'0123456789'.repeat(9)}\n`;
  const { read } = fileSystem;
  let bytes = 0;
  fileSystem.read = async (fd, target, position) => {
    const count = await read(fd, target, position);
    bytes += count;
    return count;
  };
  try {
    await cutShares([inputOf(line.repeat((32 << 20) / line.length))], { ordering: LINES }, 8);
    expect(bytes).toBeLessThanOrEqual(7 * (64 << 10));
    bytes = 0;
    await cutShares([inputOf('g'.repeat(32 << 20))], { ordering: LINES }, 8);
    expect(bytes).toBeLessThanOrEqual(2 * (32 << 20));
  } finally {
    fileSystem.read = read;
  }
});
