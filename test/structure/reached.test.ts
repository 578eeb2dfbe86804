/**
 * Everything in src/ and kernels/ is reached from the command line or a script of package.json: modules by their
 * imports, kernels by their names, exports by the modules that import them.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { KERNELS, kernelsLike } from './kernels.js';
import { MODULES } from './modules.js';
import { WASM } from './wasm.js';

const root = new URL('../../', import.meta.url);
const SCRIPTS = Object.values(
  (JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as { scripts: Record<string, string> }).scripts,
);
/** The entry points: what programs and scripts run, and what other programs import. */
const ENTRIES = [
  'cli/main.ts',
  'run/worker.ts',
  'index.ts',
  'browser/index.ts',
  ...SCRIPTS.flatMap((script) => [...script.matchAll(/dist\/([\w/-]+)\.js/g)].map(([, name]) => `${name}.ts`)),
];

/** All words in the code of tests and tools. */
const TEST_WORDS = new Set(
  ['test', 'tools'].flatMap((folder) =>
    (readdirSync(new URL(folder, root), { recursive: true }) as string[])
      .filter((file) => /\.m?[jt]s$/.test(file))
      .flatMap((file) => readFileSync(new URL(`${folder}/${file}`, root), 'utf8').match(/\w+/g) ?? []),
  ),
);

function reachedFrom(entries: readonly string[]): Set<string> {
  const reached = new Set(entries);
  for (const file of reached) for (const { from } of MODULES.get(file)!.imports) reached.add(from);
  return reached;
}

const CODE = [...MODULES.values()].filter(({ file }) => !file.endsWith('.d.ts'));

it('reaches every module', () => {
  const reached = reachedFrom(ENTRIES);
  expect(CODE.map(({ file }) => file).filter((file) => !reached.has(file))).toEqual([]);
});

/** Whether an export that no module imports is needed by its own module, and exported for tests or benchmarks. */
function isForTests(text: string, name: string): boolean {
  return (text.match(new RegExp(`\\b${name}\\b`, 'g')) ?? []).length > 1 && TEST_WORDS.has(name);
}

it('uses every export', () => {
  const used = new Set<string>();
  for (const { imports } of CODE) {
    for (const { from, names } of imports)
      for (const name of names ?? MODULES.get(from)!.exports) used.add(`${from} ${name}`);
  }
  const unused = CODE.filter(({ file }) => !ENTRIES.includes(file)).flatMap(({ file, text, exports }) =>
    exports.filter((name) => !used.has(`${file} ${name}`) && !isForTests(text, name)).map((name) => `${file} ${name}`),
  );
  expect(unused).toEqual([]);
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

it('names only kernels that exist', () => {
  const rooms = new Set([...KERNELS.keys()].map((name) => name.split('/')[0]));
  for (const { file, text } of CODE.filter(({ file }) => file.startsWith('engines/gpu/'))) {
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
  for (const room of ['alignments', 'codecs', 'cpu', 'deflate', 'keys', 'verify']) {
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
