/**
 * Kernels are composed of plain files: each shared file once, constants first, and every line traceable to its source.
 */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { composeKernel } from '../../../src/gpu/device/compose.js';
import { openGpu } from '../../../src/gpu/device/device.js';
import { requestAdapter } from '../../../src/gpu/device/request-adapter.js';
import { describeGpu } from '../../setup/gpu.js';
import { kernelNames } from '../../support/kernel-names.js';

it.each(kernelNames())('%s holds its own text and each included file once', (name) => {
  const { code } = composeKernel(name, {
    consts: { KEY_WORDS: 1, VALUES: 1, MATCH_WORDS: 1, SWEEPS: 1 },
    variants: { SEGMENT_KIND: 'fields', TEXT_READS: 'uncounted' },
  });
  expect(code).toContain(readFileSync(new URL(`../../../kernels/wgsl/${name}.wgsl`, import.meta.url), 'utf8').trim());
  const functions = [...code.matchAll(/^fn (\w+)/gm)].map((match) => match[1]);
  expect(new Set(functions).size).toBe(functions.length);
});

it('puts constants first and traces every line back', () => {
  const { code, origin } = composeKernel('strings/string-merge/merge-tile', {
    consts: { TILE: 64, COUNT_TEXT_READS: 0 },
    variants: { TEXT_READS: 'uncounted' },
  });
  const lines = code.split('\n');
  expect(lines.slice(0, 2)).toEqual(['const TILE = 64u;', 'const COUNT_TEXT_READS = 0u;']);
  expect(origin(1)).toBe('kernels/wgsl/strings/string-merge/merge-tile.wgsl (constants)');
  lines.slice(2).forEach((line, i) => {
    const [file, number] = origin(i + 3).split(':');
    expect(readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8').split('\n')[Number(number) - 1]).toBe(
      line,
    );
  });
});

describeGpu('errors of compilation', () => {
  it('name the kernel, the file and the line', async () => {
    const gpu = await openGpu(await requestAdapter());
    await expect(
      gpu.pipelines.load('strings/string-merge/merge-tile', {
        consts: { COUNT_TEXT_READS: 0 },
        variants: { TEXT_READS: 'uncounted' },
      }),
    ).rejects.toThrow(
      /cannot compile kernel strings\/string-merge\/merge-tile: kernels\/wgsl\/strings\/string-merge\/tile\.wgsl:\d+:\d+: .*TILE/,
    );
    gpu.close();
  });
});
