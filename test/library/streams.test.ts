/** Streams as outputs, and failures of streams on either side: the error, and what becomes of the other stream. */
import { PassThrough, Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { GpusortError, type SortInput, type SortSettings, sort } from '../../src/index.js';
import { expectSameBytes, freshDirectory } from '../battery/runner.js';
import { blocksOf, Collected, errorOf, SOURCES, seededLines, sorted } from './support.js';

const TINY: SortSettings = { chunkSize: '4K', parallel: 1, engine: 'cpu' };
const LINES = seededLines(11, 20_000);
const endless = (): SortInput =>
  (function* () {
    for (let i = 0; ; i++) yield `${i}\n`;
  })();

it('gives copies, and waits while the stream is full', async () => {
  const blocks: Buffer[] = [];
  let most = 0;
  const slow = new Writable({
    highWaterMark: 1000,
    write: (block: Buffer, _, done) => {
      most = Math.max(most, slow.writableLength);
      blocks.push(block);
      setImmediate(done);
    },
  });
  await sort(blocksOf(LINES, 12, 5000).values(), slow, TINY);
  expectSameBytes(Buffer.concat(blocks), await sorted([LINES].values()));
  // One block beyond what the stream wants.
  expect(most).toBeLessThanOrEqual(1000 + (256 << 10));
});

it('writes to a Web stream, and waits while it is full', async () => {
  const blocks: Uint8Array[] = [];
  let [busy, closed] = [false, false];
  const output = new WritableStream<Uint8Array>({
    write: async (block) => {
      expect(busy).toBe(false);
      busy = true;
      blocks.push(block);
      await sleep(1);
      busy = false;
    },
    close: () => {
      closed = true;
    },
  });
  await sort([LINES].values(), output, TINY);
  expect(closed).toBe(true);
  expectSameBytes(Buffer.concat(blocks), await sorted([LINES].values()));
});

it('reads no further than the sort needs while the output is blocked', async () => {
  let read = 0;
  const source = (function* () {
    for (; read < 1e9; read++) yield `${read}\n`;
  })();
  const controller = new AbortController();
  const stuck = new Writable({ write: () => undefined });
  const failed = errorOf(source, stuck, { ...TINY, merge: true, signal: controller.signal });
  await sleep(300);
  const before = read;
  await sleep(100);
  expect(read).toBe(before);
  controller.abort();
  await failed;
});

const boo = (): Error => new Error('boo');
const FAILING: Readonly<Record<string, () => SortInput>> = {
  'a Readable': () =>
    Readable.from(
      (async function* () {
        yield 'a\n';
        throw boo();
      })(),
    ),
  'a destroyed Readable': () => {
    const stream = new PassThrough();
    stream.on('error', () => undefined).destroy(boo());
    return stream;
  },
  'a Web stream': () =>
    new ReadableStream<Uint8Array>({
      pull: (controller) => controller.error(boo()),
    }),
  'an iterable': () =>
    (function* () {
      yield 'a\n';
      throw boo();
    })(),
};

it.each(Object.entries(FAILING))('rejects with the error of %s, and destroys the output with it', async (_, input) => {
  const output = new Collected();
  const destroyed = new Promise((resolve) => {
    output.on('error', resolve);
  });
  const error = await errorOf(input(), output, TINY);
  expect(error).toBeInstanceOf(GpusortError);
  expect(error).toMatchObject({ code: 'read-failed', message: 'read failed: -: boo', cause: boo() });
  expect(await destroyed).toBe(error);
});

it('needs no listener on the output that it destroys', async () => {
  const output = new PassThrough();
  await errorOf(FAILING['an iterable']!(), output, TINY);
  expect(output.destroyed).toBe(true);
  await sleep(10);
});

it('reports a stream that is closed before its end', async () => {
  const input = new PassThrough();
  input.write('a\n');
  setImmediate(() => input.destroy());
  expect(await errorOf(input, new Collected(), TINY)).toMatchObject({
    code: 'read-failed',
    message: 'read failed: -: Premature close',
  });
});

it.each([
  ['number', [1, 2].values()],
  ['object', Readable.from([{}])],
])('refuses blocks of type %s', async (type, input) => {
  expect(await errorOf(input as unknown as SortInput, new Collected(), TINY)).toMatchObject({
    code: 'usage',
    message: `a block of the input is neither text nor bytes: ${type}`,
  });
});

it('rejects with the error of the output, and releases the input', async () => {
  let released = false;
  const input = (async function* () {
    try {
      yield* blocksOf(LINES, 13, 1000);
    } finally {
      released = true;
    }
  })();
  const failing = new Writable({ write: (_, __, done) => done(boo()) });
  expect(await errorOf(input, failing, TINY)).toMatchObject({
    code: 'write-failed',
    message: 'write failed: the output stream: boo',
    cause: boo(),
  });
  expect(released).toBe(true);
  const web = new WritableStream({ write: () => Promise.reject(boo()) });
  expect(await errorOf([LINES].values(), web, TINY)).toMatchObject({ code: 'write-failed', cause: boo() });
});

it('rejects with broken-pipe if the output is closed early, and destroys the input', async () => {
  const input = Readable.from(['a\n', 'b\n']);
  const closing = new Writable({ write: () => closing.destroy() });
  expect(await errorOf(input, closing, TINY)).toMatchObject({ code: 'broken-pipe' });
  const unread = new PassThrough();
  const closed = new PassThrough();
  closed.destroy();
  const failed = errorOf(unread, closed, TINY);
  unread.end('a\n');
  expect(await failed).toMatchObject({ code: 'broken-pipe' });
  expect(unread.destroyed).toBe(true);
});

it.each(Object.entries(SOURCES))('releases %s of a sort that fails before it reads', async (_, source) => {
  const output = new PassThrough();
  const error = await errorOf(source([Buffer.from('a\n')]), output, { key: '0' });
  expect(error).toMatchObject({ code: 'usage', message: expect.stringContaining('field number is zero') });
  expect(output.destroyed).toBe(true);
});

it.each([
  [[], 'x', {}, 'no input'],
  [[new PassThrough()], 'x', {}, 'an array of inputs holds names of files only'],
  [Uint8Array.of(1), 'x', {}, 'the input is neither a file name nor a stream nor an iterable'],
  [undefined, 'x', {}, 'the input is neither a file name nor a stream nor an iterable'],
  ['x', undefined, {}, 'the output is neither a file name nor a stream'],
  ['x', null, {}, 'no output'],
  ['x', 'y', { check: true }, 'check writes no output: give null'],
])('refuses %o to %o with %o', async (input, output, settings, message) => {
  expect(await errorOf(input as SortInput, output as string, settings)).toMatchObject({ code: 'usage', message });
});

it('passes on what a callback throws', async () => {
  const thrown = boo();
  const onProgress = (): never => {
    throw thrown;
  };
  expect(await errorOf([LINES].values(), new Collected(), { onProgress })).toBe(thrown);
});

it('reads no more than it needs for the first records of a merge', async () => {
  expect((await sorted(endless(), { merge: true, top: 2 })).toString()).toBe('0\n1\n');
});

it('reports an input that is a directory', async () => {
  const directory = freshDirectory('library');
  expect(await errorOf(directory, new Collected(), TINY)).toMatchObject({ code: 'read-failed' });
});
