/** --count on an engine: the output must equal `sort | uniq -c`, or count equal keys. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { randomBelow } from '../support/random.js';
import { NIGHTLY } from '../support/tier.js';
import { sortOn } from './here.js';
import { expectSameBytes, freshDirectory, script } from './runner.js';

/** Creates the input files before the tests. Returns a function for their directory, valid only inside tests. */
export function countInputs(): () => string {
  let cwd = '';
  beforeAll(() => {
    const below = randomBelow(61);
    cwd = freshDirectory('count');
    const line = (i: number): string =>
      i % 900 === 5 ? 'long'.repeat(4000 + below(2)) : `${below(40)} ${'w'.repeat(below(4))}${below(9)}`;
    writeFileSync(join(cwd, 'a'), Array.from({ length: 6000 }, (_, i) => `${line(i)}\n`).join(''));
    writeFileSync(join(cwd, 'b'), Array.from({ length: 3000 }, (_, i) => line(i)).join('\n'));
    writeFileSync(join(cwd, 'empty'), '');
  });
  return () => cwd;
}

/** The expected counts of lines by leading number, in descending order, each with its first line in the input. */
export function countsOfNumbers(cwd: string, files: readonly string[]): string {
  const lines = files.flatMap((name) => readFileSync(join(cwd, name), 'latin1').replace(/\n$/, '').split('\n'));
  const groups = new Map<number, { line: string; count: number }>();
  for (const line of lines) {
    const number = Number(/^\d*/.exec(line)![0]);
    const group = groups.get(number);
    if (group === undefined) groups.set(number, { line, count: 1 });
    else group.count++;
  }
  return [...groups]
    .sort(([a], [b]) => b - a)
    .map(([, { line, count }]) => `${String(count).padStart(7)} ${line}\n`)
    .join('');
}

/** Registers the tests of an engine. */
export function counts(engine: 'cpu' | 'gpu'): void {
  const directory = countInputs();
  const sort = sortOn(engine);
  // By day, a software GPU runs one way of each.
  const few = engine === 'gpu' && !NIGHTLY;
  const whole = ['', '-r --chunk-size 8K', '-u -S 64K --chunk-size 8K -T .', '-s --chunk-size 64K'];
  const keyed = ['--chunk-size 8K', '', '-S 64K --chunk-size 8K -T .'];
  const options = (how: string): string[] => how.split(' ').filter((word) => word !== '');

  it.each(few ? whole.slice(2, 3) : whole)('counts equal lines like sort | uniq -c, %s', async (how) => {
    const cwd = directory();
    const { status, stdout, stderr } = await sort(['--count', ...options(how), 'a', '-', 'empty'], {
      cwd,
      stdin: readFileSync(join(cwd, 'b')),
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const plain = how.replace(/-u|--chunk-size \w+|-S 64K|-T \./g, '');
    expectSameBytes(stdout, (await script(`sort ${plain} a b | uniq -c`, { cwd })).stdout);
  });

  it.each(few ? keyed.slice(0, 1) : keyed)('counts lines with equal keys, %s', async (how) => {
    const cwd = directory();
    const { stdout, stderr } = await sort(['--count', '-k1,1nr', ...options(how), 'a', 'b'], { cwd });
    expect(stderr).toBe('');
    expectSameBytes(stdout, Buffer.from(countsOfNumbers(cwd, ['a', 'b']), 'latin1'));
  });
}
