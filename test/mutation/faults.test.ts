/** The faults of `npm run test:mutation` fit the code and the tests. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
// @ts-expect-error: no types
import { FAULTS } from './faults.mjs';

const faults: readonly Readonly<Record<'file' | 'name' | 'from' | 'to' | 'tests', string>>[] = FAULTS;
const root = new URL('../../', import.meta.url);
const namesOf = (of: typeof faults): string[] => of.map(({ file, name }) => `${file}: ${name}`);

it('each fault replaces a text that occurs once in its file', () => {
  const wrong = faults.filter(({ file, from, to }) => {
    const parts = readFileSync(new URL(file, root), 'utf8').split(from);
    return parts.length !== 2 || from === to;
  });
  expect(namesOf(wrong)).toEqual([]);
});

it('each fault names tests that exist', () => {
  const files = (readdirSync(new URL('test', root), { recursive: true }) as string[]).map((name) => `test/${name}`);
  const wrong = faults.filter(({ tests }) => {
    const named = tests.split(' ').filter((word) => word.startsWith('test/'));
    return named.length === 0 || !named.every((name) => files.some((file) => file.startsWith(name)));
  });
  expect(namesOf(wrong)).toEqual([]);
});

it('faults have distinct names', () => {
  expect(new Set(namesOf(faults)).size).toBe(faults.length);
});
