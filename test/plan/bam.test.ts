/** Which jobs sort BAM as it is, and where, by their command lines. */
import { expect, it } from 'vitest';
import { Declined } from '../../src/contract/engine.js';
import type { SortJob } from '../../src/job/job.js';
import {
  bamAheadBytes,
  cpuBamPlan,
  gpuBamPlan,
  isLargeEnough,
  isPlainBam,
  mayFit,
  mayKeepPipes,
  type StoredSize,
  whyNotOnGpu,
} from '../../src/plan/bam.js';
import { makePlan, smallerPlan } from '../../src/plan/make-plan.js';
import type { CpuPlan, GpuPlan } from '../../src/plan/plan.js';
import { parsed } from '../support/in-process.js';

const BAM = ['--format', 'bam', '--by', 'coordinate'];
const SAM = ['--format', 'sam', '--by', 'coordinate'];
const LARGE = 64 << 20;

function jobOf(words: readonly string[]): SortJob {
  const request = parsed(words, 'gpusort');
  if (request.action !== 'sort') throw new Error(`not a sort: ${request.action}`);
  return request.job;
}

const file = (bytes: number): StoredSize => ({ bytes, isWhole: true });
/** A pipe of which so many bytes have arrived. */
const pipe = (bytes: number): StoredSize => ({ bytes, isWhole: false });

const isPlain = (words: readonly string[]): boolean => isPlainBam(jobOf(words));

it.each([
  [[...BAM, 'a.bam']],
  [[...BAM, '--level', '1', '-o', 'b.bam', 'a.bam']],
  [[...BAM, '--level', '0', '--index', '-o', 'b.bam', 'a.bam']],
  [[...BAM, 'a.bam', 'b.bam']],
  [['--format', 'bam', '--by', 'queryname', 'a.bam']],
  [['--format', 'bam', '--by', 'tag:CB,queryname:r', 'a.bam']],
  [[...BAM, '--as', 'picard', 'a.bam']],
  [[...BAM, '-r', 'a.bam']],
  [['--format', 'sam', '--by', 'queryname-ascii', '-o', 'b.bam', 'a.sam']],
  [[...SAM, '-o', 'b.bam', 'a.sam']],
  [[...SAM, '--output-format', 'bam', 'a.sam', 'b.sam']],
  [[...BAM, '--pg', '--parallel', '3', '-S', '1G', 'a.bam']],
])('they do: %j', (words) => {
  expect(isPlain(words)).toBe(true);
});

it.each([
  [['--format', 'sam', '--by', 'tag:CB', '-o', 'b.bam', 'a.sam']],
  [['--format', 'sam', '--by', 'queryname', '--as', 'picard', '-o', 'b.bam', 'a.sam']],
  [[...SAM, '-r', '-o', 'b.bam', 'a.sam']],
  [[...SAM, 'a.sam']],
  [[...SAM, '-o', 'b.bam', '--verify', 'a.sam']],
  [[...BAM, '-m', 'a.bam']],
  [[...BAM, '-c', 'a.bam']],
  [[...BAM, '--top', '3', 'a.bam']],
  [[...BAM, '--verify', 'a.bam']],
  [[...BAM, '--output-format', 'plain', 'a.bam']],
  [[...BAM, '--output-format', 'sam', 'a.bam']],
  [[...BAM, '--algorithm', 'radix', 'a.bam']],
  [[...BAM, '--chunk-size', '1M', 'a.bam']],
])('they do not: %j', (words) => {
  expect(isPlain(words)).toBe(false);
});

it('a small file does if a GPU is asked for, and a pipe that goes on', () => {
  const words = [...BAM, 'a.bam'];
  const sizes = [file((2 << 20) - 1), file(2 << 20), pipe(100)];
  expect(sizes.map((size) => isLargeEnough(jobOf(words), size))).toEqual([false, true, true]);
  const onGpu = jobOf([...words, '--engine', 'gpu']);
  expect([file(0), file(100)].map((size) => isLargeEnough(onGpu, size))).toEqual([false, true]);
});

it('pipes of BAM are kept, and of nothing else', () => {
  expect(mayKeepPipes(jobOf(BAM))).toBe(true);
  for (const words of [[...SAM, '-o', 'b.bam'], [...BAM, '--top', '3'], [...BAM, '-m'], ['--decompress']])
    expect(mayKeepPipes(jobOf(words)), words.join(' ')).toBe(false);
});

it.each([
  [[], LARGE, 2, null],
  [['--engine', 'gpu'], 100, 2, null],
  [['--engine', 'gpu', '-S', '1M', '--level', '0'], 100, 64, null],
  [['--engine', 'cpu'], LARGE, 2, 'as requested'],
  [['--gpu-memory', '1G'], LARGE, 2, '--gpu-memory limits the memory of the GPU'],
  [['--engine', 'gpu', '--gpu-memory', '1G'], LARGE, 2, '--gpu-memory limits the memory of the GPU'],
  [['-S', '1000M'], LARGE, 2, 'a GPU would need more host memory'],
  [[], LARGE - (1 << 20), 2, 'sorting 63 MiB takes less time than starting a GPU'],
  [['--level', '0'], LARGE, 15, null],
  [['--level', '0'], LARGE, 16, '16 processors are as fast as a GPU'],
] as const)('%j, %d bytes, %d processors: not on a GPU because %s', (words, bytes, processors, why) => {
  expect(whyNotOnGpu(jobOf([...BAM, ...words, 'a.bam']), file(bytes), { processors })).toBe(why);
});

it('most orders are for processors, SAM from 8 MiB on, and up to 256 MiB', () => {
  const job = jobOf([...SAM, '-o', 'b.bam', 'a.sam']);
  const why = (bytes: number): string | null => whyNotOnGpu(job, file(bytes), { processors: 2 });
  expect(why((256 << 20) - 1)).toBe('sorting 256 MiB takes less time than starting a GPU');
  expect(why(256 << 20)).toBe(null);
  for (const words of [
    ['--by', 'queryname', '-r'],
    ['--by', 'queryname', '--as', 'picard'],
    ['--by', 'queryname,flag'],
    ['--by', 'coordinate', '-r'],
    ['--by', 'coordinate', '--as', 'picard'],
  ])
    expect(whyNotOnGpu(jobOf(['--format', 'bam', ...words, 'a.bam']), file(LARGE), { processors: 2 })).toBe(
      'a GPU sorts BAM only by coordinate or name, as samtools does',
    );
  for (const by of ['queryname', 'queryname-ascii'])
    expect(whyNotOnGpu(jobOf(['--format', 'bam', '--by', by, 'a.bam']), file(LARGE), { processors: 2 })).toBe(null);
  expect([(8 << 20) - 1, 8 << 20].map((bytes) => isLargeEnough(job, file(bytes)))).toEqual([false, true]);
});

const MACHINE = { processors: 16, mostWorkers: 99, availableBytes: 64e9, allowedBytes: Infinity };

it('a GPU must be faster than processors, unless it is asked for', () => {
  const adapter = { found: true, name: 'a GPU', software: false, maxBindingBytes: 2 ** 31 } as const;
  const rateOf = (words: readonly string[], processors: number): number => {
    const job = jobOf([...BAM, '--level', '1', ...words, 'a.bam']);
    const gpu = jobOf([...BAM, '--engine', 'gpu', 'a.bam']);
    const otherwise = makePlan(gpu, MACHINE, { bytes: LARGE }, adapter) as GpuPlan;
    return gpuBamPlan(job, file(LARGE), { ...MACHINE, processors }, adapter, otherwise).bam!.leastRate;
  };
  expect([1, 8, 16, 128].map((processors) => rateOf([], processors))).toEqual([90e6, 720e6, 1.44e9, 1.44e9]);
  expect(rateOf(['--engine', 'gpu'], 16)).toBe(0);
});

it.each([
  [[], 'the GPU compresses it, at level 6'],
  [['--level', '1'], 'the GPU compresses it, at level 1'],
  [['--level', '2'], 'the GPU compresses it, as at level 6'],
  [
    ['--index', '-o', 'b.bam', '--level', '5'],
    'the GPU compresses it, as at level 6, and finds positions for the index',
  ],
  [['--level', '0'], 'threads of the host compress it, at level 0'],
  [['--level', '7'], 'threads of the host compress it, at level 7'],
])('with a GPU, %j: %s', (words, how) => {
  const adapter = { found: true, name: 'a GPU', software: false, maxBindingBytes: 2 ** 31 } as const;
  const job = jobOf([...BAM, '--engine', 'gpu', ...words, 'a.bam']);
  const otherwise = makePlan(job, MACHINE, { bytes: LARGE }, adapter) as GpuPlan;
  expect(gpuBamPlan(job, file(LARGE), MACHINE, adapter, otherwise).bam!.reasons).toContain(how);
});

it('SAM is converted by a GPU, or by threads if the GPU declines it', () => {
  const adapter = { found: true, name: 'a GPU', software: false, maxBindingBytes: 2 ** 31 } as const;
  const job = jobOf([...SAM, '-o', 'b.bam', 'a.sam']);
  const size = file(256 << 20);
  const gpu = jobOf([...SAM, '--engine', 'gpu', '-o', 'b.bam', 'a.sam']);
  const plan = gpuBamPlan(job, size, MACHINE, adapter, makePlan(gpu, MACHINE, { bytes: LARGE }, adapter) as GpuPlan);
  expect(plan.bam!.reasons.slice(0, 2)).toEqual([
    'engine gpu: 256 MiB, on a GPU',
    'SAM becomes BAM on the GPU, which converts it, sorts it and writes its records in order',
  ]);
  const next = smallerPlan(plan, new Declined('for the test'), job, MACHINE)!;
  expect(next.change).toBe('the CPU engine');
  expect(next.plan.bam!.reasons).toContain('engine cpu: the GPU could not sort this SAM');
  expect(next.plan.bam!.reasons).toContain('SAM becomes BAM before it is sorted: all of it stays in memory');
  const asked = smallerPlan(plan, new Declined('for the test'), gpu, MACHINE)!.plan;
  expect([asked.engine, asked.bam]).toEqual(['gpu', null]);
});

it('says why threads sort it, and how many', () => {
  const job = jobOf([...BAM, '--engine', 'cpu', '-S', '2G', '--parallel', '3', 'a.bam']);
  const otherwise = makePlan(job, MACHINE, { bytes: LARGE }, null) as CpuPlan;
  const { bam } = cpuBamPlan(job, MACHINE, { source: 'bam', why: 'for the test', size: file(LARGE) }, otherwise);
  expect(bam!.reasons).toEqual([
    'engine cpu: for the test',
    'memory 2 GiB: as requested with -S',
    'BAM is sorted as it is: all of its text stays in memory',
    'threads that inflate, sort and compress it: 3',
  ]);
  expect(cpuBamPlan(job, MACHINE, { source: 'sam', why: '' }, otherwise).bam!.reasons.slice(2)).toEqual([
    'SAM becomes BAM before it is sorted: all of it stays in memory',
    'threads that convert, sort and compress it: 3',
  ]);
  expect(bam!.memoryBytes).toBeLessThan(2 ** 31);
  expect(bam!.memoryBytes).toBeGreaterThan(2 ** 31 - 64 * 2 ** 20);
});

it('a pipe has a reason of its own, and a GPU may keep what -S leaves', () => {
  const reason = 'pipes stay in memory as they are compressed, until the output is written';
  const job = jobOf([...BAM, '-S', '3G', '-']);
  const otherwise = makePlan(job, MACHINE, { bytes: null }, null) as CpuPlan;
  const size = pipe(LARGE);
  expect(cpuBamPlan(job, MACHINE, { source: 'bam', why: '', size }, otherwise).bam!.reasons.at(-1)).toBe(reason);
  const adapter = { found: true, name: 'a GPU', software: false, maxBindingBytes: 2 ** 31 } as const;
  const gpu = jobOf([...BAM, '--engine', 'gpu', '-']);
  const forGpu = makePlan(gpu, MACHINE, { bytes: null }, adapter) as GpuPlan;
  const { reasons, memoryBytes } = gpuBamPlan(job, size, MACHINE, adapter, forGpu).bam!;
  expect([reasons[0], reasons.at(-1), memoryBytes]).toEqual([
    'engine gpu: the input is longer than what was read ahead, on a GPU',
    reason,
    2 ** 31,
  ]);
  expect(gpuBamPlan(gpu, size, MACHINE, adapter, forGpu).bam!.memoryBytes).toBe(MACHINE.availableBytes / 2);
});

it('reads ahead in pipes until the engine is known, within the memory', () => {
  const ahead = (gpu: boolean, ...words: string[]): number =>
    bamAheadBytes(jobOf([...BAM, ...words, '-']), MACHINE, gpu);
  expect(ahead(true)).toBe(LARGE);
  expect(ahead(false)).toBe(16 << 20);
  expect(ahead(true, '--engine', 'cpu')).toBe(16 << 20);
  expect(ahead(true, '--by', 'queryname')).toBe(LARGE);
  expect(ahead(true, '--by', 'flag')).toBe(16 << 20);
  expect(ahead(false, '-S', '64M')).toBe(4 << 20);
});

it.each([
  ['64M', 4, false],
  ['128M', 8, false],
  ['256M', 16, false],
  ['512M', 16, true],
])('with -S %s, a pipe of which %d MiB have arrived may fit: %s', (memory, arrived, fits) => {
  const job = jobOf([...BAM, '-S', memory, '--parallel', '2', '-']);
  const threads = { workers: 2, helps: false };
  expect(mayFit(job, pipe(arrived << 20), MACHINE, threads)).toBe(fits);
  expect(mayFit(job, file(arrived << 20), MACHINE, threads)).toBe(true);
});
