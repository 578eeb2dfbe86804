/** Where the files of kernels/ lie, and how they are named. */
import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { KERNELS } from './kernels.js';
import { WASM } from './wasm.js';

const root = new URL('../../', import.meta.url);
const NAMES = [...KERNELS.keys()];
const folderOf = (name: string): string[] => name.split('/').slice(0, -1);
const usersOf = (name: string): string[] => NAMES.filter((user) => KERNELS.get(user)!.includes.includes(name));

/** The deepest folder that holds all files. */
function commonFolder(names: readonly string[]): string {
  const [first = [], ...others] = names.map(folderOf);
  const shared = first.findIndex((folder, i) => others.some((other) => other[i] !== folder));
  return (shared < 0 ? first : first.slice(0, shared)).join('/');
}

it('has the rooms of src/engines/gpu, and shared/', () => {
  const folders = (path: string): string[] =>
    readdirSync(new URL(path, root), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name);
  const rooms = folders('src/engines/gpu');
  for (const room of folders('kernels/wgsl')) expect([...rooms, 'shared']).toContain(room);
  for (const room of ['strings', 'keys']) {
    const parts = folders(`src/engines/gpu/${room}`);
    for (const part of folders(`kernels/wgsl/${room}`)) expect(parts, room).toContain(part);
  }
});

it('shares only files that two or more rooms use', () => {
  const few = NAMES.filter((name) => folderOf(name)[0] === 'shared').filter(
    (name) => new Set(usersOf(name).map((user) => folderOf(user)[0])).size < 2,
  );
  expect(few).toEqual([]);
});

it('keeps an included file in the deepest folder that holds all files that include it', () => {
  const misplaced = NAMES.filter((name) => folderOf(name)[0] !== 'shared' && usersOf(name).length > 0).filter(
    (name) => folderOf(name).join('/') !== commonFolder(usersOf(name)),
  );
  expect(misplaced).toEqual([]);
});

it('includes files that exist', () => {
  for (const { name, text, includes } of KERNELS.values()) {
    const needs = /^\/\/! needs: (.+)/.exec(text)?.[1]?.split(',') ?? [];
    expect(includes.length, name).toBeGreaterThanOrEqual(needs.length);
  }
});

it('imports from its own room of kernels/wasm/ or from shared/', () => {
  const roomOf = (file: string): string => file.split('/')[0]!;
  const across = [...WASM.values()].flatMap(({ file, imports }) =>
    imports
      .filter((imported) => roomOf(imported) !== roomOf(file) && roomOf(imported) !== 'shared')
      .map((imported) => `${file} -> ${imported}`),
  );
  expect(across).toEqual([]);
});

it('writes numbers in the names of kernels as words', () => {
  expect([...NAMES, ...WASM.keys()].filter((name) => /\d/.test(name))).toEqual([]);
});

/** A kernel's text with that of all files it includes, or may include, without comments. */
function composed(name: string): string {
  const files = new Set([name]);
  for (const file of files) for (const included of KERNELS.get(file)!.includes) files.add(included);
  return [...files].map((file) => KERNELS.get(file)!.text.replace(/\/\/.*$/gm, '')).join('\n');
}

/** The variables in workgroup memory that a kernel changes but never sets. */
function unset(text: string): string[] {
  return [...text.matchAll(/var<workgroup> (\w+):/g)]
    .map(([, variable]) => variable!)
    .filter((variable) => {
      const changed =
        new RegExp(`atomic(Add|Sub|Max|Min|And|Or|Xor|Exchange|CompareExchangeWeak)\\(&${variable}\\b`).test(text) ||
        new RegExp(`\\b${variable}(\\[[^=;]*\\])?\\s*[-+|&^]=`).test(text);
      const set =
        new RegExp(`atomicStore\\(&${variable}\\b`).test(text) ||
        new RegExp(`\\b${variable}(\\[[^\\n;]*\\])?(\\.\\w+)?\\s*=[^=]`).test(text);
      return changed && !set;
    });
}

it('sets workgroup memory before changing it: devices need not clear it', () => {
  for (const name of NAMES)
    if (KERNELS.get(name)!.text.includes('@compute')) expect(unset(composed(name)), name).toEqual([]);
  expect(unset('var<workgroup> n: atomic<u32>; fn f() { atomicOr(&n, 1u); }')).toEqual(['n']);
});
