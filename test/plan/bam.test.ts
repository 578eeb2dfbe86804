/** Which jobs keep BAM on the GPU from file to file, by their command lines. */
import { expect, it } from 'vitest';
import type { SortJob } from '../../src/job/job.js';
import { canStayOnDevice, leastRate } from '../../src/plan/on-device.js';
import { parsed } from '../support/in-process.js';

const BAM = ['--format', 'bam', '--by', 'coordinate'];
const LARGE = 64 << 20;

function jobOf(words: readonly string[]): SortJob {
  const request = parsed(words, 'gpusort');
  if (request.action !== 'sort') throw new Error(`not a sort: ${request.action}`);
  return request.job;
}

const stays = (words: readonly string[], bytes: number | null = LARGE): boolean =>
  canStayOnDevice(jobOf(words), { bytes });

it.each([
  [[...BAM, 'a.bam']],
  [[...BAM, '--level', '1', '-o', 'b.bam', 'a.bam']],
  [[...BAM, '--level', '0', '--index', '-o', 'b.bam', 'a.bam']],
  [[...BAM, '--pg', '--parallel', '3', '-S', '1G', 'a.bam']],
])('they do: %j', (words) => {
  expect(stays(words)).toBe(true);
});

it.each([
  [['--format', 'bam', '--by', 'queryname', 'a.bam']],
  [['--format', 'bam', '--by', 'coordinate,mapq', 'a.bam']],
  [['--format', 'sam', '--by', 'coordinate', 'a.sam']],
  [[...BAM, '--as', 'picard', 'a.bam']],
  [[...BAM, '-r', 'a.bam']],
  [[...BAM, 'a.bam', 'b.bam']],
  [[...BAM, '-m', 'a.bam']],
  [[...BAM, '-c', 'a.bam']],
  [[...BAM, '--top', '3', 'a.bam']],
  [[...BAM, '--verify', 'a.bam']],
  [[...BAM, '--output-format', 'plain', 'a.bam']],
  [[...BAM, '--output-format', 'sam', 'a.bam']],
  [[...BAM, '-S', '1000M', 'a.bam']],
  [[...BAM, '--engine', 'cpu', 'a.bam']],
  [[...BAM, '--algorithm', 'radix', 'a.bam']],
  [[...BAM, '--gpu-memory', '1G', 'a.bam']],
])('they do not: %j', (words) => {
  expect(stays(words)).toBe(false);
});

it('a small file stays there if a GPU is asked for, and a stream never', () => {
  const words = [...BAM, 'a.bam'];
  expect([LARGE - 1, null].map((bytes) => stays(words, bytes))).toEqual([false, false]);
  expect([100, null].map((bytes) => stays([...words, '--engine', 'gpu'], bytes))).toEqual([true, false]);
});

it('a GPU must be faster than processors, unless it is asked for', () => {
  const words = [...BAM, 'a.bam'];
  const rates = [1, 8, 16, 128].map((processors) => leastRate(jobOf(words), { processors }));
  expect(rates).toEqual([90e6, 720e6, 1.44e9, 1.44e9]);
  expect(leastRate(jobOf([...words, '--engine', 'gpu']), { processors: 16 })).toBe(0);
});
