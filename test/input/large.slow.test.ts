/** Large inputs: bounded memory, threads, other programs' files, and shares that are found by reading little. */
import { createHash } from 'node:crypto';
import { closeSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { parseFieldSpan } from '../../src/cli/parse/key-definition.js';
import { BLOCK_TEXT, END_BLOCK, writeBlock } from '../../src/codecs/bgzf.js';
import { decompressing } from '../../src/input/decompress.js';
import { type InputFile, type InputForm, statInput } from '../../src/input/files.js';
import { openText } from '../../src/input/framed.js';
import { cutShares, shareInputs } from '../../src/input/shares.js';
import type { ByteSource } from '../../src/system/byte-source.js';
import { fileSystem } from '../../src/system/file-system.js';
import { freshDirectory } from '../battery/runner.js';
import { drawFastq, drawRead } from '../records/fastx-reference.js';
import { hasProgram, piped, randomBytes } from '../support/codecs.js';
import { bgzf } from '../support/genomics-bam.js';
import { randomBelow } from '../support/random.js';
import { LINES } from '../support/records.js';
import { readAll, readerOf } from '../support/streams.js';

const file = join(freshDirectory('large-inputs'), 'x');
const TEXT = randomBytes(1, 5_000_000, 4);
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
async function drained(reader: ByteSource, each: (bytes: Uint8Array) => void = () => undefined): Promise<number> {
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

it('frames FASTQ in threads if the file is large, plain and alone and processors suffice', async () => {
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
      await drained(await openText(inputOf(text, { ...FASTQ, threads }), null, { isOnly }), (bytes) =>
        hash.update(bytes),
      );
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
    bytes += await drained(await openText({ ...share, threads: 4 }, null, { isOnly: true }));
  }
  expect(bytes).toBe(input.extent!.end);
});

it('cuts shares after reading little, and each byte at most twice', async () => {
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

it('reads no more of a compressed input after it is closed, even during read-ahead', async () => {
  for (const compressed of [piped('gzip', ['-1', '-c'], TEXT), bgzf(TEXT, 1, BLOCK_TEXT)]) {
    const source = readerOf(compressed, 100_000);
    let reads = 0;
    const counted: ByteSource = {
      read: () => {
        reads++;
        return source.read();
      },
      close: () => source.close(),
    };
    const reader = decompressing(counted, { label: 'in', threads: 2 });
    await reader.read();
    reader.close();
    const before = reads;
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(reads).toBe(before);
    expect(source.closes).toBe(1);
  }
});

it.each([
  ['bgzip', ['-l', '0', '-c']],
  ['bgzip', ['-l', '1', '-c']],
  ['bgzip', ['-l', '9', '-c']],
  ['gzip', ['-1', '-c']],
  ['gzip', ['-9', '-c']],
  ['zstd', ['-1', '-c']],
  ['zstd', ['-9', '-c']],
  ['zstd', ['-T2', '-c']],
  ['xz', ['-1', '-T2', '-c']],
  ['lz4', ['-1', '-c']],
  ['bzip2', ['-1', '-c']],
] as const)('reads the output of %s %j (left out without that program)', async (program, options) => {
  if (!hasProgram(program)) return;
  const reader = decompressing(readerOf(piped(program, options, TEXT)), { label: 'in', threads: 2 });
  expect(Buffer.compare(await readAll(reader), TEXT)).toBe(0);
});

it('cuts no segment next to a record that is too long to read', async () => {
  writeFileSync(file, '');
  const fd = openSync(file, 'r+');
  // Lines of NULs, which take no space: 40 MiB and 70 MiB.
  const long = [40 << 20, 110 << 20];
  writeSync(fd, '\nb 1\n', long[0]);
  writeSync(fd, '\nc 1\nd 1\n', long[1]);
  closeSync(fd);
  const input = statInput(Buffer.from(file), 'sort');
  const segments = { kind: 'fields', span: parseFieldSpan('1,1', Buffer.from(' ')) } as const;
  const shares = await cutShares([input], { ordering: { ...LINES, segments } }, 3);
  const cut = long[1] + '\nc 1\n'.length;
  expect(shares).toEqual([[{ input: 0, begin: 0, end: cut }], [{ input: 0, begin: cut, end: input.extent!.end }]]);
});
