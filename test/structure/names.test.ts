/**
 * Names: each exported name of src/ is declared in one file, and so is each type, exported or not. It thus has one
 * meaning in the whole project.
 */
import { expect, it } from 'vitest';
import { MODULES } from './modules.js';

const KEY_SORTS = 'engines/gpu/keys';
/** Names that two files may export, with these files. */
const SHARED: Readonly<Record<string, readonly string[]>> = {
  // A function of gpusort/kernels opens the sort of fixed keys that has its name.
  localitySort: ['browser/sorters.ts', `${KEY_SORTS}/locality-sort/locality-sort.ts`],
  mergeSort: ['browser/sorters.ts', `${KEY_SORTS}/merge-sort/merge-sort.ts`],
  quicksort: ['browser/sorters.ts', `${KEY_SORTS}/quicksort/quicksort.ts`],
  radixSort: ['browser/sorters.ts', `${KEY_SORTS}/radix-sort/radix-sort.ts`],
  segmentedSort: ['browser/sorters.ts', `${KEY_SORTS}/segmented-sort/segmented-sort.ts`],
  // Each of the two packages, gpusort and gpusort/kernels, publishes its own.
  Sorter: ['browser/types.ts', 'library/types.ts'],
};

it('declares each exported name in one file', () => {
  const files = new Map<string, string[]>();
  for (const { file, declared } of MODULES.values())
    for (const name of new Set(declared)) files.set(name, [...(files.get(name) ?? []), file]);
  expect(files.size).toBeGreaterThan(1000);
  const several = [...files].filter(([, where]) => where.length > 1);
  expect(Object.fromEntries(several)).toEqual(SHARED);
});

it('declares each type in one file', () => {
  const files = new Map<string, string[]>();
  for (const { file, text } of MODULES.values())
    for (const [, name] of text.matchAll(/^(?:export )?(?:abstract )?(?:interface|type|class|enum) (\w+)/gm))
      files.set(name, [...new Set([...(files.get(name) ?? []), file])]);
  expect(files.size).toBeGreaterThan(700);
  const several = [...files].filter(([name, where]) => where.length > 1 && !(name in SHARED));
  expect(Object.fromEntries(several)).toEqual({});
});
