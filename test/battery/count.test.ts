/** --count through the program, on each engine: the bytes of `sort | uniq -c`, and counts of equal keys. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { hasGpu } from '../setup/gpu.js';
import { randomBelow } from '../support/random.js';
import { expectSameBytes, freshDirectory, script } from './runner.js';

const below = randomBelow(61);
let cwd = '';
beforeAll(() => {
  cwd = freshDirectory('count');
  const line = (i: number): string => (i % 900 === 5 ? 'long'.repeat(4000 + below(2)) : `${below(40)} ${'w'.repeat(below(4))}${below(9)}`);
  writeFileSync(join(cwd, 'a'), Array.from({ length: 6000 }, (_, i) => `${line(i)}\n`).join(''));
  writeFileSync(join(cwd, 'b'), Array.from({ length: 3000 }, (_, i) => line(i)).join('\n'));
  writeFileSync(join(cwd, 'empty'), '');
});

async function same(ours: string, reference: string): Promise<void> {
  const [actual, expected] = await Promise.all([script(ours, { cwd }), script(reference, { cwd })]);
  expect({ ours, status: actual.status, stderr: actual.stderr }).toEqual({ ours, status: 0, stderr: '' });
  expectSameBytes(actual.stdout, expected.stdout);
}

/** The first line of each number that lines begin with, in the order of the input, and how many have it: files a and b. */
function countsOfNumbers(files: readonly string[]): string {
  const lines = files.flatMap((name) => readFileSync(join(cwd, name), 'latin1').replace(/\n$/, '').split('\n'));
  const groups = new Map<number, { line: string; count: number }>();
  for (const line of lines) {
    const number = Number(/^\d*/.exec(line)![0]);
    const group = groups.get(number);
    if (group === undefined) groups.set(number, { line, count: 1 });
    else group.count++;
  }
  return [...groups].sort(([a], [b]) => b - a).map(([, { line, count }]) => `${String(count).padStart(7)} ${line}\n`).join('');
}

describe.each(hasGpu() ? ['cpu', 'gpu'] : ['cpu'])('with --engine %s', (engine) => {
  const all = ['', '-r --chunk-size 8K', '-u -S 64K --chunk-size 8K -T .', '-s --chunk-size 64K'];
  it.each(engine === 'cpu' ? all : all.slice(2, 3))('whole lines, %s', async (how) => {
    const plain = how.replace(/-u|--chunk-size \w+|-S 64K|-T \./g, '');
    await same(`cat b | gpusort --engine ${engine} --count ${how} a - empty`, `sort ${plain} a b | uniq -c`);
  });

  it.each(engine === 'cpu' ? ['', '--chunk-size 8K', '-S 64K --chunk-size 8K -T .'] : ['--chunk-size 8K'])('keys, %s', async (how) => {
    const { stdout, stderr } = await script(`gpusort --engine ${engine} --count -k1,1nr ${how} a b`, { cwd });
    expect(stderr).toBe('');
    expectSameBytes(stdout, Buffer.from(countsOfNumbers(['a', 'b']), 'latin1'));
  });
});

it.each([
  ['lines ended by NUL', "tr '\\n' '\\0' < a | gpusort -z --count", "tr '\\n' '\\0' < a | sort -z | uniq -zc"],
  ['the first of the counted lines', 'gpusort --count --top 7 a b', 'sort a b | uniq -c | head -n 7'],
  ['the last of the counted lines', 'gpusort --count --bottom 7 --chunk-size 8K a b', 'sort a b | uniq -c | tail -n 7'],
  ['none', 'gpusort --count empty; gpusort --count --top 0 a', ''],
  ['behind a header', 'gpusort --count --header 2 a a', '(head -n 2 a; cat <(tail -n +3 a) <(tail -n +3 a) | sort | uniq -c)'],
  ['-o onto an input', 'cp a in; gpusort --count in -o in; cat in', 'sort a | uniq -c'],
  ['-m', 'sort a > sa; sort b > sb; gpusort -m --count sa sb empty sa', 'sort a b a | uniq -c'],
  ['-m of more than are merged at once', 'gpusort -m --count --batch-size 2 sa sb sb sa sa', 'sort a b b a a | uniq -c'],
  ['the first with -m', 'gpusort -m --count --top 3 sa sb', 'sort a b | uniq -c | head -n 3'],
])('%s', (_, ours, reference) => same(ours, reference));

it.each(['', '--chunk-size 8K', '-m'])('lines that a language calls equal, %s', async (how) => {
  // The same letter in two ways, large and small.
  writeFileSync(join(cwd, 'names'), Array.from({ length: 2000 }, (_, i) => `${['\u00e4', 'a\u0308', 'z', '\u00c4', 'Z'][i % 5]!}\n`).sort().join(''));
  await script('gpusort --locale=de -f names -o names', { cwd });
  const { stdout } = await script(`gpusort --locale=de -f --count ${how} names`, { cwd });
  expect(stdout.toString().normalize('NFC').toUpperCase()).toBe('   1200 \u00c4\n    800 Z\n');
});

it('-m with keys', async () => {
  const { stdout, stderr } = await script('sort -s -k1,1nr a > ka; sort -s -k1,1nr b > kb; gpusort -m --count -k1,1nr ka kb', { cwd });
  expect(stderr).toBe('');
  expectSameBytes(stdout, Buffer.from(countsOfNumbers(['a', 'b']), 'latin1'));
});

it('-m ends when it has enough', async () => {
  const { status, stdout } = await script('seq -f %09.0f 1000000000 | gpusort -m --count --top 2', { cwd, hangMs: 20_000 });
  expect({ status, stdout: stdout.toString() }).toEqual({ status: 0, stdout: '      1 000000001\n      1 000000002\n' });
});

it.each([
  ['-c', "options '--count' and '-c' are incompatible"],
  ['--debug', "options '--count' and '--debug' are incompatible"],
  ['--record-size 3', "options '--count' and '--record-size' are incompatible"],
  ['--segments blank', "options '--count' and '--segments' are incompatible"],
  ['--segment-by 1,1', "options '--count' and '--segment-by' are incompatible"],
])('refuses %s', async (options, message) => {
  expect(await script(`gpusort --count ${options} a`, { cwd })).toMatchObject({ status: 2, stderr: `gpusort: ${message}\n` });
});
