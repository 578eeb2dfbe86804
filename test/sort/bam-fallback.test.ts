/** If BAM cannot stay on the GPU, an engine sorts it, unless the GPU is not to blame. */
import { execFileSync } from 'node:child_process';
import { promises, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it, vi } from 'vitest';
import { Declined } from '../../src/contract/engine.js';
import type { InputFile } from '../../src/input/files.js';
import { closeReplays } from '../../src/input/replay.js';
import type { Sink } from '../../src/output/sink.js';
import { GpusortError } from '../../src/system/errors.js';
import { freshDirectory } from '../battery/runner.js';
import { BGZF_END, bgzf, encodeBam, unBgzf } from '../support/genomics-bam.js';
import { alignments, sam } from '../support/genomics-data.js';
import { parsed } from '../support/in-process.js';
import { silent, smallEngine } from '../support/jobs.js';

/** What the way of BAM does; and how many engines were opened after it. */
let way: (sink: Pick<Sink, 'write' | 'blocks'>, files: readonly InputFile[]) => Promise<void>;
let engines = 0;

vi.mock(import('../../src/run/open-engine.js'), async () => {
  const { fakeEngines } = await import('../support/fake-engines.js');
  return fakeEngines(({ ordering }) => {
    engines++;
    return smallEngine(ordering, 64 << 10);
  });
});
vi.mock(import('../../src/run/sort-bam.js'), () => ({
  sortBam: (_plan, _job, { files }, sink) => way(sink, files),
}));

const { runJob } = await import('../../src/run/run-job.js');
const directory = freshDirectory('bam-fallback');
const file = join(directory, 'in.bam');
const pipe = join(directory, 'pipe');
const output = join(directory, 'out.bam');
const text = encodeBam(sam(alignments(3, 400)));

/** What an engine makes of it. */
let inOrder: Buffer;
beforeAll(async () => {
  writeFileSync(file, bgzf(text));
  way = () => Promise.reject(new Declined('for the test'));
  inOrder = await sorted();
});

async function sorted(input = file): Promise<Buffer> {
  engines = 0;
  writeFileSync(output, 'as before');
  const words = ['--engine', 'gpu', '--format', 'bam', '--by', 'coordinate', '--level', '1', '-o', output, input];
  const request = parsed(words, 'gpusort');
  if (request.action !== 'sort') throw new Error('no sort');
  await runJob(request.job, silent);
  return unBgzf(readFileSync(output));
}

const lost = (): never => {
  throw new GpusortError('device-lost', 'the GPU was lost: for the test');
};

type Blocks = Pick<Sink, 'write' | 'blocks'>;

/** Writes the beginning of the output, partly in a block. */
async function someBlocks({ write, blocks }: Blocks): Promise<void> {
  await write(inOrder.subarray(0, 500));
  const block = bgzf(inOrder.subarray(500, 30_000)).subarray(0, -BGZF_END.length);
  await blocks!.write(block, [{ text: 29_500, bytes: block.length }]);
}

it.each([
  ['the file is declined', async () => Promise.reject(new Declined('for the test'))],
  ['the GPU is lost', async () => lost()],
  [
    'the GPU is lost after the header',
    async ({ write }: Pick<Sink, 'write'>) => write(inOrder.subarray(0, 20)).then(lost),
  ],
  ['the GPU is lost after some blocks', async (sink: Blocks) => someBlocks(sink).then(lost)],
])('an engine sorts if %s', async (_, does) => {
  writeFileSync(file, bgzf(text));
  way = does;
  expect((await sorted()).equals(inOrder)).toBe(true);
  expect(engines).toBe(1);
});

it.each([
  [
    'the output cannot be written',
    async () => Promise.reject(new GpusortError('write-failed', 'write failed: no space')),
    /^write failed: no space$/,
  ],
  [
    'the file changed',
    async () => {
      writeFileSync(file, bgzf(text).subarray(0, -28));
      throw new Declined('the file is cut off');
    },
    /the file changed while it was read/,
  ],
])('nothing is sorted again if %s', async (_, does, message) => {
  writeFileSync(file, bgzf(text));
  way = does;
  await expect(sorted()).rejects.toThrow(message);
  expect(engines).toBe(0);
  expect(readFileSync(output, 'latin1')).toBe('as before');
});

/** Sorts the text from a pipe. */
async function sortedPipe(): Promise<Buffer> {
  execFileSync('rm', ['-f', pipe]);
  execFileSync('mkfifo', [pipe]);
  const [result] = await Promise.all([sorted(pipe), promises.writeFile(pipe, bgzf(text)).catch(() => undefined)]);
  return result;
}

it.each([
  ['it is declined', async () => Promise.reject(new Declined('for the test'))],
  ['the GPU is lost', async () => lost()],
  [
    'the GPU is lost once it is read',
    async (_: unknown, [{ replay }]: readonly InputFile[]) => replay!.readAhead(Infinity).then(lost),
  ],
  ['the GPU is lost after some blocks', async (sink: Blocks) => someBlocks(sink).then(lost)],
])('an engine sorts a pipe if %s, because its bytes are kept', async (_, does) => {
  way = does;
  expect((await sortedPipe()).equals(inOrder)).toBe(true);
  expect(engines).toBe(1);
});

it('a pipe is not sorted again once its bytes are dropped', async () => {
  way = async (sink, files) => {
    await someBlocks(sink);
    closeReplays(files);
    lost();
  };
  await expect(sortedPipe()).rejects.toThrow(/the GPU was lost: for the test; the input cannot be read a second time/);
  expect(engines).toBe(0);
  expect(readFileSync(output, 'latin1')).toBe('as before');
});
