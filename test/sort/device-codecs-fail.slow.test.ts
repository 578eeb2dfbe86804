/**
 * A GPU that fails while it inflates, merges or compresses: the sort goes on, on the device or on processors, and the
 * output has the text of a sort on processors.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, it, vi } from 'vitest';
import { decorated } from '../../src/contract/decorated.js';
import type { CompressedResult, Engine } from '../../src/contract/engine.js';
import type { GpuAlgorithm } from '../../src/job/algorithm-table.js';
import type { Plan } from '../../src/plan/plan.js';
import { showWarnings } from '../../src/report/warnings.js';
import { GpusortError } from '../../src/system/errors.js';
import { freshDirectory } from '../battery/runner.js';
import { withMemory } from '../engines/gpu/device/wrapped.js';
import { describeGpu } from '../setup/gpu.js';
import { bgzf, unBgzf } from '../support/genomics-bam.js';
import { parsed } from '../support/in-process.js';
import { ownRecorder, smallEngine } from '../support/jobs.js';
import { closeGpu } from '../support/one-gpu.js';
import { randomBelow } from '../support/random.js';

/** The next failure: after so many calls that compress, each of which passes on its first block; or so much memory. */
const fault = { after: Infinity, code: 'device-lost', times: 1, memoryBytes: Infinity, written: 0 };
const tried: Plan[] = [];

vi.mock(import('../../src/engines/gpu/device/device.js'), async (original) => {
  const { withOneGpu } = await import('../support/one-gpu.js');
  return withOneGpu(await original());
});
vi.mock(import('../../src/run/open-engine.js'), async () => {
  const { fakeEngines } = await import('../support/fake-engines.js');
  return fakeEngines(async ({ plan, ordering }) => {
    tried.push(plan);
    if (plan.engine === 'cpu') return smallEngine(ordering, 64 << 10);
    const { openGpu } = await import('../../src/engines/gpu/device/device.js');
    const { requestAdapter } = await import('../../src/engines/gpu/device/adapters.js');
    const { createGpuEngine } = await import('../../src/engines/gpu/gpu-engine.js');
    const gpu = await openGpu(await requestAdapter());
    const device = withMemory(gpu.device, () => fault.memoryBytes);
    const options = { ...plan, ordering, recorder: ownRecorder() };
    return failing(await createGpuEngine({ ...gpu, device }, plan.algorithm as GpuAlgorithm, options));
  });
});

/** An engine whose results fail to be compressed as `fault` says. */
function failing(engine: Engine): Engine {
  const wrapped = (result: CompressedResult): CompressedResult => ({
    compressed: result.compressed,
    release: () => result.release(),
    emit: async (write) => {
      const fails = fault.written++ >= fault.after && fault.times > 0;
      if (fails) fault.times--;
      let blocks = 0;
      await result.emit(async (bytes, sizes) => {
        if (!fails) return write(bytes, sizes);
        // The first block only.
        if (blocks++ === 0) await write(bytes.subarray(0, sizes[0].bytes), sizes.slice(0, 1));
      });
      if (fails) throw new GpusortError(fault.code as 'device-lost', 'for the test');
    },
  });
  return decorated(engine, {
    merge: async (...args) =>
      (await engine.merge(...args)).map((result) => {
        const { compress } = result;
        if (compress === undefined) return result;
        // The result is an object with methods, which must stay its own.
        return Object.assign(result, { compress: () => wrapped(compress()) });
      }),
  });
}

const { runJob } = await import('../../src/run/run-job.js');
const directory = freshDirectory('codecs-fail');
mkdirSync(directory, { recursive: true });
const path = (name: string): string => join(directory, name);
const below = randomBelow(11);
const lines = Array.from({ length: 24_000 }, () => `${below(1e9)} ${'xyz'.repeat(below(16))}\n`);
const sorted = [...lines].sort((a, b) => (a < b ? -1 : 1)).join('');
writeFileSync(path('in.gz'), bgzf(Buffer.from(lines.join('')), 1, 30_000));

/** The notes of a sort, whose output must be right. */
async function sort(words: readonly string[] = []): Promise<string[]> {
  const common = ['--engine', 'gpu', '--decompress', '--chunk-size', '150000', '-o', path('out.gz')];
  const request = parsed([...common, ...words, path('in.gz')], 'gpusort');
  if (request.action !== 'sort') throw new Error('no sort');
  const notes: string[] = [];
  await runJob(request.job, Object.assign(ownRecorder(), { note: (note: string) => void notes.push(note) }));
  expect(unBgzf(readFileSync(path('out.gz'))).toString() === sorted).toBe(true);
  return notes;
}

describeGpu('a GPU that fails', () => {
  const warnings: string[] = [];
  afterAll(closeGpu);
  beforeEach(() => {
    Object.assign(fault, { after: Infinity, code: 'device-lost', times: 1, memoryBytes: Infinity, written: 0 });
    tried.length = 0;
    warnings.length = 0;
    showWarnings((one) => void warnings.push(one));
  });

  const BGZF = ['--output-format', 'bgzf'];
  it.each([
    ['at the first block', 0, '1'],
    ['later', 2, '1'],
    ['later, at another level', 3, '6'],
  ])('and is lost while it compresses, %s, leaves the rest to processors', async (_, after, level) => {
    fault.after = after;
    await sort([...BGZF, '--level', level]);
    expect(tried.map(({ engine }) => engine)).toEqual(['gpu', 'cpu']);
    expect(fault.times).toBe(0);
    expect(warnings.join()).toContain('for the test');
  });

  it.each([0, 1, 3])('and has no memory to compress result %i goes on with text', async (after) => {
    Object.assign(fault, { after, code: 'out-of-device-memory' });
    await sort(BGZF);
    expect(tried.map(({ engine }) => engine)).toEqual(['gpu']);
    expect(fault.times).toBe(0);
    expect(fault.written).toBe(after + 1);
  });

  it('and runs out of memory sorts, whatever it has', async () => {
    const ended: string[] = [];
    // Enough for everything, for some runs, for merges but not their compression, and for little more than a chunk.
    for (const memoryBytes of [64e6, 24e6, 16e6, 12e6, 9e6, 7e6, 5e6, 3e6, 1e6]) {
      tried.length = 0;
      fault.memoryBytes = memoryBytes;
      await sort(BGZF);
      ended.push(tried.map(({ engine }) => engine).join());
    }
    expect(ended[0]).toBe('gpu');
    expect(ended.at(-1)).toBe('gpu,cpu');
  });
});
