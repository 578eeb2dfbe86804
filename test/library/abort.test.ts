/** An aborted sort ends soon, rejects with the signal's reason, and leaves no file behind and the output as it was. */
import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { type SortInput, type SortSettings, sort } from '../../src/index.js';
import { freshDirectory } from '../battery/runner.js';
import { randomBelow } from '../support/random.js';
import { blocksOf, Collected, errorOf, SOURCES, seededLines } from './support.js';

const LINES = seededLines(21, 20_000);
/** An abort must not wait for input; generous, for a busy machine. */
const SOON_MS = 5000;

interface Place {
  readonly directory: string;
  readonly input: string;
  readonly output: string;
  readonly temporary: string;
}

/** A directory with an input, an output that exists, and one for temporary files. */
function freshPlace(): Place {
  const directory = freshDirectory('abort');
  const place = {
    directory,
    input: join(directory, 'in'),
    output: join(directory, 'out'),
    temporary: join(directory, 'temporary'),
  };
  writeFileSync(place.input, LINES);
  writeFileSync(place.output, 'as it was\n');
  mkdirSync(place.temporary);
  return place;
}

/** Settings with which a sort of LINES makes many chunks and temporary files. */
const spilling = ({ temporary }: Place): SortSettings => ({
  chunkSize: '4K',
  bufferSize: '128K',
  parallel: 2,
  engine: 'cpu',
  temporaryDirectory: temporary,
});

function expectUntouched({ directory, output, temporary }: Place): void {
  expect(readFileSync(output, 'utf8')).toBe('as it was\n');
  expect(readdirSync(temporary)).toEqual([]);
  expect(readdirSync(directory).sort()).toEqual(['in', 'out', 'temporary']);
}

const OPTIONS: readonly (readonly [string, SortSettings])[] = [
  ['a sort', {}],
  ['keys', { key: '2n' }],
  ['counts', { count: true }],
  ['compressed output', { outputFormat: 'gzip' }],
  ['a program', { compressProgram: 'gzip' }],
  ['verification', { verify: true }],
  ['a merge', { merge: true, batchSize: 2 }],
];

describe.each(OPTIONS)('%s', (_, options) => {
  it('can be aborted at any moment', async () => {
    const place = freshPlace();
    const inputs = options.merge ? [place.input, place.input, place.input] : place.input;
    let moments = 0;
    const settings = { ...spilling(place), ...options };
    await sort(inputs, join(place.directory, 'whole'), { ...settings, onProgress: () => moments++ });
    execFileSync('rm', [join(place.directory, 'whole')]);
    expect(moments).toBeGreaterThan(3);
    const below = randomBelow(22);
    const begun = performance.now();
    for (let i = 0; i < 8; i++) {
      const controller = new AbortController();
      const reason = new Error(`abort ${i}`);
      // Threads take turns as they like, so a sort may have fewer moments than the first one.
      let left = i === 0 ? 1 : 1 + below(Math.floor(moments / 2));
      const onProgress = (): void => {
        if (--left === 0) controller.abort(reason);
      };
      expect(await errorOf(inputs, place.output, { ...settings, signal: controller.signal, onProgress })).toBe(reason);
      expectUntouched(place);
    }
    expect(performance.now() - begun).toBeLessThan(8 * SOON_MS);
  });

  it('can be aborted after any time', async () => {
    const place = freshPlace();
    const below = randomBelow(23);
    for (let i = 0; i < 6; i++) {
      const signal = AbortSignal.timeout(below(60));
      const whole = join(place.directory, 'whole');
      try {
        await sort(place.input, whole, { ...spilling(place), ...options, signal });
        execFileSync('rm', [whole]);
      } catch (error) {
        expect(error).toBe(signal.reason);
      }
      expectUntouched(place);
    }
  });
});

/** Inputs that give one line and then nothing. */
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

describe.each(Object.entries(BLOCKED))('%s that gives nothing', (_, input) => {
  it.each([{}, { merge: true }, { check: true }, { by: 'name' }, { decompress: true }, { csv: true }])(
    'does not keep a sort with %o from ending',
    async (options: SortSettings) => {
      const place = freshPlace();
      const controller = new AbortController();
      const output = options.check ? null : place.output;
      const failed = errorOf(input(), output, { ...spilling(place), ...options, signal: controller.signal });
      await sleep(30);
      controller.abort();
      const begun = performance.now();
      expect(await failed).toBe(controller.signal.reason);
      expect(performance.now() - begun).toBeLessThan(SOON_MS);
      expectUntouched(place);
    },
  );
});

it('ends while a FIFO gives nothing', async () => {
  const place = freshPlace();
  const fifo = join(freshDirectory('abort'), 'fifo');
  execFileSync('mkfifo', [fifo]);
  const writer = openSync(fifo, 'r+');
  try {
    const signal = AbortSignal.timeout(50);
    expect(await errorOf(fifo, place.output, { ...spilling(place), signal })).toBe(signal.reason);
    expectUntouched(place);
  } finally {
    closeSync(writer);
  }
});

it('ends while the output takes nothing', async () => {
  const stuck = new Writable({ highWaterMark: 1, write: () => undefined });
  const signal = AbortSignal.timeout(50);
  expect(await errorOf([LINES].values(), stuck, { signal })).toBe(signal.reason);
  expect(stuck.destroyed).toBe(true);
  const web = new WritableStream({ write: () => new Promise<void>(() => undefined) });
  const again = AbortSignal.timeout(50);
  expect(await errorOf([LINES].values(), web, { signal: again })).toBe(again.reason);
});

it('ends an input without end that never waits', async () => {
  const numbers = (function* () {
    for (let i = 0; ; i++) yield `${i}\n`;
  })();
  const place = freshPlace();
  const signal = AbortSignal.timeout(100);
  expect(await errorOf(numbers, place.output, { ...spilling(place), signal })).toBe(signal.reason);
  expectUntouched(place);
});

it.each(Object.entries(SOURCES))('does not begin if it is aborted already, and releases %s', async (_, source) => {
  const place = freshPlace();
  const signal = AbortSignal.abort('no');
  const before = statSync(place.output).mtimeMs;
  expect(await errorOf(source(blocksOf(LINES, 24, 1000)), place.output, { signal })).toBe('no');
  expect(statSync(place.output).mtimeMs).toBe(before);
  const output = new Collected();
  await errorOf(source(blocksOf(LINES, 24, 1000)), output, { signal });
  expect({ destroyed: output.destroyed, blocks: output.blocks }).toEqual({ destroyed: true, blocks: [] });
});

it('leaves no listener on the signal', async () => {
  const controller = new AbortController();
  let listeners = 0;
  const { signal } = controller;
  const [add, remove] = [signal.addEventListener.bind(signal), signal.removeEventListener.bind(signal)];
  signal.addEventListener = (...all: Parameters<typeof add>) => {
    listeners++;
    add(...all);
  };
  signal.removeEventListener = (...all: Parameters<typeof remove>) => {
    listeners--;
    remove(...all);
  };
  await sort(SOURCES['a slow Readable']!(blocksOf(LINES, 25, 9000)), new Collected(), { signal });
  expect(listeners).toBe(0);
});
