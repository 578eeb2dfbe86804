/** Comments: only the comment at the head of a file stands alone; every other one is attached to what it describes. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { MODULES } from './modules.js';

/** Documenting comments that a blank line follows, each with its position. */
const ALONE = /\/\*\*(?:(?!\*\/)[\s\S])*\*\/[ \t]*\n[ \t]*\n/g;

it('attaches each comment to what follows it, except at the head of a file', () => {
  const detached = [...MODULES.values()].flatMap(({ file }) =>
    [...readFileSync(new URL(`../../src/${file}`, import.meta.url), 'utf8').matchAll(ALONE)]
      .filter(({ index }) => index > 0)
      .map(([text]) => `${file}: ${text.split('\n')[1] ?? text}`),
  );
  expect(detached).toEqual([]);
});
