/**
 * Runs that fill the device's memory leave enough for the merges: no job falls back to another plan. Slow, because a
 * software GPU compiles the kernels of each algorithm.
 */
import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { expect, it, vi } from 'vitest';
import { requestAdapter } from '../../src/engines/gpu/device/adapters.js';
import { openGpu } from '../../src/engines/gpu/device/device.js';
import { createGpuEngine } from '../../src/engines/gpu/gpu-engine.js';
import { algorithmsOn, type GpuAlgorithm } from '../../src/job/algorithm-table.js';
import { withMemory } from '../engines/gpu/device/wrapped.js';
import { describeGpu } from '../setup/gpu.js';
import { job, silent } from '../support/jobs.js';
import { random } from '../support/random.js';
import { NIGHTLY } from '../support/tier.js';

const CHUNK_BYTES = 200_000;
let deviceBytes = 0;
const tried: string[] = [];

vi.mock(import('../../src/run/open-engine.js'), async () => {
  const { fakeEngines } = await import('../support/fake-engines.js');
  const adapter = { found: true, name: 'small', software: false, maxBindingBytes: 2 ** 27 } as const;
  return fakeEngines(
    async ({ plan, ordering }) => {
      tried.push(plan.engine);
      if (plan.engine === 'cpu') throw new Error('the GPU was given up');
      const gpu = await openGpu(await requestAdapter());
      const full = { ...gpu, device: withMemory(gpu.device, () => deviceBytes) };
      return createGpuEngine(full, plan.algorithm as GpuAlgorithm, { ...plan, ordering, recorder: silent });
    },
    () => adapter,
  );
});
const { runJob } = await import('../../src/run/run-job.js');

describeGpu('a device filled by runs', () => {
  // Runs that do not fit, and runs that fit but leave too little for the merges.
  const sizes = [
    [100, 8_000_000, 4_600_000],
    [11, 8_000_000, 7_800_000],
    [100, 3_200_000, 4_600_000],
    [11, 3_200_000, 7_800_000],
  ] as const;
  // Not nightly: one case each for the first two algorithms, one whose runs do not fit, one whose runs do.
  const cases = algorithmsOn('gpu', 'lines').flatMap((algorithm, i) =>
    sizes.filter((_, k) => NIGHTLY || k === 3 * i).map((size) => [algorithm, ...size] as const),
  );
  it.each(cases)(
    'merges with %s on a full device: lines of %i bytes, %i in all, %i bytes of memory',
    async (algorithm, length, inputBytes, memoryBytes) => {
      deviceBytes = memoryBytes;
      tried.length = 0;
      const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'gpusort-full-'));
      const [input, output] = [path.join(directory, 'input'), path.join(directory, 'output')];
      const next = random(3);
      const line = (): string => {
        let text = '';
        while (text.length < length) text += next().toString(36).slice(2);
        return `${text.slice(0, length - 1)}\n`;
      };
      fs.writeFileSync(input, Array.from({ length: inputBytes / length }, line).join(''));
      await runJob(
        job({
          inputs: [Buffer.from(input)],
          output: Buffer.from(output),
          engine: 'gpu',
          algorithm,
          chunkBytes: CHUNK_BYTES,
        }),
        silent,
      );
      expect(tried).toEqual(['gpu']);
      expect(
        fs.readFileSync(output).equals(spawnSync('sort', [input], { env: { LC_ALL: 'C' }, maxBuffer: 1 << 30 }).stdout),
      ).toBe(true);
      fs.rmSync(directory, { recursive: true });
    },
  );
});
