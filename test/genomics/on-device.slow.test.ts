/**
 * BAM that stays on the GPU (src/run/sort-bam.ts), against the CPU engine: the same records and index at every level,
 * the same refusals of damaged files, and the jobs that take another way.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, expect, it, vi } from 'vitest';
import { type Sort, sortOn } from '../battery/here.js';
import { freshDirectory, gpusort, script } from '../battery/runner.js';
import { describeGpu } from '../setup/gpu.js';
import { bgzf, encodeBam, unBgzf } from '../support/genomics-bam.js';
import { alignments, sam } from '../support/genomics-data.js';
import { closeGpu } from '../support/one-gpu.js';
import { itWith, oracle } from './oracles.js';

vi.mock(import('../../src/engines/gpu/device/device.js'), async (original) => {
  const { withOneGpu } = await import('../support/one-gpu.js');
  return withOneGpu(await original());
});

const BY = ['--by', 'coordinate'];
const on =
  (engine: string, by = BY): Sort =>
  (args, options) =>
    sortOn(engine)([...by, ...args], options);
const onGpu = on('gpu');
const onCpu = on('cpu');

describeGpu('BAM on a GPU', () => {
  afterAll(closeGpu);
  const cwd = freshDirectory('on-device');
  mkdirSync(cwd, { recursive: true });
  const text = encodeBam(sam(alignments(9, 1500)));
  const file = bgzf(text, 1, 20_000);
  writeFileSync(join(cwd, 'a.bam'), file);

  it.each([
    ['at level 1', ['--level', '1']],
    ['at the default level', []],
    ['at a level that the CPU compresses', ['--level', '7']],
    ['stored', ['--level', '0']],
  ])('is sorted as on the CPU, %s', async (_, level) => {
    const args = [...level, 'a.bam'];
    const [here, there] = [await onGpu(args, { cwd }), await onCpu(args, { cwd })];
    expect({ status: here.status, stderr: here.stderr }).toEqual({ status: 0, stderr: '' });
    expect(unBgzf(here.stdout).equals(unBgzf(there.stdout))).toBe(true);
  });

  it('is sorted from several files', async () => {
    const args = ['--level', '0', 'a.bam', 'a.bam'];
    const [here, there] = [await onGpu(args, { cwd }), await onCpu(args, { cwd })];
    expect(here.stdout.equals(there.stdout)).toBe(true);
  });

  it.each([
    ['queryname', ['--level', '1', 'empty.bam', 'a.bam', 'a.bam']],
    ['queryname-ascii', ['--level', '0', 'a.bam']],
  ])('is sorted by %s as on the CPU: %j', async (by, args) => {
    writeFileSync(join(cwd, 'empty.bam'), bgzf(encodeBam(sam([]))));
    const [here, there] = await Promise.all(['gpu', 'cpu'].map((engine) => on(engine, ['--by', by])(args, { cwd })));
    expect({ status: here.status, stderr: here.stderr }).toEqual({ status: 0, stderr: '' });
    expect(unBgzf(here.stdout).equals(unBgzf(there.stdout))).toBe(true);
  });

  itWith('samtools')('is sorted by name as samtools sorts it', async () => {
    // samtools 1.16 orders leading zeros, and secondary and supplementary records, in its own way.
    writeFileSync(join(cwd, 'plain.bam'), bgzf(encodeBam(sam(alignments(12, 1500, true)))));
    const { stdout } = await on('gpu', ['--by', 'queryname'])(['plain.bam'], { cwd });
    const recordsOf = (bam: Buffer, command: string): string => oracle(`${command} x.bam`, { 'x.bam': bam });
    const theirs = recordsOf(readFileSync(join(cwd, 'plain.bam')), 'samtools sort -n --no-PG -O sam');
    expect(recordsOf(stdout, 'samtools view')).toBe(theirs.replace(/^@.*\n/gm, ''));
  });

  it('is sorted from standard input', async () => {
    const { status, stdout } = await onGpu(['--format', 'bam', '--level', '1', '-'], { cwd, stdin: file });
    expect(status).toBe(0);
    expect(unBgzf(stdout).equals(unBgzf((await onCpu(['a.bam'], { cwd })).stdout))).toBe(true);
  });

  it.each([
    ['a pipe', 'cat a.bam | gpusort --engine gpu --format bam --by coordinate'],
    ['a pipe that is declined', 'cat tail.bam | gpusort --engine gpu --format bam --by coordinate'],
    ['a file that is declined, in a process of its own', 'gpusort --engine gpu --by coordinate tail.bam'],
  ])('is sorted from %s', async (_, command) => {
    // Zeros may follow the end block.
    writeFileSync(join(cwd, 'tail.bam'), Buffer.concat([file, Buffer.alloc(5)]));
    const { status, stdout, stderr } = await script(command, { cwd });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(unBgzf(stdout).equals(unBgzf((await onCpu(['a.bam'], { cwd })).stdout))).toBe(true);
  });

  it('is sorted once if the output cannot be written', async () => {
    const { status, stderr } = await onGpu(['--level', '1', '-o', '/dev/full', 'a.bam'], { cwd });
    expect({ status, stderr }).toMatchObject({ status: 2, stderr: expect.stringContaining('No space left on device') });
  });

  /** The reads that an index of a file leads to, per contig, if samtools is there; otherwise whether there is one. */
  const isIndexed = (name: string): string => {
    try {
      return execFileSync('samtools', ['view', '-c', name, 'chr1:1-100000'], { cwd, encoding: 'utf8' });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      return String(readFileSync(join(cwd, `${name}.bai`)).length > 100);
    }
  };

  it.each([['1'], ['6'], ['9']])('gets an index at level %s', async (level) => {
    for (const [sort, name] of [
      [onGpu, 'gpu.bam'],
      [onCpu, 'cpu.bam'],
    ] as const)
      expect(await sort(['--level', level, '--index', '-o', name, 'a.bam'], { cwd })).toMatchObject({ status: 0 });
    expect(isIndexed('gpu.bam')).toBe(isIndexed('cpu.bam'));
    expect(unBgzf(readFileSync(join(cwd, 'gpu.bam'))).equals(unBgzf(readFileSync(join(cwd, 'cpu.bam'))))).toBe(true);
  });

  const damaged = Buffer.from(file);
  damaged[file.length >> 1] ^= 0x55;
  const records = Buffer.from(text);
  records.fill(255, records.length - 900, records.length - 800);
  it.each([
    ['a damaged block', damaged],
    ['no end block', file.subarray(0, -28)],
    ['an incomplete block', file.subarray(0, file.length >> 1)],
    ['a malformed record', bgzf(records)],
    ['an incomplete record', bgzf(text.subarray(0, -5))],
    ['gzip instead of BGZF', gzipSync(text)],
    ['no compression', text],
  ])('leads to the output and the message of the CPU if it has %s', async (_, bytes) => {
    writeFileSync(join(cwd, 'b.bam'), bytes);
    const args = ['--format', 'bam', '--level', '1', 'b.bam'];
    const [here, there] = [await onGpu(args, { cwd }), await onCpu(args, { cwd })];
    expect({ status: here.status, stderr: here.stderr }).toEqual({ status: there.status, stderr: there.stderr });
    if (there.status === 0) expect(gunzipSync(here.stdout).equals(gunzipSync(there.stdout))).toBe(true);
  });

  const STAYS = 'BAM stays on the GPU, which inflates it, sorts it and writes its records in order';
  // test/plan/bam.test.ts has the others.
  it.each([
    [true, ['--by', 'queryname', 'a.bam']],
    [true, ['-']],
    [false, ['--top', '5', 'a.bam']],
  ])('stays there: %s for %j', async (stays, args) => {
    const { stdout } = await gpusort(
      ['--engine', 'gpu', '--explain', ...(args.includes('--by') ? [] : [...BY, '--format', 'bam']), ...args],
      {
        cwd,
      },
    );
    expect(stdout.toString().includes(STAYS)).toBe(stays);
  });
});
