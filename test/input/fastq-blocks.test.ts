/** FASTQ files framed in blocks by threads, against the framer that reads the whole text: equal text, equal errors. */
import { openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readFastqBlocks } from '../../src/input/fastq-blocks.js';
import { fastqFramer } from '../../src/records/fastq.js';
import { countBytes } from '../../src/records/fastx-kernels.js';
import { fileSystem } from '../../src/system/file-system.js';
import { freshDirectory } from '../battery/runner.js';
import { damage, drawFastq, frame, resultOf } from '../records/fastx-reference.js';
import { pick } from '../support/draws.js';
import { property } from '../support/property.js';
import { randomBelow } from '../support/random.js';

const file = join(freshDirectory('fastq-blocks'), 'x');

interface Reading {
  readonly lines?: number;
  readonly blockBytes?: number;
  readonly threads?: number;
  readonly extent?: { readonly begin: number; readonly end: number };
  readonly endsInside?: boolean;
}

const SIZE_OF_ALL = 1 << 24;
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

const perRecord = pick([4, 8, 12]);

property(
  'frames FASTQ the same in blocks of any size',
  [perRecord, fc.nat()],
  async (lines, seed) => {
    const text = drawFastq(randomBelow(seed), 2, lines, 30);
    const want = await sequential(text, lines);
    for (let blockBytes = 1; blockBytes <= text.length; blockBytes += 1 + (blockBytes >> 4))
      expect(await read(text, { lines, blockBytes }), JSON.stringify([text, blockBytes])).toEqual(want);
  },
  { runs: 15 },
);

property(
  'frames or refuses damaged FASTQ like the sequential framer',
  [perRecord, fc.integer({ min: 1, max: 6 }), pick([4, 40, 200, 2000]), fc.nat()],
  async (lines, count, most, seed) => {
    const below = randomBelow(seed);
    const text = damage(below, drawFastq(below, count, lines, 40));
    const blockBytes = 1 + below(most);
    if (text !== '') expect(await read(text, { lines, blockBytes })).toEqual(await sequential(text, lines));
  },
  { runs: 300 },
);

property(
  'frames or refuses long FASTQ with threads like the sequential framer',
  [perRecord, pick([1, 3]), fc.boolean(), fc.nat()],
  async (lines, threads, isDamaged, seed) => {
    const below = randomBelow(seed);
    const whole = drawFastq(below, 2000, lines, 400);
    const cut = whole.length - below(3000);
    const text = isDamaged ? whole.slice(0, cut) + damage(below, whole.slice(cut)) : whole;
    const got = await read(text, { lines, threads, blockBytes: 1 + below(200_000) });
    expect(JSON.stringify(got) === JSON.stringify(await sequential(text, lines))).toBe(true);
  },
  { runs: 20 },
);

it('drops empty lines at the end of FASTQ and refuses them elsewhere, over many blocks', async () => {
  const text = '@a\nA\n+\nI\n';
  for (const rest of ['\n'.repeat(100), '\r\n'.repeat(50), `${'\n'.repeat(50)}@`, `${'\n'.repeat(33)}${text}`])
    for (const blockBytes of [1, 2, 7, 9, 10, 16, 200])
      expect(await read(text + rest, { blockBytes })).toEqual(await sequential(text + rest));
});

it('reads only the extent of a FASTQ file', async () => {
  const [first, second] = ['@a\nA\n+\nI\n', '@b\nCC\n+\nII\n'];
  const extent = { begin: first.length, end: first.length + second.length };
  for (const blockBytes of [3, 100])
    expect(await read(first + second, { blockBytes, extent })).toEqual(await sequential(second));
});

it('stops at the end of the extent if the FASTQ file continues', async () => {
  const [first, second] = ['@a\nA\n+\nI\n', '@b\nCC\n+\nII\n'];
  for (const blockBytes of [3, 100])
    expect(
      await read(first + second, { blockBytes, extent: { begin: 0, end: first.length }, endsInside: true }),
    ).toEqual(await sequential(first));
});

it('refuses a FASTQ file that changes its size while it is read', async () => {
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

it('refuses CRAM where FASTQ is expected', async () => {
  expect((await read('CRAM\x03')).refused).toBe('x: gpusort does not read CRAM');
});

it('reads a bounded number of blocks ahead and closes the file after the last read', async () => {
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

it('counts the bytes of a value in texts of any length', () => {
  const below = randomBelow(9);
  for (const bytes of [0, 1, 15, 16, 17, 4079, 4080, 4081, 4096, 9000, 300_001]) {
    const text = Uint8Array.from({ length: bytes }, () => 9 + below(3));
    for (const byte of [10, 11]) expect(countBytes(text, byte)).toBe(text.filter((other) => other === byte).length);
    expect(countBytes(new Uint8Array(bytes).fill(10), 10)).toBe(bytes);
    expect(countBytes(new Uint8Array(bytes), 0)).toBe(bytes);
  }
});
