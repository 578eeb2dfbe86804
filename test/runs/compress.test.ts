/** --compress-program: the bytes come back, failures of the program are reported, and no process or file remains. */
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runJob } from '../../src/run/run-job.js';
import type { Blob } from '../../src/runs/blob.js';
import { TemporaryStore } from '../../src/runs/store.js';
import { type JobSettings, job, silent } from '../support/jobs.js';
import { byNumber, numberLines, sortedNumbers } from '../support/keyed.js';
import { children, childrenGone } from '../support/programs.js';
import { randomBelow } from '../support/random.js';
import { sortedRecords, join as textOf } from '../support/records.js';
import { closeSpillDirectory, contentOf, openSpillDirectory, spilledFiles } from '../support/spilled.js';
import { sampled } from '../support/tier.js';

let directory = '';
let temporary = '';
/** The children of this process that tests of other files have left. */
let others: readonly string[] = [];
beforeEach(() => {
  others = children();
  ({ directory, temporary } = openSpillDirectory('compress-'));
});
afterEach(async () => {
  await childrenGone(others);
  closeSpillDirectory({ directory, temporary });
});

/** An executable sh script; in it, $LOG is a file of its own. */
function program(name: string, ...lines: readonly string[]): Buffer {
  const path = join(directory, name);
  writeFileSync(path, ['#!/bin/sh', `LOG=${path}.log`, ...lines, ''].join('\n'));
  chmodSync(path, 0o755);
  return Buffer.from(path);
}

const openStore = (compressProgram: string | Buffer, width = 2): TemporaryStore =>
  new TemporaryStore([Buffer.from(temporary)], { program: Buffer.from(compressProgram), width });

/** A blob of `content`, written in parts of many lengths without waiting in between. */
async function stored(store: TemporaryStore, content: Buffer, sized: boolean): Promise<Blob> {
  const below = randomBelow(content.length);
  const writer = store.create(sized ? content.length : null);
  const writes: Promise<void>[] = [];
  for (let at = 0; at < content.length; ) {
    const part = content.subarray(at, at + 1 + below(300_000));
    writes.push(writer.write(part));
    at += part.length;
  }
  await Promise.all(writes);
  return writer.finish();
}

async function bytesAt(blob: Blob, byte: number, bytes: number): Promise<Buffer> {
  const target = Buffer.alloc(bytes);
  await blob.readAt(byte, target);
  return target;
}

/** Text that compresses, but in which no line occurs twice. */
const text = (bytes: number): Buffer =>
  Buffer.from(
    Array.from({ length: Math.ceil(bytes / 8) }, (_, i) => `${String(i).padStart(7, '0')}\n`).join(''),
  ).subarray(0, bytes);

describe('compressed blobs', () => {
  const SIZES = [0, 1, 1000, 1 << 20, (1 << 20) + 1, 2_500_000].flatMap((bytes) =>
    [true, false].map((sized) => ({ bytes, sized })),
  );
  it.each(sampled(SIZES, { count: SIZES.length, seed: 1, values: ({ sized }) => [sized] }))(
    'reads a compressed blob of $bytes bytes at any place (size known: $sized)',
    async ({ bytes, sized }) => {
      const content = text(bytes);
      const store = openStore('gzip');
      const below = randomBelow(bytes + 1);
      const blob = await stored(store, content, sized);
      expect(blob.bytes).toBe(bytes);
      expect((await bytesAt(blob, 0, bytes)).equals(content)).toBe(true);
      const expectAt = async ([from, to]: readonly number[]): Promise<void> => {
        expect((await bytesAt(blob, from, to - from)).equals(content.subarray(from, to))).toBe(true);
      };
      const places = Array.from({ length: 16 }, () => [below(bytes + 1), below(bytes + 1)].sort((a, b) => a - b));
      // One read after another, then all at the same time.
      for (const place of places.slice(0, 8)) await expectAt(place);
      await Promise.all(places.slice(8).map(expectAt));
      blob.release();
      store.close();
    },
  );

  it('stores the output of the program and reuses its space', async () => {
    const store = openStore('gzip');
    const content = text(1_500_000);
    for (let i = 0; i < 3; i++) {
      const blob = await stored(store, content, true);
      const [spilled] = spilledFiles(temporary);
      const file = contentOf(spilled!);
      expect(file.subarray(0, 2)).toEqual(Buffer.from([0x1f, 0x8b]));
      // Each block is a gzip member, so the first blob is a gzip file. Later blobs fill released space in any order.
      if (i === 0) expect(gunzipSync(file).length).toBe(content.length);
      expect(spilled!.bytes).toBeLessThan(content.length / 2);
      blob.release();
    }
    store.close();
  });

  it('compresses no blobs that stay in host memory', async () => {
    const store = openStore(program('logging', 'echo "$*" >> $LOG', 'exec gzip "$@"'));
    store.allowMemory(1000);
    const kept = await stored(store, text(600), true);
    expect(existsSync(join(directory, 'logging.log'))).toBe(false);
    const spilled = await stored(store, text(600), true);
    expect(await bytesAt(spilled, 100, 7)).toEqual(await bytesAt(kept, 100, 7));
    expect(readFileSync(join(directory, 'logging.log'), 'latin1')).toBe('\n-d\n');
    store.close();
  });

  it('compresses smaller blocks if there are many blobs', async () => {
    const store = openStore(program('logging', 'echo x >> $LOG', 'exec gzip "$@"'));
    const runs = (): number => readFileSync(join(directory, 'logging.log')).length / 2;
    const blobs: Blob[] = [];
    for (let i = 0; i < 40; i++) blobs.push(await stored(store, text(10), true));
    const before = runs();
    const content = text(1 << 20);
    const blob = await stored(store, content, true);
    expect(runs() - before).toBe(2);
    expect((await bytesAt(blob, 0, content.length)).equals(content)).toBe(true);
    for (const small of blobs) small.release();
    await stored(store, content, true);
    expect(runs() - before).toBe(5);
    store.close();
  });

  it('runs at most the given number of processes at once', async () => {
    // Each process leaves a file while it runs, and logs how many such files there are once three processes have begun.
    const store = openStore(
      program(
        'counting',
        'mkdir -p $LOG.d; touch $LOG.d/$$; echo x >> $LOG.begun; i=0',
        'until [ $(wc -l < $LOG.begun) -ge 3 ] || [ $i -ge 500 ]; do sleep 0.02; i=$((i + 1)); done',
        'ls $LOG.d | wc -l >> $LOG; gzip "$@"; rm $LOG.d/$$',
      ),
      3,
    );
    const blob = await stored(store, text(5 << 20), true);
    await bytesAt(blob, 0, blob.bytes);
    const counts = readFileSync(join(directory, 'counting.log'), 'latin1').trim().split(/\s+/).map(Number);
    expect(Math.max(...counts)).toBe(3);
    store.close();
  });

  it('makes a write wait for the processes of the compress program', async () => {
    const go = join(directory, 'go');
    const store = openStore(program('waiting', `while [ ! -e ${go} ]; do sleep 0.01; done`, 'exec gzip "$@"'), 2);
    const writer = store.create(5 << 20);
    let isWritten = false;
    const written = writer.write(text(5 << 20)).then(() => {
      isWritten = true;
    });
    await sleep(200);
    expect(isWritten).toBe(false);
    writeFileSync(go, '');
    await written;
    await writer.finish();
    store.close();
  });
});

/** The error that a job fails with. */
const failure = (changes: JobSettings): Promise<{ message: string; exitCode: number; code: string; hint: string }> =>
  runJob(job(changes), silent).then(
    () => {
      throw new Error('it did not fail');
    },
    (error) => error,
  );

describe('jobs with --compress-program', () => {
  const lines = (count: number): Buffer[] => {
    const below = randomBelow(count);
    return Array.from({ length: count }, () => Buffer.from(`${below(1e9)} ${'x'.repeat(below(30))}`));
  };
  /** A CPU sort whose runs spill to temporary files. */
  const spilling = (input: Buffer, changes: JobSettings = {}): JobSettings => {
    writeFileSync(join(directory, 'input'), input);
    return {
      inputs: [Buffer.from(join(directory, 'input'))],
      output: Buffer.from(join(directory, 'output')),
      engine: 'cpu',
      temporaryDirectories: [Buffer.from(temporary)],
      parallel: 2,
      memoryBytes: 256 << 10,
      chunkBytes: 32 << 10,
      ...changes,
    };
  };
  const output = (): Buffer => readFileSync(join(directory, 'output'));

  it('sorts the same with a compress program as without one', async () => {
    const records = lines(30_000);
    const compressProgram = program('logging', 'echo "$*" >> $LOG', 'exec gzip -1 "$@"');
    expect(await runJob(job(spilling(textOf(records), { compressProgram })), silent)).toBe(0);
    expect(output().equals(textOf(sortedRecords(records)))).toBe(true);
    const ran = readFileSync(join(directory, 'logging.log'), 'latin1').split('\n');
    expect(ran.filter((options) => options === '-d').length).toBeGreaterThan(10);
    expect(new Set(ran)).toEqual(new Set(['', '-d']));
  });

  it('sorts keyed lines and lines larger than a chunk with a compress program', async () => {
    const all = [...numberLines(30_000, 3), `7${'y'.repeat(300_000)}`];
    const ordering = byNumber();
    expect(
      await runJob(
        job(spilling(Buffer.from(`${all.join('\n')}\n`), { ordering, compressProgram: Buffer.from('gzip') })),
        silent,
      ),
    ).toBe(0);
    expect(output().equals(Buffer.from(`${sortedNumbers(all, ordering).join('\n')}\n`))).toBe(true);
  });

  it('merges more inputs than --batch-size with a compress program', async () => {
    const records = lines(5000);
    const inputs = Array.from({ length: 9 }, (_, i) => {
      const name = join(directory, `sorted${i}`);
      writeFileSync(name, textOf(sortedRecords(records.filter((_, r) => r % 9 === i))));
      return Buffer.from(name);
    });
    const compressProgram = program('logging', 'echo "$*" >> $LOG', 'exec gzip "$@"');
    const changes = {
      ...spilling(Buffer.alloc(0)),
      mode: 'merge',
      inputs,
      batchSize: 3,
      memoryBytes: null,
      compressProgram,
    } as const;
    expect(await runJob(job(changes), silent)).toBe(0);
    expect(output().equals(textOf(sortedRecords(records)))).toBe(true);
    expect(readFileSync(join(directory, 'logging.log'), 'latin1')).toBe('\n\n\n-d\n-d\n-d\n');
  });

  it('starts no compress program if nothing is spilled', async () => {
    expect(
      await runJob(
        job(spilling(textOf(lines(100)), { memoryBytes: null, compressProgram: Buffer.from('/no/program') })),
        silent,
      ),
    ).toBe(0);
  });

  const PLAIN = (): Buffer => {
    writeFileSync(join(directory, 'plain'), 'x');
    return Buffer.from(join(directory, 'plain'));
  };
  const failing =
    (...lines: readonly string[]) =>
    () =>
      program('failing', ...lines);
  const cannot = "couldn't execute compress program";
  /** `kind`: the class of the fault. Messages are regular expressions; `/.../` is the path of `program`. */
  const PROGRAMS: readonly { what: string; kind: string; make: () => Buffer; message: string }[] = [
    ...(
      [
        ['is missing', () => Buffer.from('/no/program'), `${cannot} '/no/program': No such file or directory`],
        [
          'is not in PATH',
          () => Buffer.from('no-such program'),
          `${cannot} 'no-such program': No such file or directory`,
        ],
        ['has no name', () => Buffer.alloc(0), `${cannot} '': No such file or directory`],
        ['is not executable', PLAIN, `${cannot} '/.*/plain': Permission denied`],
      ] as const
    ).map(([what, make, message]) => ({ what, kind: 'cannot be run', make, message })),
    ...(
      [
        ['fails', failing('cat > /dev/null', 'exit 3'), 'exit status 3'],
        ['fails before it reads', failing('exit 4'), 'exit status 4'],
        ['is killed', failing('kill -KILL $$'), 'SIGKILL'],
      ] as const
    ).map(([what, make, end]) => ({
      what,
      kind: 'fails to compress',
      make,
      message: `'/.*/failing' terminated abnormally: ${end}`,
    })),
    {
      what: 'fails to decompress',
      kind: 'fails to decompress',
      make: failing('test $# = 0 || exit 5', 'exec cat'),
      message: "'/.*/failing' \\[-d\\] terminated abnormally: exit status 5",
    },
    {
      what: 'decompresses to nothing',
      kind: 'gives other bytes',
      make: () => Buffer.from('true'),
      message: "'true' \\[-d\\] gave 0 bytes for a block of \\d+",
    },
    {
      what: 'decompresses to too much',
      kind: 'gives other bytes',
      make: failing('cat; echo'),
      message: "'/.*/failing' \\[-d\\] gave \\d+ bytes for a block of \\d+",
    },
  ];
  it.each(sampled(PROGRAMS, { count: PROGRAMS.length, seed: 1, values: ({ kind }) => [kind] }))(
    'fails if the compress program $what',
    async ({ make, message }) => {
      writeFileSync(join(directory, 'output'), 'kept');
      const error = await failure(spilling(textOf(lines(20_000)), { compressProgram: make() }));
      expect(error).toMatchObject({
        code: 'compress-failed',
        exitCode: 2,
        hint: expect.stringContaining('--compress-program'),
      });
      expect(error.message).toMatch(new RegExp(`^${message}$`));
      expect(output().toString()).toBe('kept');
    },
  );
});
