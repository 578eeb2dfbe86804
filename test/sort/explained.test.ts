/**
 * --explain of files shows the plan that their sort carries out: both read and sample the same beginning. Of pipes it
 * reads nothing. Sorts end as soon as they have a plan.
 */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { SortJob } from '../../src/job/job.js';
import { createRecorder } from '../../src/report/recorder.js';
import { explainJob } from '../../src/run/decide.js';
import { runJob } from '../../src/run/run-job.js';
import { freshDirectory } from '../battery/runner.js';
import { parsed, runHere } from '../support/in-process.js';

const MB = 1e6;
const NEWLINE = 10;
const directory = freshDirectory('explained');
const named = (name: string): string => path.join(directory, name);

/** Lines of random hexadecimal digits, which are CSV as well. */
function digits(bytes: number): Buffer {
  const text = Buffer.from(randomBytes(bytes / 2).toString('hex'));
  for (let at = 63; at < text.length; at += 64) text[at] = NEWLINE;
  return text;
}

/** Enough for sample sort. */
const SMALL = digits(18 * MB);

const gzipped = (text: Buffer): Buffer => gzipSync(text, { level: 0 });

/** A read of FASTQ. */
const read = (name: number, bases: number): string =>
  `@read${name}\n${'ACGT'.repeat(bases / 4)}\n+\n${'F'.repeat(bases)}\n`;

/** `large` is longer than what is read ahead: 64 MiB, or a quarter of the memory. */
const FILES: Readonly<Record<string, () => Buffer | string>> = {
  small: () => SMALL,
  large: () => Buffer.concat([SMALL, SMALL, SMALL, SMALL]),
  'small.gz': () => gzipped(SMALL),
  'tiny.gz': () => gzipped(SMALL.subarray(0, 64_000)),
  empty: () => '',
  'in-order': () => Array.from({ length: 2e5 }, (_, i) => `${1e9 + i} ${'and more '.repeat(9)}\n`).join(''),
  json: () => Array.from({ length: 2e4 }, (_, i) => `{"a":${(i * 7919) % 19_997}}\n`).join(''),
  reads: () => Array.from({ length: 5e3 }, (_, i) => read(i, 4 * ((i * 7919) % 41))).join(''),
};

beforeAll(() => {
  for (const [name, content] of Object.entries(FILES)) fs.writeFileSync(named(name), content());
  execFileSync('mkfifo', [named('pipe')]);
});
afterAll(() => {
  fs.rmSync(directory, { recursive: true, force: true });
});

/** The job of a command, given to `work`. */
async function withJob(words: readonly string[], work: (job: SortJob) => Promise<void>): Promise<void> {
  const memory = words.includes('-S') ? [] : ['-S', '1G'];
  const all = ['--engine=cpu', '--parallel=2', ...memory, '-o', named('out'), ...words];
  const { status, messages } = await runHere(
    () => parsed(all, 'gpusort'),
    'gpusort',
    (job) => job,
    async (job) => {
      await work(job);
      return 0;
    },
  );
  expect({ status, messages }).toEqual({ status: 0, messages: '' });
}

async function explained(words: readonly string[]): Promise<readonly string[]> {
  let lines: readonly string[] = [];
  await withJob(words, async (job) => {
    lines = (await explainJob(job)).lines;
  });
  return lines;
}

/** The reasons of the plan of a sort, which ends when it next reports progress. */
async function carriedOut(words: readonly string[]): Promise<readonly string[]> {
  const planned = new Error('there is a plan');
  const recorder = createRecorder(
    () => {
      if (recorder.notes.some((note) => note.startsWith('memory '))) throw planned;
    },
    { keepsSpans: true },
  );
  await withJob(words, async (job) => {
    await expect(runJob(job, recorder)).rejects.toBe(planned);
  });
  return recorder.notes;
}

const CSV = ['--csv', '--header=0', '-k1'];
const BUCKETS = /^a sample divides the input into \d+ buckets/m;

it.each([
  ['lines', ['small'], BUCKETS],
  ['CSV that ends within what is read ahead', [...CSV, 'small'], BUCKETS],
  ['CSV that is longer', [...CSV, 'large'], BUCKETS],
  ['CSV in order', [...CSV, 'in-order'], /^sorted chunks are merged: the sample is in order/m],
  ['CSV after an empty file', [...CSV, 'empty', 'small'], BUCKETS],
  ['several files of CSV', [...CSV, 'small', 'small'], BUCKETS],
  ['CSV in little memory', [...CSV, '-S', '40M', 'small'], /^memory 40 MiB/m],
  ['lines of JSON', ['--json', 'a:n', 'json'], /^one thread: only/m],
  ['reads', ['--format=fastq', '--by=length', 'reads'], /^format fastq/m],
  ['compressed lines', ['--decompress', 'small.gz'], BUCKETS],
  ['compressed lines that are longer', ['--decompress', '-S', '40M', '--algorithm=sample-sort', 'small.gz'], BUCKETS],
  ['compressed lines after others', ['--decompress', 'small', 'small.gz'], BUCKETS],
  ['the same lines after compressed ones', ['--decompress', 'small.gz', 'small'], /^equal records are counted/m],
])('the plan of %s', async (_, words, reason) => {
  const all = words.map((word) => (word in FILES ? named(word) : word));
  const lines = await explained(all);
  expect(lines.join('\n')).toMatch(reason);
  expect(await carriedOut(all)).toEqual(lines);
});

it('does not take the size of a first compressed file for that of all', async () => {
  const lines = await explained(['--decompress', named('tiny.gz'), named('small.gz')]);
  expect(lines).toContain('2 threads, as requested');
  expect(lines.join('\n')).not.toMatch(/one thread/);
});

it('reads nothing of pipes, but files before them', async () => {
  // Opening a pipe without a writer would wait.
  const pipe = (await explained([...CSV, named('pipe')])).join('\n');
  expect(pipe).toMatch(/no sample of the input was taken/);
  const before = (await explained([...CSV, named('empty'), named('small'), named('pipe')])).join('\n');
  expect(before).toMatch(BUCKETS);
});

it('does not take the size of a first pipe for that of all', async () => {
  const other = named('other-pipe');
  execFileSync('mkfifo', [other]);
  const write = (name: string, text: Buffer): Promise<void> => fs.promises.writeFile(name, text).catch(() => undefined);
  const writing = [write(named('pipe'), digits(1000)), write(other, SMALL)];
  expect(await carriedOut([named('pipe'), other])).toContain('2 threads, as requested');
  await Promise.all(writing);
});
