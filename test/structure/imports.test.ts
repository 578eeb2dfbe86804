/**
 * Imports only go down the layers, from the command line to files that know only bytes (docs/architecture.md), and have
 * no cycles: neither between files nor between folders that lie beside each other. Imports of types count too: a reader
 * has to follow them as well.
 */
import { expect, it } from 'vitest';
import { MODULES } from './modules.js';

/** The layers, top first. A file may import its own folder and lower layers. A name with `.ts` lies directly in src. */
const LAYERS = [
  'index.ts',
  'library',
  'cli',
  'cluster',
  'sort.ts order-chunks.ts decide.ts merge.ts check.ts orders.ts start.ts worker.ts caller.ts',
  'input plan',
  'collate',
  'kernels-api.ts',
  'kernels',
  'gpu cpu',
  'verify',
  'runs output',
  'codecs',
  'threads',
  'records',
  'keys engine.ts',
  'installed.ts wasm-memory.ts',
  'report',
  'job.ts algorithm-table.ts digest.ts promises.ts transfer.ts temporary-files.ts links.ts' +
    ' held-directory.ts limits.ts steps.ts copy-bytes.ts crc32.ts zlib.ts',
  'file-system.ts',
  'platform-defaults.ts',
  'platform.ts',
].map((names) => names.split(' '));
const layerOf = (room: string): number => LAYERS.findIndex((layer) => layer.includes(room));
const roomOf = (file: string): string => file.split('/')[0];

it('has a layer for every folder and file', () => {
  for (const file of MODULES.keys()) expect(layerOf(roomOf(file)), file).toBeGreaterThanOrEqual(0);
});

it('imports downwards only', () => {
  const upward = [...MODULES.values()].flatMap(({ file, imports }) =>
    imports
      .map((imported) => ({ from: roomOf(file), to: roomOf(imported.from), line: `${file} -> ${imported.from}` }))
      .filter(({ from, to }) => from !== to && !(from.endsWith('.ts') && to.endsWith('.ts')))
      .filter(({ from, to }) => layerOf(to) <= layerOf(from)),
  );
  expect(upward.map(({ line }) => line)).toEqual([]);
});

/** The modules whose text has this. */
const withText = (pattern: RegExp): string[] =>
  [...MODULES.values()].filter(({ text }) => pattern.test(text)).map(({ file }) => file);

it('imports nothing from outside its one file when it runs: code that is kept cannot (bin/load.cjs)', () => {
  expect(withText(/\bimport\(\s*['"](node:|webgpu)/)).toEqual([]);
});

it('loads webgpu in one file only', () => {
  expect(withText(/import\('webgpu'\)|from 'webgpu'|bin\/webgpu/)).toEqual(['gpu/device/webgpu.ts']);
});

it('makes all calls on files in one file, where tests can make them fail', () => {
  expect(withText(/['"](node:)?fs(\/promises)?['"]/)).toEqual(['file-system.ts']);
});

type Graph = ReadonlyMap<string, ReadonlySet<string>>;

/** The sets of nodes that reach each other, each as its sorted names (Tarjan 1972). */
function cycles(graph: Graph): string[] {
  const found: string[] = [];
  const order = new Map<string, number>();
  const stack: string[] = [];
  const visit = (node: string): number => {
    let lowest = order.size;
    order.set(node, lowest);
    stack.push(node);
    for (const next of graph.get(node) ?? []) {
      if (!order.has(next)) lowest = Math.min(lowest, visit(next));
      else if (stack.includes(next)) lowest = Math.min(lowest, order.get(next)!);
    }
    if (lowest === order.get(node)) {
      const members = stack.splice(stack.indexOf(node));
      if (members.length > 1) found.push(members.sort().join(' '));
    }
    return lowest;
  };
  for (const node of graph.keys()) if (!order.has(node)) visit(node);
  return found.sort();
}

const FILES: Graph = new Map(
  [...MODULES.values()].map(({ file, imports }) => [file, new Set(imports.map(({ from }) => from))]),
);

/** What lies in the same folder on the ways to two files, for example ['gpu/keys', 'gpu/engine']. */
function neighbors(a: string, b: string): [string, string] {
  const [x, y] = [a.split('/'), b.split('/')];
  let depth = 1;
  while (x[depth - 1] === y[depth - 1]) depth++;
  return [x.slice(0, depth).join('/'), y.slice(0, depth).join('/')];
}

/** Folders and files that lie beside each other: one graph holds those of all levels. */
function folderGraph(): Graph {
  const graph = new Map<string, Set<string>>();
  for (const [file, imports] of FILES) {
    for (const imported of imports) {
      const [from, to] = neighbors(file, imported);
      graph.set(from, (graph.get(from) ?? new Set()).add(to));
    }
  }
  return graph;
}

it('has no cycles', () => {
  expect(cycles(FILES)).toEqual([]);
  const isOfFolders = (cycle: string): boolean => cycle.split(' ').some((name) => !name.endsWith('.ts'));
  expect(cycles(folderGraph()).filter(isOfFolders)).toEqual([]);
  expect(
    cycles(
      new Map([
        ['a', new Set(['b'])],
        ['b', new Set(['a', 'c'])],
      ]),
    ),
  ).toEqual(['a b']);
});
