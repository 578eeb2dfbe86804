/** Which jobs a GPU inflates and compresses, by their command lines. */
import { describe, expect, it } from 'vitest';
import { Declined } from '../../src/contract/engine.js';
import type { SortJob } from '../../src/job/job.js';
import { leastRate, mayInflatePipes, withDeviceCodecs } from '../../src/plan/device-codec.js';
import { makePlan, smallerPlan } from '../../src/plan/make-plan.js';
import type { GpuPlan } from '../../src/plan/plan.js';
import { GpusortError } from '../../src/system/errors.js';
import { parsed } from '../support/in-process.js';

const MACHINE = { processors: 4, mostWorkers: Infinity, availableBytes: 16 * 2 ** 30, allowedBytes: Infinity };
const H200 = { found: true, name: 'H200', software: false, maxBindingBytes: 2 ** 31 - 4 } as const;
const TO_BGZF = ['--output-format', 'bgzf'];

function jobOf(words: readonly string[]): SortJob {
  const request = parsed(['--engine', 'gpu', ...words], 'gpusort');
  if (request.action !== 'sort') throw new Error(`not a sort: ${request.action}`);
  return request.job;
}

/** The plan for compressed inputs, unless `inflates` is false. */
function planOf(words: readonly string[], inflates = true, keepsPipes = false): GpuPlan {
  const job = jobOf(words);
  const plan = makePlan(job, MACHINE, { bytes: 4e9, keepsPipes }, H200) as GpuPlan;
  expect(plan).toMatchObject({ engine: 'gpu', inflates: null, deflateLevel: null });
  return withDeviceCodecs(plan, job, MACHINE, { inflates, keepsPipes });
}

const said = ({ reasons }: GpuPlan): string[] =>
  reasons.filter((reason) => /^the GPU (inflates|compresses)/.test(reason));

const FASTQ = ['--format', 'fastq', '--by', 'seq'];

describe('a GPU inflates', () => {
  it.each([
    ['lines', ['--decompress', 'a'], null],
    ['lines that end in NUL', ['--decompress', '-z', 'a'], null],
    ['fixed records', ['--decompress', '--record-size', '16', 'a'], null],
    ['lines with keys', ['--decompress', '-k2,2n', 'a'], null],
    ['FASTQ', [...FASTQ, 'a'], 'fastq'],
    ['FASTA', ['--format', 'fasta', '--by', 'seq', 'a'], 'fasta'],
    ['GFF', ['--format', 'gff', 'a'], 'gff'],
    ['VCF', ['--format', 'vcf', 'a'], 'vcf'],
    ['BED', ['--format', 'bed', 'a'], 'bed'],
    ['SAM', ['--format', 'sam', '--by', 'queryname-ascii', 'a'], 'sam'],
    ['for --verify', ['--decompress', '--verify', 'a'], null],
    ['for --count', ['--decompress', '--count', 'a'], null],
    ['for --top', ['--decompress', '--top', '3', 'a'], null],
    ['for --bottom', ['--decompress', '--bottom', '3', 'a'], null],
    ['below a header', ['--decompress', '--header', '2', 'a'], null],
  ])('%s', (_, words, source) => {
    const plan = planOf(words);
    expect(plan.inflates).toMatchObject({ source, leastRate: 0 });
    expect(said(plan)).toEqual(['the GPU inflates BGZF']);
  });

  it.each([
    ['keys that the host makes', ['--decompress', '-V', 'a']],
    ['random order', ['--decompress', '-R', 'a']],
    ['interleaved FASTQ', [...FASTQ, '--interleaved', 'a']],
    ['mates', [...FASTQ, '--mate', 'b', '--mate-out', 'c', '-o', 'd', 'a']],
    ['CSV', ['--decompress', '--csv', 'a']],
    ['limited memory of the GPU', ['--decompress', '--gpu-memory', '1G', 'a']],
    ['text in host memory', ['--decompress', '--algorithm', 'msd-radix-hybrid', 'a']],
    ['segments', ['--decompress', '--segment-by', '1,1', '-k2,2', 'a']],
  ])('not %s', (_, words) => {
    const plan = planOf(words);
    expect(plan.inflates).toBe(null);
    expect(said(plan)).toEqual([]);
  });

  it('no inputs that are not compressed', () => {
    expect(planOf(['--decompress', 'a'], false)).toMatchObject({ inflates: null, deflateLevel: null });
  });
});

describe('a GPU compresses', () => {
  it.each([
    ['1', 'at level 1'],
    ['2', 'as at level 6'],
    ['4', 'as at level 6'],
    ['6', 'at level 6'],
  ])('at level %s', (level, how) => {
    const plan = planOf([...TO_BGZF, '--level', level, 'a'], false);
    expect(plan).toMatchObject({ inflates: null, deflateLevel: Number(level) });
    expect(said(plan)).toEqual([`the GPU compresses the output, ${how}`]);
  });

  it.each([
    [['-k2,2n', '-u', 'a']],
    [['-r', '--header', '1', 'a']],
    [['-R', 'a']],
    [['--record-size', '16', 'a']],
    [[...FASTQ, 'a']],
    [['--format', 'sam', '--by', 'queryname-ascii', '--output-format', 'sam.gz', 'a']],
    [['--csv', '-k2', 'a']],
  ])('what is only sorted: %j', (words) => {
    expect(planOf([...TO_BGZF, ...words], false).deflateLevel).toBe(1);
  });

  it.each([
    ['level 0', ['--level', '0']],
    ['level 7', ['--level', '7']],
    ['level 9', ['--level', '9']],
    ['--verify', ['--verify']],
    ['--count', ['--count']],
    ['--top', ['--top', '3']],
    ['--bottom', ['--bottom', '3']],
    ['--debug', ['--debug']],
    ['--dupes-output', ['-u', '--dupes-output', 'b']],
    ['--per', ['--per', '1,1', '--top', '1']],
    ['--gpu-memory', ['--gpu-memory', '1G']],
    ['an algorithm with text in host memory', ['--algorithm', 'msd-radix-hybrid']],
    ['segments', ['--segment-by', '1,1', '-k2,2']],
    ['gzip', ['--output-format', 'gzip']],
    ['text', ['--output-format', 'plain']],
    ['GFF, whose parents precede their parts', ['--format', 'gff']],
    ['--index', ['--format', 'vcf', '--index', '-o', 'b.vcf.gz']],
  ])('not with %s', (_, words) => {
    const plan = planOf([...TO_BGZF, ...words, 'a'], false);
    expect(plan.deflateLevel).toBe(null);
    expect(said(plan)).toEqual([]);
  });
});

it('a GPU that does both says so', () => {
  const plan = planOf(['--decompress', ...TO_BGZF, 'a']);
  expect(said(plan)).toEqual(['the GPU inflates BGZF and compresses the output, at level 1']);
});

it('a GPU that was not requested must inflate as fast as processors', () => {
  expect(leastRate({ engine: 'gpu' }, 64)).toBe(0);
  expect(leastRate({ engine: 'auto' }, 1)).toBe(90e6);
  expect(leastRate({ engine: 'auto' }, 8)).toBe(8 * 90e6);
  expect(leastRate({ engine: 'auto' }, 64)).toBe(16 * 90e6);
});

it('half of the memory is for pipes that are kept, and the rest for runs', () => {
  const plan = planOf(['--decompress', 'a'], true, true);
  expect(plan.inflates).toMatchObject({ memoryBytes: 4 * 2 ** 30 });
  expect(plan.hostBytes).toBe(4 * 2 ** 30);
  expect(plan.reasons.join()).toContain('pipes stay in memory as they arrive, up to 4 GiB');
  expect(planOf(['--decompress', 'a']).hostBytes).toBe(8 * 2 ** 30);
  expect(planOf(['--decompress', '-S', '1G', 'a'], true, true).inflates).toMatchObject({ memoryBytes: 2 ** 29 });
});

describe('pipes are kept', () => {
  const keeps = (words: readonly string[], gpu: boolean): boolean => mayInflatePipes(jobOf(words), gpu);
  it.each([
    ['for a GPU that may exist', ['--engine', 'auto', '--decompress'], true],
    ['for one that is requested', ['--decompress'], false],
    ['by a key that it makes', ['--engine', 'auto', '--decompress', '-k2,2n'], true],
    ['of FASTQ', [...FASTQ, '--engine', 'auto'], true],
  ])('%s', (_, words, gpu) => {
    expect(keeps(words, gpu)).toBe(true);
  });

  it.each([
    ['without a GPU', ['--engine', 'auto', '--decompress'], false],
    ['for processors', ['--engine', 'cpu', '--decompress'], true],
    ['by a key of the host', ['--decompress', '-V'], true],
    ['of CSV', ['--csv', '--decompress'], true],
    ['with a limit on its memory', ['--decompress', '--gpu-memory', '1G'], true],
    ['to merge', ['--engine', 'auto', '--decompress', '-m'], true],
    ['to check', ['--engine', 'auto', '--decompress', '-c'], true],
    ['of BAM', ['--format', 'bam', '--output-format', 'sam'], true],
  ])('not %s', (_, words, gpu) => {
    expect(keeps(words, gpu)).toBe(false);
  });
});

describe('after a GPU', () => {
  const words = ['--decompress', ...TO_BGZF, 'a'];
  const plan = planOf(words);

  it('declined an input, the host inflates and the GPU compresses', () => {
    const next = smallerPlan(plan, new Declined('a file is cut off'), jobOf(words), MACHINE);
    expect(next!.change).toBe('the host inflates');
    expect(next!.plan).toMatchObject({ engine: 'gpu', inflates: null, deflateLevel: 1 });
    // It declines nothing else.
    const last = smallerPlan(next!.plan, new Declined('again'), jobOf(words), MACHINE);
    expect(last!.plan.engine).toBe('cpu');
  });

  it('ran out of memory, chunks are smaller and the codecs stay', () => {
    const full = new GpusortError('out-of-device-memory', 'no memory');
    const next = smallerPlan(plan, full, jobOf(words), MACHINE);
    expect(next!.plan).toMatchObject({ engine: 'gpu', inflates: plan.inflates, deflateLevel: 1 });
    expect(next!.plan.chunkBytes).toBe(Math.ceil(plan.chunkBytes / 2));
  });

  it('was lost, the processors sort', () => {
    expect(smallerPlan(plan, new GpusortError('device-lost', 'lost'), jobOf(words), MACHINE)!.plan.engine).toBe('cpu');
  });
});
