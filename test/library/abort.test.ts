/** An aborted sort ends soon, rejects with the signal's reason, and leaves no file behind and the output as it was. */
import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { constantFrom, double, integer } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type SortInput, type SortOutput, type SortSettings, sort } from '../../src/index.js';
import { freshDirectory } from '../battery/runner.js';
import { property } from '../support/property.js';
import { sampled } from '../support/tier.js';
import { blocksOf, Collected, errorOf, SOURCES, seededLines } from './support.js';

const LINES = seededLines(21, 20_000);
/** An abort must not wait for input; generous, for a busy machine. */
const SOON_MS = 5000;

/** A directory with an input, an output that exists, and one for temporary files. */
class Place {
  readonly directory = freshDirectory('abort');
  readonly input = join(this.directory, 'in');
  readonly output = join(this.directory, 'out');
  readonly temporary = join(this.directory, 'temporary');
  /** Settings with which a sort of LINES makes many chunks and temporary files. */
  readonly spilling: SortSettings = {
    chunkSize: '4K',
    bufferSize: '128K',
    parallel: 2,
    engine: 'cpu',
    temporaryDirectory: this.temporary,
  };

  constructor() {
    writeFileSync(this.input, LINES);
    writeFileSync(this.output, 'as it was\n');
    mkdirSync(this.temporary);
  }

  expectUntouched(): void {
    expect(readFileSync(this.output, 'utf8')).toBe('as it was\n');
    expect(readdirSync(this.temporary)).toEqual([]);
    expect(readdirSync(this.directory).sort()).toEqual(['in', 'out', 'temporary']);
  }
}

const KINDS: Readonly<Record<string, SortSettings>> = {
  'a sort': {},
  keys: { key: '2n' },
  counts: { count: true },
  'compressed output': { outputFormat: 'gzip' },
  'a program': { compressProgram: 'gzip' },
  verification: { verify: true },
  'a merge': { merge: true, batchSize: 2 },
};

describe('an aborted sort', () => {
  const inputsOf = (place: Place, options: SortSettings): string | string[] =>
    options.merge ? [place.input, place.input, place.input] : place.input;
  /** The calls of onProgress in a whole sort, by its kind. */
  const moments = new Map<string, number>();
  async function momentsOf(kind: string): Promise<number> {
    if (!moments.has(kind)) {
      const place = new Place();
      let count = 0;
      const settings = { ...place.spilling, ...KINDS[kind], onProgress: () => count++ };
      await sort(inputsOf(place, settings), join(place.directory, 'whole'), settings);
      expect(count).toBeGreaterThan(3);
      moments.set(kind, count);
    }
    return moments.get(kind)!;
  }

  property(
    'ends a sort that is aborted at any moment, and leaves nothing',
    // Threads run in any order, so a sort may have fewer moments than the first one.
    [constantFrom(...Object.keys(KINDS)), double({ min: 0, max: 0.5, noNaN: true })],
    async (kind, share) => {
      const place = new Place();
      const controller = new AbortController();
      const reason = new Error('abort');
      let left = 1 + Math.floor(share * (await momentsOf(kind)));
      const onProgress = (): void => {
        if (--left === 0) controller.abort(reason);
      };
      const settings = { ...place.spilling, ...KINDS[kind], signal: controller.signal, onProgress };
      const begun = performance.now();
      expect(await errorOf(inputsOf(place, settings), place.output, settings)).toBe(reason);
      expect(performance.now() - begun).toBeLessThan(SOON_MS);
      place.expectUntouched();
    },
    { runs: 56 },
  );

  property(
    'ends a sort that is aborted after any time, and leaves nothing',
    [constantFrom(...Object.keys(KINDS)), integer({ min: 0, max: 60 })],
    async (kind, milliseconds) => {
      const place = new Place();
      const signal = AbortSignal.timeout(milliseconds);
      const whole = join(place.directory, 'whole');
      try {
        await sort(place.input, whole, { ...place.spilling, ...KINDS[kind], signal });
        rmSync(whole);
      } catch (error) {
        expect(error).toBe(signal.reason);
      }
      place.expectUntouched();
    },
    { runs: 42 },
  );
});

/** Inputs that yield one line and then stall. */
const BLOCKED: Readonly<Record<string, () => SortInput>> = {
  'a Readable': () => {
    const stream = new PassThrough();
    stream.write('a\n');
    return stream;
  },
  'a Web stream': () =>
    new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(Buffer.from('a\n')),
    }),
  'an async generator': async function* () {
    yield 'a\n';
    await new Promise(() => undefined);
  } as unknown as () => SortInput,
};
const READERS: readonly SortSettings[] = [
  {},
  { merge: true },
  { check: true },
  { by: 'name' },
  { decompress: true },
  { csv: true },
];
const STUCK = Object.keys(BLOCKED).flatMap((name) => READERS.map((options) => ({ name, options })));

it.each(
  sampled(STUCK, { count: STUCK.length, seed: 1, values: ({ name, options }) => [name, Object.keys(options).join()] }),
)('ends an aborted sort while $name is stalled, with $options', async ({ name, options }) => {
  const place = new Place();
  const controller = new AbortController();
  const output = options.check ? null : place.output;
  const failed = errorOf(BLOCKED[name](), output, { ...place.spilling, ...options, signal: controller.signal });
  await sleep(30);
  controller.abort();
  const begun = performance.now();
  expect(await failed).toBe(controller.signal.reason);
  expect(performance.now() - begun).toBeLessThan(SOON_MS);
  place.expectUntouched();
});

it('ends an aborted sort while a FIFO is stalled', async () => {
  const place = new Place();
  const fifo = join(freshDirectory('abort'), 'fifo');
  execFileSync('mkfifo', [fifo]);
  const writer = openSync(fifo, 'r+');
  try {
    const signal = AbortSignal.timeout(50);
    expect(await errorOf(fifo, place.output, { ...place.spilling, signal })).toBe(signal.reason);
    place.expectUntouched();
  } finally {
    closeSync(writer);
  }
});

it.each<[string, () => SortOutput]>([
  ['a Writable', () => new Writable({ highWaterMark: 1, write: () => undefined })],
  ['a Web stream', () => new WritableStream({ write: () => new Promise<void>(() => undefined) })],
])('ends an aborted sort while the output, %s, is stalled', async (_, open) => {
  const output = open();
  const signal = AbortSignal.timeout(50);
  expect(await errorOf([LINES].values(), output, { signal })).toBe(signal.reason);
  if (output instanceof Writable) expect(output.destroyed).toBe(true);
});

it('ends an aborted sort of an endless input that never waits', async () => {
  const numbers = (function* () {
    for (let i = 0; ; i++) yield `${i}\n`;
  })();
  const place = new Place();
  const signal = AbortSignal.timeout(100);
  expect(await errorOf(numbers, place.output, { ...place.spilling, signal })).toBe(signal.reason);
  place.expectUntouched();
});

it.each(Object.entries(SOURCES))(
  'starts no sort if the signal is already aborted, and releases %s',
  async (_, source) => {
    const place = new Place();
    const signal = AbortSignal.abort('no');
    const before = statSync(place.output).mtimeMs;
    expect(await errorOf(source(blocksOf(LINES, 24, 1000)), place.output, { signal })).toBe('no');
    expect(statSync(place.output).mtimeMs).toBe(before);
    const output = new Collected();
    await errorOf(source(blocksOf(LINES, 24, 1000)), output, { signal });
    expect({ destroyed: output.destroyed, blocks: output.blocks }).toEqual({ destroyed: true, blocks: [] });
  },
);

it('leaves no listener on the signal after a sort', async () => {
  let listeners = 0;
  const { signal } = new AbortController();
  const [add, remove] = [signal.addEventListener.bind(signal), signal.removeEventListener.bind(signal)];
  signal.addEventListener = (...all: Parameters<typeof add>) => {
    listeners++;
    add(...all);
  };
  signal.removeEventListener = (...all: Parameters<typeof remove>) => {
    listeners--;
    remove(...all);
  };
  await sort(SOURCES['a slow Readable'](blocksOf(LINES, 25, 9000)), new Collected(), { signal });
  expect(listeners).toBe(0);
});
