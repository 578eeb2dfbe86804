/** Blocks given to a writer without waiting come out whole and in order; after a failure every call fails. */

import { spawn } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { orderedWriter, positionalWriter } from '../../src/output/writers.js';
import { fileSystem } from '../../src/system/file-system.js';
import { silent } from '../support/jobs.js';
import { random } from '../support/random.js';

let directory = '';
beforeAll(() => {
  directory = fs.mkdtempSync('/tmp/gpusort-writers-');
});
afterAll(() => {
  fs.rmSync(directory, { recursive: true });
});

/** Blocks of many lengths, some larger than one write. */
function blocks(): Buffer[] {
  const next = random(3);
  const lengths = [
    1,
    5 << 20,
    100,
    ...Array.from({ length: 60 }, () => Math.floor(next() * 100_000)),
    9 << 20,
    0,
    // More than is gathered for one write.
    33 << 20,
    17,
  ];
  return lengths.map((length, i) => Buffer.alloc(length, `block ${i} `));
}

describe.each([
  ['orderedWriter', orderedWriter],
  ['positionalWriter', positionalWriter],
] as const)('%s', (name, writerOf) => {
  it(`writes blocks in order with ${name}`, async () => {
    const file = path.join(directory, name);
    const fd = fs.openSync(file, 'w');
    const write = writerOf(fd, file, silent);
    const data = blocks();
    await Promise.all(data.map((block) => write(block)));
    fs.closeSync(fd);
    expect(fs.readFileSync(file).equals(Buffer.concat(data))).toBe(true);
  });

  it(`returns a block only after ${name} has written it`, async () => {
    const file = path.join(directory, `${name}-reused`);
    const fd = fs.openSync(file, 'w');
    const write = writerOf(fd, file, silent);
    const ring = [Buffer.alloc(6 << 20), Buffer.alloc(6 << 20)];
    const writes: Promise<void>[] = [];
    for (let i = 0; i < 12; i++) {
      if (i >= ring.length) await writes[i - ring.length];
      writes.push(write(ring[i % ring.length].fill(i)));
    }
    await Promise.all(writes);
    fs.closeSync(fd);
    const written = fs.readFileSync(file);
    for (let i = 0; i < 12; i++)
      expect(written.subarray(i * (6 << 20), (i + 1) * (6 << 20)).equals(Buffer.alloc(6 << 20, i))).toBe(true);
  });

  it(`fails every block of ${name} after a failure`, async () => {
    const fd = fs.openSync('/dev/null', 'r');
    const write = writerOf(fd, 'the file', silent);
    const results = await Promise.allSettled([
      write(Buffer.alloc(10 << 20)),
      write(Buffer.alloc(10)),
      write(Buffer.alloc(10)),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    await expect(write(Buffer.alloc(1))).rejects.toThrow(/write failed: the file/);
    fs.closeSync(fd);
  });

  it(`writes nothing with ${name} after a failure, even if the disk has room again`, async () => {
    const file = path.join(directory, `${name}-full`);
    const fd = fs.openSync(file, 'w');
    const write = writerOf(fd, file, silent);
    const { writev } = fileSystem;
    fileSystem.writev = async () => {
      fileSystem.writev = writev;
      throw Object.assign(new Error('injected'), { code: 'ENOSPC' });
    };
    for (let i = 0; i < 3; i++) await expect(write(Buffer.from('abc'))).rejects.toThrow('No space left');
    fs.closeSync(fd);
    expect(fs.readFileSync(file, 'latin1')).toBe('');
  });
});

it('writes small blocks that wait together, up to the size of a part, with positionalWriter', async () => {
  const file = path.join(directory, 'gathered');
  const fd = fs.openSync(file, 'w');
  const write = positionalWriter(fd, file, silent);
  const data = Array.from({ length: 1500 }, (_, i) => Buffer.alloc(10_000, `block ${i} `));
  const { writev } = fileSystem;
  const sizes: number[] = [];
  fileSystem.writev = (to, parts, position) => {
    sizes.push(parts.reduce((sum, { length }) => sum + length, 0));
    return writev(to, parts, position);
  };
  try {
    await Promise.all(data.map((block) => write(block)));
  } finally {
    fileSystem.writev = writev;
    fs.closeSync(fd);
  }
  // The first two find nothing that waits.
  expect(sizes).toEqual([10_000, 10_000, 4_190_000, 4_190_000, 4_190_000, 2_410_000]);
  expect(fs.readFileSync(file).equals(Buffer.concat(data))).toBe(true);
});

it('continues with orderedWriter after a partial write to a pipe', async () => {
  const data = blocks();
  const file = path.join(directory, 'through-a-pipe');
  const fifo = path.join(directory, 'fifo');
  await new Promise((resolve) => {
    spawn('mkfifo', [fifo]).on('close', resolve);
  });
  const reader = spawn('sh', ['-c', `dd bs=100000 < ${fifo} > ${file} 2>/dev/null`]);
  const ended = new Promise((resolve) => {
    reader.on('close', resolve);
  });
  // Non-blocking: a full pipe answers EAGAIN or takes only part of the data.
  const fd = await new Promise<number>((resolve, reject) => {
    const open = (): void =>
      fs.open(fifo, fs.constants.O_WRONLY | fs.constants.O_NONBLOCK, (error, opened) => {
        if (error === null) resolve(opened);
        else if (error.code === 'ENXIO') setTimeout(open, 5);
        else reject(error);
      });
    open();
  });
  const write = orderedWriter(fd, fifo, silent);
  await Promise.all(data.map((block) => write(block)));
  fs.closeSync(fd);
  await ended;
  expect(fs.readFileSync(file).equals(Buffer.concat(data))).toBe(true);
});
