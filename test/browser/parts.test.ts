/** The parts of the demo page that need no browser: order of keys, generated keys, lines, and the folder to publish. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
// @ts-expect-error a plain module
import { generateKeys, KINDS } from '../../docs/demo/generate.js';
// @ts-expect-error a plain module
import { firstDifference, KEY_TYPES, keysOfBits, orderedBits } from '../../docs/demo/keys.js';
// @ts-expect-error a plain module
import { joinLines, linePrefixes, lineStarts, refineTies } from '../../docs/demo/lines.js';

type Keys = { [i: number]: number | bigint; length: number };
const TYPES = Object.keys(KEY_TYPES);

/** -1, 0 or 1 in the order that docs/binary.md promises, without bits: NaNs are left out. */
function compare(a: number | bigint, b: number | bigint): number {
  return a < b ? -1 : a > b ? 1 : Object.is(a, b) ? 0 : Object.is(a, -0) ? -1 : 1;
}

describe.each(TYPES)('%s keys', (type) => {
  it.each(Object.keys(KINDS))('%s: depend on the seed alone, and compare like their ordered bits', (kind) => {
    const keys: Keys = generateKeys({ type, kind, count: 500, seed: 3 });
    expect(generateKeys({ type, kind, count: 500, seed: 3 })).toEqual(keys);
    const bits: Keys = orderedBits(type, keys);
    for (let i = 1; i < 500; i++)
      expect([i, Math.sign(compare(keys[i - 1]!, keys[i]!))]).toEqual([i, compare(bits[i - 1]!, bits[i]!)]);
    if (kind === 'sorted') expect(firstDifference(type, keys, bits)).toBe(-1);
    expect(keysOfBits(type, bits)).toEqual(keys);
    const distinct = new Set(Array.from(keys as unknown as Iterable<number>)).size;
    if (kind === 'few') expect(distinct).toBe(16);
    if (kind === 'uniform' || kind === 'sorted') expect(distinct).toBe(500);
    if (kind === 'zipf') expect(distinct).toBeLessThan(480);
  });
});

it('orders -0, NaN and negative integers by their bits', () => {
  const words = Uint32Array.of(0xffc00000, 0xff800000, 0xbf800000, 0x80000000, 0, 0x3f800000, 0x7f800000, 0x7fc00000);
  const bits: Uint32Array = orderedBits('f32', new Float32Array(words.buffer));
  expect([...bits]).toEqual([...bits].sort((a, b) => a - b));
  expect(new Set(bits).size).toBe(8);
  expect(firstDifference('i64', BigInt64Array.of(-1n, 0n), orderedBits('i64', BigInt64Array.of(-1n, 1n)))).toBe(1);
});

it.each([
  ['', []],
  ['\n', ['']],
  ['b\na', ['a', 'b']],
  ['same prefix, b\nsame prefix, a\nsame pre\nsame pre\0\nsame pr\n\n', null],
  ['a\0\na\na\0\0\n\xff\n~\n', null],
] as const)('sorts the lines of %j', (text, expected) => {
  const bytes = Buffer.from(text, 'latin1');
  const starts: Uint32Array = lineStarts(bytes);
  const keys: Uint32Array = linePrefixes(bytes, starts);
  const number = (line: number): bigint => (BigInt(keys[2 * line + 1]!) << 32n) | BigInt(keys[2 * line]!);
  const order = Uint32Array.from({ length: starts.length - 1 }, (_, i) => i).sort((a, b) =>
    compare(number(a), number(b)),
  );
  refineTies(bytes, starts, keys, order);
  const lines = text.replace(/\n$/, '').split('\n');
  const sorted = text === '' ? [] : (expected ?? lines.sort());
  expect(Buffer.from(joinLines(bytes, starts, order)).toString('latin1')).toBe(
    sorted.map((line) => `${line}\n`).join(''),
  );
});

it('is published as a folder without outside references', () => {
  const folder = mkdtempSync(join(process.env.GPUSORT_TEST_TMP ?? tmpdir(), 'demo-'));
  const script = fileURLToPath(new URL('../../docs/demo/serve.mjs', import.meta.url));
  const { status, stderr } = spawnSync(process.execPath, [script, '--out', folder], {
    encoding: 'utf8',
    timeout: 20_000,
  });
  expect([status, stderr]).toEqual([0, '']);
  const names = readdirSync(folder);
  expect(names).toContain('kernels.js');
  for (const name of names.filter((file) => file !== 'kernels.js')) {
    const text = readFileSync(join(folder, name), 'utf8');
    expect([name, text.match(/(?:src|href|from|url)\W{0,3}(?:https?:)?\/\//)]).toEqual([name, null]);
    const wanted = text.matchAll(/(?:from '\.\/|new URL\('|src="|href="(?!data:))([\w.-]+)/g);
    for (const [, wants] of wanted) expect(existsSync(join(folder, wants!)), wants).toBe(true);
  }
  rmSync(folder, { recursive: true });
});
