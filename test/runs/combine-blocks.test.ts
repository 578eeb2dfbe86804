/**
 * Results that an engine compresses: blocks reach the output in place of text, in order, and nothing is written twice.
 */
import { expect, it } from 'vitest';
import { decorated } from '../../src/contract/decorated.js';
import type { BlockSize, CompressedResult, Engine, KeptRun, Run, Slice, Sorted } from '../../src/contract/engine.js';
import { type CombineOptions, combine, type Step } from '../../src/runs/combine.js';
import { RunKeeper } from '../../src/runs/keep.js';
import { wholeRun } from '../../src/runs/partition.js';
import { TemporaryStore } from '../../src/runs/store.js';
import { GpusortError } from '../../src/system/errors.js';
import { quiet } from '../../src/system/promises.js';
import { runOf, SMALL_WINDOWS, smallEngine } from '../support/jobs.js';
import { LINES } from '../support/records.js';

/** How a result can be written, and whether it lies in a run. */
type Kind = 'blocks' | 'text' | 'borrowed';

/** Results that are begun or released, by their numbers. */
interface Made {
  readonly engine: Engine;
  readonly compressed: number[];
  readonly released: number[];
}

/**
 * An engine whose merges produce the texts `<0>`, `<1>` ..., each in two blocks if it compresses it. Writing number
 * `failing` fails after its first block, with `error`.
 */
async function engineOf(kinds: readonly Kind[], { failing = -1, error = new Error('lost') } = {}): Promise<Made> {
  const [compressed, released]: [number[], number[]] = [[], []];
  let merges = 0;
  const merge = async (): Promise<Sorted[]> => {
    const number = merges++;
    const text = Buffer.from(`<${number}>`);
    const parts = [text.subarray(0, 1), text.subarray(1)];
    const each = async (write: (part: Buffer) => Promise<void>): Promise<void> => {
      for (const [i, part] of parts.entries()) {
        if (i === 1 && number === failing) throw error;
        await write(part);
      }
    };
    const release = (): void => void released.push(number);
    const compress = (): CompressedResult => {
      compressed.push(number);
      // Blocks have their text, in brackets of another kind.
      return {
        compressed: Promise.resolve(),
        emit: (write) =>
          each((part) => write(Buffer.from(`[${part}]`), [{ text: part.length, bytes: part.length + 2 }])),
        release,
      };
    };
    const kind = kinds[number % kinds.length];
    return [
      {
        ...{ bytes: text.length, records: 1, borrowed: kind === 'borrowed' },
        ...(kind !== 'text' && { compress }),
        emit: each,
        keep: async () => null,
        release,
      },
    ];
  };
  return { engine: decorated(await smallEngine(LINES, 1024), { mergesAhead: 4, merge }), compressed, released };
}

async function* stepsOf(count: number, ends: string[] = []): AsyncGenerator<Step> {
  for (let i = 0; i < count; i++)
    yield { kind: 'range', range: { slices: [], commonPrefix: 0 }, ended: (how) => void ends.push(`${i} ${how}`) };
}

/** An output that takes blocks, unless `blocks` is false. */
function outputOf({ blocks = true } = {}): {
  text(): string;
  readonly write: (block: Uint8Array) => Promise<void>;
  readonly options: Pick<CombineOptions, 'writeBlocks'>;
} {
  let text = '';
  const add = async (bytes: Uint8Array): Promise<void> => {
    await new Promise((resolve) => void setTimeout(resolve, 1));
    text += Buffer.from(bytes).toString();
  };
  const writeBlocks = (bytes: Uint8Array, sizes: readonly BlockSize[]): Promise<void> => {
    expect(sizes.reduce((sum, size) => sum + size.bytes, 0)).toBe(bytes.length);
    return add(bytes);
  };
  return { text: () => text, write: add, options: { writeBlocks: blocks ? writeBlocks : null } };
}

it('writes blocks of what the engine can compress, and text of the rest, in order', async () => {
  const { engine, compressed, released } = await engineOf(['blocks', 'text', 'borrowed']);
  const { text, write, options } = outputOf();
  const ends: string[] = [];
  await combine(stepsOf(7, ends), { engine, ordering: LINES, write, unneeded: [] }, options);
  expect(text()).toBe('[<][0>]<1>[<][2>][<][3>]<4>[<][5>][<][6>]');
  expect(compressed).toEqual([0, 2, 3, 5, 6]);
  expect(released).toEqual([]);
  expect(ends).toEqual(Array.from({ length: 7 }, (_, i) => `${i} written`));
});

it('compresses nothing for an output that needs text', async () => {
  const { engine, compressed } = await engineOf(['blocks']);
  const { text, write, options } = outputOf({ blocks: false });
  await combine(stepsOf(3), { engine, ordering: LINES, write, unneeded: null }, options);
  await combine(stepsOf(1), { engine, ordering: LINES, write, unneeded: null });
  expect(text()).toBe('<0><1><2><3>');
  expect(compressed).toEqual([]);
});

it.each([0, 1, 2, 4])('releases what was not written if result %i fails', async (failing) => {
  const { engine, compressed, released } = await engineOf(['blocks', 'text', 'borrowed'], { failing });
  const { text, write, options } = outputOf();
  const [ends, unwritten]: [string[], Step[]] = [[], []];
  await expect(
    combine(stepsOf(9, ends), { engine, ordering: LINES, write, unneeded: null }, { ...options, unwritten }),
  ).rejects.toThrow('lost');
  const before = ['[<][0>]', '<1>', '[<][2>]', '[<][3>]'].slice(0, failing).join('');
  expect(text()).toBe(before + (failing % 3 === 1 ? '<' : '[<]'));
  const merged = released.length + failing + 1;
  expect(released).toEqual(Array.from({ length: merged - failing - 1 }, (_, i) => failing + 1 + i));
  expect(compressed.every((number) => number % 3 !== 1 && number < merged)).toBe(true);
  expect(ends.slice(0, failing)).toEqual(Array.from({ length: failing }, (_, i) => `${i} written`));
  expect(ends).toContain(`${failing} abandoned`);
});

it('writes no result once no more are needed', async () => {
  const { engine, released } = await engineOf(['blocks']);
  const { text, write, options } = outputOf();
  const over = (): boolean => text().length >= 14;
  await combine(stepsOf(9), { engine, ordering: LINES, write, unneeded: null }, { ...options, over });
  expect(text()).toBe('[<][0>][<][1>]');
  expect(released[0]).toBe(2);
});

it('releases runs for the text of blocks, not for their bytes', async () => {
  const { engine } = await engineOf(['blocks']);
  let trimmed = 0;
  const trim = (): number => {
    trimmed++;
    return 0;
  };
  const runs: Run[] = [];
  let released = 0;
  const run = { end: { index: 1, byte: 16 }, release: () => void released++ } as unknown as Run;
  for (let i = 0; i < 99; i++) runs.push(run);
  const { write, options } = outputOf();
  await combine(stepsOf(9), { engine: decorated(engine, { trim }), ordering: LINES, write, unneeded: runs }, options);
  // Each result has three bytes of text, for which 48 bytes are released. Only the last ones follow all merges.
  expect(released).toBeGreaterThan(0);
  expect(released).toBeLessThanOrEqual(3 * 6);
  expect(trimmed).toBeGreaterThan(0);
});

it('keeps runs while text is compressed, which may need them again', async () => {
  const { engine } = await engineOf(['blocks']);
  let [compressing, released] = [0, 0];
  const merge: Engine['merge'] = async (...args) =>
    (await engine.merge(...args)).map((result) => ({
      ...result,
      compress: () => {
        const one = result.compress!();
        compressing++;
        let done = (): void => {};
        const compressed = new Promise<void>((resolve) => {
          done = resolve;
        });
        return {
          ...one,
          compressed,
          // Its last block is written afterwards.
          emit: (write) =>
            one.emit(async (...block) => {
              if (block[1][0].text === 2) compressing--;
              if (block[1][0].text === 2) done();
              await write(...block);
            }),
        };
      },
    }));
  const release = (): void => {
    expect(compressing).toBe(0);
    released++;
  };
  const run = { end: { index: 1, byte: 16 }, release } as unknown as Run;
  const { write, options } = outputOf();
  const unneeded = Array.from({ length: 99 }, () => run);
  await combine(stepsOf(9), { engine: decorated(engine, { merge }), ordering: LINES, write, unneeded }, options);
  expect(released).toBeGreaterThan(0);
});

/**
 * Runs of an engine. `fails`: why compressing a result fails, which its first block shows; `isLate`: reading it back
 * fails instead.
 */
async function keptBy(fails: (number: number) => Error | null, { isLate = false } = {}) {
  const base = await smallEngine(LINES, 1 << 16);
  let number = 0;
  const written: string[] = [];
  const merge: Engine['merge'] = async (...args) => {
    const results = await base.merge(...args);
    return results.map((result) => ({
      ...result,
      bytes: result.bytes,
      borrowed: result.borrowed,
      keep: () => result.keep(),
      release: () => result.release(),
      emit: (write) => result.emit(write),
      compress: () => {
        const error = fails(number++);
        const compressed = error === null || isLate ? Promise.resolve() : Promise.reject(error);
        quiet(compressed);
        const emit: CompressedResult['emit'] = async (write) => {
          await result.emit(async (block) => {
            const half = error === null ? block : block.subarray(0, block.length >> 1);
            await new Promise((resolve) => void setTimeout(resolve, 1));
            if (half.length > 0) await write(half, [{ text: half.length, bytes: half.length }]);
            if (error !== null) throw error;
          });
        };
        return { compressed, emit, release: () => result.release() };
      },
    }));
  };
  // Like the GPU engine, which moves runs to the store if its memory is full.
  const engine = decorated(base, { merge, shared: null, rangeBytes: 200, mergesAhead: 3, trim: () => 0 });
  const store = new TemporaryStore([Buffer.from(process.env.GPUSORT_TEST_TMP ?? '/tmp')]);
  const keeper = new RunKeeper(engine, LINES, store, { bounded: false, windows: SMALL_WINDOWS });
  const text = (first: number): string => Array.from({ length: 99 }, (_, i) => `${1000 + first + 2 * i}\n`).join('');
  const slices: Slice<KeptRun>[] = [];
  for (const first of [0, 1]) slices.push(wholeRun(await runOf(base, Buffer.from(text(first)))));
  const combined = async (): Promise<void> => {
    await keeper.combine(slices, [], async (block) => void written.push(`text ${Buffer.from(block)}`), {
      runs: 'released',
      writeBlocks: async (bytes) => void written.push(`blocks ${Buffer.from(bytes)}`),
    });
    store.close();
  };
  return { combined, written };
}

const FULL = new GpusortError('out-of-device-memory', 'no memory');
const SORTED = Array.from({ length: 198 }, (_, i) => `${1000 + i}\n`).join('');
const formsOf = (written: readonly string[]): string[] => [...new Set(written.map((one) => one.split(' ')[0]))];
const textOf = (written: readonly string[]): string => written.map((one) => one.slice(one.indexOf(' ') + 1)).join('');

it('a keeper that runs out of memory goes on with text, after the blocks that were written', async () => {
  for (const failing of [0, 1, 2, 5]) {
    const { combined, written } = await keptBy((number) => (number === failing ? FULL : null));
    await combined();
    expect(textOf(written)).toBe(SORTED);
    expect(formsOf(written)).toEqual(['blocks', 'text']);
  }
});

it('a keeper passes on only blocks if nothing fails, and other failures', async () => {
  let results = 0;
  const sound = await keptBy(() => {
    results++;
    return null;
  });
  await sound.combined();
  expect(textOf(sound.written)).toBe(SORTED);
  expect(formsOf(sound.written)).toEqual(['blocks']);
  // Its runs are released by then.
  const late = await keptBy((number) => (number === results - 1 ? FULL : null), { isLate: true });
  await expect(late.combined()).rejects.toThrow(FULL);
  const lost = await keptBy(() => new GpusortError('device-lost', 'lost'));
  await expect(lost.combined()).rejects.toThrow('lost');
});
