/** Sorts as streams: createSort() in pipelines and sorted() as an iterable, and how they end early. */
import { mkdirSync, readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { Duplex, PassThrough, Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createSort, createSorter, GpusortError, type SortSettings, sorted } from '../../src/index.js';
import { expectSameBytes, freshDirectory } from '../battery/runner.js';
import { sampled } from '../support/tier.js';
import { blocksOf, Collected, SOURCES, seededLines, sortedBytes } from './support.js';

const TINY: SortSettings = { chunkSize: '4K', parallel: 1, engine: 'cpu' };
const LINES = seededLines(61, 20_000);
/** More output than streams and the sort hold in blocks, so that a sort that nobody reads cannot end. */
const MANY_LINES = seededLines(62, 100_000);

/** A sort that writes temporary files into a directory of its own, which are unlinked at once. */
class Spilling {
  readonly directory = join(freshDirectory('sort-streams'), 'temporary');
  readonly settings: SortSettings = { ...TINY, bufferSize: '128K', temporaryDirectory: this.directory };

  constructor() {
    mkdirSync(this.directory);
  }

  /** The temporary files that are open in this process. */
  get files(): string[] {
    return readdirSync('/proc/self/fd')
      .map((fd) => {
        try {
          return readlinkSync(`/proc/self/fd/${fd}`);
        } catch {
          return '';
        }
      })
      .filter((name) => name.startsWith(this.directory));
  }

  async expectFreed(): Promise<void> {
    // A file operation in progress when the sort was aborted ends a little later.
    for (let i = 0; i < 500 && this.files.length > 0; i++) await sleep(10);
    expect({ open: this.files, named: readdirSync(this.directory) }).toEqual({ open: [], named: [] });
  }
}

/** Counts the errors that a stream reports. */
function errorsOf(stream: Readable | Writable): unknown[] {
  const errors: unknown[] = [];
  stream.on('error', (error) => errors.push(error));
  return errors;
}

const closeOf = (stream: Readable): Promise<unknown> => new Promise((resolve) => stream.on('close', resolve));

/** The error of a promise that must be rejected. */
const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => Promise.reject(new Error('it did not fail')),
    (error: unknown) => error,
  );
const boo = (): Error => new Error('boo');

/** A stream of more lines than the sort holds in memory, which then stalls. */
function stalled(): PassThrough {
  const source = new PassThrough();
  source.write(MANY_LINES);
  return source;
}

async function untilSpilled(spilling: Spilling): Promise<void> {
  for (let i = 0; i < 500 && spilling.files.length === 0; i++) await sleep(10);
  expect(spilling.files).not.toEqual([]);
}

describe('sorted()', () => {
  it.each(sampled(Object.entries(SOURCES), { count: Infinity, seed: 1 }))(
    'iterates over the sorted records of %s',
    async (_, source) => {
      const blocks: Buffer[] = [];
      for await (const block of sorted(source(blocksOf(LINES, 63, 3000)), { ...TINY, key: '2' })) blocks.push(block);
      expectSameBytes(Buffer.concat(blocks), await sortedBytes([LINES].values(), { key: '2' }));
    },
  );

  it('has the result of the sort once it ends', async () => {
    const stream = sorted(['b\n', 'a\n'].values());
    let result: unknown;
    stream.on('end', () => stream.result.then((value) => (result = value)));
    expect(await stream.toArray()).toEqual([Buffer.from('a\nb\n')]);
    await sleep(0);
    expect(result).toEqual({ bytes: 4, records: 2, warnings: [] });
  });

  it('sorts an empty input into nothing', async () => {
    expect(await sorted([].values()).toArray()).toEqual([]);
  });

  it('reads no more input than a merge needs while nobody reads it', async () => {
    let read = 0;
    const numbers = (function* () {
      for (; ; read++) yield `${read}\n`;
    })();
    const stream = sorted(numbers, { ...TINY, merge: true });
    // On a busy machine the sort may take a while until its output is blocked.
    for (let before = -1; read !== before; ) {
      before = read;
      await sleep(300);
    }
    expect(read).toBeGreaterThan(0);
    expect(read).toBeLessThan(2e6);
    // One block more than the stream requests.
    expect(stream.readableLength).toBeLessThanOrEqual(stream.readableHighWaterMark + (256 << 10));
    stream.on('error', () => undefined).destroy();
    expect(await failureOf(stream.result)).toMatchObject({ code: 'broken-pipe' });
  });

  it('ends the sort, deletes its temporary files and releases the input if an iteration is left early', async () => {
    const spilling = new Spilling();
    const input = Readable.from(blocksOf(MANY_LINES, 64, 9000));
    const stream = sorted(input, spilling.settings);
    const closed = closeOf(stream);
    for await (const block of stream) {
      expect(block.length).toBeGreaterThan(0);
      expect(spilling.files).not.toEqual([]);
      break;
    }
    // Its error, which nobody listens to, does not end the process.
    await closed;
    expect(await failureOf(stream.result)).toMatchObject({ name: 'AbortError' });
    await spilling.expectFreed();
    expect(input.destroyed).toBe(true);
  });

  it('reports wrong settings and wrong inputs as an error of the stream', async () => {
    const input = new PassThrough();
    const errors = errorsOf(input);
    const wrong = { code: 'usage', message: expect.stringContaining('field number is zero') };
    expect(await failureOf(sorted(input, { key: '0' }).toArray())).toMatchObject(wrong);
    expect([input.destroyed, errors]).toEqual([true, []]);
    expect(await failureOf(sorted(5 as unknown as string).toArray())).toMatchObject({ code: 'usage' });
    expect(await failureOf(sorted('no such file').toArray())).toMatchObject({ code: 'cannot-read' });
    expect(await failureOf(sorted('x', { check: true }).toArray())).toMatchObject({
      message: 'check writes no output: give null',
    });
  });

  it('does not end before promises of callbacks are settled, and fails if one rejects', async () => {
    const onProgress = ({ phase }: { phase: string }): unknown =>
      phase === 'writing' && sleep(50).then(() => Promise.reject(boo()));
    const stream = sorted(['b\n', 'a\n'].values(), { onProgress });
    let ended = false;
    stream.on('end', () => (ended = true));
    expect(await failureOf(stream.toArray())).toEqual(boo());
    expect(ended).toBe(false);
  });

  it('becomes a Web stream', async () => {
    const web = Readable.toWeb(sorted([LINES].values(), TINY)) as ReadableStream<Uint8Array>;
    expectSameBytes(Buffer.from(await new Response(web).arrayBuffer()), await sortedBytes([LINES].values()));
  });
});

describe('createSort()', () => {
  it('sorts in a pipeline, with borders of blocks anywhere', async () => {
    const output = new Collected();
    const stream = createSort({ ...TINY, key: '2,2n' });
    await pipeline(Readable.from(blocksOf(LINES, 65, 3000), { objectMode: false }), stream, output);
    expectSameBytes(output.bytes, await sortedBytes([LINES].values(), { key: '2,2n' }));
    expect(await stream.result).toMatchObject({ records: 20_000, bytes: LINES.length });
  });

  it('takes many small writes, whatever encoding they have', async () => {
    const stream = createSort();
    const text = 'b\u{1f600}\n\u{1f601}a\n';
    // Characters are cut in halves.
    for (let i = 0; i < text.length; i++) stream.write(text[i]);
    stream.write('c3a40a', 'hex');
    stream.write('\xe5\n', 'latin1');
    stream.write('');
    stream.end(Buffer.from('a\n'));
    expect(Buffer.concat(await stream.toArray()).toString()).toBe('a\nb\u{1f600}\n\u{e4}\n\u{fffd}\n\u{1f601}a\n');
  });

  it('sorts an empty input into nothing', async () => {
    const output = new Collected();
    await pipeline(Readable.from([]), createSort(), output);
    expect(output.blocks).toEqual([]);
  });

  it('takes no more input than a merge needs while its output is blocked', async () => {
    let read = 0;
    const numbers = (function* () {
      for (; ; read++) yield `${read}\n`;
    })();
    const controller = new AbortController();
    const stuck = new Writable({ write: () => undefined });
    const stream = createSort({ ...TINY, merge: true });
    const { signal } = controller;
    const failed = failureOf(pipeline(Readable.from(numbers), stream, stuck, { signal }));
    for (let before = -1; read !== before; ) {
      before = read;
      await sleep(300);
    }
    expect(read).toBeGreaterThan(0);
    expect(read).toBeLessThan(2e6);
    controller.abort();
    expect(await failed).toMatchObject({ name: 'AbortError' });
    expect(await failureOf(stream.result)).toMatchObject({ name: 'AbortError' });
  });

  it('takes the rest of its input, and drops it, if the sort needs no more', async () => {
    const output = new Collected();
    const lines = Readable.from(Array.from({ length: 50_000 }, (_, i) => `${i}\n`));
    await pipeline(lines, createSort({ ...TINY, merge: true, top: 2 }), output);
    expect(output.bytes.toString()).toBe('0\n1\n');
  });

  it('is a pair of Web streams', async () => {
    const source = new Blob(blocksOf(LINES, 66, 9000) as unknown as ConstructorParameters<typeof Blob>[0]).stream();
    const pair = Duplex.toWeb(createSort(TINY)) as { readable: ReadableStream; writable: WritableStream };
    const output = await new Response(source.pipeThrough(pair)).arrayBuffer();
    expectSameBytes(Buffer.from(output), await sortedBytes([LINES].values()));
  });

  /** How a pipeline ends early: does so, and returns the error of the pipeline and of the result. */
  type End = (parts: {
    readonly source: PassThrough;
    readonly stream: Duplex;
    readonly target: Writable;
    readonly ofPipeline: AbortController;
    readonly ofSettings: AbortController;
  }) => { readonly error: unknown; readonly result?: unknown };
  const ENDS: Readonly<Record<string, End>> = {
    'an error of the source': ({ source }) => {
      source.destroy(boo());
      return { error: boo() };
    },
    'an error of the target': ({ target }) => {
      target.destroy(boo());
      return { error: boo() };
    },
    'its own destruction': ({ stream }) => {
      stream.destroy(boo());
      return { error: boo() };
    },
    'its own destruction without an error': ({ stream }) => {
      stream.destroy();
      const result = expect.objectContaining({ code: 'broken-pipe' });
      return { error: expect.objectContaining({ code: 'ERR_STREAM_PREMATURE_CLOSE' }), result };
    },
    'the signal of the pipeline': ({ ofPipeline }) => {
      ofPipeline.abort();
      return { error: expect.objectContaining({ name: 'AbortError' }) };
    },
    'the signal of the settings': ({ ofSettings }) => {
      ofSettings.abort(boo());
      return { error: boo() };
    },
    'the signal of the settings, whose reason is no error': ({ ofSettings }) => {
      ofSettings.abort('enough');
      return { error: expect.objectContaining({ name: 'AbortError', cause: 'enough' }), result: 'enough' };
    },
  };

  it.each(Object.entries(ENDS))('ends with %s, reports it once and deletes temporary files', async (name, end) => {
    const spilling = new Spilling();
    const [ofPipeline, ofSettings] = [new AbortController(), new AbortController()];
    const source = stalled();
    const stream = createSort({ ...spilling.settings, signal: ofSettings.signal });
    const target = new Collected();
    const [errors, closed] = [errorsOf(stream), closeOf(stream)];
    const failed = failureOf(pipeline(source, stream, target, { signal: ofPipeline.signal }));
    await untilSpilled(spilling);
    const { error, result = error } = end({ source, stream, target, ofPipeline, ofSettings });
    expect(await failed).toEqual(error);
    expect(await failureOf(stream.result)).toEqual(result);
    await closed;
    await spilling.expectFreed();
    expect([source.destroyed, stream.destroyed, target.destroyed]).toEqual([true, true, true]);
    expect(errors.length).toBe(name.endsWith('without an error') ? 0 : 1);
    expect(target.blocks).toEqual([]);
  });

  it('ends while its target reads the output', async () => {
    const spilling = new Spilling();
    const stream = createSort(spilling.settings);
    const failing = new Writable({ write: (_, __, done) => done(boo()) });
    expect(await failureOf(pipeline(Readable.from([MANY_LINES]), stream, failing))).toEqual(boo());
    expect(await failureOf(stream.result)).toEqual(boo());
    await spilling.expectFreed();
  });

  it('is closed once the sort is over', async () => {
    const spilling = new Spilling();
    const stream = createSort(spilling.settings);
    stream.write(MANY_LINES);
    await untilSpilled(spilling);
    let isOver = false;
    stream.result.catch(() => (isOver = true));
    const closed = new Promise((resolve) => {
      stream.on('close', () => resolve(isOver));
    });
    stream.destroy();
    expect(isOver).toBe(false);
    expect(await closed).toBe(true);
    await spilling.expectFreed();
  });

  it('rejects wrong settings, whatever the source does', async () => {
    const source = new PassThrough();
    const error = await failureOf(pipeline(source, createSort({ key: '0' }), new Collected()));
    expect(error).toBeInstanceOf(GpusortError);
    expect(error).toMatchObject({ code: 'usage' });
    expect(source.destroyed).toBe(true);
  });
});

it('sorts with the settings of a sorter, which waits for streams and then refuses them', async () => {
  const sorter = createSorter({ reverse: true });
  const output = new Collected();
  const readable = sorter.sorted(['a\n', 'b\n'].values(), { top: 1 });
  const done = pipeline(Readable.from(['a\n', 'b\n']), sorter.createSort(), output);
  expect(await readable.toArray()).toEqual([Buffer.from('b\n')]);
  await sorter.close();
  expect(output.bytes.toString()).toBe('b\na\n');
  await done;
  const refused = { code: 'usage', message: 'the sorter is closed' };
  expect(await failureOf(sorter.sorted(['a\n'].values()).toArray())).toMatchObject(refused);
  const source = new PassThrough();
  expect(await failureOf(pipeline(source, sorter.createSort(), new Collected()))).toMatchObject(refused);
});
