/**
 * Inputs that an engine inflates: their stored bytes reach it in stretches, in order, and are not lost in a failure.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { decorated } from '../../src/contract/decorated.js';
import type { Chunk, Engine, EngineInflater, InflatedRecords, Sorted } from '../../src/contract/engine.js';
import { openBeginning } from '../../src/input/beginning.js';
import { ChunkReader } from '../../src/input/chunks.js';
import { type InputFile, statInput } from '../../src/input/files.js';
import { Headers } from '../../src/input/header.js';
import { orderChunks } from '../../src/input/order-chunks.js';
import { Replay } from '../../src/input/replay.js';
import { isBgzf } from '../../src/input/stretches.js';
import type { RecordFormat } from '../../src/job/ordering.js';
import { recordFinder } from '../../src/records/record-finder.js';
import { TemporaryStore } from '../../src/runs/store.js';
import { sourceOf } from '../../src/system/byte-source.js';
import { freshDirectory } from '../battery/runner.js';
import { collectingEngine } from '../support/collect-chunks.js';
import { bgzf } from '../support/genomics-bam.js';
import { silent } from '../support/jobs.js';

const FORMAT: RecordFormat = { kind: 'lines', delimiter: 10 };
/** Bytes before each stretch in its memory. */
const FROM = 32;
const directory = freshDirectory('stretches');
const DECOMPRESSING = {
  ...{ format: null, framing: null, decompress: true, threads: 0, warnsOfCompression: false },
} as const;

let inputs = 0;
function input(bytes: Uint8Array): InputFile {
  const name = join(directory, `${++inputs}`);
  writeFileSync(name, bytes);
  return statInput(Buffer.from(name), 'sort', DECOMPRESSING, [], inputs);
}

/** A result that says where it comes from. */
const resultOf = (text: string): Sorted => ({ bytes: text.length, records: 1, emitted: text }) as unknown as Sorted;

interface Calls {
  readonly engine: Engine;
  /** What the engine was called with. */
  readonly calls: string[];
  /** The stored bytes of each input. */
  readonly stored: Buffer[];
  /** Stretches that are filled and neither added nor released. */
  readonly held: Set<Chunk>;
}

/** An engine that inflates nothing, and fails at the call of `add` with the number `failing`. */
function engineOf(stretchBytes: number, { failing = 0, lanes = 3 } = {}): Calls {
  const [calls, stored, held]: [string[], Buffer[], Set<Chunk>] = [[], [], new Set()];
  const memories = new Map<Chunk, Buffer>();
  let [added, isBusy] = [0, false];
  const busy = async <T>(result: () => T): Promise<T> => {
    expect(isBusy).toBe(false);
    isBusy = true;
    await new Promise((resolve) => void setTimeout(resolve, 2));
    isBusy = false;
    return result();
  };
  const inflater: EngineInflater = {
    stretchBytes,
    pieceBytes: 16,
    begin: (headerBytes) => {
      expect(isBusy).toBe(false);
      calls.push(`begin ${headerBytes}`);
      stored.push(Buffer.alloc(0));
    },
    openStretch: (bytes) => {
      const memory = Buffer.alloc(FROM + bytes);
      const chunk: Chunk = {
        capacity: memory.length,
        openPiece: async (offset) => ({ bytes: memory.subarray(offset, offset + 16), commit: () => {} }),
        release: () => void held.delete(chunk),
      };
      memories.set(chunk, memory);
      held.add(chunk);
      return { chunk, from: FROM };
    },
    add: (chunk, bytes) =>
      busy((): InflatedRecords => {
        held.delete(chunk);
        if (++added === failing) throw new Error('cannot inflate');
        calls.push('add');
        const part = memories.get(chunk)!.subarray(FROM, FROM + bytes);
        stored.push(Buffer.concat([stored.pop()!, part]));
        return { texts: [resultOf(`${stored.length}.${calls.length}`)], bytes: 7 };
      }),
    end: () =>
      busy(() => {
        calls.push('end');
        return { texts: [], bytes: 1 };
      }),
  };
  const base = collectingEngine(64, 16);
  const order: Engine['order'] = async (chunk, bytes) => {
    calls.push('order');
    return [resultOf(base.texts.get(chunk)!.toString('latin1', 0, bytes))];
  };
  return { engine: decorated(base, { inflater, lanes, order }), calls, stored, held };
}

/** The results of inputs, in the order in which they are taken, and the bytes of text. */
async function ordered(
  engine: Engine,
  files: readonly InputFile[],
  { headers = null, isBegun = false }: { readonly headers?: Headers | null; readonly isBegun?: boolean } = {},
): Promise<{ readonly taken: string[]; readonly bytes: number }> {
  const store = new TemporaryStore([Buffer.from(process.env.GPUSORT_TEST_TMP ?? '/tmp')]);
  const finder = recordFinder(FORMAT);
  const { first, rest } = isBegun ? await openBeginning(files, finder, headers, silent) : { first: null, rest: files };
  const reader = new ChunkReader(rest, finder, store, silent, { first, headers });
  const taken: string[] = [];
  try {
    const { bytes } = await orderChunks(
      engine,
      reader,
      { verification: null, recorder: silent },
      {
        take: async (text) => void taken.push((text as unknown as { emitted: string }).emitted),
        takeLarge: async () => expect.unreachable(),
      },
    );
    return { taken, bytes };
  } finally {
    reader.close();
    store.close();
  }
}

const some = bgzf(Buffer.from('b\na\n'.repeat(40)), 0, 50);
const other = bgzf(Buffer.from('d\nc\n'));

it.each([false, true])('gives the stored bytes of files in stretches, in order; read ahead: %s', async (isBegun) => {
  const { engine, calls, stored, held } = engineOf(48);
  const { taken, bytes } = await ordered(engine, [input(some), input(other)], { isBegun });
  expect(stored.map((one) => one.toString('hex'))).toEqual([some, other].map((one) => one.toString('hex')));
  const adds = [some, other].map((one) => Math.ceil(one.length / 48));
  expect(calls).toEqual(adds.flatMap((count) => ['begin 0', ...Array<string>(count).fill('add'), 'end']));
  expect(taken).toHaveLength(adds[0] + adds[1]);
  expect(taken).toEqual([...taken].sort((a, b) => Number(a) - Number(b) || a.length - b.length));
  expect(bytes).toBe(7 * (adds[0] + adds[1]) + 2);
  expect(held.size).toBe(0);
});

it('leaves gzip, plain text and empty files to the host, in input order', async () => {
  const { engine, calls, stored } = engineOf(1000);
  const files = ['p\n', gzipSync('g\n'), some, '', gzipSync('h\n'), other, 'q\n'].map((one) => input(Buffer.from(one)));
  const { taken } = await ordered(engine, files);
  expect(taken).toEqual(['p\n', 'g\n', expect.stringMatching(/^1\./), 'h\n', expect.stringMatching(/^2\./), 'q\n']);
  expect(stored).toEqual([some, other]);
  // `order` may be called while a stretch is inflated.
  expect(calls.filter((call) => call !== 'order')).toEqual(['begin 0', 'add', 'end', 'begin 0', 'add', 'end']);
});

it('passes the bytes of the header of each file', async () => {
  const headers = new Headers({ kind: 'records', count: 1 }, FORMAT);
  const { engine, calls } = engineOf(1000);
  const files = ['head\nb\n', 'head\n', 'head', 'head\na'].map((text) => input(bgzf(Buffer.from(text), 1, 3)));
  await ordered(engine, files, { headers });
  expect(calls.filter((call) => call.startsWith('begin'))).toEqual(['begin 5', 'begin 5', 'begin 4', 'begin 5']);
});

it.each([1, 2, 3, 6])('releases every stretch if adding number %i fails', async (failing) => {
  const { engine, calls, held } = engineOf(48, { failing });
  await expect(ordered(engine, [input(some), input(other)])).rejects.toThrow('cannot inflate');
  expect(calls).toEqual(['begin 0', ...Array<string>(failing - 1).fill('add')]);
  expect(held.size).toBe(0);
});

it('fails if the file changes meanwhile', async () => {
  const { engine, held } = engineOf(48);
  const file = input(some);
  writeFileSync(file.name!, Buffer.concat([some, some]));
  await expect(ordered(engine, [file])).rejects.toThrow(/changed|longer/);
  expect(held.size).toBe(0);
});

it('of files, only whole ones of BGZF are left to an engine', async () => {
  const file = input(some);
  expect(await isBgzf(file)).toBe(true);
  expect(await isBgzf(input(gzipSync('a')))).toBe(false);
  const [begin, end] = [file.extent!.begin, file.extent!.end];
  for (const changes of [
    { compressed: false },
    { extent: { begin: begin + 1, end } },
    { extent: { begin, end: end - 1 } },
    { extent: null },
    { taker: {} },
    { mates: [file] },
  ])
    expect(await isBgzf({ ...file, ...changes } as InputFile)).toBe(false);
});

it.each([
  ['BGZF', some, null, true],
  ['gzip', gzipSync('a'), null, false],
  ['no bytes', Buffer.alloc(0), null, false],
  ['BGZF, whatever its name', some, 'x.txt', true],
  ['BGZF whose name says zstd', some, 'x.zst', false],
])('leaves a pipe to an engine if it is kept and is BGZF: %s', async (_, bytes, name, isLeft) => {
  const replay = new Replay(async () => sourceOf(inParts(bytes), () => {}));
  const pipe = { ...input(Buffer.alloc(0)), name: name && Buffer.from(name), replay } as InputFile;
  expect(await isBgzf(pipe)).toBe(isLeft);
  expect(await isBgzf({ ...pipe, signal: AbortSignal.timeout(60_000) })).toBe(isLeft);
  expect(await isBgzf({ ...pipe, taker: {} } as InputFile)).toBe(false);
});

/** One byte at a time. */
async function* inParts(bytes: Uint8Array): AsyncGenerator<Uint8Array, void> {
  for (let at = 0; at < bytes.length; at++) yield bytes.subarray(at, at + 1);
}

it('waits for the first bytes of a pipe until it is aborted', async () => {
  const replay = new Replay(async () => ({ read: () => new Promise<null>(() => {}), close: () => {} }));
  const signal = AbortSignal.abort(new Error('for the test'));
  await expect(isBgzf({ ...input(Buffer.alloc(0)), replay, signal })).rejects.toThrow('for the test');
});
