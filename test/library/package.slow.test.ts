/** The published package in an empty project: the library runs without any dependency, and its types are whole. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { freshDirectory } from '../battery/runner.js';
import { ROOT } from '../docs/documents.js';

const directory = freshDirectory('package');
const CONSUMER = `
import { Duplex, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createSort, createSorter, GpusortError, sort, sorted, sortFile } from 'gpusort';
import type { ErrorCode, Phase, SortDuplex, SortedReadable, SortInput, SortOptions, SortResult, SortSettings, Statistics } from 'gpusort';

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
// @ts-expect-error
await sort([1, 2], 'b');
// @ts-expect-error
await sort('a');
// @ts-expect-error
sorted('a', 'b');
// @ts-expect-error
for await (const block of output) block.toFixed();
// @ts-expect-error
await sortFile('a', process.stdout);
// @ts-expect-error
await sort(new Uint8Array(3), 'b');
`;

beforeAll(() => {
  const [packed] = JSON.parse(
    execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', directory], {
      cwd: ROOT,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }),
  ) as { filename: string }[];
  execFileSync('tar', ['xzf', packed!.filename], { cwd: directory });
  mkdirSync(join(directory, 'node_modules'));
  renameSync(join(directory, 'package'), join(directory, 'node_modules/gpusort'));
  writeFileSync(join(directory, 'package.json'), '{ "type": "module" }');
});

it('sorts from the installed package, even in threads', () => {
  writeFileSync(
    join(directory, 'sorts.js'),
    `import { createSorter, GpusortError, sort, sortFile } from 'gpusort';
     import { readFileSync, writeFileSync } from 'node:fs';
     const lines = Array.from({ length: 50000 }, (_, i) => String(i * 7919 % 50021));
     writeFileSync('lines', lines.join('\\n'));
     await sortFile('lines', 'lines', { chunkSize: '64K', parallel: 2, engine: 'cpu' });
     console.log(readFileSync('lines', 'utf8') === lines.sort().join('\\n') + '\\n');
     await sort(['b\\n', 'a\\n'].values(), process.stdout, { locale: 'sv' });
     await sort(['2 b\\n', '10 a\\n'].values(), process.stdout, { numericSort: true, verify: true });
     await sort('lines', 'x', { engine: 'gpu' }).catch((error) => console.log(error instanceof GpusortError, error.code));
     await createSorter().close();`,
  );
  const { stdout, stderr } = spawnSync(process.execPath, ['sorts.js'], { cwd: directory, encoding: 'utf8' });
  expect({ stdout, stderr }).toEqual({ stdout: 'true\na\nb\n2 b\n10 a\ntrue no-adapter\n', stderr: '' });
});

it.each(['nodenext', 'bundler'])('provides types in the package for module resolution %s', (resolution) => {
  symlinkSync(`${ROOT}node_modules/@types`, join(directory, 'node_modules/@types'), 'dir');
  try {
    writeFileSync(join(directory, 'consumer.ts'), CONSUMER);
    const module = resolution === 'bundler' ? 'esnext' : resolution;
    const words = ['--strict', '--noEmit', '--types', 'node', '--target', 'es2022', '--module', module];
    const { status, stdout } = spawnSync(
      `${ROOT}node_modules/.bin/tsc`,
      [...words, '--moduleResolution', resolution, 'consumer.ts', '--ignoreConfig'],
      { cwd: directory, encoding: 'utf8' },
    );
    expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
  } finally {
    execFileSync('rm', [join(directory, 'node_modules/@types')]);
  }
});
