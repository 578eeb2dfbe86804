/** FASTQ files framed in blocks by threads, against the framer that reads the whole text: equal text, equal errors. */
import { createHash } from 'node:crypto';
import { mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fileSystem } from '../../src/file-system.js';
import { readFastqBlocks } from '../../src/input/fastq-blocks.js';
import { type InputForm, statInput } from '../../src/input/files.js';
import { openText } from '../../src/input/framed.js';
import { countNewlines, fastqFramer } from '../../src/records/fastq.js';
import { damage, drawFastq, drawRead, frame, resultOf } from '../records/fastx-reference.js';
import { randomBelow } from '../support/random.js';
import { NIGHTLY } from '../support/tier.js';

const ROUNDS = NIGHTLY ? 1000 : 100;
let folder = '';
let file = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'fastq-blocks-'));
  file = join(folder, 'x');
});
afterAll(() => rmSync(folder, { recursive: true }));

interface Reading {
  readonly lines?: number;
  readonly blockBytes?: number;
  readonly threads?: number;
  readonly extent?: { readonly begin: number; readonly end: number };
  readonly endsInside?: boolean;
}

const SIZE_OF_ALL = 1 << 24;
const FORM: Omit<InputForm, 'threads'> = {
  format: 'fastq',
  framing: { kind: 'fastq', reads: 1 },
  decompress: true,
  warnsOfCompression: false,
};

function open(text: string, reading: Reading = {}) {
  const { lines = 4, blockBytes = SIZE_OF_ALL, threads = 0, endsInside = false } = reading;
  writeFileSync(file, text, 'latin1');
  const extent = reading.extent ?? { begin: 0, end: text.length };
  return readFastqBlocks(
    { fd: openSync(file, 'r'), label: 'x', owned: true, extent, endsInside, lines, threads },
    blockBytes,
  );
}

/** The text of a file, or the message of its error. */
async function read(text: string, reading: Reading = {}) {
  const reader = open(text, reading);
  try {
    return await resultOf(async () => {
      let result = '';
      for (let bytes = await reader.read(); bytes !== null; bytes = await reader.read()) {
        expect(bytes.length).toBeGreaterThan(0);
        result += Buffer.from(bytes).toString('latin1');
      }
      return result;
    });
  } finally {
    reader.close();
  }
}

const sequential = (text: string, lines = 4) => resultOf(() => frame(fastqFramer('x', lines), text, () => SIZE_OF_ALL));

describe.each([4, 8, 12])('records of %i lines', (lines) => {
  it('are the same in blocks of any size', async () => {
    const below = randomBelow(lines);
    for (let round = 0; round < 4; round++) {
      const text = drawFastq(below, 2, lines, 30);
      const want = await sequential(text, lines);
      for (let blockBytes = 1; blockBytes <= text.length; blockBytes += 1 + (blockBytes >> 5))
        expect(await read(text, { lines, blockBytes }), JSON.stringify([text, blockBytes])).toEqual(want);
    }
  });

  it('are the same, or refused with the same words, in damaged files', async () => {
    const below = randomBelow(100 + lines);
    let refused = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const text = damage(below, drawFastq(below, 1 + below(6), lines, 40));
      if (text === '') continue;
      const blockBytes = 1 + below([4, 40, 200, 2000][round % 4]);
      const want = await sequential(text, lines);
      expect(await read(text, { lines, blockBytes }), JSON.stringify([text, blockBytes])).toEqual(want);
      if (want.refused !== undefined) refused++;
    }
    expect(refused).toBeGreaterThan(0.2 * ROUNDS);
    expect(refused).toBeLessThan(0.95 * ROUNDS);
  });

  it('are the same with threads, in long files, of which some are damaged near the end', async () => {
    const below = randomBelow(200 + lines);
    for (const threads of [1, 3]) {
      for (let round = 0; round < 4; round++) {
        const whole = drawFastq(below, 2000, lines, 400);
        const cut = whole.length - below(3000);
        const text = round % 2 === 0 ? whole : whole.slice(0, cut) + damage(below, whole.slice(cut));
        const got = await read(text, { lines, threads, blockBytes: 1 + below(200_000) });
        expect(JSON.stringify(got) === JSON.stringify(await sequential(text, lines))).toBe(true);
      }
    }
  });
});

it('drops empty lines at the end, and refuses them anywhere else, over many blocks', async () => {
  const text = '@a\nA\n+\nI\n';
  for (const rest of ['\n'.repeat(100), '\r\n'.repeat(50), `${'\n'.repeat(50)}@`, `${'\n'.repeat(33)}${text}`])
    for (const blockBytes of [1, 2, 7, 9, 10, 16, 200])
      expect(await read(text + rest, { blockBytes })).toEqual(await sequential(text + rest));
});

it('reads the extent of a file', async () => {
  const [first, second] = ['@a\nA\n+\nI\n', '@b\nCC\n+\nII\n'];
  const extent = { begin: first.length, end: first.length + second.length };
  for (const blockBytes of [3, 100])
    expect(await read(first + second, { blockBytes, extent })).toEqual(await sequential(second));
});

it('ends with the extent if the file goes on', async () => {
  const [first, second] = ['@a\nA\n+\nI\n', '@b\nCC\n+\nII\n'];
  for (const blockBytes of [3, 100])
    expect(
      await read(first + second, { blockBytes, extent: { begin: 0, end: first.length }, endsInside: true }),
    ).toEqual(await sequential(first));
});

it('refuses a file that changes its size while it is read', async () => {
  const text = '@a\nA\n+\nI\n'.repeat(20);
  const changed = (how: string) => ({
    code: 'input-changed',
    message: `read failed: x: the file ${how} while it was read`,
  });
  const end = text.length;
  for (const blockBytes of [10, 1000]) {
    await expect(read(text, { blockBytes, extent: { begin: 0, end: end + 9 } })).rejects.toMatchObject(
      changed('became shorter'),
    );
    await expect(read(text, { blockBytes, extent: { begin: 0, end: end - 9 } })).rejects.toMatchObject(
      changed('became longer'),
    );
  }
});

it('refuses other formats', async () => {
  expect((await read('CRAM\x03')).refused).toBe('x: gpusort does not read CRAM');
});

it('reads a bounded number of blocks ahead, and closes the file after the reads', async () => {
  const { read: readOnce, closeSync: closeOnce } = fileSystem;
  let [begun, pending, closed] = [0, 0, 0];
  fileSystem.read = async (...given) => {
    begun++;
    pending++;
    await new Promise((resolve) => setTimeout(resolve, 5));
    return readOnce(...given).finally(() => pending--);
  };
  fileSystem.closeSync = (fd) => {
    closed += pending === 0 ? 1 : NaN;

    closeOnce(fd);
  };
  try {
    const reader = open('@a\nA\n+\nI\n'.repeat(1000), { blockBytes: 90, threads: 1 });
    expect(await reader.read()).not.toBeNull();
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(begun).toBeGreaterThan(1);
    expect(begun).toBeLessThan(8);
    await reader.read();
    reader.close();
    expect(await reader.read()).toBeNull();
    for (let i = 0; i < 100 && closed === 0; i++) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(closed).toBe(1);
    expect(begun).toBeLessThan(8);
  } finally {
    fileSystem.read = readOnce;
    fileSystem.closeSync = closeOnce;
  }
});

it('is used for large plain files that are read alone, if there are enough processors', async () => {
  const below = randomBelow(11);
  const part = drawRead(below, 'r', 400, '\n').repeat(300) + drawFastq(below, 3000, 4, 400).trimEnd();
  const text = `${part}\n`.repeat(Math.ceil((33 << 20) / part.length));
  writeFileSync(file, text, 'latin1');
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
      const form = { ...FORM, threads };
      const reader = await openText(statInput(Buffer.from(file), 'sort', form), null, isOnly);
      const hash = createHash('sha256');
      for (let bytes = await reader.read(); bytes !== null; bytes = await reader.read()) hash.update(bytes);
      reader.close();
      digests.add(hash.digest('hex'));
      expect(started).toBe(workers);
    }
    expect(digests.size).toBe(1);
  } finally {
    process.off('worker', count);
  }
});

it('counts newlines', () => {
  const below = randomBelow(9);
  for (const bytes of [0, 1, 15, 16, 17, 4079, 4080, 4081, 4096, 9000, 300_001]) {
    const text = Uint8Array.from({ length: bytes }, () => 9 + below(3));
    expect(countNewlines(text)).toBe(text.filter((byte) => byte === 10).length);
    expect(countNewlines(new Uint8Array(bytes).fill(10))).toBe(bytes);
  }
});
