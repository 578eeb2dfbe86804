/** GFF through the program: parents before children of the same start, in chunks and spilled runs, with an index. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { sortOn } from '../battery/here.js';
import { freshDirectory } from '../battery/runner.js';
import { unBgzf } from '../support/genomics-bam.js';
import { genes } from '../support/genomics-data.js';
import { randomBelow } from '../support/random.js';

const below = randomBelow(9);
const lines = genes(82, 900);
for (let i = lines.length - 1; i > 0; i--) {
  const other = below(i + 1);
  [lines[i], lines[other]] = [lines[other], lines[i]];
}
const text = `##gff-version 3\n${lines.map((line) => `${line}\n`).join('')}`;
const start = (line: string): string => line.split('\t')[3];

/** Sorts the shuffled genes and returns the records of the output. */
async function sorted(...args: readonly string[]): Promise<string[]> {
  const cwd = freshDirectory('gff');
  writeFileSync(join(cwd, 'in'), text);
  const { status, stderr } = await sortOn('cpu')(['--format', 'gff', ...args, '-o', 'out.gz', '--index', 'in'], {
    cwd,
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(gunzipSync(readFileSync(join(cwd, 'out.gz.tbi'))).toString('latin1', 0, 3)).toBe('TBI');
  return unBgzf(readFileSync(join(cwd, 'out.gz')))
    .toString('latin1')
    .split('\n')
    .slice(1, -1);
}

it.each([
  ['one chunk', []],
  ['chunks', ['--chunk-size', '16K']],
  ['spilled runs', ['-S', '64K', '--chunk-size', '16K']],
  ['--verify', ['--verify']],
])('writes parents of GFF before their children: %s', async (_, options) => {
  const output = await sorted(...options);
  expect(output.toSorted()).toEqual(lines.toSorted());
  const places = new Map(output.map((line, i) => [/ID=([^;]*)/.exec(line)?.[1], i]));
  for (const [i, line] of output.entries()) {
    const parent = places.get(/Parent=([^;]*)/.exec(line)?.[1]);
    if (parent !== undefined && parent > i) expect(start(output[parent])).not.toBe(start(line));
  }
});

it('writes the same GFF from one chunk and from spilled runs', async () => {
  expect(await sorted('-S', '64K', '--chunk-size', '16K')).toEqual(await sorted());
});
