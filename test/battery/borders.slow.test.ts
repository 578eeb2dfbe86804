/**
 * One job just below and just above the sizes at which roads begin (8 MiB: not at once; 16 MiB: threads and counting),
 * and larger than its memory, from a file, from a pipe and by `<`: on both sides of each border, the same bytes as in
 * chunks of another size. borders.test.ts does the same with small inputs.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { randomBelow } from '../support/random.js';
import { sampled } from '../support/tier.js';
import { expectSameBytes, freshDirectory, script } from './runner.js';

const MiB = 2 ** 20;
const SIZES = { '8 MiB': 8 * MiB, '16 MiB': 16 * MiB };
const MARGIN = 1024;
let cwd = '';

beforeAll(() => {
  cwd = freshDirectory('borders');
  writeFileSync(join(cwd, 'seed'), 'sixteen bytes and more');
});

/** What the lines of an input are: few of them are distinct, or most; JSON, CSV, or in order. */
const KINDS: Readonly<Record<string, (below: (most: number) => number, i: number) => string>> = {
  few: (below) => `word${below(30)} ${below(9)}`,
  many: (below) => `${below(1e9)} ${below(1e6)},${below(99)}`,
  ordered: (_, i) => `${String(i).padStart(9, '0')} line`,
  json: (below) => `{"a":"${below(1e6)}","b":${below(1e4)}}`,
  csv: (below) => `"${below(1e6)}\n",${below(50)},x`,
};

/** Lines of a kind, of exactly so many bytes: the last one lacks its newline. */
function textOf(kind: string, bytes: number): Buffer {
  const below = randomBelow(bytes);
  const some = Array.from({ length: 60_000 }, (_, i) => `${KINDS[kind]!(below, i)}\n`).join('');
  const copies = Array.from({ length: Math.ceil(bytes / some.length) }, () => some);
  const text = copies.join('').slice(0, bytes);
  // The last record is whole.
  const end = text.lastIndexOf(kind === 'csv' ? ',x\n' : '\n');
  return Buffer.from(text.slice(0, end).padEnd(bytes, 'x'), 'latin1');
}

const CASES = [
  ['few', ''],
  ['few', '-u'],
  ['few', '--count -r'],
  ['few', '-k2n -s'],
  ['few', '--top 5 --count'],
  ['few', '--dupes-output=others -f'],
  ['many', ''],
  ['many', '-n'],
  ['many', '-t, -k2n -k1'],
  ['many', '--random-sort --random-source=seed'],
  ['many', '--bottom 100 -n'],
  ['many', '--verify -k2'],
  ['many', '--header 2 -r'],
  ['many', '--per 2,2 --top 1'],
  ['many', '--output-format gzip -u'],
  ['ordered', ''],
  ['ordered', '-r --sync'],
  ['json', '--json b:n -u'],
  ['csv', '--csv --header 0 -k2n -k1'],
  ['csv', '--csv --header 0 --count'],
] as const;
const BORDERS = Object.keys(SIZES) as (keyof typeof SIZES)[];
const ALL = CASES.flatMap((one) => BORDERS.map((border) => [border, ...one] as const));

it.each(sampled(ALL, { count: 6, seed: 9, values: ([border, kind]) => [border, kind] }))(
  '%s: %s %s',
  async (border, kind, options) => {
    for (const bytes of [SIZES[border] - MARGIN, SIZES[border] + MARGIN]) {
      writeFileSync(join(cwd, 'in'), textOf(kind, bytes));
      // Another road than those below: in small chunks, never at once.
      const result = async (command: string): Promise<Buffer> => {
        const { status, stderr, stdout } = await script(`${command} && cat others 2> /dev/null || :`, { cwd });
        rmSync(join(cwd, 'others'), { force: true });
        expect({ command, status, stderr }).toEqual({ command, status: 0, stderr: '' });
        return stdout;
      };
      const expected = await result(`gpusort --engine cpu --chunk-size 300K ${options} in`);
      for (const command of [
        `gpusort ${options} in`,
        `gpusort ${options} < in`,
        `cat in | gpusort ${options}`,
        `gpusort ${options} in -o out; cat out`,
        `gpusort -S 32M --parallel 2 ${options} in`,
      ])
        expectSameBytes(await result(command), expected);
    }
  },
);
