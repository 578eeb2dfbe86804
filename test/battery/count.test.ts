/**
 * --count through the program: the output must equal `sort | uniq -c`, or count equal keys. battery.gpu.test.ts runs
 * the cases of the GPU engine.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { countInputs, counts, countsOfNumbers } from './count-cases.js';
import { expectSameBytes, script } from './runner.js';

const cwd = countInputs();

async function same(ours: string, reference: string): Promise<void> {
  const [actual, expected] = await Promise.all([script(ours, { cwd: cwd() }), script(reference, { cwd: cwd() })]);
  expect({ ours, status: actual.status, stderr: actual.stderr }).toEqual({ ours, status: 0, stderr: '' });
  expectSameBytes(actual.stdout, expected.stdout);
}

describe('with --engine cpu', () => counts('cpu'));

it.each([
  ['lines that end with NUL', "tr '\\n' '\\0' < a | gpusort -z --count", "tr '\\n' '\\0' < a | sort -z | uniq -zc"],
  ['the first of the counted lines', 'gpusort --count --top 7 a b', 'sort a b | uniq -c | head -n 7'],
  ['the last of the counted lines', 'gpusort --count --bottom 7 --chunk-size 8K a b', 'sort a b | uniq -c | tail -n 7'],
  ['no lines', 'gpusort --count empty; gpusort --count --top 0 a', ''],
  [
    'lines after a header',
    'gpusort --count --header 2 a a',
    '(head -n 2 a; cat <(tail -n +3 a) <(tail -n +3 a) | sort | uniq -c)',
  ],
  ['-o that names an input', 'cp a in; gpusort --count in -o in; cat in', 'sort a | uniq -c'],
  ['-m', 'sort a > sa; sort b > sb; gpusort -m --count sa sb empty sa', 'sort a b a | uniq -c'],
  [
    '-m of more files than are merged at once',
    'gpusort -m --count --batch-size 2 sa sb sb sa sa',
    'sort a b b a a | uniq -c',
  ],
  ['the first of the counted lines with -m', 'gpusort -m --count --top 3 sa sb', 'sort a b | uniq -c | head -n 3'],
])('counts like uniq -c: %s', (_, ours, reference) => same(ours, reference));

it.each(['', '--chunk-size 8K', '-m'])('counts lines that a language treats as equal, %s', async (how) => {
  // The same letter in two encodings, uppercase and lowercase.
  writeFileSync(
    join(cwd(), 'names'),
    Array.from({ length: 2000 }, (_, i) => `${['\u00e4', 'a\u0308', 'z', '\u00c4', 'Z'][i % 5]}\n`)
      .sort()
      .join(''),
  );
  await script('gpusort --locale=de -f names -o names', { cwd: cwd() });
  const { stdout } = await script(`gpusort --locale=de -f --count ${how} names`, { cwd: cwd() });
  expect(stdout.toString().normalize('NFC').toUpperCase()).toBe('   1200 \u00c4\n    800 Z\n');
});

it('counts lines with equal keys under -m', async () => {
  const { stdout, stderr } = await script(
    'sort -s -k1,1nr a > ka; sort -s -k1,1nr b > kb; gpusort -m --count -k1,1nr ka kb',
    { cwd: cwd() },
  );
  expect(stderr).toBe('');
  expectSameBytes(stdout, Buffer.from(countsOfNumbers(cwd(), ['a', 'b']), 'latin1'));
});

it('stops reading under -m once --top has its lines', async () => {
  const { status, stdout } = await script('seq -f %09.0f 1000000000 | gpusort -m --count --top 2', {
    cwd: cwd(),
    hangMs: 20_000,
  });
  expect({ status, stdout: stdout.toString() }).toEqual({
    status: 0,
    stdout: '      1 000000001\n      1 000000002\n',
  });
});

it.each([
  ['-c', "options '--count' and '-c' are incompatible"],
  ['--debug', "options '--count' and '--debug' are incompatible"],
  ['--record-size 3', "options '--count' and '--record-size' are incompatible"],
  ['--segments blank', "options '--count' and '--segments' are incompatible"],
  ['--segment-by 1,1', "options '--count' and '--segment-by' are incompatible"],
])('rejects %s', async (options, message) => {
  expect(await script(`gpusort --count ${options} a`, { cwd: cwd() })).toMatchObject({
    status: 2,
    stderr: `gpusort: ${message}\n`,
  });
});
