/**
 * SAM that becomes BAM on the GPU (src/run/sort-bam.ts), against the CPU engine: the same records and index, and the
 * same refusals of malformed lines.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it, vi } from 'vitest';
import { sortOn } from '../battery/here.js';
import { freshDirectory, gpusort, type Outcome } from '../battery/runner.js';
import { describeGpu } from '../setup/gpu.js';
import { unBgzf } from '../support/genomics-bam.js';
import { alignments, sam } from '../support/genomics-data.js';
import { closeGpu } from '../support/one-gpu.js';

vi.mock(import('../../src/engines/gpu/device/device.js'), async (original) => {
  const { withOneGpu } = await import('../support/one-gpu.js');
  return withOneGpu(await original());
});

describeGpu('SAM on a GPU', () => {
  afterAll(closeGpu);
  const cwd = freshDirectory('sam-on-device');
  mkdirSync(cwd, { recursive: true });
  // Numbers with exponents are for processors.
  const lines = alignments(9, 1500).filter((line) => !line.includes('1e+10'));
  const write = (name: string, all: readonly string[]): void => writeFileSync(join(cwd, name), sam(all), 'latin1');
  write('a.sam', lines);
  write('empty.sam', []);

  const on = (engine: string, args: readonly string[]): Promise<Outcome> =>
    sortOn(engine)(['--format', 'sam', '--output-format', 'bam', ...args], { cwd });

  it('stays there', async () => {
    const words = ['--engine', 'gpu', '--explain', '--format', 'sam', '--by', 'coordinate', '-o', 'x.bam', 'a.sam'];
    const { stdout } = await gpusort(words, { cwd });
    expect(stdout.toString()).toContain(
      'SAM becomes BAM on the GPU, which converts it, sorts it and writes its records',
    );
  });

  it.each([
    ['coordinate', ['--level', '1', 'a.sam']],
    ['coordinate', ['--level', '0', 'empty.sam', 'a.sam', 'a.sam']],
    ['coordinate', ['--level', '1', 'empty.sam']],
    ['queryname', ['--level', '1', 'a.sam', 'a.sam']],
    ['queryname-ascii', ['--level', '0', 'a.sam']],
  ])('is sorted by %s as on the CPU: %j', async (by, args) => {
    const [here, there] = await Promise.all(['gpu', 'cpu'].map((engine) => on(engine, ['--by', by, ...args])));
    expect({ status: here.status, stderr: here.stderr }).toEqual({ status: 0, stderr: '' });
    expect(unBgzf(here.stdout).equals(unBgzf(there.stdout))).toBe(true);
  });

  it.each(['0', '1'])('gets an index at level %s', async (level) => {
    for (const engine of ['gpu', 'cpu']) {
      const words = ['--by', 'coordinate', '--level', level, '--index', '-o', `${engine}.bam`, 'a.sam'];
      expect(await on(engine, words)).toMatchObject({ status: 0, stderr: '' });
    }
    const [here, there] = ['gpu', 'cpu'].map((engine) => readFileSync(join(cwd, `${engine}.bam`)));
    expect(unBgzf(here).equals(unBgzf(there))).toBe(true);
    const [index, other] = ['gpu', 'cpu'].map((engine) => readFileSync(join(cwd, `${engine}.bam.bai`)));
    // The places of blocks differ where a GPU compresses.
    expect(level === '1' ? index.length > 100 : index.equals(other)).toBe(true);
  });

  it.each([
    ['a position of 0', 'zero\t0\tchr1\t0\t9\t*\t*\t0\t0\t*\t*', 0],
    ['an empty line', '', 2],
    ['a broken tag', 'r\t4\t*\t0\t0\t*\t*\t0\t0\t*\t*\tXX:Q:1', 2],
  ])('has the output and the message of the CPU if it has %s', async (_, line, status) => {
    write('b.sam', [...lines.slice(0, 700), line, ...lines.slice(700)]);
    const args = ['--by', 'coordinate', '--level', '1', 'b.sam'];
    const [here, there] = await Promise.all(['gpu', 'cpu'].map((engine) => on(engine, args)));
    expect({ status: here.status, stderr: here.stderr }).toEqual({ status, stderr: there.stderr });
    if (status === 0) expect(unBgzf(here.stdout).equals(unBgzf(there.stdout))).toBe(true);
  });
});
