/** Chunks cut from files and pipes hold whole records, in order, and none is missing. */
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { openBeginning } from '../../src/input/beginning.js';
import { ChunkReader } from '../../src/input/chunks.js';
import { statInput } from '../../src/input/files.js';
import type { RecordFormat } from '../../src/job/ordering.js';
import { recordFinder } from '../../src/records/record-finder.js';
import { TemporaryStore } from '../../src/runs/store.js';
import { fileSystem } from '../../src/system/file-system.js';
import { freshDirectory } from '../battery/runner.js';
import { collectingEngine, type Portion, portionsOf } from '../support/collect-chunks.js';
import { several, weighted } from '../support/draws.js';
import { silent } from '../support/jobs.js';
import { property } from '../support/property.js';

const LF: RecordFormat = { kind: 'lines', delimiter: 10 };
const directory = freshDirectory('chunks');

async function readAll(
  names: readonly string[],
  format: RecordFormat,
  chunkBytes: number,
  pieceBytes: number,
  firstChunkBytes?: number,
  readable = false,
): Promise<Portion[]> {
  const engine = {
    ...collectingEngine(chunkBytes, pieceBytes, Infinity, readable),
    ...(firstChunkBytes !== undefined && { firstChunkBytes }),
  };
  return portionsOf(
    names.map((name) => statInput(Buffer.from(path.join(directory, name)), 'sort')),
    format,
    engine,
  );
}

const write = (name: string, text: string): string => {
  fs.writeFileSync(path.join(directory, name), text, 'latin1');
  return name;
};

describe('files', () => {
  it('cuts files at the last record end that fits into a chunk', async () => {
    expect(await readAll([write('a', 'aa\nbbb\ncc\nd\n')], LF, 8, 16)).toEqual(['aa\nbbb\n', 'cc\nd\n']);
  });
  it('fills a chunk from several files and adds missing delimiters', async () => {
    expect(await readAll([write('a', 'x'), write('b', 'yy\nz'), write('c', 'w\n')], LF, 100, 4)).toEqual([
      'x\nyy\nz\nw\n',
    ]);
  });
  it('fills a chunk exactly, with and without room for the added delimiter', async () => {
    expect(await readAll([write('a', 'abc\n')], LF, 4, 4)).toEqual(['abc\n']);
    expect(await readAll([write('a', 'a\nbc')], LF, 4, 4)).toEqual(['a\n', 'bc\n']);
    expect(await readAll([write('a', 'abcd')], LF, 4, 4)).toEqual([{ large: 'abcd' }]);
  });
  it('returns records of files that are larger than a chunk separately', async () => {
    const big = 'B'.repeat(100);
    expect(await readAll([write('a', `a\n${big}\nb\n${big}`)], LF, 10, 4)).toEqual([
      'a\n',
      { large: big },
      'b\n',
      { large: big },
    ]);
  });
  it('reads small files at once, and as many into a chunk as fit', async () => {
    const [open, read, openSync] = (['open', 'read', 'openSync'] as const).map((call) => vi.spyOn(fileSystem, call));
    const names = Array.from({ length: 1000 }, () => write('a', 'x\n'));
    expect(await readAll(names, LF, 5000, 64)).toEqual(['x\n'.repeat(1000)]);
    expect([open, read, openSync].map(({ mock }) => mock.calls.length)).toEqual([0, 0, 1000]);
    vi.restoreAllMocks();
  });
  it('rejects a file that ends within a fixed record, and reports the remainder', async () => {
    await expect(readAll([write('a', 'x'.repeat(25))], { kind: 'fixed', size: 10 }, 100, 100)).rejects.toThrow(
      /25 bytes.*10-byte records: 5 bytes are left over/,
    );
  });
  it.each([
    ['shrinks', (name: string) => fs.truncateSync(name, 64), /became shorter/],
    [
      'is rewritten with other record ends',
      (name: string) => fs.writeFileSync(name, 'abcd\n'.repeat(80)),
      /was written to while it was read/,
    ],
  ])('fails if a file %s while it is read, with more pieces than can be open', async (_, change, message) => {
    const name = path.join(directory, write('changing', 'abc\n'.repeat(100)));
    const engine = collectingEngine(256, 16, 2);
    const { openChunk } = engine;
    engine.openChunk = async () => {
      change(name);
      return openChunk();
    };
    const store = new TemporaryStore([Buffer.from(directory)]);
    const reader = new ChunkReader([statInput(Buffer.from(name), 'sort')], recordFinder(LF), store, silent);
    const portion = await reader.portion(engine);
    await expect(portion?.kind === 'chunk' && portion.filled).rejects.toThrow(message);
    reader.close();
  });

  it('closes an input once: its descriptor may be another file by then', async () => {
    const name = path.join(directory, write('twice', 'abc\n'.repeat(50_000)));
    const input = { ...statInput(Buffer.from(name), 'sort'), sequential: true };
    const store = new TemporaryStore([Buffer.from(directory)]);
    const { first, rest } = await openBeginning([input], recordFinder(LF), null, silent);
    const reader = new ChunkReader(rest, recordFinder(LF), store, silent, { first });
    expect(first).not.toBe(null);
    reader.close();
    const other = fs.openSync(name, 'r');
    reader.close();
    expect(fs.fstatSync(other).size).toBe(200_000);
    fs.closeSync(other);
  });

  const lines = several(0, 30, weighted([9, fc.nat(5)], [1, fc.constant(60)]));
  property(
    'keeps every byte of files at every chunk and piece size',
    [several(1, 3, lines), fc.integer({ min: 8, max: 47 }), fc.integer({ min: 1, max: 10 })],
    async (files, chunkBytes, pieces) => {
      const texts = files.map((lengths) => lengths.map((length) => 'k'.repeat(length)).join('\n'));
      const expected = texts.map((text) => (text === '' || text.endsWith('\n') ? text : `${text}\n`)).join('');
      const names = texts.map((text, i) => write(`r${i}`, text));
      const portions = await readAll(names, LF, chunkBytes, 4 * pieces);
      expect(portions.map((p) => (typeof p === 'string' ? p : `${p.large}\n`)).join('')).toBe(expected);
      for (const p of portions) if (typeof p === 'string') expect(p.endsWith('\n')).toBe(true);
    },
    { runs: 60 },
  );
});

describe.each([
  ['memory that is only written', false],
  ['memory that may be read', true],
])('pipes into %s', (_, readable) => {
  /** Reads a named pipe that is filled in bursts, most of which are read one by one. */
  async function throughPipe(
    text: string,
    chunkBytes: number,
    pieceBytes: number,
    format: RecordFormat = LF,
    firstChunkBytes?: number,
    burst = 7,
  ): Promise<Portion[]> {
    const name = `pipe-${Math.random().toString(36).slice(2)}`;
    const pipe = path.join(directory, name);
    execFileSync('mkfifo', [pipe]);
    const fill = async (): Promise<void> => {
      const file = await fs.promises.open(pipe, 'w');
      for (let at = 0; at < text.length; at += burst) {
        await file.write(Buffer.from(text.slice(at, at + burst), 'latin1'));
        await new Promise(setImmediate);
      }
      await file.close();
    };
    const portions = readAll([name], format, chunkBytes, pieceBytes, firstChunkBytes, readable);
    return (await Promise.all([portions, fill()]))[0];
  }
  it('cuts pipes into chunks that grow with the bytes read', async () => {
    const text = 'abcdefg\n'.repeat(64 + 32 * 2 + 32 * 4 + 3);
    const portions = await throughPipe(text, 32, 32, LF, 8);
    expect(portions.map((portion) => (portion as string).length)).toEqual([
      ...Array(64).fill(8),
      ...Array(32).fill(16),
      ...Array(32).fill(32),
      24,
    ]);
    expect(portions.join('')).toBe(text);
  });
  it('grows the chunk of a pipe to hold a record larger than the first chunk', async () => {
    const text = `a\n${'b'.repeat(30)}\nc\n${'d'.repeat(31)}\n${'e'.repeat(32)}\nf\n`;
    expect(await throughPipe(text, 32, 32, LF, 8)).toEqual([
      'a\n',
      `${'b'.repeat(30)}\n`,
      'c\n',
      `${'d'.repeat(31)}\n`,
      { large: 'e'.repeat(32) },
      'f\n',
    ]);
  });
  it.each([7, 1000])('cuts pipes that arrive in bursts of %i bytes between records only', async (burst) => {
    const text = Array.from({ length: 200 }, (_, i) => 'r'.repeat(i % 13)).join('\n');
    const portions = await throughPipe(text, 64, 16, LF, undefined, burst);
    const rest = portions.slice(0, -1).map((p) => 64 - (p as string).length);
    expect(Math.max(...rest)).toBeLessThan(13);
    for (const p of portions) expect((p as string).endsWith('\n')).toBe(true);
    expect(portions.join('')).toBe(`${text}\n`);
  });
  it('returns records of pipes that are larger than a chunk separately', async () => {
    const big = 'L'.repeat(500);
    expect(await throughPipe(`a\n${big}\nb`, 32, 8)).toEqual(['a\n', { large: big }, 'b\n']);
  });
  it('rejects a pipe that ends within a fixed record', async () => {
    await expect(throughPipe('x'.repeat(25), 40, 8, { kind: 'fixed', size: 10 })).rejects.toThrow(
      /5 bytes are left over/,
    );
  });
});
