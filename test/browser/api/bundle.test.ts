/** dist/bundle/kernels.mjs: one file that runs without Node, with exactly the kernels that it needs. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import * as api from '../../../src/browser/index.js';
import { MODULES } from '../../structure/modules.js';

const file = new URL('../../../dist/bundle/kernels.mjs', import.meta.url);
const TEXT = readFileSync(file, 'utf8');
/** The code without the texts of kernels. */
const CODE = TEXT.replace(/^ {2}".*\.wgsl": ".*$/gm, '');

it('exports from the bundle what src/browser/index.ts exports', async () => {
  const bundle = (await import(file.href)) as object;
  expect(Object.keys(bundle).sort()).toEqual(Object.keys(api).sort());
});

it('imports nothing and names nothing of Node in the bundle', () => {
  expect(CODE.length).toBeLessThan(TEXT.length);
  expect(CODE.match(/^\s*import\b.*|\bimport\(.*|\brequire\b.*|from ["'].*|node:.*/gm)).toBeNull();
  expect(CODE.match(/\bprocess\.|\bBuffer\.(?:from|alloc)|\b__dirname|import\.meta/g)).toBeNull();
  // Only if it is there.
  expect(CODE.match(/.*setImmediate\(.*/g)).toEqual([expect.stringContaining('if (typeof setImmediate')]);
});

it('contains all kernels that its modules load, and only folders of key sorts', () => {
  const names = [...TEXT.matchAll(/^ {2}"(.*)\.wgsl": "/gm)].map(([, name]) => name!);
  expect(names).toContain('keys/radix-sort/scatter-portable');
  expect(new Set(names.map((name) => name.split('/')[0]))).toEqual(new Set(['keys', 'records', 'shared']));
  // The modules of the bundle, from their imports.
  const reached = new Set(['browser/index.ts']);
  for (const module of reached) for (const { from } of MODULES.get(module)!.imports) reached.add(from);
  const loaded = [...reached].flatMap((module) =>
    [...MODULES.get(module)!.text.matchAll(/'((?:keys|records)\/[a-z-]+(?:\/[a-z-]+)*)'/g)].map(([, name]) => name!),
  );
  expect(loaded.length).toBeGreaterThan(10);
  expect(loaded.filter((name) => !names.includes(name))).toEqual([]);
});

it('provides types that import only each other', () => {
  const types = new URL('../../../dist/types/', import.meta.url);
  const files = ['browser/index.d.ts'];
  for (const name of files) {
    const text = readFileSync(new URL(name, types), 'utf8');
    expect(text).not.toMatch(/from ['"][^.]|reference types|NodeJS\.|\bBuffer\b/);
    for (const [, path] of text.matchAll(/from '(\.[^']+)\.js'/g)) {
      const imported = new URL(`${path}.d.ts`, new URL(name, types)).href.slice(types.href.length);
      if (!files.includes(imported)) files.push(imported);
    }
  }
  expect(files).toContain('browser/types.d.ts');
});

/** A program that has only TypeScript's own types of WebGPU. */
const PROGRAM = `
import { GpusortError, mergePath, radixSort, segmentedSort, sortArray, type Sorter } from 'gpusort/kernels';
export async function sortAll(device: GPUDevice, keys: GPUBuffer): Promise<Float32Array> {
  const sorter: Sorter = await radixSort(device, { key: 'f32', tuning: { sweep: 'two' } });
  await sorter.sort({ keys, count: 3 });
  const segmented = await segmentedSort(device);
  await segmented.sort({ keys, begins: Uint32Array.of(0) });
  // @ts-expect-error: neither flags nor begins
  await segmented.sort({ keys });
  // @ts-expect-error: no such type
  await radixSort(device, { key: 'f16' });
  const [pass] = await (await mergePath(device)).time({ keys, bounds: [0, 1] });
  try {
    return await sortArray(device, new Float32Array(pass.label.length));
  } catch (error) {
    if (error instanceof GpusortError) console.log(error.code, error.hint);
    throw error;
  }
}`;

it('provides types that a program can use', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gpusort-types-'));
  try {
    mkdirSync(join(folder, 'node_modules'));
    symlinkSync(fileURLToPath(new URL('../../..', import.meta.url)), join(folder, 'node_modules/gpusort'), 'dir');
    writeFileSync(join(folder, 'program.ts'), PROGRAM);
    const compilerOptions = {
      target: 'ES2022',
      module: 'NodeNext',
      lib: ['ES2023', 'DOM'],
      types: [],
      strict: true,
      noEmit: true,
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['program.ts'] }));
    const tsc = fileURLToPath(new URL('../../../node_modules/.bin/tsc', import.meta.url));
    const { stdout, status } = spawnSync(tsc, ['-p', folder], { encoding: 'utf8' });
    expect(stdout).toBe('');
    expect(status).toBe(0);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
