/** If BAM cannot stay on the GPU, an engine sorts it, unless the GPU is not to blame or output is written already. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { Declined } from '../../src/contract/engine.js';
import type { Sink } from '../../src/output/sink.js';
import { GpusortError } from '../../src/system/errors.js';
import { freshDirectory } from '../battery/runner.js';
import { bgzf, encodeBam, unBgzf } from '../support/genomics-bam.js';
import { alignments, sam } from '../support/genomics-data.js';
import { parsed } from '../support/in-process.js';
import { silent, smallEngine } from '../support/jobs.js';

/** What the way of BAM does; and how many engines were opened after it. */
let way: (sink: Pick<Sink, 'write' | 'blocks'>) => Promise<void>;
let engines = 0;

vi.mock(import('../../src/run/open-engine.js'), async () => {
  const { fakeEngines } = await import('../support/fake-engines.js');
  return fakeEngines(({ ordering }) => {
    engines++;
    return smallEngine(ordering, 64 << 10);
  });
});
vi.mock(import('../../src/run/sort-bam.js'), () => ({
  sortBam: (_plan, _job, _inputs, sink) => way(sink),
}));

const { runJob } = await import('../../src/run/run-job.js');
const directory = freshDirectory('bam-fallback');
const input = join(directory, 'in.bam');
const output = join(directory, 'out.bam');
const text = encodeBam(sam(alignments(3, 400)));

async function sorted(): Promise<Buffer> {
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

it.each([
  ['the file is declined', async () => Promise.reject(new Declined('for the test'))],
  ['the GPU is lost', async () => lost()],
  [
    'the GPU is lost after the header',
    async ({ write }: Pick<Sink, 'write'>) => write(text.subarray(0, 20)).then(lost),
  ],
])('an engine sorts if %s', async (_, does) => {
  writeFileSync(input, bgzf(text));
  way = does;
  const result = await sorted();
  expect(result.includes(text.subarray(-100))).toBe(true);
  expect(engines).toBe(1);
});

it.each([
  [
    'a part of the output is written',
    async ({ blocks }: Pick<Sink, 'blocks'>) => blocks!.begin(Buffer.alloc(0)).then(lost),
    /the GPU was lost: for the test; part of the output is written/,
  ],
  [
    'the output cannot be written',
    async () => Promise.reject(new GpusortError('write-failed', 'write failed: no space')),
    /^write failed: no space$/,
  ],
  [
    'the file changed',
    async () => {
      writeFileSync(input, bgzf(text).subarray(0, -28));
      throw new Declined('the file is cut off');
    },
    /the file changed while it was read/,
  ],
])('nothing is sorted again if %s', async (_, does, message) => {
  writeFileSync(input, bgzf(text));
  way = does;
  await expect(sorted()).rejects.toThrow(message);
  expect(engines).toBe(0);
  expect(readFileSync(output, 'latin1')).toBe('as before');
});
