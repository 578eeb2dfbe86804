/** The tables of the key kernels and those of the sort, which lie in one memory: neither overwrites the other. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { compileKernels, openKernels } from '../../../src/engines/cpu/kernels.js';
import { shapeOf } from '../../../src/engines/cpu/shape.js';
import { newMemory } from '../../../src/system/memory.js';
import { gnuSort, gpusort, withDirectory } from '../../cli/run.js';
import { byLines } from '../../support/orderings.js';
import { randomBelow } from '../../support/random.js';

const WORDS = 'a A b B ab Ab 10 9 1e3 -5 0 00 1K 2M jan Feb'.split(' ');

it.each(['-k1,1g', '-k1,2'])('sorts chunk after chunk of lines with deep ties: %s', async (key) => {
  await withDirectory((directory) => {
    const below = randomBelow(1);
    const word = (): string => WORDS[below(WORDS.length)];
    const name = join(directory, 'in');
    writeFileSync(name, Array.from({ length: 1_000_000 }, () => `${word()} ${word()} ${word()}\n`).join(''));
    const gnu = join(directory, 'gnu');
    gnuSort([key, name, '-o', gnu]);
    const sorted = join(directory, 'sorted');
    const { status, stderr } = gpusort(['--engine=cpu', '--parallel=2', key, name, '-o', sorted]);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(readFileSync(sorted).equals(readFileSync(gnu))).toBe(true);
  });
});

it('refuses tables of keys that end inside those of the sort', () => {
  expect(() => openKernels(compileKernels(), shapeOf(byLines()), newMemory(), 27232)).toThrow(
    'inside those of the sort',
  );
});
