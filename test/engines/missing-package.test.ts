/**
 * A GPU that --engine auto could use, if only the package were installed: how to install it, and when that is said.
 * @own-process because it mocks modules
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { showWarnings } from '../../src/report/warnings.js';
import { askAdapter } from '../../src/run/open-engine.js';
import { job } from '../support/jobs.js';

const { state, installAdvice } = vi.hoisted(() => ({
  state: { onTerminal: true, manifest: null as string | null, inDevices: null as string | null },
  installAdvice: () => 'Run the command',
}));
vi.mock(import('../../src/system/file-system.js'), async (original) => ({
  ...(await original()),
  isTerminal: () => state.onTerminal,
}));
vi.mock(import('../../src/plan/facts.js'), async (original) => ({
  ...(await original()),
  whyNoGpu: () => state.inDevices,
}));
vi.mock(import('../../src/engines/gpu/device/adapters.js'), async () => {
  const { GpusortError } = await import('../../src/system/errors.js');
  return {
    requestAdapter: () => Promise.reject(new GpusortError('no-adapter', 'no GPU can be used: why', { hint: 'Do it.' })),
  };
});
vi.mock(import('../../src/engines/gpu/device/webgpu.js'), () => ({
  installAdvice,
  webgpuManifest: () => state.manifest,
}));

const NOTE = 'the CPU sorts, because the webgpu package is not installed. Run the command to use a GPU.';
const LARGE = { bytes: 2 ** 30 };

describe('--engine auto without the package', () => {
  let warnings: string[];
  beforeEach(() => {
    Object.assign(state, { onTerminal: true, manifest: null, inDevices: null });
    warnings = [];
    showWarnings((sentence) => warnings.push(sentence));
  });

  it('says on a terminal how to install it, if the input is worth a GPU and the machine may have one', async () => {
    expect(await askAdapter(job({}), LARGE)).toEqual({ found: false, reason: 'no GPU can be used: why' });
    expect(warnings).toEqual([NOTE]);
  });

  it.each([
    ['without a terminal', { onTerminal: false }, {}, LARGE],
    ['if the package is there, but no driver', { manifest: 'package.json' }, {}, LARGE],
    ['without a GPU in /dev', { inDevices: 'there is no GPU device in /dev' }, {}, LARGE],
    ['for a small input', {}, {}, { bytes: 1000 }],
    ['with --engine cpu', {}, { engine: 'cpu' }, LARGE],
  ] as const)('says nothing %s', async (_, changes, settings, input) => {
    Object.assign(state, changes);
    await askAdapter(job(settings), input);
    expect(warnings).toEqual([]);
  });

  it('is an error with --engine gpu, and no warning', async () => {
    await expect(askAdapter(job({ engine: 'gpu' }), LARGE)).rejects.toMatchObject({ hint: 'Do it.' });
    expect(warnings).toEqual([]);
  });
});

describe('the command', () => {
  it('is that of the installation: global, in a project, by npx, or a new one', async () => {
    const { installAdvice: real } = await vi.importActual<typeof import('../../src/engines/gpu/device/webgpu.js')>(
      '../../src/engines/gpu/device/webgpu.js',
    );
    const directory = mkdtempSync(join(process.env.GPUSORT_TEST_TMP ?? tmpdir(), 'advice-'));
    try {
      const adviceIn = (path: string): string => real(join(directory, path));
      expect(adviceIn('lib/node_modules/gpusort')).toBe('Run npm install --global webgpu@0.6');
      mkdirSync(join(directory, 'my project'));
      writeFileSync(join(directory, 'my project/package.json'), '{}');
      expect(adviceIn('my project/node_modules/gpusort')).toBe(
        `Run npm install --prefix '${directory}/my project' webgpu@0.6`,
      );
      expect(adviceIn('_npx/0a1b/node_modules/gpusort')).toBe('Run npx --package gpusort --package webgpu@0.6 gpusort');
      expect(adviceIn('gpusort-1.2.3/lib/gpusort')).toBe('Install gpusort again');
    } finally {
      rmSync(directory, { recursive: true });
    }
  });
});
