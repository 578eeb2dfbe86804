/**
 * A small GPU: a device with WebGPU's default limits. (every-kernel.test.ts proves that all kernels compile on it.)
 * The whole program, with the sizes that its plan chooses for such an adapter; nightly, inputs larger than a binding.
 * Slow, because a software GPU compiles all kernels of its sorts for these limits.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { decorated } from '../../src/contract/decorated.js';
import type { Engine, Run, Sorted } from '../../src/contract/engine.js';
import { adapterFacts, type Gpu, openGpu } from '../../src/engines/gpu/device/device.js';
import { createGpuEngine } from '../../src/engines/gpu/gpu-engine.js';
import type { GpuAlgorithm } from '../../src/job/algorithm-table.js';
import type { Ordering } from '../../src/job/ordering.js';
import type { Plan } from '../../src/plan/plan.js';
import { sortRecords } from '../battery/matrix.js';
import { expectSameBytes } from '../battery/runner.js';
import { DEFAULT_LIMITS, type DefaultAdapter, defaultAdapter } from '../engines/gpu/device/default-device.js';
import { describeGpu } from '../setup/gpu.js';
import type { Opening } from '../support/fake-engines.js';
import { type JobSettings, job, runOf, silent, sortChunk } from '../support/jobs.js';
import { random } from '../support/random.js';
import { LINES } from '../support/records.js';
import { spilledFiles } from '../support/spilled.js';
import { NIGHTLY, sampled } from '../support/tier.js';

const MiB = 2 ** 20;
const NIGHTLY_MS = 600_000;

let small: DefaultAdapter;
let gpu: Gpu;
/** The plans that were started: a fallback to smaller chunks or to the CPU would show here. */
const begun: Plan[] = [];

/** Since the last job began: bytes of runs kept on the device, and whether temporary files existed during a merge. */
const runs = { keptBytes: 0, spilled: false };
let directory = '';

vi.mock(import('../../src/run/open-engine.js'), async () => {
  const { fakeEngines } = await import('../support/fake-engines.js');
  return fakeEngines(openEngine, () => ({ found: true, ...adapterFacts(small.adapter) }));
});

/** The engine of a plan, on one small GPU that stays open so that its kernels are compiled only once. */
async function openEngine({ plan, ordering }: Opening): Promise<Engine> {
  begun.push(plan);
  if (plan.engine === 'cpu') throw new Error('the GPU was given up');
  const { chunkBytes, pieceBytes, rangeBytes, mostRecords, residentBytes } = plan;
  const engine = await createGpuEngine({ ...gpu, close: () => {} }, plan.algorithm as GpuAlgorithm, {
    ordering,
    chunkBytes,
    pieceBytes,
    rangeBytes,
    mostRecords,
    residentBytes,
    recorder: silent,
  });
  const kept: Run[] = [];
  const watch = (sorted: Sorted): Sorted => {
    const keep = sorted.keep.bind(sorted);
    sorted.keep = async () => {
      const run = await keep();
      if (run !== null) {
        kept.push(run);
        runs.keptBytes += sorted.bytes;
      }
      return run;
    };
    return sorted;
  };
  return decorated(engine, {
    order: async (...call) => (await sortChunk(engine, ...call)).map(watch),
    merge: (...call) => {
      runs.spilled ||= spilledFiles(directory).length > 0;
      return engine.merge(...call);
    },
    close: async () => {
      // The program does not release runs: they end with the device. This device stays open.
      for (const run of kept) run.release();
      await engine.close();
    },
  });
}

const { runJob } = await import('../../src/run/run-job.js');

describeGpu('a device with the default limits', () => {
  beforeAll(async () => {
    directory = mkdtempSync(join(process.env.GPUSORT_TEST_TMP ?? tmpdir(), 'gpusort-limits-'));
    small = await defaultAdapter();
    gpu = await openGpu(small.adapter);
  });
  afterEach(async () => {
    await gpu.noteErrors();
    expect(gpu.lostReason()).toBeUndefined();
    // Engines must release all their memory.
    expect(small.memory.now).toBe(0);
  });
  afterAll(() => {
    gpu.close();
    rmSync(directory, { recursive: true });
  });

  /** Runs a job on `input`; returns its output and its only plan. */
  async function sorted(input: Buffer, changes: JobSettings = {}): Promise<{ output: Buffer; plan: Plan }> {
    const [from, to] = [join(directory, 'input'), join(directory, 'output')];
    begun.length = 0;
    Object.assign(runs, { keptBytes: 0, spilled: false });
    writeFileSync(from, input);
    expect(
      await runJob(
        job({
          engine: 'gpu',
          inputs: [Buffer.from(from)],
          output: Buffer.from(to),
          temporaryDirectories: [Buffer.from(directory)],
          ...changes,
        }),
        silent,
      ),
    ).toBe(0);
    expect(begun.map((plan) => plan.engine)).toEqual(['gpu']);
    expect(readdirSync(directory).sort()).toEqual(['input', 'output']);
    return { output: readFileSync(to), plan: begun[0] };
  }

  /** GNU sort's output for the last input. */
  function gnuSort(...options: string[]): Buffer {
    const { status, stdout } = spawnSync('sort', [...options, join(directory, 'input')], {
      env: { PATH: process.env.PATH, LC_ALL: 'C' },
      maxBuffer: 2 ** 30,
    });
    expect(status).toBe(0);
    return stdout;
  }

  it('opens a device with exactly the default limits', () => {
    for (const [name, value] of Object.entries(DEFAULT_LIMITS))
      expect([name, gpu.device.limits[name as keyof GPUSupportedLimits]]).toEqual([name, value]);
    expect(gpu.maxBindingBytes).toBe(128 * MiB);
  });

  // Up to two minutes each on two processors.
  describe.runIf(NIGHTLY)('nightly', () => {
    const MORE: readonly (readonly [string, () => Buffer, JobSettings])[] = [
      // The second chunk's lines sort last. Of two ranges, one is half of the first run alone; the other is a merge.
      ['text', () => Buffer.concat([longLines(128 * MiB), zLines(2 * MiB)]), { algorithm: 'string-merge' }],
      ['text in a merge', () => longLines(300 * MiB), {}],
      ['entries', () => Buffer.alloc(2 ** 24 + 1000, '\n'), {}],
      [
        'fixed records',
        () => longLines(160 * MiB).subarray(0, 160 * MiB),
        { ordering: { ...LINES, format: { kind: 'fixed', size: 4096 } } },
      ],
    ];
    it.each(MORE)(
      'sorts more %s than fit in a binding, with the sizes of the plan',
      async (what, make, changes) => {
        const input = make();
        const { output, plan } = await sorted(input, changes);
        if (what === 'text') expect(plan.chunkBytes).toBe(128 * MiB - 64);
        expectSameBytes(output, what === 'fixed records' ? sortRecords(input, 4096, []) : gnuSort());
      },
      NIGHTLY_MS,
    );
  });

  const KEEPING = [
    ['string-merge', 'in host memory', null],
    ['radix-refine', 'in temporary files', MiB],
    ['msd-radix', 'in host memory', null],
  ] as const;
  it.each(NIGHTLY ? KEEPING : KEEPING.slice(1, 2))(
    'sorts with %s and keeps runs on the device up to --gpu-memory, the others %s',
    async (algorithm, _where, memoryBytes) => {
      small.memory.peak = 0;
      const { output, plan } = await sorted(longLines(6 * MiB), { gpuMemoryBytes: 4 * MiB, memoryBytes, algorithm });
      expectSameBytes(output, gnuSort());
      expect(plan).toMatchObject({ chunkBytes: MiB / 4, residentBytes: memoryBytes ?? 2 * MiB });
      // Some of the memory may stay unused: a run is kept whole or not at all.
      expect(runs.keptBytes).toBeGreaterThan(plan.residentBytes! - 2 * plan.chunkBytes);
      expect(runs.keptBytes).toBeLessThanOrEqual(plan.residentBytes!);
      expect(runs.spilled).toBe(memoryBytes !== null);
      // "About SIZE": long lines take 0.95 to 1.45 times SIZE. Lines of a few bytes take more: their keys are longer.
      expect(small.memory.peak).toBeLessThan(8 * MiB);
    },
  );

  it('cuts a run by records that together exceed a binding', async () => {
    const own = await openGpu((await defaultAdapter()).adapter);
    const engine = await createGpuEngine(own, 'string-merge', {
      ordering: LINES,
      chunkBytes: MiB,
      pieceBytes: MiB,
      rangeBytes: MiB,
      mostRecords: null,
      residentBytes: null,
      recorder: silent,
    });
    try {
      const run = await runOf(engine, Buffer.from('a\nc\nb\nmmm\nzzz\n'));
      const bounds = await run.cut(
        run.begin,
        run.end,
        ['b', 'm', 'y'].map((letter) => Buffer.alloc(45 * MiB, letter)),
      );
      expect(bounds.map(({ lower, upper }) => [lower.byte, upper.byte])).toEqual([
        [4, 4],
        [10, 10],
        [10, 10],
      ]);
    } finally {
      await engine.close();
    }
  });

  const LINE_INPUTS: Readonly<Record<string, () => Buffer>> = {
    'an empty input': () => Buffer.alloc(0),
    'one line without a newline': () => Buffer.from('x'),
    'short lines': () => shortLines(30_000),
    'empty lines': () => Buffer.alloc(50_000, '\n'),
    'equal lines': () => Buffer.from(`${'x'.repeat(99)}\n`.repeat(5000)),
    'long common prefixes': () => prefixedLines(200, 1500),
  };
  const lines = sampled(
    Object.keys(LINE_INPUTS).flatMap((name) => ['', '-r', '-u'].map((option) => ({ name, option }))),
    { count: 7, seed: 1, values: ({ name, option }) => [name, option] },
  );
  it.each(lines)('sorts $name in one chunk and in several ($option)', async ({ name, option }) => {
    const ordering: Ordering = { ...LINES, reverse: option === '-r', unique: option === '-u' };
    for (const chunkBytes of [null, 64 << 10]) {
      const { output } = await sorted(LINE_INPUTS[name](), { ordering, chunkBytes });
      expectSameBytes(output, gnuSort(...(option === '' ? [] : [option])));
    }
  });

  it.each([[[]], [['--key', '3:5']], [['--key', '3:5', '-r', '-s']], [['--key', '3:5', '-u']]])(
    'sorts fixed records in one chunk and in several: %s',
    async (options) => {
      const next = random(5);
      const input = Buffer.from(
        Uint8Array.from({ length: 100 * 5000 }, (_, i) => (i % 100 < 8 ? 3 * next() : 256 * next())),
      );
      const [reverse, unique, stable] = ['-r', '-u', '-s'].map((option) => (options as string[]).includes(option));
      const ordering: Ordering = {
        format: { kind: 'fixed', size: 100 },
        key: options.length === 0 ? { kind: 'record' } : { kind: 'bytes', offset: 3, length: 5 },
        reverse,
        unique,
        lastResort: !stable && !unique,
      };
      for (const chunkBytes of [null, 64 << 10])
        expectSameBytes((await sorted(input, { ordering, chunkBytes })).output, sortRecords(input, 100, options));
    },
  );
});

/** About `bytes` of lines of 2 to 32 KiB, letters a to m. For half its length, every tenth line has the same text. */
function longLines(bytes: number): Buffer {
  const next = random(1);
  const pool = Buffer.alloc(MiB);
  for (let i = 0; i < pool.length; i++) pool[i] = 97 + 13 * next();
  const target = Buffer.alloc(bytes + 32768);
  let at = 0;
  for (let i = 0; at < bytes; i++) {
    const length = 2048 + Math.floor(30_000 * next());
    const from = Math.floor((pool.length - length) * next());
    pool.copy(target, at, from, from + length);
    if (i % 10 === 9) pool.copy(target, at, 0, length >> 1);
    at += length;
    target[at++] = 10;
  }
  return target.subarray(0, at);
}

/** Lines of 16 KiB that sort after those of longLines. */
function zLines(bytes: number): Buffer {
  const next = random(4);
  return Buffer.concat(
    Array.from({ length: bytes / 16384 }, () => Buffer.from(`${`z${Math.floor(1e9 * next())}`.padEnd(16383, '.')}\n`)),
  );
}

function shortLines(count: number): Buffer {
  const next = random(2);
  return Buffer.from(Array.from({ length: count }, () => `${Math.floor(10 ** (9 * next()) * next())}\n`).join(''));
}

/** Lines that differ only after `length` equal bytes; some are equal. */
function prefixedLines(count: number, length: number): Buffer {
  const next = random(3);
  return Buffer.from(
    Array.from({ length: count }, () => `${'p'.repeat(length)}${Math.floor(count * next())}\n`).join(''),
  );
}
