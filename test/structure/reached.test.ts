/**
 * Everything in src/ and kernels/ is reached from the command line: modules by their imports, kernels by their names,
 * exports by those who import them. What is not is listed here, with the reason.
 */
import { expect, it } from 'vitest';
import { KERNELS, kernelsLike } from './kernels.js';
import { MODULES } from './modules.js';
import { WASM } from './wasm.js';

const ENTRIES = ['cli/main.ts', 'worker.ts'];

/** Modules that no command reaches. What they use counts as reached. */
const UNREACHED: Readonly<Record<string, string>> = {
  'cli/help/man.ts': 'npm run man: writes the manual page',
};

/** Exports that no other module imports. All but the first are used in their own file. */
const UNIMPORTED: Readonly<Record<string, string>> = {
  'cli/main.ts main': 'bin/gpusort.cjs calls it',
  'cli/terminal/progress.ts formatLine': 'tests compare whole lines',
  'cpu/tiles.ts TILE_BYTES': 'tests make texts of several tiles',
  'gpu/engine/algorithms.ts SORT_STAGES': 'tests sort with all of them',
  'gpu/engine/copy-slices.ts copyBytes': 'tests and benchmarks copy by themselves',
  'gpu/engine/engine-core.ts GpuEngineLimits': 'tests open engines with tight limits',
  'gpu/engine/engine.ts GpuEngineOptions': 'tests open engines with tight limits',
  'gpu/keyed-lines/keyed-lines.ts Keyed': 'tests read keyed lines back',
  'gpu/keys/key-sort.ts KeyType': 'tests sort keys of all types',
  'gpu/keys/merge-path/tuning.ts DiagonalSearch': 'tests and benchmarks vary the search',
  'gpu/keys/merge-path/tuning.ts MergeKernel': 'tests and benchmarks vary the kernel',
  'gpu/keys/merge-sort/merge-sort.ts MergeSortTuning': 'tests sort with small tiles',
  'gpu/keys/radix-sort/radix-sort.ts RADIX_TUNING': 'tests and benchmarks vary it',
  'gpu/keys/radix-sort/radix-sort.ts RadixTuning': 'as RADIX_TUNING',
  'gpu/keys/segmented-sort/segmented-sort.ts SegmentedSort': 'tests sort segments of fixed keys, until keys have types',
  'gpu/keys/segmented-sort/tile-merges.ts tileOf': 'tests and benchmarks cut segments at tiles',
  'gpu/strings/msd-radix/host-threads.ts TaskSizes': 'tests share the work in small tasks',
  'gpu/strings/msd-radix/host-threads.ts planTasks': 'tests check how the host shares its work',
  'gpu/strings/msd-radix/host-threads.ts taskSizes': 'tests check how the host shares its work',
  'gpu/strings/msd-radix/msd-radix.ts MsdTuning': 'tests sort with small bins',
  'gpu/strings/string-merge/order.ts OrderTuning': 'tests sort with small tiles',
  'gpu/strings/string-merge/order.ts TUNING': 'tests sort with small tiles',
  'keys/long-key.ts LongKey': 'tests read keys piece by piece',
  'keys/names.ts hasNames': 'tests check that names are resolved',
  'plan/costs.ts COST_TERMS': 'npm run calibrate fits it',
  'report/errors.ts ErrorCode': 'tests name codes',
  'runs/keep.ts shortest': 'tests check its order',
  'temporary-files.ts temporaryName': 'tests check names',
};

function reachedFrom(entries: readonly string[]): Set<string> {
  const reached = new Set(entries);
  for (const file of reached) for (const { from } of MODULES.get(file)!.imports) reached.add(from);
  return reached;
}

const CODE = [...MODULES.values()].filter(({ file }) => !file.endsWith('.d.ts'));

it('reaches every module', () => {
  const reached = reachedFrom(ENTRIES);
  expect(CODE.map(({ file }) => file).filter((file) => !reached.has(file))).toEqual(Object.keys(UNREACHED).sort());
});

it('uses every export', () => {
  const used = new Set<string>();
  for (const { imports } of CODE) {
    for (const { from, names } of imports)
      for (const name of names ?? MODULES.get(from)!.exports) used.add(`${from} ${name}`);
  }
  const unused = CODE.filter(({ file }) => !(file in UNREACHED))
    .flatMap(({ file, exports }) => exports.map((name) => `${file} ${name}`))
    .filter((name) => !used.has(name));
  expect(unused.sort()).toEqual(Object.keys(UNIMPORTED).sort());
});

/** The kernels that a module names. A hole of a template must be one of the words that the module quotes. */
function kernelsNamedIn(text: string): string[] {
  const quoted = new Set([...text.matchAll(/'([^'\n]*)'/g)].map((match) => match[1]!));
  const composed = [...text.matchAll(/`([\w-]+\/[^`\n ]*)`/g)].flatMap(([, template]) =>
    kernelsLike(template!, /\$\{\w+\}/).filter((name) => {
      const hole = template!.indexOf('${');
      const tail = template!.length - template!.indexOf('}', hole) - 1;
      return hole < 0 || quoted.has(name.slice(hole, name.length - tail));
    }),
  );
  return [...[...quoted].filter((name) => KERNELS.has(name)), ...composed];
}

/** The kernels of `names` and all files that they include. */
function withIncluded(names: readonly string[]): Set<string> {
  const reached = new Set(names);
  for (const name of reached) for (const included of KERNELS.get(name)!.includes) reached.add(included);
  return reached;
}

it('loads or includes every file of kernels/wgsl', () => {
  const reached = withIncluded(CODE.flatMap(({ text }) => kernelsNamedIn(text)));
  expect([...KERNELS.keys()].filter((name) => !reached.has(name))).toEqual([]);
});

it('names no kernel that is not there', () => {
  const rooms = new Set([...KERNELS.keys()].map((name) => name.split('/')[0]));
  for (const { file, text } of CODE.filter(({ file }) => file.startsWith('gpu/'))) {
    for (const [, name] of text.matchAll(/load\('([^']+)'/g)) {
      expect(rooms, file).toContain(name!.split('/')[0]);
      expect(KERNELS.has(name!), `${file}: ${name}`).toBe(true);
    }
  }
});

it('uses every function, constant and type of kernels/wgsl', () => {
  const plain = (text: string): string => text.replace(/\/\/.*$/gm, '');
  const uses = (name: string, text: string): number => plain(text).match(new RegExp(`\\b${name}\\b`, 'g'))?.length ?? 0;
  const unused: string[] = [];
  for (const { name: file, text } of KERNELS.values()) {
    // Those that include this file, directly or not, and whatever may be included beside it.
    const users = [...KERNELS.keys()].filter((name) => withIncluded([name]).has(file));
    const beside = withIncluded(users);
    for (const [, name] of plain(text).matchAll(/^(?:@\S+ )*(?:fn|const|override|struct|alias|var<\w+>) (\w+)/gm)) {
      if (name === 'main' || uses(name!, text) > 1) continue;
      if (![...beside].some((other) => other !== file && uses(name!, KERNELS.get(other)!.text) > 0))
        unused.push(`${file} ${name}`);
    }
  }
  expect(unused).toEqual([]);
});

it('calls every function that the modules of kernels/wasm/ export', () => {
  for (const room of ['cpu', 'keys', 'verify']) {
    const { exports } = WASM.get(`${room}/index.ts`)!;
    expect(exports.length).toBeGreaterThan(0);
    // Not where it is declared as a method of an interface.
    const isCalled = (name: string): boolean => CODE.some(({ text }) => new RegExp(`\\.${name}\\b`).test(text));
    expect(exports.filter((name) => !isCalled(name), room)).toEqual([]);
  }
});

it('uses every export of kernels/wasm/', () => {
  const used = new Set([...WASM.values()].flatMap(({ imports }) => imports));
  const unused = [...WASM.values()]
    .filter(({ file }) => !file.endsWith('/index.ts'))
    .flatMap(({ file, exports }) => exports.map((name) => `${file} ${name}`))
    .filter((name) => !used.has(name));
  expect(unused).toEqual([]);
});
