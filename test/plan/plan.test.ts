/** The planner, checked by its exact choices. */
import { describe, expect, it } from 'vitest';
import type { InputFile } from '../../src/input/files.js';
import { plannedCodecThreads } from '../../src/input/inputs.js';
import type { SortJob } from '../../src/job/job.js';
import type { KeyPart, Ordering, PartOrder } from '../../src/job/ordering.js';
import { withSplitters } from '../../src/plan/buckets.js';
import { mergePlan } from '../../src/plan/cpu-plan.js';
import type { AdapterAnswer, InputFacts } from '../../src/plan/facts.js';
import { makePlan, smallerPlan } from '../../src/plan/make-plan.js';
import type { Plan } from '../../src/plan/plan.js';
import { GpusortError } from '../../src/system/errors.js';
import { type JobSettings, job } from '../support/jobs.js';
import { byNumber, numericPart } from '../support/keyed.js';
import { type EitherPlan, eitherPlan, sampleFor } from './samples.js';

const MACHINE = { processors: 4, mostWorkers: Infinity, availableBytes: 16 * 2 ** 30, allowedBytes: Infinity };
const H200: AdapterAnswer = { found: true, name: 'H200', software: false, maxBindingBytes: 2 ** 31 - 4 };
const SMALL_GPU: AdapterAnswer = { found: true, name: 'small', software: false, maxBindingBytes: 2 ** 27 };
const SOFTWARE: AdapterAnswer = { found: true, name: 'software', software: true, maxBindingBytes: 2 ** 30 };
const NONE: AdapterAnswer = { found: false, reason: 'no GPU was found' };
const file = (bytes: number) => ({ bytes, sampledPart: 'whole' }) as const;
const pipe = { bytes: null, sampledPart: 'beginning' } as const;
/** A file that is read sequentially, and is longer than what was read ahead. */
const sequential = (bytes: number) => ({ bytes, sampledPart: 'beginning' }) as const;

const planFor = (requested: SortJob, input: InputFacts = file(4e9), adapter: AdapterAnswer = H200): EitherPlan =>
  eitherPlan(makePlan(requested, MACHINE, input, adapter));
const planOf = (changes: JobSettings = {}, input?: InputFacts, adapter?: AdapterAnswer): EitherPlan =>
  planFor(job(changes), input, adapter);

describe('engine auto chooses an engine and threads for', () => {
  it.each([
    ['a small file', file(1000), H200, 'cpu', 0],
    ['a file that one thread sorts before another has started', file(15e6), H200, 'cpu', 0],
    ['a middling file', file(100e6), H200, 'cpu', 4],
    ['a file for two threads, the main one among them', file(20e6), H200, 'cpu', 1],
    ['a large file', file(4e9), H200, 'gpu', 0],
    ['a large file without a GPU', file(4e9), NONE, 'cpu', 4],
    ['a large file and a software GPU', file(4e9), SOFTWARE, 'cpu', 4],
    ['a pipe that goes on', pipe, H200, 'gpu', 0],
    ['a pipe without a GPU', pipe, NONE, 'cpu', 4],
  ] as const)('%s', (_name, input, adapter, engine, workers) => {
    expect(planOf({}, input, adapter)).toMatchObject({ engine, workers });
  });
});

describe('engine auto chooses an engine for keys', () => {
  const part = numericPart(false);
  const by = (changes: Partial<KeyPart>): Ordering => ({
    ...job().ordering,
    key: { kind: 'normalized', parts: [part, { ...part, ...changes }], seed: null },
  });
  it.each([
    ['that the device makes', by({}), file(200e6), 'gpu'],
    ['that the host makes', by({ order: 'version' }), file(400e6), 'cpu'],
    ['that the host makes, of a larger file', by({ order: 'version' }), file(600e6), 'gpu'],
    ['that the host makes, of a pipe', by({ order: 'version' }), pipe, 'gpu'],
    ['of fields in quotes', by({ span: { ...part.span, quoted: true } }), file(2e9), 'cpu'],
    ['of fields in quotes, of a larger file', by({ span: { ...part.span, quoted: true } }), file(4e9), 'gpu'],
    ['of fields in quotes, of a pipe', by({ span: { ...part.span, quoted: true } }), pipe, 'cpu'],
    ['of genomics that the device makes', by({ order: 'integer' }), file(200e6), 'gpu'],
    ['of genomics that the device makes, of a pipe', by({ order: 'natural' }), pipe, 'gpu'],
    ['of genomics that the host makes', by({ order: 'tag', tag: 'NM' }), file(100e9), 'cpu'],
    ['of genomics that the host makes, of a pipe', by({ order: 'mate-contig' }), pipe, 'cpu'],
    ['of BAM', by({ order: 'integer', bam: 'position' }), file(100e9), 'cpu'],
  ] as const)('%s', (_name, ordering, input, engine) => {
    expect(planOf({ ordering }, input).engine).toBe(engine);
  });
});

it('fixes the plans of both engines to the byte', () => {
  expect(planOf()).toMatchObject({
    engine: 'gpu',
    algorithm: 'string-merge',
    chunkBytes: 2 ** 28,
    pieceBytes: 2 ** 23,
    rangeBytes: 2 ** 28,
    mostRecords: null,
    residentBytes: null,
    hostBytes: 2 ** 33,
  });
  expect(planOf({ engine: 'cpu' }, file(4e9), null)).toMatchObject({
    engine: 'cpu',
    algorithm: 'radix',
    chunkBytes: 62_500_000,
    rangeBytes: 2 ** 24,
    workers: 4,
    residentBytes: 2 ** 33 - 20 * 2 ** 20 - 2 * 14 * 2 ** 20 - 11 * 4 * 62_500_000,
    hostBytes: 0,
  });
});

describe('sample sort', () => {
  const plan = (changes: JobSettings, input = file(100e6)) => planOf({ engine: 'cpu', ...changes }, input, null);
  const sample = (count: number, key = (i: number): string => String(i).padStart(5, '0')): Buffer[][] => [
    Array.from({ length: count }, (_, i) => Buffer.from(key(i))),
  ];

  it.each([
    ['a file of several chunks', {}, file(100e6), 64],
    ['with keys, which are larger', { ordering: byNumber() }, file(100e6), 128],
    ['large', {}, file(1e9), 512],
    ['many threads', { parallel: 16 }, file(30e6), 64],
    ['as requested', { algorithm: 'sample-sort' }, file(1000), 8],
    ['a pipe, as requested', { algorithm: 'sample-sort' }, pipe, 256],
    ['one thread is enough', {}, file(10e6), 0],
    ['the largest', {}, file(2e9), 1024],
    ['a file that is too large a part of the memory', {}, file(2.2e9), 0],
    ['a pipe', {}, pipe, 256],
    ['a pipe, of which little fits in memory', { memoryBytes: 1e9 }, pipe, 0],
    ['a pipe, of which few records are wanted', { limit: { count: 10, end: 'first' } }, pipe, 0],
    ['little memory', { memoryBytes: 300e6 }, file(100e6), 0],
    ['few records are wanted', { limit: { count: 10, end: 'first' } }, file(100e6), 0],
    [
      'segments',
      { ordering: { ...job().ordering, segments: { kind: 'bytes', begin: 0, end: 1 } as never } },
      file(100e6),
      0,
    ],
    ['merges as requested', { algorithm: 'radix' }, file(100e6), 0],
  ] as const)('plans as many buckets as fit: %s', (_name, changes, input, buckets) => {
    expect(plan(changes as JobSettings, input as ReturnType<typeof file>)).toMatchObject({
      buckets,
      splitters: null,
      algorithm: 'radix',
    });
  });
  it('distributes if the sample divides the input evenly', () => {
    const made = withSplitters(plan({}), sample(1000), job());
    expect(made).toMatchObject({ algorithm: 'sample-sort', buckets: 64 });
    expect(made.splitters!.keys).toHaveLength(63);
    expect(made.reasons.at(-1)).toBe('a sample divides the input into 64 buckets, each of which is sorted by itself');
  });
  it('halves the buckets if the sample is small, and merges if it is tiny', () => {
    expect(withSplitters(plan({}), sample(100), job())).toMatchObject({ algorithm: 'sample-sort', buckets: 16 });
    for (const [small, reason] of [
      [sample(90), 'the sample is too small to choose splitters from'],
      [[], 'no sample of the input was taken'],
    ] as const) {
      const made = withSplitters(plan({}), small, job());
      expect(made).toMatchObject({ algorithm: 'radix', buckets: 0, splitters: null });
      expect(made.reasons.at(-1)).toBe(`sorted chunks are merged: ${reason}`);
    }
  });
  it('merges if keys of the sample are equal, unless requested', () => {
    const equal = sample(1000, () => 'equal');
    const made = withSplitters(plan({}), equal, job());
    expect(made).toMatchObject({ algorithm: 'radix', buckets: 0 });
    expect(made.reasons.at(-1)).toMatch(/^sorted chunks are merged: many keys/);
    const asked = { algorithm: 'sample-sort' } as const;
    expect(withSplitters(plan(asked), equal, job(asked))).toMatchObject({ algorithm: 'sample-sort', buckets: 64 });
    expect(withSplitters(plan(asked), sample(1), job(asked))).toMatchObject({ algorithm: 'radix', buckets: 0 });
  });
  it('merges if the sample is in order or in reverse, unless requested', () => {
    const places = sample(1000)[0].reduce<Buffer[][]>((all, record, i) => {
      (all[Math.floor(i / 10)] ??= []).push(record);
      return all;
    }, []);
    for (const inOrder of [places, [...places].reverse(), places.map((records) => [...records].reverse())]) {
      const made = withSplitters(plan({}), inOrder, job());
      expect(made).toMatchObject({ algorithm: 'radix', buckets: 0 });
      expect(made.reasons.at(-1)).toMatch(/^sorted chunks are merged: the sample is in order/);
    }
    const asked = { algorithm: 'sample-sort' } as const;
    expect(withSplitters(plan(asked), places, job(asked))).toMatchObject({ algorithm: 'sample-sort', buckets: 64 });
    const shuffled = places.map((_, i) => places[(i * 37) % places.length]);
    expect(withSplitters(plan({}), shuffled, job())).toMatchObject({ algorithm: 'sample-sort', buckets: 64 });
  });
  it('takes smaller chunks of a large file, unless a size is requested', () => {
    expect(withSplitters(plan({}, file(2e9)), sample(9000), job()).chunkBytes).toBe(2 ** 24);
    expect(plan({}, file(2e9)).chunkBytes).toBeGreaterThan(2 ** 24);
    const asked = { chunkBytes: 2 ** 25 };
    expect(withSplitters(plan(asked, file(2e9)), sample(9000), job(asked)).chunkBytes).toBe(2 ** 25);
  });
  it('allows one bucket an eighth of the input, and less with many threads', () => {
    const heavy = (share: number): Buffer[][] =>
      sample(2000, (i) => (i < share * 2000 ? 'equal' : String((i * 7919) % 2003)));
    for (const [parallel, share, algorithm] of [
      [2, 0.11, 'sample-sort'],
      [2, 0.14, 'radix'],
      [16, 0.11, 'radix'],
      [16, 0.04, 'sample-sort'],
      [32, 0.06, 'radix'],
    ] as const) {
      expect(withSplitters(plan({ parallel }), heavy(share), job()).algorithm, `${share} for ${parallel}`).toBe(
        algorithm,
      );
    }
  });
  it('distributes a pipe in growing chunks up to limits, and a file without limits', () => {
    const made = withSplitters(
      plan({}, pipe as never),
      [...Array(60).keys()].map((i) => sample(40, (j) => String(((i * 40 + j) * 7919) % 10_007))[0]),
      job(),
    );
    expect(made).toMatchObject({
      algorithm: 'sample-sort',
      firstChunkBytes: 2 ** 22,
      helps: false,
      workers: 4,
      distributed: { bucketBytes: 2 ** 28, bytes: 2 ** 31, share: 1 / 4, judgedBytes: 2 ** 26 },
    });
    expect(plan({ parallel: 64 }, pipe as never).distributed).toMatchObject({ share: 1 / 64 });
    expect(plan({}).distributed).toMatchObject({ bytes: Infinity, share: 1 });
  });
  it('distributes a file of which only the beginning is sampled while buckets are of similar size', () => {
    const limits = (changes: JobSettings) => plan(changes, sequential(1e9) as never).distributed;
    expect(limits({})).toMatchObject({ bytes: Infinity, share: 1 / 4, judgedBytes: 2 ** 26 });
    expect(limits({ algorithm: 'sample-sort' })).toMatchObject({ bytes: Infinity, share: 1 });
  });
  it('merges a pipe that begins in order', () => {
    const made = withSplitters(
      plan({}, pipe as never),
      [...Array(60).keys()].map((i) => sample(40, (j) => String(i * 40 + j).padStart(5, '0'))[0]),
      job(),
    );
    expect(made).toMatchObject({ algorithm: 'radix', buckets: 0, distributed: null });
    expect(made.reasons.at(-1)).toMatch(/the sample is in order/);
  });
  it('merges if -u leaves little of each chunk', () => {
    const some = sample(1000, (i) => `${i % 800}`);
    expect(withSplitters(plan({}), some, job())).toMatchObject({ algorithm: 'sample-sort' });
    const unique = { ordering: { ...job().ordering, unique: true, lastResort: false } };
    expect(withSplitters(plan(unique), some, job(unique))).toMatchObject({ algorithm: 'radix', buckets: 0 });
    expect(withSplitters(plan(unique), sample(1000), job(unique))).toMatchObject({ algorithm: 'sample-sort' });
  });
  it('merges if many records are identical', () => {
    const few = sample(1000, (i) => `${i % 500}`);
    expect(withSplitters(plan({}), few, job())).toMatchObject({ algorithm: 'radix', buckets: 0 });
    const stable = {
      ordering: { ...job().ordering, key: { kind: 'bytes', offset: 0, length: 2 }, lastResort: false },
    } as const;
    expect(withSplitters(plan(stable), few, job(stable))).toMatchObject({ algorithm: 'sample-sort' });
  });
});

describe('limits', () => {
  it('keeps GPU chunks within a binding', () => {
    expect(planOf({ engine: 'gpu' }, file(4e9), SMALL_GPU).chunkBytes).toBe(2 ** 27 - 64);
  });
  it('bounds GPU memory by --gpu-memory', () => {
    const plan = planOf({ engine: 'gpu', gpuMemoryBytes: 2 ** 30 });
    expect(plan).toMatchObject({
      chunkBytes: 2 ** 26,
      rangeBytes: 2 ** 25,
      mostRecords: Math.ceil(2 ** 26 / 12),
      residentBytes: 2 ** 29,
      hostBytes: 2 ** 33,
    });
    expect(planOf({ engine: 'gpu', gpuMemoryBytes: 2 ** 34 })).toMatchObject({
      chunkBytes: 2 ** 28,
      residentBytes: 2 ** 34 - 8 * 2 ** 28,
    });
  });
  it("divides -S among what a GPU's host keeps in memory", () => {
    const ofVersions: Ordering = {
      ...byNumber(),
      key: { kind: 'normalized', parts: [{ ...numericPart(false), order: 'version' }], seed: null },
    };
    for (const memoryBytes of [2 ** 20, 2 ** 25, 2 ** 26, 2 ** 28, 2 ** 30, 2 ** 34]) {
      const memory = Math.max(memoryBytes, 2 ** 25);
      const plain = planOf({ engine: 'gpu', memoryBytes });
      expect(plain).toMatchObject({ hostBytes: 0, smallHeap: memory <= 2 ** 26 });
      // Seven upload buffers, and seven read buffers of the same size.
      expect(2 * 7 * plain.pieceBytes).toBeLessThanOrEqual(memory / 2 + 16 * 14);
      const keyed = planOf({ engine: 'gpu', memoryBytes, ordering: ofVersions, parallel: 16 });
      // Three chunks with their keys, and a task for each thread but one.
      const growth = 3;
      const taken =
        3 * (1 + growth) * keyed.chunkBytes +
        (keyed.workers - 1) * (14 + 4 * (1 + growth)) * 2 ** 20 +
        2 * 7 * keyed.pieceBytes;
      expect(taken, String(memoryBytes)).toBeLessThanOrEqual(memory + 16 * 14);
      expect(keyed.workers).toBeGreaterThanOrEqual(1);
    }
    expect(planOf({ engine: 'gpu' })).toMatchObject({
      pieceBytes: 2 ** 23,
      smallHeap: false,
    });
  });
  it('divides -S among chunks, lists and runs if the text stays on the host', () => {
    const request = { algorithm: 'msd-radix-hybrid', parallel: 2 } as const;
    for (const memoryBytes of [2 ** 28, 2 ** 30]) {
      const plan = planOf({ ...request, memoryBytes });
      expect(plan).toMatchObject({
        engine: 'gpu',
        deviceKeys: false,
        workers: 2,
        hostBytes: 0,
        residentBytes: memoryBytes / 4,
      });
      const { chunkBytes, workers, rangeBytes, residentBytes, windows } = plan;
      const taken = 3 * (1 + 3) * chunkBytes + (workers - 1) * 2 * 14 * 2 ** 20 + 5 * workers * rangeBytes;
      expect(taken + residentBytes!).toBeLessThanOrEqual(memoryBytes);
      // Windows lie where chunks were.
      expect(windows.bytes).toBe(residentBytes! + 3 * chunkBytes);
      expect(plan.chunkBytes).toBeGreaterThan(memoryBytes / 100);
    }
    const plan = planOf({ ...request, ordering: byNumber() });
    expect(plan).toMatchObject({ deviceKeys: false, workers: 2, residentBytes: 2 ** 33 });
    expect(plan.reasons.join('\n')).toMatch('runs stay in host memory up to 8 GiB, then in temporary files');
    // One thread, even if nothing else needs any.
    expect(planOf({ ...request, parallel: 1 }, file(1000)).workers).toBe(1);
  });
  it('leaves records that no binding holds to the CPU', () => {
    const ordering = { ...job().ordering, format: { kind: 'fixed', size: 2 ** 27 } as const };
    expect(planOf({ ordering }, file(4e9), SMALL_GPU).engine).toBe('cpu');
    expect(planOf({ ordering }).engine).toBe('gpu');
    expect(() => planOf({ ordering, engine: 'gpu' }, file(4e9), SMALL_GPU)).toThrow(/cannot hold a record of 128 MiB/);
  });
  it('leaves room in host memory for chunks and their keys if the host makes keys', () => {
    const chunkOf = (changes: JobSettings, order: PartOrder): number =>
      planOf({
        engine: 'gpu',
        ordering: {
          ...job().ordering,
          key: { kind: 'normalized', parts: [{ ...numericPart(false), order }], seed: null },
        },
        ...changes,
      }).chunkBytes;
    expect(chunkOf({ memoryBytes: 9e7 }, 'version')).toBe(9e7 / 2 / (3 * (1 + 3)));
    expect(chunkOf({ memoryBytes: 9e7 }, 'numeric')).toBe(chunkOf({}, 'numeric'));
    expect(chunkOf({ memoryBytes: 9e7, chunkBytes: 12345678 }, 'version')).toBe(12345678);
  });
  it('counts the bytes of keys when it chooses threads of the CPU engine', () => {
    const numbers = job({ engine: 'cpu', ordering: byNumber() });
    expect(planFor(numbers, file(8e6), null).workers).toBe(0);
    expect(planFor(numbers, file(9e6), null).workers).toBe(1);
    expect(planFor(numbers, file(30e6), null).workers).toBe(4);
  });
  it('gives a chunk room for one fixed record at least', () => {
    const ordering = { ...job().ordering, format: { kind: 'fixed', size: 1e6 } as const };
    expect(planOf({ engine: 'cpu', chunkBytes: 4096, ordering }, file(3e6), null).chunkBytes).toBe(1e6);
  });
  it('honors -S, --parallel and --chunk-size', () => {
    const chunkBytes = (2 ** 26 * 11) / 16 / 32 / 2;
    expect(planOf({ engine: 'cpu', memoryBytes: 2 ** 26, parallel: 2 }, file(1e9), null)).toMatchObject({
      workers: 1,
      helps: true,
      chunkBytes,
      residentBytes: (2 ** 26 * 11) / 16 - 22 * chunkBytes,
      windows: { bytes: (2 ** 26 * 11) / 16 - 11 * chunkBytes, least: chunkBytes / 2 },
    });
    expect(planOf({ engine: 'cpu', chunkBytes: 4096 }, file(1e8), null).chunkBytes).toBe(4096);
    expect(planOf({ engine: 'cpu', chunkBytes: 2 ** 40 }, file(1e8), null).chunkBytes).toBe(2 ** 30);
  });
});

it.each([
  [0, 236],
  [1, 220],
  [2, 204],
  // Codec threads get at most a quarter of the memory.
  [6, 172],
])('-S counts %i codec threads', (codecThreads, mebibytes) => {
  const [forText, settings] = [mebibytes * 2 ** 20, { engine: 'cpu', memoryBytes: 2 ** 28, parallel: 2 } as const];
  const input = { bytes: 1e9, codecThreads };
  const chunkBytes = forText / 64;
  expect(planOf(settings, input, null)).toMatchObject({ chunkBytes, residentBytes: forText - 22 * chunkBytes });
  expect(mergePlan(job(settings), MACHINE, input).windows.bytes).toBe((forText * 3) / 4);
});

describe('the plan knows the codec threads', () => {
  const input = { extent: { begin: 0, end: 9 }, decompress: true, compressed: false, mates: [] as object[] };
  const [plain, gzip, stream] = [input, { ...input, compressed: true }, { ...input, extent: null }];
  const bgzf = { compression: { kind: 'bgzf', level: 1 } } as const;
  it.each([
    ['of no plain file', {}, [plain, plain], 0],
    ['of a compressed file', {}, [plain, gzip], 2],
    ['of compressed mates', {}, [{ ...plain, mates: [gzip] }], 2],
    ['of a stream, which may be compressed', {}, [stream], 2],
    ['of no stream that is read as it is', {}, [{ ...stream, decompress: false }], 0],
    ['of compressed output', bgzf, [plain], 2],
  ] as const)('%s', (_name, output, files, threads) => {
    const rest = job({ parallel: 2 });
    const requested = { ...rest, output: { ...rest.output, ...output } };
    expect(plannedCodecThreads(requested, files as unknown as InputFile[])).toBe(threads);
  });
});

describe('little memory', () => {
  const cpuPlan = (changes: JobSettings): Plan => planOf({ engine: 'cpu', ...changes }, file(1e9), null);
  it('counts as at least 32 MiB, and the plan says so', () => {
    expect(cpuPlan({ memoryBytes: 1 << 20, parallel: 2 })).toMatchObject({
      ...cpuPlan({ memoryBytes: 32 << 20, parallel: 2 }),
      reasons: expect.anything(),
    });
    expect(cpuPlan({ memoryBytes: 1 << 20 }).reasons).toContain(
      'memory 32 MiB: -S 1 MiB would make the sort far slower',
    );
  });
  it('is what the user requests if the chunk size is requested, too', () => {
    expect(cpuPlan({ memoryBytes: 1 << 20, chunkBytes: 4096 }).residentBytes).toBeLessThan(1 << 20);
  });
  it('has fewer threads', () => {
    const threads = (memoryBytes: number): number => cpuPlan({ memoryBytes, parallel: 1000 }).workers;
    expect([threads(32 << 20), threads(128 << 20), threads(2 ** 30)]).toEqual([1, 4, 20]);
    expect(cpuPlan({ memoryBytes: 32 << 20, parallel: 1000 }).reasons).toContain(
      '2 threads: there is not enough memory for more',
    );
  });
});

describe('keys on the GPU', () => {
  const keyed = (orders: readonly PartOrder[], changes: JobSettings = {}): SortJob =>
    job({
      engine: 'gpu',
      ordering: {
        ...byNumber(),
        key: { kind: 'normalized', parts: orders.map((order) => ({ ...numericPart(false), order })), seed: null },
      },
      ...changes,
    });

  it('leave room for less text in a chunk', () => {
    // Without a sample, the planner assumes that a line with its numeric key is twice as long as the line.
    expect(planFor(keyed(['numeric']))).toMatchObject({
      chunkBytes: 2 ** 27,
      mergeBytes: 2 ** 31 - 68,
      rangeBytes: 2 ** 28,
      workers: 4,
      mostRecords: null,
    });
    const sample = { ...sampleFor('random100'), recordBytes: 10, keyedBytes: 40 };
    expect(planFor(keyed(['numeric']), { bytes: 4e9, sample })).toMatchObject({ chunkBytes: 1e8, rangeBytes: 2 ** 28 });
    // If the algorithm is requested, only --explain takes a sample: it shows the plan of the sort, which takes none.
    expect(planFor(keyed(['numeric'], { algorithm: 'string-merge' }), { bytes: 4e9, sample }).chunkBytes).toBe(2 ** 27);
  });
  it('have room in a binding, whatever lines they are made from', () => {
    const plan = planFor(keyed(['version', 'bytes']), file(4e9), SMALL_GPU);
    expect(plan.mergeBytes).toBe(2 ** 27 - 64);
    // Factor 5: 1 for the line, 2 for each key part. Constant 11: 4 for the header, 6 and 1 for the parts.
    expect(plan.chunkBytes).toBe(Math.floor((2 ** 27 - 64 - 11) / 5));
  });
  it('count towards --gpu-memory', () => {
    const plan = planFor(keyed(['numeric'], { gpuMemoryBytes: 2 ** 30 }));
    expect(plan).toMatchObject({
      chunkBytes: 2 ** 25,
      mergeBytes: 2 ** 26 + 12,
      rangeBytes: 2 ** 25,
      mostRecords: Math.ceil(2 ** 26 / 12),
      residentBytes: 2 ** 29,
    });
    expect(planFor(keyed(['numeric'], { chunkBytes: 1000 }))).toMatchObject({
      chunkBytes: 1000,
      mergeBytes: 2012,
      rangeBytes: 2000,
    });
  });
  it('are made by as many threads as pay off, and the plan says so', () => {
    expect(planFor(keyed(['numeric']), file(1e6)).workers).toBe(1);
    const plan = planFor(keyed(['general-numeric'], { parallel: 7 }), file(1e6));
    expect(plan).toMatchObject({ workers: 7, deviceKeys: false });
    expect(plan.reasons).toContainEqual(
      expect.stringContaining('7 threads of the host, as requested; a line with its key takes 1.0 times'),
    );
    expect(planOf({ engine: 'gpu' }, file(1e9)).workers).toBe(0);
  });
  it('are made by the GPU if it knows all their orders', () => {
    for (const [orders, onDevice] of [
      [['numeric', 'bytes'], true],
      [['numeric', 'human-numeric'], false],
      [['version'], false],
      [['random'], false],
      [['month'], false],
      [['natural', 'template'], true],
      [['contig', 'integer', 'strand'], true],
      [['contig', 'integer', 'alleles'], true],
      [['comment', 'bytes', 'integer'], true],
      [['length'], true],
      [['empty', 'numeric'], true],
      [['contig', 'mate-contig'], false],
      [['integer', 'signed'], false],
      [['bytes', 'picard-template'], false],
      [['quality'], false],
      [['similar'], false],
      [['tag'], false],
    ] as const) {
      expect(planFor(keyed(orders)).deviceKeys, orders.join()).toBe(onDevice);
    }
    expect(planFor(keyed(['numeric'])).reasons).toContainEqual(
      expect.stringContaining('by the GPU; a line with its key takes 2.0 times'),
    );
    expect(planOf({ engine: 'gpu' }, file(1e9)).deviceKeys).toBe(false);
    const filtered = (changes: Partial<KeyPart>): boolean =>
      planFor(
        keyed([], {
          ordering: {
            ...byNumber(),
            key: { kind: 'normalized', parts: [{ ...numericPart(false), ...changes }], seed: null },
          },
        }),
      ).deviceKeys;
    for (const [changes, onDevice] of [
      // Numbers contain no letters, so -f changes nothing. -d and -i can remove characters of a number.
      [{ fold: true }, true],
      [{ dictionary: true }, false],
      [{ printing: true }, false],
      // Names of contigs, and whole numbers, are fields of the file.
      [{ order: 'contig', fold: true }, false],
      [{ order: 'length', printing: true }, true],
      [{ order: 'bytes', bam: 'name' }, false],
    ] as const)
      expect(filtered(changes), JSON.stringify(changes)).toBe(onDevice);
  });
  it('shrink with chunks if memory is short', () => {
    const ofVersions = keyed(['version']);
    const plan = planFor(ofVersions);
    const half = eitherPlan(
      smallerPlan(plan, new GpusortError('out-of-device-memory', 'x'), ofVersions, MACHINE)!.plan,
    );
    expect(half.chunkBytes).toBe(Math.ceil(plan.chunkBytes / 2));
    expect(half.mergeBytes).toBe(3 * half.chunkBytes + 10);
  });
});

describe('an impossible request', () => {
  it('is refused: --engine gpu without an adapter', () => {
    expect(() => planOf({ engine: 'gpu' }, file(10), NONE)).toThrow(/no GPU was found/);
  });
  it('is refused: an algorithm on the wrong engine; auto takes the right one', () => {
    expect(() => planOf({ engine: 'cpu', algorithm: 'string-merge' }, file(10), null)).toThrow(/--engine gpu only/);
    expect(planOf({ algorithm: 'sample-sort' }).engine).toBe('cpu');
    expect(planOf({ algorithm: 'radix' }).engine).toBe('gpu');
    expect(planOf({ algorithm: 'radix' }, file(10)).engine).toBe('cpu');
    expect(planOf({ algorithm: 'string-merge' }, file(10), SOFTWARE).engine).toBe('gpu');
  });
});

describe('after a failure', () => {
  const plan = planOf();
  it('halves the chunks if device memory is short, then takes the CPU', () => {
    const short = new GpusortError('out-of-device-memory', 'x');
    const half = smallerPlan(plan, short, job(), MACHINE)!.plan;
    expect(half).toMatchObject({ engine: 'gpu', chunkBytes: 2 ** 27, rangeBytes: 2 ** 27 });
    let last = half;
    for (let i = 0; i < 20 && last.engine === 'gpu'; i++) last = smallerPlan(last, short, job(), MACHINE)!.plan;
    expect(last.engine).toBe('cpu');
  });
  it('takes the CPU if the device is lost, and gives up on any other error', () => {
    expect(smallerPlan(plan, new GpusortError('device-lost', 'x'), job(), MACHINE)!.plan.engine).toBe('cpu');
    expect(smallerPlan(plan, new GpusortError('read-failed', 'x'), job(), MACHINE)).toBeNull();
    expect(smallerPlan(plan, new Error('x'), job(), MACHINE)).toBeNull();
  });
});
