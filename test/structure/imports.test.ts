/** Imports only go down the layers, from the command line to files that know only bytes. See docs/architecture.md. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

/** The layers, top first. A file may import its own folder and lower layers. `.` stands for files directly in src. */
const LAYERS: readonly (readonly string[])[] = [
  ['index.ts'],
  ['library'],
  ['cli'],
  ['cluster'],
  ['sort.ts', 'order-chunks.ts', 'decide.ts', 'merge.ts', 'check.ts', 'orders.ts', 'start.ts', 'worker.ts', 'caller.ts'],
  ['input', 'plan'],
  ['collate'],
  ['kernels-api.ts'],
  ['kernels'],
  ['gpu', 'cpu'],
  ['verify'],
  ['runs', 'output'],
  ['codecs'],
  ['threads'],
  ['records'],
  ['keys', 'engine.ts'],
  ['installed.ts'],
  ['report'],
  [
    'job.ts',
    'algorithm-table.ts',
    'digest.ts',
    'promises.ts',
    'wasm-memory.ts',
    'transfer.ts',
    'temporary-files.ts',
    'limits.ts',
    'steps.ts',
    'copy-bytes.ts',
    'crc32.ts',
    'zlib.ts',
  ],
  ['file-system.ts'],
];
const layerOf = (room: string): number => LAYERS.findIndex((layer) => layer.includes(room));
const root = new URL('../../src/', import.meta.url);
const files = (readdirSync(root, { recursive: true }) as string[]).filter((file) => file.endsWith('.ts'));

/** The project's modules that a file imports, as paths relative to src. */
function importsOf(file: string): string[] {
  const text = readFileSync(new URL(file, root), 'utf8');
  return [...text.matchAll(/(?:from|import\()\s*'(\.[^']+)\.js'/g)].map((match) =>
    new URL(`${match[1]}.ts`, new URL(file, root)).pathname.slice(root.pathname.length),
  );
}

const roomOf = (file: string): string => file.split('/')[0];

it('has a layer for every folder and file', () => {
  for (const file of files) expect(layerOf(roomOf(file)), file).toBeGreaterThanOrEqual(0);
});

it('imports downwards only', () => {
  const upward: string[] = [];
  for (const file of files) {
    for (const imported of importsOf(file)) {
      const [from, to] = [roomOf(file), roomOf(imported)];
      const sameLayerFile = from.endsWith('.ts') && to.endsWith('.ts');
      if (from !== to && !sameLayerFile && layerOf(to) <= layerOf(from)) upward.push(`${file} -> ${imported}`);
    }
  }
  expect(upward).toEqual([]);
});

it('imports nothing from outside its one file when it runs: code that is kept cannot (bin/load.cjs)', () => {
  expect(
    files.filter((file) => /\bimport\(\s*['"](node:|webgpu)/.test(readFileSync(new URL(file, root), 'utf8'))),
  ).toEqual([]);
});

it('loads webgpu in one file only', () => {
  expect(
    files.filter((file) =>
      /import\('webgpu'\)|from 'webgpu'|bin\/webgpu/.test(readFileSync(new URL(file, root), 'utf8')),
    ),
  ).toEqual(['gpu/device/webgpu.ts']);
});

it('makes all calls on files in one file, where tests can make them fail', () => {
  const importing = files.filter((file) =>
    /['"](node:)?fs(\/promises)?['"]/.test(readFileSync(new URL(file, root), 'utf8')),
  );
  expect(importing).toEqual(['file-system.ts']);
});
