/**
 * Imports only go down the rooms, from the command line to files that know only bytes (docs/architecture.md), and have
 * no cycles: neither between files nor between neighboring folders. Imports of types count too: a reader has to follow
 * them as well.
 */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { MODULES } from './modules.js';
import { WASM } from './wasm.js';

/** The rooms, top first: folders of src, and the file that a library's users import. */
const ROOMS = [
  'index.ts',
  'library',
  'cli',
  'cluster',
  'run',
  'browser',
  'input',
  'plan',
  'engines',
  'verify',
  'output',
  'runs',
  'codecs',
  'records',
  'keys',
  'contract',
  'report',
  'job',
  'system',
];

/** The room that holds a file. */
function roomOf(file: string): string {
  const [room] = file.split('/') as [string];
  if (!ROOMS.includes(room)) throw new Error(`no room holds ${file}`);
  return room;
}

it('imports downwards only', () => {
  const upward = [...MODULES.values()].flatMap(({ file, imports }) =>
    imports
      .map((imported) => ({ from: roomOf(file), to: roomOf(imported.from), line: `${file} -> ${imported.from}` }))
      .filter(({ from, to }) => from !== to && ROOMS.indexOf(to) <= ROOMS.indexOf(from)),
  );
  expect(upward.map(({ line }) => line)).toEqual([]);
});

it('docs/architecture.md lists the rooms by their ranks', () => {
  const page = readFileSync(new URL('../../docs/architecture.md', import.meta.url), 'utf8');
  expect([...page.matchAll(/^\| \d+ \| `src\/([^`]*?)\/?` \|/gm)].map(([, room]) => room)).toEqual(ROOMS);
});

/** The modules whose text has this. */
const withText = (pattern: RegExp): string[] =>
  [...MODULES.values()].filter(({ text }) => pattern.test(text)).map(({ file }) => file);

it('imports no module at run time, because cached code cannot (bin/load.cjs)', () => {
  expect(withText(/\bimport\(\s*['"](node:|webgpu)/)).toEqual([]);
});

it('loads webgpu in one file only', () => {
  expect(withText(/import\('webgpu'\)|from 'webgpu'|bin\/webgpu/)).toEqual(['engines/gpu/device/webgpu.ts']);
});

it('makes all calls on files in one file, where tests can make them fail', () => {
  expect(withText(/['"](node:)?fs(\/promises)?['"]/)).toEqual(['system/file-system.ts']);
});

it('lets the planner import only facts and arithmetic of the engines', () => {
  const imported = [...MODULES.values()]
    .filter(({ file }) => roomOf(file) === 'plan')
    .flatMap(({ imports }) => imports.map(({ from }) => from))
    .filter((from) => roomOf(from) === 'engines');
  expect([...new Set(imported)].sort()).toEqual([
    'engines/gpu/engine/fixed-keys/form.ts',
    'engines/gpu/keys/key-sort.ts',
    'engines/gpu/records/keyed-lines/key-support.ts',
    'engines/gpu/thresholds.ts',
  ]);
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

/** Imports are listed as `file name`. */
const KERNEL_FILES: Graph = new Map(
  [...WASM.values()].map(({ file, imports }) => [file, new Set(imports.map((one) => one.split(' ')[0]!))]),
);

/** The first entries in which the paths of two files differ, for example ['engines/gpu/keys', 'engines/gpu/engine']. */
function neighbors(a: string, b: string): [string, string] {
  const [x, y] = [a.split('/'), b.split('/')];
  let depth = 1;
  while (x[depth - 1] === y[depth - 1]) depth++;
  return [x.slice(0, depth).join('/'), y.slice(0, depth).join('/')];
}

/** Folders and files of one room that lie beside each other: one graph holds those of all levels. */
function folderGraph(): Graph {
  const graph = new Map<string, Set<string>>();
  for (const [file, imports] of FILES) {
    for (const imported of imports) {
      if (roomOf(file) !== roomOf(imported)) continue;
      const [from, to] = neighbors(file, imported);
      graph.set(from, (graph.get(from) ?? new Set()).add(to));
    }
  }
  return graph;
}

it('has no cycles', () => {
  expect(cycles(FILES)).toEqual([]);
  expect(cycles(KERNEL_FILES)).toEqual([]);
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
