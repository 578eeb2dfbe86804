/**
 * --top, --bottom and --count: with -m, with other options, and in refused combinations. The reference is sort with
 * head, tail and uniq. features.ts sorts in chunks and spilled runs.
 */
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { randomBelow } from '../support/random.js';
import { sampled } from '../support/tier.js';
import { commandLine, expectRefusal, expectSameOutput } from './here.js';
import { countsOfNumbers, linesOf } from './models.js';
import { expectSameBytes, freshDirectory, script } from './runner.js';

let cwd = '';
const below = randomBelow(44);
const LINES = Array.from({ length: 9000 }, (_, i) =>
  i % 1500 === 7 ? 'long'.repeat(3000 + below(2)) : `${below(60)} ${'w'.repeat(below(4))}${below(9)}`,
);
const [A, B] = [`${LINES.slice(0, 5000).join('\n')}\n`, LINES.slice(5000).join('\n')];
beforeAll(() => {
  cwd = freshDirectory('limit');
  for (const [name, text] of Object.entries({ a: A, b: B, empty: '' })) writeFileSync(join(cwd, name), text);
});

const MERGES = ['', '-u', '-r', '-k1,1n', '-u -k1,1n', '--batch-size 2'].flatMap((options) =>
  [0, 1, 300, 1_000_000].flatMap((count) =>
    [
      ['--top', 'head'],
      ['--bottom', 'tail'],
    ].map(([side, tool]) => ({ options, count, side, tool })),
  ),
);
it.each(sampled(MERGES, { count: 30, seed: 3, values: ({ options, count, side }) => [options, count, side] }))(
  'writes the same as sort -m with head and tail: $options $side $count',
  async ({ options, count, side, tool }) => {
    const plain = options.replace(/--batch.*/, '');
    await script(`sort ${plain} a > sa; sort ${plain} b > sb`, { cwd });
    const words = `-m ${options} ${side} ${count} sa sb empty sb`.replaceAll('  ', ' ');
    await expectSameOutput(`gpusort ${words}`, `sort -m ${plain} sa sb empty sb | ${tool} -n ${count}`, cwd);
  },
);

const SORTED = 'sort a > sa; sort b > sb;';
it.each([
  ['--top 7', 'gpusort --count --top 7 a b', 'sort a b | uniq -c | head -n 7'],
  ['--bottom 7', 'gpusort --count --bottom 7 --chunk-size 8K a b', 'sort a b | uniq -c | tail -n 7'],
  ['an empty input', 'gpusort --count empty', ''],
  ['--top 0', 'gpusort --count --top 0 a', ''],
  ['--header', 'gpusort --count --header 2 a a', '(head -n 2 a; cat <(tail -n +3 a) <(tail -n +3 a) | sort | uniq -c)'],
  ['-m', 'gpusort -m --count sa sb empty sa', `${SORTED} sort a b a | uniq -c`],
  ['-m --batch-size', 'gpusort -m --count --batch-size 2 sa sb sb sa sa', `${SORTED} sort a b b a a | uniq -c`],
  ['-m --top', 'gpusort -m --count --top 3 sa sb', `${SORTED} sort a b | uniq -c | head -n 3`],
])('counts lines like uniq -c: %s', async (_, ours, reference) => {
  await script(SORTED, { cwd });
  await expectSameOutput(ours, reference, cwd);
});

const SCRIPTS = [
  ['--count -z', "tr '\\n' '\\0' < a | gpusort -z --count", "tr '\\n' '\\0' < a | sort -z | uniq -zc"],
  ['--count -o', 'cp a in; gpusort --count in -o in; cat in', 'sort a | uniq -c'],
  ['--top -o', 'cp a c; gpusort --top 20 c -o c; cat c', 'sort a | head -n 20'],
  ['--bottom -o', 'cp a c; gpusort --bottom 20 c b -o c; cat c', 'sort a b | tail -n 20'],
] as const;
it.each(sampled(SCRIPTS, { count: 4, seed: 1 }))('reads a pipe or replaces an input: %s', (_, ours, reference) =>
  expectSameOutput(ours, reference, cwd),
);

it('counts lines with equal keys under -m', async () => {
  await script('sort -s -k1,1nr a > ka; sort -s -k1,1nr b > kb', { cwd });
  const { stdout, stderr } = await commandLine('gpusort -m --count -k1,1nr ka kb', cwd);
  expect(stderr).toBe('');
  expectSameBytes(stdout, countsOfNumbers(linesOf([Buffer.from(A), Buffer.from(B)])));
});

it.each(['', ' --chunk-size 8K', ' -m'])('counts lines that a language treats as equal:%s', async (how) => {
  // The same letter in two encodings, uppercase and lowercase.
  const names = Array.from({ length: 2000 }, (_, i) => `${['\u00e4', 'a\u0308', 'z', '\u00c4', 'Z'][i % 5]}\n`);
  writeFileSync(join(cwd, 'names'), names.sort().join(''));
  await commandLine('gpusort --locale=de -f names -o names', cwd);
  const { stdout } = await commandLine(`gpusort --locale=de -f --count${how} names`, cwd);
  expect(stdout.toString().normalize('NFC').toUpperCase()).toBe('   1200 \u00c4\n    800 Z\n');
});

it('stops reading under -m once --top has its lines', async () => {
  for (const [ours, lines] of [
    ['yes b | gpusort -m --top 3 - sa', 3],
    ['seq -f %09.0f 1000000000 | gpusort -m --count --top 2', 2],
  ] as const) {
    await script(SORTED, { cwd });
    const { status, stdout, stderr } = await script(ours, { cwd, hangMs: 20_000 });
    expect({ ours, status, stderr, lines: stdout.toString().split('\n').length - 1 }).toEqual({
      ours,
      status: 0,
      stderr: '',
      lines,
    });
  }
});

it.each([
  ['--top 5 --bottom 5', "options '--top' and '--bottom' are incompatible"],
  ['-c --top 5', "options '-c' and '--top' are incompatible"],
  ['-C --bottom 5', "options '-C' and '--bottom' are incompatible"],
  ['--segments blank --top 5', "options '--top' and '--segments' are incompatible"],
  ['-t, --segment-by 1,1 --bottom 5', "options '--bottom' and '--segment-by' are incompatible"],
  ['--top x', "invalid --top argument 'x'"],
  ['--bottom 5k', "invalid suffix in --bottom argument '5k'"],
  ['--count -c', "options '--count' and '-c' are incompatible"],
  ['--count --debug', "options '--count' and '--debug' are incompatible"],
  ['--count --record-size 3', "options '--count' and '--record-size' are incompatible"],
  ['--count --segments blank', "options '--count' and '--segments' are incompatible"],
  ['--count --segment-by 1,1', "options '--count' and '--segment-by' are incompatible"],
])('rejects %s', async (options, message) => {
  const { stderr } = await expectRefusal(`gpusort ${options} a`, message, cwd);
  expect(stderr).toBe(`gpusort: ${message}\n`);
});

it('leaves no temporary files', () => {
  expect(readdirSync(cwd).filter((name) => name.startsWith('gpusort-'))).toEqual([]);
});
