/**
 * One job on both sides of each border between roads: done at once or in chunks, in chunks of any size, from one input
 * or several, from a file or a FIFO. All give the same bytes. borders.slow.test.ts does the same at real sizes.
 */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { OPTIONS } from '../../src/cli/options/table.js';
import type { SortJob } from '../../src/job/job.js';
import { canTake } from '../../src/job/traits.js';
import { sortAtOnce } from '../../src/run/at-once.js';
import { runJob } from '../../src/run/run-job.js';
import { parsed, runHere } from '../support/in-process.js';
import { changed, silent } from '../support/jobs.js';
import { property } from '../support/property.js';
import { inputFor, options, VALUES } from './borders.js';
import { freshDirectory } from './runner.js';

const BYTES = 20_000;
const TINY_CHUNK = 4096;
let directory = '';

beforeAll(() => {
  directory = freshDirectory('borders');
  writeFileSync(join(directory, 'seed'), 'sixteen bytes and more');
  execFileSync('mkfifo', [join(directory, 'fifo')]);
});

it('every option is drawn, or there is a reason why not', () => {
  expect(Object.keys(VALUES).sort()).toEqual(OPTIONS.map(({ long }) => long).sort());
});

interface Result {
  readonly status: number;
  readonly output: Buffer;
  readonly others: Buffer | null;
}

/** What the job of these words gives if `change` is applied to it. Null: the words are refused. */
async function result(
  words: readonly string[],
  change: (job: SortJob) => SortJob,
  run?: (job: SortJob) => Promise<number>,
): Promise<Result> {
  const [output, others] = [join(directory, 'out'), join(directory, 'others')];
  for (const name of [output, others]) rmSync(name, { force: true });
  const home = process.cwd();
  process.chdir(directory);
  try {
    const to = (job: SortJob): SortJob => change(changed(job, { output: Buffer.from(output) }));
    const { status } = await runHere(() => parsed(words, 'gpusort'), 'gpusort', to, run);
    const bytesOf = (name: string): Buffer | null => (existsSync(name) ? readFileSync(name) : null);
    return { status, output: bytesOf(output) ?? Buffer.alloc(0), others: bytesOf(others) };
  } finally {
    process.chdir(home);
  }
}

/** Whether a job of these words sorts, at least until its input is read. */
function isAccepted(words: readonly string[]): boolean {
  try {
    const request = parsed(words, 'gpusort');
    return request.action === 'sort' && request.job.cluster === null;
  } catch {
    return false;
  }
}

const general = (job: SortJob): Promise<number> => runJob(job, silent);
const atOnce = async (job: SortJob): Promise<number> => {
  expect(canTake('at once', job)).toBe(true);
  return sortAtOnce(job, () => true).kind === 'done' ? 0 : Promise.reject(new Error('it was left to the general path'));
};

property(
  'the same options give the same bytes on every road',
  [options.filter(isAccepted), fc.nat(1000)],
  async (drawn, seed) => {
    const text = inputFor(drawn, BYTES, seed);
    const input = join(directory, 'in');
    writeFileSync(input, text);
    const words = [...drawn, input];
    const expected = await result(words, (job) => job, general);
    const roads: Record<string, Result> = {
      'tiny chunks': await result(words, (job) => changed(job, { chunkBytes: TINY_CHUNK, engine: 'cpu' }), general),
    };
    const request = parsed(words, 'gpusort');
    if (request.action !== 'sort') throw new Error('nothing is sorted');
    if (!request.guesses && canTake('at once', request.job))
      roads['at once'] = await result(words, (job) => job, atOnce);
    // Guessing the format of a FIFO would read its beginning, which runHere does not keep.
    if (!request.guesses) {
      const writer = spawn('sh', ['-c', `cat ${input} > fifo`], { cwd: directory });
      roads.FIFO = await result([...drawn, join(directory, 'fifo')], (job) => job, general);
      writer.kill();
    }
    const { header, framing } = request.job.input;
    const { format, segments } = request.job.ordering;
    if (!request.guesses && header === null && framing === null && segments === undefined && format.kind === 'lines') {
      const at = text.indexOf(format.delimiter, text.length / 3) + 1;
      writeFileSync(input, text.subarray(0, at));
      writeFileSync(join(directory, 'rest'), text.subarray(at));
      roads['two inputs'] = await result([...words, join(directory, 'rest')], (job) => job, general);
    }
    for (const [road, found] of Object.entries(roads)) expect({ road, ...found }).toEqual({ road, ...expected });
  },
  { runs: 200, timeoutMs: 300_000 },
);
