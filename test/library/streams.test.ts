/** Streams as outputs, and failures of streams on either side: the error, and the state of the other stream. */

import { join } from 'node:path';
import { PassThrough, Readable, Stream, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import {
  createSorter,
  GpusortError,
  type SortInput,
  type SortOutput,
  type SortSettings,
  sort,
} from '../../src/index.js';
import { expectSameBytes, freshDirectory } from '../battery/runner.js';
import { blocksOf, Collected, errorOf, SOURCES, seededLines, sortedBytes } from './support.js';

const TINY: SortSettings = { chunkSize: '4K', parallel: 1, engine: 'cpu' };
const LINES = seededLines(11, 20_000);
const endless = (): SortInput =>
  (function* () {
    for (let i = 0; ; i++) yield `${i}\n`;
  })();

it('writes copies to a Node stream, and waits while it is full', async () => {
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
  let wasFull = false;
  const write = slow.write.bind(slow);
  slow.write = (block: Buffer) => {
    wasFull ||= slow.writableNeedDrain;
    return write(block);
  };
  await sort(blocksOf(LINES, 12, 5000).values(), slow, TINY);
  expect(wasFull).toBe(false);
  expectSameBytes(Buffer.concat(blocks), await sortedBytes([LINES].values()));
  // One block more than the stream requests.
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
  expectSameBytes(Buffer.concat(blocks), await sortedBytes([LINES].values()));
});

it('reads no more input than a merge needs while the output is blocked', async () => {
  let read = 0;
  const source = (function* () {
    for (; read < 1e9; read++) yield `${read}\n`;
  })();
  const controller = new AbortController();
  const stuck = new Writable({ write: () => undefined });
  const failed = errorOf(source, stuck, { ...TINY, merge: true, signal: controller.signal });
  // On a busy machine the sort may take a while until its output is blocked.
  for (let before = -1; read !== before; ) {
    before = read;
    await sleep(300);
  }
  expect(read).toBeGreaterThan(0);
  expect(read).toBeLessThan(2e6);
  controller.abort();
  await failed;
});

const boo = (): Error => new Error('boo');
/** Inputs that fail. */
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

it.each(Object.entries(FAILING))('rejects with the error of %s and destroys the output with it', async (_, input) => {
  const output = new Collected();
  const destroyed = new Promise((resolve) => {
    output.on('error', resolve);
  });
  const error = await errorOf(input(), output, TINY);
  expect(error).toBeInstanceOf(GpusortError);
  expect(error).toMatchObject({ code: 'read-failed', message: 'read failed: -: boo', cause: boo() });
  expect(await destroyed).toBe(error);
});

it('destroys an output without an error listener', async () => {
  const output = new PassThrough();
  await errorOf(FAILING['an iterable']!(), output, TINY);
  expect(output.destroyed).toBe(true);
  await sleep(10);
});

/** A stream as before streams2: it pushes, and is no Readable. `close`: the events that it emits after its blocks. */
function classicStream(...last: readonly (readonly [string, unknown?])[]): Readable {
  const events = [['data', Buffer.from('b\n')], ['data', 'a\n'], ...last] as const;
  const stream = Object.assign(new Stream(), {
    readable: true,
    pause: () => undefined,
    resume: () => undefined,
    destroy: () => undefined,
  });
  setImmediate(() => {
    for (const [name, ...values] of events) stream.emit(name, ...values);
  });
  return stream as unknown as Readable;
}

it('reads streams that are not a Readable of Node', async () => {
  expect((await sortedBytes(classicStream(['end'], ['close']))).toString()).toBe('a\nb\n');
});

/** A stream that is closed before its end. */
function closedStream(): PassThrough {
  const input = new PassThrough();
  input.write('a\n');
  setImmediate(() => input.destroy());
  return input;
}

/** A Web stream with another reader or writer. */
function locked<T extends ReadableStream | WritableStream>(stream: T): T {
  if (stream instanceof ReadableStream) stream.getReader();
  else stream.getWriter();
  return stream;
}

const file = join(freshDirectory('library'), 'x');
const stream = (): PassThrough => new PassThrough();
const usage = (message: string) => ({ code: 'usage', message });
const NO_INPUT = usage('the input is neither a file name nor a stream nor an iterable');
const NO_BLOCK = 'a block of the input is neither text nor bytes: ';
const UNREAD = { code: 'read-failed' };

/** Refused calls: a name, the input, the output, the error, and settings. */
const REFUSALS: readonly [string, () => unknown, () => unknown, object, unknown?][] = [
  ['no file', () => [], () => file, usage('no input')],
  ['an array of streams', () => [stream()], () => file, usage('an array of inputs may hold only file names')],
  ['bytes', () => Uint8Array.of(1), () => file, NO_INPUT],
  ['no input', () => undefined, stream, NO_INPUT],
  ['no output', stream, () => undefined, usage('the output is neither a file name nor a stream')],
  [
    'an object as the output',
    stream,
    () => ({}),
    { code: 'usage', hint: 'To get the output as a stream, call sorted(input, settings).' },
  ],
  ['null as the output', stream, () => null, usage('no output')],
  ['an output of check', stream, stream, usage('check writes no output: give null'), { check: true }],
  ['a wrong signal', stream, stream, { code: 'usage' }, { signal: {} }],
  ['settings that are text', stream, stream, { code: 'usage' }, 'r'],
  ['blocks that are numbers', () => [1, 2].values(), stream, usage(`${NO_BLOCK}number`)],
  ['blocks that are objects', () => Readable.from([{}]), stream, usage(`${NO_BLOCK}object`)],
  ['a directory', () => freshDirectory('library'), stream, UNREAD],
  ['a stream that is closed early', closedStream, stream, { ...UNREAD, message: 'read failed: -: Premature close' }],
  ['an old stream that fails', () => classicStream(['error', boo()]), stream, UNREAD],
  ['an old stream that is closed early', () => classicStream(['close']), stream, UNREAD],
  ['a locked input', () => locked(new ReadableStream()), stream, { ...UNREAD, cause: expect.any(TypeError) }],
  [
    'a locked output',
    () => ['a\n'].values(),
    () => locked(new WritableStream()),
    { code: 'write-failed', cause: expect.any(TypeError) },
  ],
  ...Object.entries(SOURCES).map(
    ([what, source]) =>
      [
        `a wrong key, before it reads ${what}`,
        () => source([Buffer.from('a\n')]),
        stream,
        { code: 'usage', message: expect.stringContaining('field number is zero') },
        { key: '0' },
      ] satisfies (typeof REFUSALS)[number],
  ),
];

it.each<(typeof REFUSALS)[number]>(REFUSALS)('refuses %s and destroys the streams', async (...refusal) => {
  const [, input, output, error, settings] = refusal;
  const given = [input(), output()];
  expect(await errorOf(given[0] as SortInput, given[1] as SortOutput, settings as SortSettings)).toMatchObject(error);
  for (const one of given) if (one instanceof Readable || one instanceof Writable) expect(one.destroyed).toBe(true);
});

it('rejects with the error of the output and releases the input', async () => {
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

it('rejects with broken-pipe if the output is closed early and destroys the input', async () => {
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

it('rejects with the error that a callback throws', async () => {
  const thrown = boo();
  const onProgress = (): never => {
    throw thrown;
  };
  expect(await errorOf([LINES].values(), new Collected(), { onProgress })).toBe(thrown);
});

it('ends a merge of an endless input after its first records under top', async () => {
  expect((await sortedBytes(endless(), { merge: true, top: 2 })).toString()).toBe('0\n1\n');
});

it('reads bytes of another V8 context, such as a simulated browser', async () => {
  const blocks = runInNewContext('[new Uint8Array([98, 10]), new Uint8Array([97, 10])]') as Uint8Array[];
  expect((await sortedBytes(blocks.values())).toString()).toBe('a\nb\n');
  expect((await sortedBytes(Readable.from(blocks))).toString()).toBe('a\nb\n');
});

it('reads text whose blocks end within characters', async () => {
  const text = 'b\u{1f600}\n\u{1f601}a\n';
  const cut = Array.from({ length: text.length }, (_, i) => text[i]!);
  const expected = Buffer.from('b\u{1f600}\n\u{1f601}a\n');
  expectSameBytes(await sortedBytes(cut.values()), expected);
  expectSameBytes(await sortedBytes(Readable.from(cut)), expected);
  // Half a character at the end, and before bytes.
  const halves = ['\ud83d', Buffer.from('\n'), 'a\ud83d'];
  expectSameBytes(await sortedBytes(halves.values()), Buffer.from('a\ufffd\n\ufffd\n'));
});

it.each([
  [
    'throws',
    () => {
      throw boo();
    },
  ],
  ['returns no promise', () => ({})],
  ['rejects', () => Promise.reject(boo())],
])('rejects with its own error if return() of an iterator %s', async (_, end) => {
  const next = (): unknown => ({ done: false, value: 5 });
  const expected = { code: 'usage', message: 'a block of the input is neither text nor bytes: number' };
  for (const symbol of [Symbol.iterator, Symbol.asyncIterator]) {
    const input = { [symbol]: () => ({ next, return: end }) } as unknown as SortInput;
    expect(await errorOf(input, new Collected())).toMatchObject(expected);
  }
});

it('does not call return() of an iterator that is at its end', async () => {
  let returned = 0;
  const blocks = ['a\n'];
  const iterator = {
    next: () => (blocks.length > 0 ? { done: false, value: blocks.pop()! } : { done: true, value: undefined }),
    return: () => {
      returned++;
      return { done: true, value: undefined };
    },
  };
  await sortedBytes({ [Symbol.iterator]: () => iterator } as Iterable<string>);
  expect(returned).toBe(0);
});

it('refuses a sort of a closed sorter and destroys its streams', async () => {
  const sorter = createSorter();
  await sorter.close();
  const [input, output] = [new PassThrough(), new Collected()];
  await expect(sorter.sort(input, output)).rejects.toMatchObject({ code: 'usage', message: 'the sorter is closed' });
  expect([input.destroyed, output.destroyed]).toEqual([true, true]);
});

it('writes Buffers to Node streams, and arrays with their own memory to Web streams', async () => {
  const blocks: unknown[] = [];
  await sort(
    ['a\n'].values(),
    new Writable({ objectMode: true, write: (block, _, done) => done(void blocks.push(block)) }),
  );
  expect(blocks).toEqual([Buffer.from('a\n')]);
  const web: Uint8Array[] = [];
  await sort(['a\n'].values(), new WritableStream<Uint8Array>({ write: (block) => void web.push(block) }));
  expect(web.map((block) => [block.buffer.byteLength, block.constructor])).toEqual([[2, Uint8Array]]);
});
