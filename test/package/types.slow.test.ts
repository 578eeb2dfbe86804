/**
 * The types of the published package: programs in its directory compile with each way of resolving modules, and find
 * both modules. TypeScript 7 does not know the oldest way, node10: that needs the TypeScript 5 that
 * `npm run check:package` installs.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { freshDirectory } from '../battery/runner.js';
import { pack, ROOT } from './packed.js';

const directory = freshDirectory('types');

/** Programs that must compile as they are, by the names of their files. */
const PROGRAMS = {
  'library.ts': `
import { Duplex, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createSort, createSorter, GpusortError, sort, sorted, sortedLines, sortFile } from 'gpusort';
import type { ErrorCode, LineEncoding, LineSettings, Phase, SortDuplex, SortedLine, SortedReadable, SortInput, SortOptions, SortResult, SortSettings, Statistics } from 'gpusort';

const options: SortOptions = { key: ['2,2n', '1'], fieldSeparator: '\\t', bufferSize: '2G', check: false };
const settings: SortSettings = { ...options, signal: AbortSignal.timeout(1000), onProgress: ({ phase, bytes, totalBytes }) => {
  const seen: [Phase, number, number | null] = [phase, bytes, totalBytes];
  void seen;
} };
const result: SortResult = await sort(Readable.from(['b\\n']), process.stdout, settings);
const statistics: Statistics | undefined = result.statistics;
const inputs: SortInput[] = ['a', Buffer.from('a'), new URL('file:///a'), ['a', Buffer.from('b')], new Blob([]).stream(), ['a'].values()];
inputs.push((async function* () { yield 'a'; yield new Uint8Array(1); })());
await sortFile(['a', new URL('file:///b')], 'c', { top: 3 });
await sort(new Blob([]).stream(), new WritableStream<Uint8Array>());
const sorter = createSorter({ engine: 'gpu' });
const stream: SortDuplex = createSort({ key: '2n' });
await pipeline(Readable.from(['b\\n']), stream, sorter.createSort(), process.stdout);
const output: SortedReadable = sorted('a', settings);
for await (const block of output) block.readUInt8(0);
const records: number = (await output.result).records;
for await (const line of sortedLines('a', settings)) line.trim();
for await (const line of sorter.sortedLines(['a'].values(), { encoding: 'latin1', top: 3 })) line.trim();
for await (const line of sortedLines('a', { encoding: 'buffer' })) line.readUInt8(0);
const given: LineSettings = { encoding: 'utf8' as LineEncoding };
for await (const line of sortedLines('a', given)) { const one: SortedLine = line; void one; }
Readable.toWeb(sorter.sorted(output)).pipeThrough(Duplex.toWeb(stream));
void records;
await sorter.close();
try {
  await sort('a', null, { check: 'explain' });
} catch (error) {
  if (error instanceof GpusortError) {
    const code: ErrorCode = error.code;
    const hint: string | undefined = error.hint;
    void [code, hint, statistics];
  }
}
// @ts-expect-error
await sort('a', 'b', { numericsort: true });
// @ts-expect-error
await sort('a', 'b', { reverse: 'yes' });
await sort('a', 'b', { key: [{ field: 'name', numeric: true, emptyLast: true }, '2', { offset: 8, type: 'u32be' }] });
// @ts-expect-error
await sort('a', 'b', { key: { field: 2, numericSort: true } });
// @ts-expect-error
await sort('a', 'b', { key: { numeric: true } });
// @ts-expect-error
await sort([1, 2], 'b');
// @ts-expect-error
await sort('a');
// @ts-expect-error
sorted('a', 'b');
// @ts-expect-error
for await (const block of output) block.toFixed();
// @ts-expect-error
for await (const line of sortedLines('a')) line.readUInt8(0);
// @ts-expect-error
sortedLines('a', { encoding: 'hex' });
// @ts-expect-error
await sortFile('a', process.stdout);
// @ts-expect-error
await sort(new Uint8Array(3), 'b');
`,
  'kernels.ts': `
import { type GpusortError, mergePath, radixSort, segmentedSort, type SortRequest, sortArray } from 'gpusort/kernels';

export async function sortPairs(device: GPUDevice, keys: GPUBuffer, values: GPUBuffer | undefined): Promise<void> {
  const tile: number | undefined = undefined;
  const sorter = await radixSort(device, { key: 'f32', descending: undefined, tuning: { skipFrom: undefined } });
  const request: SortRequest = { keys, values, count: undefined, output: undefined };
  await sorter.sort(request).catch((error: GpusortError) => error.code);
  await (await segmentedSort(device, { tuning: { tile } })).sort({ keys, begins: Uint32Array.of(0), segments: undefined });
  await (await mergePath(device)).merge({ keys, bounds: [0, 1, 2] });
  const sorted: Float64Array = await sortArray(device, new Float64Array(3), { values: undefined });
  void sorted;
  // @ts-expect-error
  await radixSort(device, { key: 'f16' });
  // @ts-expect-error
  await sorter.sort({ values });
}
`,
  'imports.cts': `
import('gpusort').then(({ sort }) => sort('a', null, { check: true })).then(({ records }) => records.toFixed());
export const sorter = import('gpusort/kernels').then(({ radixSort }) => radixSort({} as GPUDevice, { key: 'f32' }));
`,
  'requires.cts': `
import gpusort = require('gpusort');
import kernels = require('gpusort/kernels');
export const result: Promise<gpusort.SortResult> = gpusort.sort('a', null, { check: true });
export const sorter: Promise<kernels.Sorter> = kernels.radixSort({} as GPUDevice);
`,
} as const;
type Program = keyof typeof PROGRAMS;

beforeAll(() => {
  const { folder } = pack(directory);
  mkdirSync(join(directory, 'node_modules'));
  renameSync(folder, join(directory, 'node_modules/gpusort'));
  for (const scope of ['@types', '@webgpu', 'undici-types'])
    symlinkSync(`${ROOT}node_modules/${scope}`, join(directory, 'node_modules', scope), 'dir');
  for (const [name, text] of Object.entries(PROGRAMS)) writeFileSync(join(directory, name), text);
  writeFileSync(join(directory, 'package.json'), '{ "type": "module" }');
});

/** What the compiler prints about programs; empty: no complaint. */
function complaints(tsc: string, options: string, programs: readonly Program[]): string {
  const words = '--strict --exactOptionalPropertyTypes --noEmit --target es2022'.split(' ');
  const all = [...words, ...options.split(' '), ...programs];
  const { status, stdout, stderr } = spawnSync(process.execPath, [tsc, ...all], { cwd: directory, encoding: 'utf8' });
  return status === 0 ? stdout + stderr : `status ${status}: ${stdout}${stderr}`;
}

it.each<[module: string, resolution: string, Program[]]>([
  ['nodenext', 'nodenext', ['library.ts', 'kernels.ts', 'imports.cts', 'requires.cts']],
  ['node20', 'node16', ['library.ts', 'kernels.ts', 'imports.cts', 'requires.cts']],
  ['node16', 'node16', ['library.ts', 'kernels.ts', 'imports.cts']],
  ['esnext', 'bundler', ['library.ts', 'kernels.ts']],
  ['preserve', 'bundler', ['library.ts', 'kernels.ts', 'requires.cts']],
])('programs compile with module %s and module resolution %s', (module, resolution, programs) => {
  // The library of TypeScript 7 for the DOM has the types of WebGPU.
  const options = `--ignoreConfig --types node --module ${module} --moduleResolution ${resolution}`;
  expect(complaints(`${ROOT}node_modules/typescript/bin/tsc`, options, programs)).toBe('');
});

it('a CommonJS file cannot require the package with module node16, whose Node cannot load it either', () => {
  const options = '--ignoreConfig --types node --module node16 --moduleResolution node16';
  const said = complaints(`${ROOT}node_modules/typescript/bin/tsc`, options, ['requires.cts']);
  expect(said.match(/error TS\d+/g)).toEqual(['error TS1471', 'error TS1471']);
});

const OLD_TSC = `${ROOT}.cache/check-package/node_modules/typescript/bin/tsc`;
const isInstalled = existsSync(OLD_TSC);
it.skipIf(!isInstalled)(
  `programs compile with module resolution node10 of TypeScript 5${isInstalled ? '' : ' (left out: run npm run check:package)'}`,
  () => {
    const options = '--types node,@webgpu/types --module esnext --moduleResolution node10';
    expect(complaints(OLD_TSC, options, ['library.ts', 'kernels.ts'])).toBe('');
  },
);
