/** Inputs of few distinct lines: they are counted while they are read, and written as a sort would write them. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { randomBelow } from '../support/random.js';
import { sampled } from '../support/tier.js';
import { expectSameBytes, freshDirectory, gpusort, run, script } from './runner.js';

/** Smaller inputs are sorted in one thread, without counting. */
const COUNTED_BYTES = 16 << 20;
const below = randomBelow(33);
const KINDS = Array.from({ length: 700 }, () => `${below(2000) - 1000} ${'aBc '.repeat(below(4))}${below(300)}`);
let cwd = '';

/** A text of at least `bytes` bytes of these lines. */
function textOf(lines: readonly string[], bytes: number): Buffer {
  const some = Array.from({ length: 40_000 }, () => `${lines[Math.min(below(lines.length), below(lines.length))]}\n`);
  const once = Buffer.from(some.join(''), 'latin1');
  return Buffer.concat(Array.from({ length: Math.ceil(bytes / once.length) }, () => once));
}
const distinct = (count: number): Buffer =>
  Buffer.from(Array.from({ length: count }, (_, i) => `${(i * 7_368_787) % count} distinct\n`).join(''));

beforeAll(() => {
  cwd = freshDirectory('counted');
});

const FILES: Readonly<Record<string, () => Buffer>> = {
  few: () => textOf(KINDS, COUNTED_BYTES),
  open: () => Buffer.concat([made('few'), Buffer.from('no newline')]),
  nul: () => Buffer.from(made('few').toString('latin1').replaceAll('\n', '\0'), 'latin1'),
  changes: () => Buffer.concat([made('few'), distinct(250_000)]),
  long: () => Buffer.concat([made('few'), Buffer.alloc(9 << 20, 'long'), Buffer.from('\n'), made('few')]),
  languages: () => textOf(['Zebra', 'ähnlich', 'Apfel', 'zebra', 'apfel', 'été', ''], 5 << 18),
};

/** The content of a file, which is written when it is first used. */
function made(name: string): Buffer {
  const path = join(cwd, name);
  if (!existsSync(path)) writeFileSync(path, FILES[name]!());
  return readFileSync(path);
}

const COUNTED = /equal records were counted as they were read/;
const ENDED = /counting equal records stopped/;
const CASES = [
  ['few', [], COUNTED],
  ['few', ['-r'], COUNTED],
  ['few', ['-u'], COUNTED],
  ['few', ['-n'], COUNTED],
  ['few', ['-f', '-k2'], COUNTED],
  ['few', ['-k1,1n', '-k2r', '-S', '32M'], COUNTED],
  ['few', ['--parallel=3', '-V'], COUNTED],
  ['few', ['-s', '-k1,1n'], null],
  ['few', ['-u', '-n'], null],
  ['few', ['-z'], null],
  ['nul', ['-z'], COUNTED],
  ['open', [], COUNTED],
  ['changes', [], ENDED],
  ['changes', ['-n', '-r', '-S', '32M'], ENDED],
  ['long', [], COUNTED],
  ['long', ['-u'], COUNTED],
] as const;

it.each(sampled(CASES, { count: 10, seed: 3 }))('sorts %s with %j', async (file, words, note) => {
  made(file);
  const args = [...words, file];
  const { status, stderr, stdout } = await gpusort(['--engine', 'cpu', '--stats', ...args], { cwd });
  expect(status).toBe(0);
  if (note === null) expect(stderr).not.toMatch(COUNTED);
  else expect(stderr).toMatch(note);
  expectSameBytes(stdout, (await run('sort', args, { cwd })).stdout);
});

const LINES = [
  ['counts for uniq -c', 'gpusort --count few', 'sort few | uniq -c'],
  ['a header', 'gpusort --header=2 few', 'head -n 2 few; tail -n +3 few | sort'],
  ['the first lines', 'gpusort --top=10 few', 'sort few | head -n 10'],
  ['two files', 'gpusort few open', 'sort few open'],
  ['a verified output', 'gpusort --verify few', 'sort few'],
  ['an output file', 'gpusort few -o sorted && cat sorted', 'sort few'],
  // What is verified is not counted.
  ['a locale', 'gpusort --locale=de languages', 'gpusort --locale=de --verify languages'],
  ['a pipe', 'cat few few few few few | gpusort', 'sort few few few few few'],
] as const;

it.each(sampled(LINES, { count: 5, seed: 5 }))('%s', async (_, ours, theirs) => {
  for (const name of ['open', 'languages']) made(name);
  const [actual, expected] = [await script(ours, { cwd }), await script(theirs, { cwd })];
  expect([actual.status, actual.stderr]).toEqual([0, '']);
  expectSameBytes(actual.stdout, expected.stdout);
});
