/** Tens of thousands of keys: no step takes time that grows with their square. */
import { expect, it } from 'vitest';
import { sorted } from '../../src/index.js';

const COUNT = 50_000;
/** A step that compares each key with all others takes a minute or more. */
const LIMIT_MS = 30_000;
const numbered = (name: (i: number) => string): string[] => Array.from({ length: COUNT }, (_, i) => name(i));

const COLUMNS = numbered((i) => `c${i}`);
const RECORDS = Uint8Array.from({ length: 4 * COUNT }, (_, i) => 251 - (i % 251));
const CASES = [
  ['the same field', 'b 2\na 2\na 1\n', { key: COLUMNS.map(() => '1') }, 'a 1\na 2\nb 2\n'],
  ['the same number', 'b 2\na 2\na 1\n', { key: COLUMNS.map(() => '2,2n') }, 'a 1\na 2\nb 2\n'],
  ['objects', 'b 2\na 2\na 1\n', { key: COLUMNS.map(() => ({ field: 1 })) }, 'a 1\na 2\nb 2\n'],
  ['different fields', 'b 2\na 2\na 1\n', { key: numbered((i) => `${i + 2},${i + 2}nr`) }, 'a 2\nb 2\na 1\n'],
  ['names', `${COLUMNS}\n2\n1\n`, { csv: true, key: COLUMNS }, `${COLUMNS}\n1\n2\n`],
  ['a list of names', `${COLUMNS}\n2\n1\n`, { csv: true, key: COLUMNS.join() }, `${COLUMNS}\n1\n2\n`],
  ['paths', '{"c0":2}\n{"c0":1}\n', { json: COLUMNS.map(() => 'c0') }, '{"c0":1}\n{"c0":2}\n'],
  ['a language', 'b\na\n', { locale: 'de', key: COLUMNS.map(() => '1,1') }, 'a\nb\n'],
] as const;

it.each(CASES)('sorts soon by many keys: %s', async (_, input, settings, output) => {
  const begun = performance.now();
  expect(Buffer.concat(await sorted([input].values(), settings).toArray()).toString()).toBe(output);
  expect(performance.now() - begun).toBeLessThan(LIMIT_MS);
});

it.each([
  ['the same bytes', () => '0:2'],
  ['bytes with gaps between them', (i: number) => `${i * 2}:1`],
])('sorts binary records soon by many keys: %s', async (_, key) => {
  const begun = performance.now();
  const [first, second] = [RECORDS.subarray(0, 2 * COUNT), RECORDS.subarray(2 * COUNT)];
  const stream = sorted([RECORDS].values(), { recordSize: 2 * COUNT, key: numbered(key) });
  const expected = [first, second].sort(Buffer.compare);
  expect(Buffer.compare(Buffer.concat(await stream.toArray()), Buffer.concat(expected))).toBe(0);
  expect(performance.now() - begun).toBeLessThan(LIMIT_MS);
});
