/**
 * --shuffle, --sample and --seed: formats, headers, pipes, compression and refused combinations, against a plain model.
 * features.ts sorts on all engines, in chunks and spilled runs.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { beforeEach, expect, it } from 'vitest';
import { shuffledBy } from '../support/shuffle.js';
import { commandLine, expectRefusal } from './here.js';
import { freshDirectory, script } from './runner.js';

const linesOf = (count: number, first = 0): string[] => Array.from({ length: count }, (_, i) => `${(first + i) >> 1}`);
const [A, B] = [linesOf(3000), linesOf(500, 9000)];
const text = (records: readonly string[], end = '\n'): string => records.map((record) => record + end).join('');
let cwd = '';
beforeEach(() => {
  cwd = freshDirectory('shuffle');
  mkdirSync(join(cwd, 't'));
  for (const [name, contents] of Object.entries({ a: text(A), b: text(B).slice(0, -1), empty: '' }))
    writeFileSync(join(cwd, name), contents);
});

/** The output of a job without messages. */
async function outputOf(words: string): Promise<string> {
  const { status, stderr, stdout } = await commandLine(`gpusort ${words}`, cwd);
  expect({ words, status, stderr }).toEqual({ words, status: 0, stderr: '' });
  return stdout.toString('latin1');
}

it('puts the records of several files in the order of their places, whatever the memory and the threads', async () => {
  const expected = text(shuffledBy([...A, ...B], 5));
  for (const options of ['', '--chunk-size 2K --verify', '--parallel 1', '-S 32M --parallel 3 --chunk-size 999'])
    expect((await outputOf(`--shuffle --seed 5 ${options} a empty b`)) === expected).toBe(true);
  expect((await outputOf('--shuffle --seed 6 a empty b')) === expected).toBe(false);
});

it('has the same order for files, pipes and compressed files, with --top and --bottom', async () => {
  writeFileSync(join(cwd, 'a.gz'), gzipSync(text(A)));
  const expected = shuffledBy(A, 7);
  const piped = await script('cat a | gpusort --shuffle --seed 7; gpusort --shuffle --seed 7 a.gz -o o.gz', { cwd });
  expect(piped.stderr).toBe('');
  expect(piped.stdout.toString() === text(expected)).toBe(true);
  expect(gunzipSync(readFileSync(join(cwd, 'o.gz'))).toString() === text(expected)).toBe(true);
  expect(await outputOf('--shuffle --seed 7 --top 9 --chunk-size 1K a')).toBe(text(expected.slice(0, 9)));
  expect(await outputOf('--shuffle --seed 7 --bottom 9 --chunk-size 1K a')).toBe(text(expected.slice(-9)));
});

it('shuffles records that hold newlines, and leaves headers where they are', async () => {
  const rows = ['1,"x\ny"', '2,z', '3,"\n"', '4,w'];
  writeFileSync(join(cwd, 'c.csv'), text(['id,text', ...rows]));
  expect(await outputOf('--csv --shuffle --seed 2 c.csv')).toBe(text(['id,text', ...shuffledBy(rows, 2)]));
  writeFileSync(join(cwd, 'z'), text(['b\n1', 'b\n2', '', 'c'], '\0'));
  expect(await outputOf('-z --shuffle --seed 3 z')).toBe(text(shuffledBy(['b\n1', 'b\n2', '', 'c'], 3), '\0'));
  expect(await outputOf('--header 1 --sample 2 --seed 1 a')).toMatch(/^0\n\d+\n\d+\n$/);
});

it('keeps a sample in the order of the input', async () => {
  for (const count of [0, 1, 40, 3000, 5000]) {
    const chosen = shuffledBy(
      [...A, ...B].map((_, i) => String(i)),
      5,
    ).slice(0, count);
    const all = [...A, ...B];
    const expected = text(
      chosen
        .map(Number)
        .sort((x, y) => x - y)
        .map((i) => all[i]),
    );
    expect((await outputOf(`--sample ${count} --seed 5 --chunk-size 3K --verify a b`)) === expected).toBe(true);
  }
});

it('holds a sample in memory only up to -S', async () => {
  await expectRefusal(
    'gpusort --sample 400000 -S 32M big',
    'memory exhausted: the sample takes over 32 MiB',
    bigDirectory(),
  );
});

/** The directory with a file whose records take more than 32 MiB of memory. */
function bigDirectory(): string {
  writeFileSync(join(cwd, 'big'), text(linesOf(300_000)));
  return cwd;
}

it('draws another order each time without a seed', async () => {
  const outputs = new Set<string>();
  for (let i = 0; i < 3; i++) outputs.add(await outputOf('--shuffle a'));
  expect(outputs.size).toBe(3);
  expect((await outputOf('-R --seed 9 a')) === (await outputOf('--sort=random --seed 9 --chunk-size 1K a'))).toBe(true);
});

it.each([
  ['--seed 1', '--seed needs a random order'],
  ['--seed 1 -n', '--seed needs a random order'],
  ['--seed 1 -R --random-source b', "options '--seed' and '--random-source' are incompatible"],
  ['--seed 1234567890123456 -R', "--seed argument '1234567890123456' too large"],
  ['--seed x -R', "invalid --seed argument 'x'"],
  ['--shuffle -R', "options '--shuffle' and '-R' are incompatible"],
  ['--shuffle -k1,1', "options '--shuffle' and '-k' are incompatible"],
  ['--shuffle -u', "options '--shuffle' and '-u' are incompatible"],
  ['--shuffle -m', "options '--shuffle' and '-m' are incompatible"],
  ['--shuffle -c', "options '--shuffle' and '-c' are incompatible"],
  ['--shuffle --by position', "options '--shuffle' and '--by' are incompatible"],
  ['--shuffle --cluster local:2 -o x', "options '--shuffle' and '--cluster' are incompatible"],
  ['--sample 3 --shuffle', "options '--sample' and '--shuffle' are incompatible"],
  ['--sample 3 --top 3', "options '--sample' and '--top' are incompatible"],
])('rejects %s', async (options, message) => {
  await expectRefusal(`gpusort ${options} a`, message, cwd);
});
