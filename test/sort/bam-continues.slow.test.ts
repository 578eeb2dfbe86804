/**
 * A GPU that is lost after it has written some blocks of BAM: processors continue at the next block. The output has the
 * text and the index of a sort on processors.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, promises, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, expect, it, vi } from 'vitest';
import type { BamSort } from '../../src/contract/bam-sort.js';
import type { BlockSize } from '../../src/contract/engine.js';
import { Declined } from '../../src/contract/engine.js';
import type { Inputs } from '../../src/input/inputs.js';
import type { SortJob } from '../../src/job/job.js';
import { bamIndex } from '../../src/output/index/bam.js';
import type { Plan } from '../../src/plan/plan.js';
import { PROGRAM } from '../../src/run/caller.js';
import { freshDirectory } from '../battery/runner.js';
import { build, readBgzf } from '../output/index/tools.js';
import { describeGpu } from '../setup/gpu.js';
import { bgzf, encodeBam } from '../support/genomics-bam.js';
import { alignments, sam } from '../support/genomics-data.js';
import { parsed } from '../support/in-process.js';
import { silent, smallEngine } from '../support/jobs.js';
import { closeGpu } from '../support/one-gpu.js';
import { randomBelow } from '../support/random.js';

/** Ranges of five blocks, the last of which is short, and pieces that cut blocks. */
const SIZES = { stretch: 100_000, piece: 40_000, text: 400_000, range: 270_000 };

/** The number of blocks after which the device is lost, and of those written. */
const fault = { after: Infinity, written: 0 };

vi.mock(import('../../src/engines/gpu/device/device.js'), async (original) => {
  const { withOneGpu } = await import('../support/one-gpu.js');
  return withOneGpu(await original());
});
vi.mock(import('../../src/run/open-engine.js'), async (original) => {
  const { fakeEngines } = await import('../support/fake-engines.js');
  const module = await original();
  return {
    ...module,
    ...fakeEngines(({ ordering }) => smallEngine(ordering, 64 << 10)),
    openBamSort: async (plan, input, level, recorder, takeGpu) => {
      if (plan.engine === 'cpu') return module.openBamSort(plan, input, level, recorder, takeGpu);
      const { openGpu } = await import('../../src/engines/gpu/device/device.js');
      const { requestAdapter } = await import('../../src/engines/gpu/device/adapters.js');
      const { GpuBamSort } = await import('../../src/engines/gpu/bam/sort-bam.js');
      const gpu = await openGpu(await requestAdapter());
      const lostReason = (): string | undefined => (isLost() ? 'for the test' : gpu.lostReason());
      const start = { ...input, leastRate: 0, memoryBytes: Infinity, level };
      return failing(new GpuBamSort({ ...gpu, lostReason }, start, recorder, SIZES));
    },
  };
});

const isLost = (): boolean => fault.written >= fault.after;

/** Counts the blocks that a sort writes. */
function failing(sort: BamSort): BamSort {
  const { prepare } = sort;
  sort.prepare = async () => {
    const prepared = await prepare.call(sort);
    return {
      ...prepared,
      write: (output) => {
        const write = (bytes: Uint8Array, sizes: readonly BlockSize[]): Promise<void> => {
          fault.written += sizes.length;
          return output.blocks!.write(bytes, sizes);
        };
        return prepared.write({ ...output, blocks: { ...output.blocks!, write } });
      },
    };
  };
  return sort;
}

const { runJob } = await import('../../src/run/run-job.js');
const cwd = freshDirectory('bam-continues');
mkdirSync(cwd, { recursive: true });
const path = (name: string): string => join(cwd, name);
const file = bgzf(encodeBam(sam(alignments(9, 4000))));
writeFileSync(path('in.bam'), file);

/** Sorts, and resolves to the text of the output and its blocks. */
async function sorted(
  engine: string,
  words: readonly string[],
  input = 'in.bam',
): Promise<ReturnType<typeof readBgzf>> {
  fault.written = 0;
  const by = ['--engine', engine, '--format', 'bam', '--by', 'coordinate'];
  const request = parsed([...by, ...words, '-o', path('out.bam'), path(input)], 'gpusort');
  if (request.action !== 'sort') throw new Error('no sort');
  await runJob(request.job, silent);
  return readBgzf(readFileSync(path('out.bam')));
}

describeGpu('a GPU that is lost while it writes BAM', () => {
  afterAll(closeGpu);
  afterEach(() => {
    fault.after = Infinity;
  });

  it.each([
    ['within the first range', 2, '1'],
    ['after the first range', 5, '1'],
    ['within a later range', 8, '6'],
  ])('does not end the sort: %s', async (_, after, level) => {
    const { text } = await sorted('cpu', ['--level', level]);
    fault.after = after;
    const words = ['--level', level, '--index'];
    const result = await sorted('gpu', words);
    expect(isLost()).toBe(true);
    expect(result.text.equals(text)).toBe(true);
    expect(readFileSync(path('out.bam.bai')).equals(build(bamIndex('auto'), result, randomBelow(1)))).toBe(true);
  });

  it('does not end the sort of a pipe, whose bytes are kept', async () => {
    const { text } = await sorted('cpu', []);
    execFileSync('mkfifo', [path('pipe')]);
    fault.after = 3;
    const [result] = await Promise.all([
      sorted('gpu', ['--level', '1'], 'pipe'),
      promises.writeFile(path('pipe'), file),
    ]);
    expect(isLost()).toBe(true);
    expect(result.text.equals(text)).toBe(true);
  });
});

it('threads decline to sort BAM as it is if its text must be skipped', async () => {
  const { sortBam } = await import('../../src/run/sort-bam.js');
  const sink = { write: async () => {}, blocks: null };
  const sort = sortBam({ engine: 'cpu' } as Plan, {} as SortJob, {} as Inputs, sink, {
    recorder: silent,
    caller: PROGRAM,
  });
  await expect(sort).rejects.toThrow(Declined);
});
