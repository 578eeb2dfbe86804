/** The faults of `npm run test:mutation` still fit the code: each text to replace occurs exactly once in its file. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
// @ts-expect-error: no types
import { FAULTS } from './faults.mjs';

const faults: readonly Readonly<Record<'file' | 'name' | 'from' | 'to', string>>[] = FAULTS;
const root = new URL('../../', import.meta.url);

it.each(faults.map(({ name, ...fault }) => [name, fault] as const))('can be planted: %s', (_, { file, from, to }) => {
  expect(readFileSync(new URL(file, root), 'latin1').split(from)).toHaveLength(2);
  expect(to).not.toBe(from);
});

it('have distinct names', () => {
  expect(new Set(faults.map(({ name }) => name)).size).toBe(faults.length);
});
