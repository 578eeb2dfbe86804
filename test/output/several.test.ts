/** Jobs with several outputs, or with compressed ones: refused, restarted, abandoned and kept. */
import { linkSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { compressing } from '../../src/output/compress.js';
import { openSink, type Sink } from '../../src/output/sink.js';
import { runCleanups } from '../../src/report/cleanup.js';
import { showWarnings } from '../../src/report/warnings.js';
import { fileSystem } from '../../src/system/file-system.js';
import { randomBytes } from '../support/codecs.js';
import { type JobSettings, job, silent } from '../support/jobs.js';

let directory = '';
let warnings: string[] = [];
beforeEach(() => {
  directory = mkdtempSync(join(process.env.GPUSORT_TEST_TMP ?? tmpdir(), 'several-'));
  warnings = [];
  showWarnings((sentence) => {
    warnings.push(sentence);
  });
});
afterEach(() => {
  rmSync(directory, { recursive: true });
});

const path = (name: string): string => join(directory, name);
const contents = (name: string): string => readFileSync(path(name), 'latin1');

/** A sink of reads and their mates. */
const pairs = (first: string, second: string, changes: JobSettings = {}): Promise<Sink> =>
  openSink(
    job({
      output: Buffer.from(path(first)),
      mates: [{ input: null, output: Buffer.from(path(second)) }],
      temporaryDirectories: [Buffer.from(directory)],
      ...changes,
    }),
    silent,
    { threads: 2 },
  );

const RECORD = '@a/1\nA\n+\nI\n@a/2\nC\n+\nI\0';
const [FIRST, SECOND] = ['@a/1\nA\n+\nI\n', '@a/2\nC\n+\nI\n'];

/** A sink of BED with an index. `name`: its file. */
const intervals = (name: string, sync = false): Promise<Sink> =>
  openSink(
    job({
      output: Buffer.from(name),
      compression: { kind: 'bgzf', level: 1 },
      index: 'auto',
      sync,
      genomics: { format: 'bed', guessed: false, by: 'position', as: null, program: null },
      temporaryDirectories: [Buffer.from(directory)],
    }),
    silent,
    { threads: 2 },
  );

it('refuses outputs that are the same file under different names', async () => {
  await expect(pairs('new', 'new')).rejects.toMatchObject({
    code: 'cannot-write',
    message: `${path('new')} and ${path('new')} are the same output`,
  });
  await expect(pairs('new', './new')).rejects.toThrow('are the same output');
  symlinkSync(directory, path('link'));
  await expect(pairs('new', 'link/new')).rejects.toThrow('are the same output');
  writeFileSync(path('old'), 'old');
  linkSync(path('old'), path('second'));
  await expect(pairs('old', 'second')).rejects.toThrow('are the same output');
  expect(readdirSync(directory).sort()).toEqual(['link', 'old', 'second']);
  const sink = await pairs('x', 'x', {
    output: Buffer.from('/dev/null'),
    mates: [{ input: null, output: Buffer.from('/dev/null') }],
  });
  await sink.finish();
});

it('refuses an index of an output that is not a regular file, or that cannot be written', async () => {
  await expect(intervals('/dev/null')).rejects.toThrow('/dev/null is not a regular file, which --index needs');
  await expect(intervals(`${directory}/none/x`)).rejects.toThrow();
  symlinkSync(directory, path('x.tbi'));
  await expect(intervals(path('x'))).rejects.toThrow(`open failed: ${path('x.tbi')}: Is a directory`);
  expect(readdirSync(directory)).toEqual(['x.tbi']);
});

it('puts no output in place if another file took the name of one, and keeps the sorted text', async () => {
  writeFileSync(path('a'), 'old');
  const sink = await pairs('a', 'b');
  await sink.write(Buffer.from(RECORD));
  writeFileSync(path('b'), 'of another program');
  const error = await sink.finish().catch((thrown: unknown) => thrown as Error & { hint: string });
  expect([contents('a'), contents('b')]).toEqual(['old', 'of another program']);
  const [ofB, ofA] = [...error!.hint.matchAll(/gpusort-sorted-\w{8}/g)].map(([name]) => contents(name));
  expect([ofA, ofB]).toEqual([FIRST, SECOND]);
  expect(error!.message).toContain('another file has taken this name');
  expect(error!.hint).toContain(`The complete sorted output for ${path('a')} is in `);
  expect(warnings).toEqual([]);
});

it('keeps complete outputs if the program ends while another one is written in place', async () => {
  writeFileSync(path('a'), 'old contents, longer than the new ones');
  linkSync(path('a'), path('second'));
  const sink = await pairs('a', 'b');
  await sink.write(Buffer.from(RECORD));
  let kept: string[] = [];
  const { ftruncate } = fileSystem;
  // As a signal would, while the first file is being written.
  const cut = vi.spyOn(fileSystem, 'ftruncate').mockImplementation((fd, bytes) => {
    if (fileSystem.fstatSync(fd).ino !== fileSystem.statSync(path('a')).ino) return ftruncate(fd, bytes);
    runCleanups();
    const names = readdirSync(directory).filter((name) => name.startsWith('gpusort-sorted'));
    kept = names.map(contents).sort();
    return ftruncate(fd, bytes);
  });
  await sink.finish();
  cut.mockRestore();
  expect(kept).toEqual([FIRST, SECOND]);
  expect(warnings.join('\n')).toContain(`the complete sorted output for ${path('b')} is in `);
  expect([contents('a'), contents('b')]).toEqual([FIRST, SECOND]);
});

it('continues compressed and indexed output after a restart', async () => {
  const lines = Array.from({ length: 90_000 }, (_, i) => `chr1\t${i * 7}\t${i * 7 + 5}\tname ${(i * 7919) % 10_007}\n`);
  const text = Buffer.from(lines.join(''));
  const write = async (name: string, cuts: readonly number[]): Promise<void> => {
    const sink = await intervals(path(name));
    for (const cut of cuts) {
      for (let at = 0; at < cut; at += 100_000) await sink.write(text.subarray(at, Math.min(at + 100_000, cut)));
      sink.restart();
    }
    for (let at = 0; at < text.length; at += 77_777) await sink.write(text.subarray(at, at + 77_777));
    await sink.finish();
  };
  await write('once', []);
  await write('again', [text.length >> 2, text.length >> 1, 5]);
  expect(gunzipSync(readFileSync(path('once'))).equals(text)).toBe(true);
  for (const end of ['', '.tbi']) expect(contents(`again${end}`) === contents(`once${end}`)).toBe(true);
});

it('leaves no file if outputs are aborted while threads compress', async () => {
  const sink = await pairs('a', 'b', { compression: { kind: 'gzip', level: 9 } });
  const writes = Array.from({ length: 40 }, () => sink.write(Buffer.from(RECORD.repeat(20_000))));
  await writes[5];
  const others = Promise.allSettled(writes);
  await sink.abort();
  expect(readdirSync(directory)).toEqual([]);
  await others;
});

it('writes nothing to a closed stream, although another stream keeps the threads at work', async () => {
  const text = randomBytes(3, 4 << 20, 4);
  let written = 0;
  const closed = compressing({ kind: 'gzip', level: 1, threads: 2 }, async () => {
    written++;
    await sleep(5);
  });
  const other = compressing({ kind: 'gzip', level: 9, threads: 2 }, async () => {});
  await closed.write(text);
  const closing = closed.close();
  await other.write(text);
  await closing;
  const before = written;
  await other.finish();
  await sleep(50);
  expect(written).toBe(before);
});

it('rejects writes to a compressed stream that is closed', async () => {
  const text = randomBytes(3, 4 << 20, 4);
  const closed = compressing({ kind: 'gzip', level: 9, threads: 2 }, async () => {});
  const other = compressing({ kind: 'gzip', level: 1, threads: 2 }, async () => {});
  await other.write(text);
  await closed.write(text);
  await closed.close();
  await other.finish();
  await expect(closed.write(text)).rejects.toThrow('closed');
});

it('keeps a sorted file whose index cannot be completed', async () => {
  const { fsync } = fileSystem;
  const sink = await intervals(path('x'), true);
  await sink.write(Buffer.from('chr1\t1\t2\n'));
  let calls = 0;
  fileSystem.fsync = async (fd) => {
    if (++calls === 2) throw Object.assign(new Error('injected'), { code: 'ENOSPC' });
    await fsync(fd);
  };
  const error = await sink.finish().catch((thrown: unknown) => thrown as Error & { hint: string });
  fileSystem.fsync = fsync;
  expect(error!.message).toBe(`write failed: ${path('x.tbi')}: No space left on device`);
  const left = readdirSync(directory);
  expect(left).toHaveLength(1);
  expect(error!.hint).toBe(`The complete sorted output for ${path('x')} is in ${path(left[0])}.`);
  expect(gunzipSync(readFileSync(path(left[0]))).toString()).toBe('chr1\t1\t2\n');
});
