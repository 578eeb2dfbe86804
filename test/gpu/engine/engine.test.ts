/**
 * The GPU engine end to end, with the sort itself on the host: chunks to runs; resident and stored runs, cut and
 * merged, with limits forced far down; failures reported as errors.
 */
import { afterEach, beforeAll, expect, it } from 'vitest';
import type { BlockWriter, Engine, Run, Slice, Sorted } from '../../../src/engine.js';
import { describeAdapters } from '../../../src/gpu/device/adapters.js';
import { type Gpu, openGpu, USAGE } from '../../../src/gpu/device/device.js';
import { requestAdapter } from '../../../src/gpu/device/request-adapter.js';
import { createGpuEngine } from '../../../src/gpu/engine/engine.js';
import { assembleGpuEngine, type GpuEngineLimits, type GpuEngineOptions } from '../../../src/gpu/engine/engine-core.js';
import type { Ordering } from '../../../src/job.js';
import { describeGpu } from '../../setup/gpu.js';
import { silent, sortChunk } from '../../support/jobs.js';
import { randomBelow } from '../../support/random.js';
import { join, LINES, plainRun, sortedRecords, split } from '../../support/records.js';
import { HOST_SORT, randomRecords, useGpu } from '../helpers.js';

const useTestGpu = useGpu();

describeGpu('GPU engine', () => {
  let gpu: Gpu;
  let engine: Engine | undefined;
  const next = randomBelow(4);
  beforeAll(() => {
    gpu = useTestGpu();
  });
  afterEach(async () => {
    await engine?.close();
    engine = undefined;
  });

  async function open(
    ordering: Ordering,
    options: Partial<GpuEngineOptions> = {},
    limits: GpuEngineLimits = {},
  ): Promise<Engine> {
    engine = await assembleGpuEngine(
      gpu,
      {
        ordering,
        chunkBytes: 1 << 20,
        pieceBytes: 4096,
        rangeBytes: 1 << 20,
        mostRecords: null,
        residentBytes: null,
        recorder: silent,
        ...options,
      },
      HOST_SORT,
      limits,
    );
    return engine;
  }

  async function order(text: Uint8Array): Promise<Sorted[]> {
    const chunk = await engine!.openChunk();
    const { pieceBytes } = engine!;
    const pieces = Array.from({ length: Math.ceil(text.length / pieceBytes) }, (_, i) => i * pieceBytes);
    // Pieces are filled in pairs; the second of a pair is committed first.
    for (let i = 0; i < pieces.length; i += 2) {
      const pair = await Promise.all(
        pieces.slice(i, i + 2).map(async (at) => ({ at, piece: await chunk.openPiece(at) })),
      );
      for (const { at, piece } of pair.reverse()) {
        const part = text.subarray(at, at + pieceBytes);
        piece.bytes.set(part);
        piece.commit(part.length);
      }
    }
    return sortChunk(engine!, chunk, text.length);
  }

  async function emit(results: readonly Sorted[]): Promise<Buffer> {
    const blocks: Buffer[] = [];
    const write: BlockWriter = async (block) => {
      await new Promise(setImmediate);
      blocks.push(Buffer.from(block));
    };
    for (const sorted of results) {
      const before = blocks.reduce((sum, b) => sum + b.length, 0);
      await sorted.emit(write);
      expect(blocks.reduce((sum, b) => sum + b.length, 0) - before).toBe(sorted.bytes);
    }
    return Buffer.concat(blocks);
  }

  const whole = (run: Run): Slice => ({ run, from: { index: 0, byte: 0 }, to: run.end });
  const make = (n: number, length: () => number): Buffer[] => randomRecords(n, length, next, 5);

  it('sorts chunks of all sizes, growing as they are filled', async () => {
    await open(LINES, { pieceBytes: 1024 });
    for (const n of [1, 2, 100, 4000, 50, 9000]) {
      const records = make(n, () => next(40));
      const results = await order(join(records));
      expect(results.length).toBe(1);
      expect(results[0].records).toBe(n);
      expect((await emit(results)).equals(join(sortedRecords(records, LINES)))).toBe(true);
    }
    expect(await order(new Uint8Array(0))).toEqual([]);
  });

  it('sorts fixed records, in reverse, without duplicates', async () => {
    for (const ordering of [
      { ...LINES, format: { kind: 'fixed', size: 10 }, key: { kind: 'bytes', offset: 2, length: 3 } },
      {
        ...LINES,
        format: { kind: 'fixed', size: 10 },
        key: { kind: 'bytes', offset: 2, length: 3 },
        lastResort: false,
        unique: true,
      },
      { ...LINES, reverse: true, unique: true, lastResort: false },
    ] satisfies Ordering[]) {
      await open(ordering);
      const records = make(3000, () => (ordering.format.kind === 'fixed' ? 10 : next(5)));
      expect(
        (await emit(await order(join(records, ordering)))).equals(join(sortedRecords(records, ordering), ordering)),
      ).toBe(true);
      await engine!.close();
    }
  });

  it('runs fewer merges at once if memory is limited', async () => {
    const { mergesAhead } = await open(LINES);
    await engine!.close();
    expect((await open(LINES, { mostRecords: 1000 })).mergesAhead).toBeLessThan(mergesAhead);
  });

  it('gives several results if there are too many records for one sort', async () => {
    await open(LINES, { mostRecords: 1000 }, { blockBytes: 4096 });
    const records = make(3500, () => next(9));
    const results = await order(join(records));
    expect(results.map((r) => r.records)).toEqual([1000, 1000, 1000, 500]);
    for (const [i, sorted] of results.entries()) {
      expect((await emit([sorted])).equals(join(sortedRecords(records.slice(i * 1000, i * 1000 + 1000), LINES)))).toBe(
        true,
      );
    }
  });

  for (const unique of [false, true]) {
    for (const kinds of ['resident', 'stored', 'mixed'] as const) {
      for (const records of [Infinity, 700]) {
        it(`merges ${kinds} slices${unique ? ' without duplicates' : ''}${records === 700 ? ' in parts' : ''}`, async () => {
          // By key alone, so that the bytes after the key show the input order.
          const ordering: Ordering = {
            ...LINES,
            format: { kind: 'fixed', size: 9 },
            key: { kind: 'bytes', offset: 0, length: 2 },
            lastResort: false,
            unique,
          };
          for (const asked of [ordering, { ...LINES, unique, lastResort: !unique }]) {
            await open(asked, { mostRecords: records }, { blockBytes: 2048 });
            const parts = Array.from({ length: 6 }, () =>
              make(300 + next(300), () => (asked.format.kind === 'fixed' ? 9 : next(30))),
            );
            const runs: Run[] = [];
            for (const [i, part] of parts.entries()) {
              if (kinds === 'stored' || (kinds === 'mixed' && i % 2 === 1)) {
                runs.push(plainRun(sortedRecords(part, asked), asked));
                continue;
              }
              const [sorted] = await order(join(part, asked));
              runs.push((await sorted!.keep())!);
            }
            const expected = join(sortedRecords(parts.flat(), asked), asked);
            expect((await emit(await engine!.merge(runs.map(whole), 0))).equals(expected)).toBe(true);

            // In two ranges, cut at a record, as in large merges.
            const [sample] = await runs[2].sample({ index: 0, byte: 0 }, runs[2].end, 1);
            const splitter = await runs[2].record(sample!.at);
            const cuts = await Promise.all(
              runs.map(async (run) => (await run.cut({ index: 0, byte: 0 }, run.end, [splitter]))[0].lower),
            );
            const low = await engine!.merge(
              runs.map((run, i) => ({ ...whole(run), to: cuts[i] })),
              0,
            );
            const high = await engine!.merge(
              runs.map((run, i) => ({ ...whole(run), from: cuts[i] })),
              0,
            );
            expect(Buffer.concat([await emit(low), await emit(high)]).equals(expected)).toBe(true);
            for (const run of runs) run.release();
            await engine!.close();
          }
        });
      }
    }
  }

  it('merges more equal records than one sort takes', async () => {
    for (const unique of [false, true]) {
      await open({ ...LINES, unique, lastResort: !unique }, { mostRecords: 100 });
      const run = plainRun(
        Array.from({ length: unique ? 1 : 90 }, () => Buffer.from('same')),
        LINES,
      );
      const results = await engine!.merge(
        Array.from({ length: 120 }, () => whole(run)),
        4,
      );
      expect((await emit(results)).toString()).toBe('same\n'.repeat(unique ? 1 : 90 * 120));
      await engine!.close();
    }
  });

  it('passes a single slice through, from any byte', async () => {
    await open(LINES, {}, { blockBytes: 1024 });
    const records = sortedRecords(
      make(900, () => next(20)),
      LINES,
    );
    const [sorted] = await order(join(records));
    const resident = (await sorted!.keep())!;
    for (const run of [resident, plainRun(records, LINES)]) {
      const [a, b] = await run.cut({ index: 0, byte: 0 }, run.end, [records[100], records[801]]);
      const results = await engine!.merge(
        [
          { run, from: a!.lower, to: b!.upper },
          { run, from: b!.upper, to: b!.upper },
        ],
        0,
      );
      const text = await emit(results);
      expect(split(text).length).toBe(b!.upper.index - a!.lower.index);
      expect(text.equals(join(records).subarray(a!.lower.byte, b!.upper.byte))).toBe(true);
    }
  });

  it('merges a thousand tiny runs, several merges and outputs at once', async () => {
    await open(LINES, { chunkBytes: 8192 });
    const parts = Array.from({ length: 400 }, () => make(1 + next(3), () => next(12)));
    const runs = await Promise.all(parts.map(async (part) => (await (await order(join(part)))[0].keep())!));
    const merges = await Promise.all(
      [0, 1].map((h) => engine!.merge(runs.slice(h * 200, h * 200 + 200).map(whole), 0)),
    );
    const texts = await Promise.all(merges.map(emit));
    texts.forEach((text, h) => {
      expect(text.equals(join(sortedRecords(parts.slice(h * 200, h * 200 + 200).flat(), LINES)))).toBe(true);
    });
  });

  it('keeps no more than its limit', async () => {
    await open(LINES, { residentBytes: 40_000 });
    const kept: Run[] = [];
    for (let i = 0; i < 5; i++) {
      const records = make(500, () => 19);
      const [sorted] = await order(join(records));
      const run = await sorted!.keep();
      if (run !== null) kept.push(run);
      else expect((await emit([sorted!])).equals(join(sortedRecords(records, LINES)))).toBe(true);
    }
    expect(kept.length).toBeGreaterThan(0);
    expect(kept.length).toBeLessThan(4);
    kept[0].release();
    expect(await (await order(join(make(500, () => 19))))[0].keep()).not.toBeNull();
  });

  it('continues after a failed write, a failed read and an abandoned chunk', async () => {
    await open(LINES, {}, { blockBytes: 1024 });
    const records = make(2000, () => next(20));
    const [sorted] = await order(join(records));
    await expect(
      sorted!.emit(async () => {
        throw new Error('full');
      }),
    ).rejects.toThrow('full');
    const bad = {
      ...plainRun(records, LINES),
      readAt: async () => {
        throw new Error('gone');
      },
    };
    await expect(engine!.merge([whole(bad), whole(bad)], 0)).rejects.toThrow('gone');
    const chunk = await engine!.openChunk();
    const piece = await chunk.openPiece(0);
    chunk.release();
    piece.commit(10);
    expect((await emit(await order(join(records)))).equals(join(sortedRecords(records, LINES)))).toBe(true);
  });

  it('sorts and merges with its default sort', async () => {
    for (const ordering of [LINES, { ...LINES, reverse: true, unique: true, lastResort: false }]) {
      engine = await createGpuEngine(await openGpu(await requestAdapter()), 'string-merge', {
        ordering,
        chunkBytes: 1 << 20,
        pieceBytes: 65536,
        rangeBytes: 1 << 20,
        mostRecords: null,
        residentBytes: null,
        recorder: silent,
      });
      const parts = [make(3000, () => next(20)), make(3000, () => next(4)), make(20, () => next(20_000))];
      const runs: Run[] = [];
      for (const [i, part] of parts.entries()) {
        runs.push(
          i === 1 ? plainRun(sortedRecords(part, ordering), ordering) : (await (await order(join(part)))[0].keep())!,
        );
      }
      expect(
        (await emit(await engine.merge(runs.map(whole), 0))).equals(join(sortedRecords(parts.flat(), ordering))),
      ).toBe(true);
      await engine.close();
    }
  });

  /** The same GPU with `budget` bytes of memory for large buffers. */
  function limited(budget: number): Gpu {
    let used = 0;
    const device = new Proxy(gpu.device, {
      get: (target, name) => {
        const value = Reflect.get(target, name, target) as unknown;
        if (name === 'createBuffer') {
          return (descriptor: GPUBufferDescriptor) => {
            if ((descriptor.usage & USAGE.STORAGE) === 0 || descriptor.size < 4096)
              return target.createBuffer(descriptor);
            used += descriptor.size;
            if (used > budget) {
              used -= descriptor.size;
              throw new Error('no memory');
            }
            return target.createBuffer(descriptor);
          };
        }
        return typeof value === 'function' ? (value as (...a: unknown[]) => unknown).bind(target) : value;
      },
    });
    return { ...gpu, device };
  }

  it('keeps runs until memory is exhausted, and still sorts', async () => {
    const full = gpu;
    gpu = limited(1_200_000);
    try {
      await open(LINES, { chunkBytes: 65536, pieceBytes: 65536 });
      let kept = 0;
      for (let i = 0; i < 20; i++) {
        const records = make(3000, () => 19);
        const [sorted] = await order(join(records));
        if ((await sorted!.keep()) !== null) {
          kept++;
          continue;
        }
        expect((await emit([sorted!])).equals(join(sortedRecords(records, LINES)))).toBe(true);
      }
      expect(kept).toBeGreaterThan(2);
      expect(kept).toBeLessThan(18);
      await engine!.close();
      gpu = full;
      gpu = limited(100_000);
      await open(LINES, { chunkBytes: 65536, pieceBytes: 16384 });
      await expect(order(join(make(3000, () => 19)))).rejects.toMatchObject({ code: 'out-of-device-memory' });
    } finally {
      gpu = full;
    }
  });

  it('ends with an error when the device is lost', async () => {
    const full = gpu;
    gpu = await openGpu(await requestAdapter());
    try {
      await open(LINES);
      const run = (await (await order(join(make(100, () => 9))))[0].keep())!;
      const [sorted] = await order(join(make(3000, () => 9)));
      const chunk = await engine!.openChunk();
      const piece = await chunk.openPiece(0);
      gpu.device.destroy();
      await new Promise((resolve) => {
        setTimeout(resolve, 50);
      });
      piece.commit(10);
      const lost = { code: 'device-lost' };
      await expect(engine!.order(chunk, 10)).rejects.toMatchObject(lost);
      await expect(sorted!.emit(async () => {})).rejects.toMatchObject(lost);
      await expect(run.sample({ index: 0, byte: 0 }, run.end, 3)).rejects.toMatchObject(lost);
      await expect(engine!.merge([whole(run), whole(run)], 0)).rejects.toMatchObject(lost);
    } finally {
      gpu = full;
    }
  });

  it('describes this adapter', async () => {
    const [first] = await describeAdapters();
    expect(first).toMatch(/^.+\n {2}vendor: +\S.*\n {2}driver: .*\n {2}kind: +(software|hardware)/);
    expect(first).toMatch(/binding: +[\d.]+ [MG]iB at most\n/);
  });
});
