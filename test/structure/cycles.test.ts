/**
 * No cycles of imports, neither between files nor between the folders and files that lie beside each other. Imports of
 * types count too: a reader has to follow them as well.
 */
import { expect, it } from 'vitest';
import { MODULES } from './modules.js';

type Graph = ReadonlyMap<string, ReadonlySet<string>>;

/** Cycles that still exist. Remove those that are broken up; add none. */
const KNOWN_FILE_CYCLES: readonly string[] = [];
const KNOWN_FOLDER_CYCLES: readonly string[] = [];

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

it('has no cycles between files', () => {
  expect(cycles(FILES)).toEqual(KNOWN_FILE_CYCLES);
});

it('has no cycles between folders', () => {
  const found = cycles(folderGraph()).filter((cycle) => cycle.split(' ').some((name) => !name.endsWith('.ts')));
  expect(found).toEqual(KNOWN_FOLDER_CYCLES);
});
