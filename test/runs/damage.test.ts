/** Damaged temporary files: every change is detected when the data is read, and nothing hangs. */
import {
  closeSync,
  ftruncateSync,
  openSync,
  readFileSync,
  readlinkSync,
  readSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { decorated } from '../../src/contract/decorated.js';
import type { SortJob } from '../../src/job/job.js';
import { KeyMaker } from '../../src/keys/key-maker.js';
import { runJob } from '../../src/run/run-job.js';
import type { Blob } from '../../src/runs/blob.js';
import { withLongLines } from '../../src/runs/long-lines.js';
import { wholeRun } from '../../src/runs/partition.js';
import { TemporaryStore } from '../../src/runs/store.js';
import { BlobRun } from '../../src/runs/stored-run.js';
import { fileSystem } from '../../src/system/file-system.js';
import { type JobSettings, job, silent, smallEngine } from '../support/jobs.js';
import { byNumber } from '../support/keyed.js';
import { property } from '../support/property.js';
import { randomBelow } from '../support/random.js';
import { LINES, sortedRecords, join as textOf } from '../support/records.js';
import { closeSpillDirectory, contentOf, openSpillDirectory, spilledFiles } from '../support/spilled.js';
import { sampled } from '../support/tier.js';

let directory = '';
let temporary = '';
beforeEach(() => {
  ({ directory, temporary } = openSpillDirectory('damage-'));
});
afterEach(async () => {
  // A failed job may leave a read under way; the file is closed after it.
  for (const end = Date.now() + 10_000; spilledFiles(temporary).length > 0; await sleep(10))
    expect(Date.now(), 'the file is still open').toBeLessThan(end);
  closeSpillDirectory({ directory, temporary });
});

const below = randomBelow(12);
const noise = (bytes: number): Buffer => Buffer.from(Array.from({ length: bytes }, () => below(256)));
const content = noise(300_001);

async function stored(store: TemporaryStore, content: Buffer, sized = true): Promise<Blob> {
  const writer = store.create(sized ? content.length : null);
  for (let at = 0; at < content.length; at += 70_000) await writer.write(content.subarray(at, at + 70_000));
  return writer.finish();
}

async function bytesAt(blob: Blob, byte: number, bytes: number): Promise<Buffer> {
  const target = Buffer.alloc(bytes);
  await blob.readAt(byte, target);
  return target;
}

/** Changes the only file of the store. */
function change(work: (fd: number) => void): void {
  const fd = openSync(spilledFiles(temporary)[0].path, 'r+');
  work(fd);
  closeSync(fd);
}
function flip(place: number, bit: number): void {
  change((fd) => {
    const byte = Buffer.alloc(1);
    readSync(fd, byte, 0, 1, place);
    byte[0] ^= 1 << bit;
    writeSync(fd, byte, 0, 1, place);
  });
}

const BLOCK = 16 << 10;
const damaged = (byte: number) => ({
  code: 'read-failed',
  exitCode: 2,
  message: `read failed: temporary file in ${temporary}: the block at byte ${byte} is damaged`,
  hint: expect.stringContaining('-T'),
});

describe('a blob', () => {
  property(
    'reads a blob with a flipped bit everywhere except in the damaged block',
    [fc.boolean(), fc.nat(300_000), fc.nat(7)],
    async (sized, place, bit) => {
      const store = new TemporaryStore([Buffer.from(temporary)]);
      const before = await stored(store, content.subarray(0, 1000));
      const blob = await stored(store, content, sized);
      const block = blob.blockBytes;
      const begin = Math.floor(place / block) * block;
      flip(1000 + place, bit);
      await expect(bytesAt(blob, 0, content.length)).rejects.toMatchObject(damaged(1000 + begin));
      // The last block read is cached, so read one byte of another block first.
      await bytesAt(blob, begin >= 3 * block ? 0 : 4 * block, 1);
      for (const _ of ['once', 'again'])
        await expect(bytesAt(blob, place, 1)).rejects.toMatchObject(damaged(1000 + begin));
      expect((await bytesAt(blob, 0, begin)).equals(content.subarray(0, begin))).toBe(true);
      flip(1000 + place, bit);
      expect(await bytesAt(blob, place, 1)).toEqual(content.subarray(place, place + 1));
      expect((await bytesAt(blob, 0, content.length)).equals(content)).toBe(true);
      before.release();
      store.close();
    },
    { runs: 80 },
  );

  it('rejects a read of a blob with a flipped bit in its last byte', async () => {
    const store = new TemporaryStore([Buffer.from(temporary)]);
    const blob = await stored(store, content);
    flip(content.length - 1, 0);
    await expect(bytesAt(blob, content.length - 1, 1)).rejects.toMatchObject({ code: 'read-failed' });
    store.close();
  });

  it('rejects a read of two swapped blocks of a blob', async () => {
    const store = new TemporaryStore([Buffer.from(temporary)]);
    const content = noise(10 * BLOCK);
    const blob = await stored(store, content);
    change((fd) => {
      writeSync(fd, content, 2 * BLOCK, BLOCK, 7 * BLOCK);
      writeSync(fd, content, 7 * BLOCK, BLOCK, 2 * BLOCK);
    });
    await expect(bytesAt(blob, 7 * BLOCK, BLOCK)).rejects.toMatchObject(damaged(7 * BLOCK));
    await expect(bytesAt(blob, 0, content.length)).rejects.toMatchObject(damaged(2 * BLOCK));
    expect((await bytesAt(blob, 3 * BLOCK, 4 * BLOCK)).equals(content.subarray(3 * BLOCK, 7 * BLOCK))).toBe(true);
    store.close();
  });

  it('rejects a read of a block that holds older data', async () => {
    const store = new TemporaryStore([Buffer.from(temporary)]);
    const [old, content] = [noise(4 * BLOCK), noise(4 * BLOCK)];
    (await stored(store, old)).release();
    const blob = await stored(store, content);
    change((fd) => {
      writeSync(fd, old, BLOCK, BLOCK, BLOCK);
    });
    await expect(bytesAt(blob, 0, content.length)).rejects.toMatchObject(damaged(BLOCK));
    store.close();
  });

  it('rejects a read after the end of a truncated file', async () => {
    const store = new TemporaryStore([Buffer.from(temporary)]);
    const content = noise(4 * BLOCK);
    const blob = await stored(store, content);
    change((fd) => {
      ftruncateSync(fd, 2 * BLOCK + 5);
    });
    await expect(bytesAt(blob, 0, content.length)).rejects.toMatchObject({
      code: 'read-failed',
      exitCode: 2,
      message: `read failed: temporary file in ${temporary}: it ends at byte ${2 * BLOCK + 5}, before the data written last`,
      hint: expect.stringContaining('-T'),
    });
    expect((await bytesAt(blob, 0, 2 * BLOCK)).equals(content.subarray(0, 2 * BLOCK))).toBe(true);
    store.close();
  });

  it('reads the same bytes of a blob at once, in parts and into write-only memory', async () => {
    const store = new TemporaryStore([Buffer.from(temporary)]);
    const blobs: { blob: Blob; content: Buffer }[] = [];
    for (const bytes of [0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 700_000]) {
      const content = noise(bytes);
      blobs.push({ content, blob: await stored(store, content, bytes % 2 === 0) });
    }
    for (const { blob, content } of blobs) {
      await Promise.all(
        Array.from({ length: 60 }, async (_, i) => {
          const [from, to] =
            i === 0
              ? [0, content.length]
              : ([below(content.length + 1), below(content.length + 1)].sort((a, b) => a - b) as [number, number]);
          const target = Buffer.alloc(to - from);
          await blob.readAt(from, target, { writeOnly: i % 2 === 0 });
          expect(target.equals(content.subarray(from, to))).toBe(true);
        }),
      );
      await expect(bytesAt(blob, 0, content.length + 1)).rejects.toMatchObject({ code: 'internal' });
    }
    store.close();
  });
});

describe('a job with damaged temporary files', () => {
  const records = Array.from({ length: 20_000 }, () => Buffer.from(`${below(1e9)} ${'x'.repeat(below(30))}`));
  const text = textOf(records);
  const file = (name: string, content: Uint8Array): Buffer => {
    writeFileSync(join(directory, name), content);
    return Buffer.from(join(directory, name));
  };
  const spilling = (changes: JobSettings = {}): SortJob =>
    job({
      inputs: [file('input', text)],
      output: file('output', Buffer.from('kept')),
      engine: 'cpu',
      parallel: 1,
      memoryBytes: 256 << 10,
      chunkBytes: 32 << 10,
      temporaryDirectories: [Buffer.from(temporary)],
      ...changes,
    });
  const sorted = [0, 1, 2].map((i) => textOf(sortedRecords(records.filter((_, r) => r % 3 === i))));
  const merging = (): JobSettings => ({
    mode: 'merge',
    batchSize: 2,
    inputs: sorted.map((part, i) => file(`sorted${i}`, part)),
  });

  /**
   * Runs a job on a file system that spoils the bytes of write number `at` to temporary files. Returns the number of
   * such writes, and the job's error.
   */
  async function played(
    requested: SortJob,
    at: number,
    spoil: (bytes: Uint8Array) => Uint8Array,
  ): Promise<{ writes: number; error: unknown }> {
    const { writev } = fileSystem;
    let writes = 0;
    fileSystem.writev = async (fd, blocks, position) => {
      if (!readlinkSync(`/proc/self/fd/${fd}`).startsWith(temporary) || writes++ !== at)
        return writev(fd, blocks, position);
      return (
        (await writev(fd, [spoil(Buffer.concat(blocks))], position)) &&
        blocks.reduce((sum, { length }) => sum + length, 0)
      );
    };
    try {
      return await runJob(requested, silent).then(
        () => ({ writes, error: null }),
        (error: unknown) => ({ writes, error }),
      );
    } finally {
      fileSystem.writev = writev;
    }
  }

  const SPOILS: Readonly<Record<string, (bytes: Uint8Array) => Uint8Array>> = {
    'a bit flipped': (bytes) => {
      const changed = Buffer.from(bytes);
      changed[changed.length >> 1] ^= 4;
      return changed;
    },
    'no newlines': (bytes) => Buffer.from(bytes).map((byte) => (byte === 10 ? 32 : byte)),
    'half of the bytes missing': (bytes) => Buffer.from(bytes.subarray(0, bytes.length >> 1)),
    'all zeros': (bytes) => Buffer.alloc(bytes.length),
  };
  const MODES: Readonly<Record<string, () => JobSettings>> = {
    'a sort': () => ({}),
    '-m': merging,
    '--bottom': () => ({ limit: { end: 'last', count: 16_000 } }),
    '--compress-program': () => ({ compressProgram: Buffer.from('gzip') }),
  };
  const known = new Map<string, number>();
  /** The number of writes if none is spoilt; counted once for each mode. */
  async function cleanWrites(mode: string): Promise<number> {
    if (!known.has(mode)) {
      const { error, writes } = await played(spilling(MODES[mode]()), -1, (bytes) => bytes);
      expect(error).toBe(null);
      expect(writes).toBeGreaterThan(1);
      known.set(mode, writes);
    }
    return known.get(mode)!;
  }
  const CASES = Object.keys(MODES).flatMap((mode) => Object.keys(SPOILS).map((spoil) => ({ mode, spoil })));
  it.each(sampled(CASES, { count: CASES.length, seed: 1, values: ({ mode, spoil }) => [mode, spoil] }))(
    'fails on damage in a temporary file of $mode: $spoil',
    async ({ mode, spoil }) => {
      const writes = await cleanWrites(mode);
      for (const at of new Set([0, writes >> 1, writes - 1])) {
        const requested = spilling(MODES[mode]());
        const { error } = await played(requested, at, SPOILS[spoil]);
        // Compressed blocks hold hardly any newlines, so this fault may change nothing.
        if (error === null && mode === '--compress-program' && spoil === 'no newlines') continue;
        expect(error).toMatchObject({
          code: 'read-failed',
          exitCode: 2,
          message: expect.stringMatching(
            /^read failed: temporary file in \/.*: (the block at byte \d+ is damaged|it ends at byte \d+, before the data written last)$/,
          ),
        });
        expect(readFileSync(join(directory, 'output'), 'latin1')).toBe('kept');
      }
    },
  );
});

describe('a stored run whose text has no delimiters', () => {
  it.each([0, 1e9])('rejects a stored run without delimiters (bytes in memory: %i)', async (memory) => {
    const store = new TemporaryStore([Buffer.from(temporary)]);
    store.allowMemory(memory);
    const content = Buffer.alloc(200_000, 'x');
    const run = new BlobRun(await stored(store, content), LINES);
    const begin = { index: 0, byte: 0 };
    const internal = {
      code: 'internal',
      exitCode: 2,
      message: expect.stringMatching(/^internal error: the record at byte 0 of a stored run has no end$/),
    };
    await expect(run.record(begin)).rejects.toMatchObject(internal);
    await expect(run.sample(begin, run.end, 5)).rejects.toMatchObject(internal);
    await expect(run.cut(begin, run.end, [Buffer.from('xy')])).rejects.toMatchObject(internal);
    store.close();
  });
});

it('rejects a text to key that lacks its last newline', () => {
  expect(() => new KeyMaker(byNumber()).keyed(Buffer.alloc(600_000, '1'))).toThrow(
    expect.objectContaining({ code: 'internal' }),
  );
});

it.each([
  [9, 9, 9, 9],
  [1, 1, 1, 200],
])('rejects a long keyed line with the header %i %i %i %i', async (...header) => {
  const store = new TemporaryStore([Buffer.from(temporary)]);
  const run = new BlobRun(await stored(store, Buffer.from([...header, ...Buffer.from('short\n')])), byNumber());
  const engine = withLongLines(decorated(await smallEngine(byNumber(), 1000), { mergeBytes: 4 }), byNumber());
  await expect(engine.merge([wholeRun(run)], 0)).rejects.toMatchObject({ code: 'internal' });
  await engine.close();
  store.close();
});

it('writes a temporary file that only its owner may read', async () => {
  const store = new TemporaryStore([Buffer.from(temporary)]);
  const content = noise(1000);
  await stored(store, content);
  const [file, ...others] = spilledFiles(temporary);
  expect(others).toEqual([]);
  expect(contentOf(file!).equals(content)).toBe(true);
  expect(file!.mode).toBe(0o600);
  store.close();
});
