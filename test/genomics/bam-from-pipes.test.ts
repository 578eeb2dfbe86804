/**
 * BAM from pipes, which is sorted as it is while its compressed bytes are kept (src/input/replay.ts), against the same
 * bytes in a file and as lines: the same output, and the same messages if the pipe cannot be sorted so.
 */
import { execFileSync } from 'node:child_process';
import { createReadStream, existsSync, mkdirSync, promises, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { sort as sortStreams } from '../../src/index.js';
import { type Sort, sortOn } from '../battery/here.js';
import { freshDirectory, gpusort, type Outcome, script } from '../battery/runner.js';
import { bgzf, encodeBam } from '../support/genomics-bam.js';
import { alignments, sam } from '../support/genomics-data.js';
import { sampled } from '../support/tier.js';

const onCpu = sortOn('cpu');
/** In a process of its own, which prints statistics. */
const alone: Sort = async (args, options) => {
  const { stderr, ...outcome } = await gpusort(['--engine', 'cpu', '--stats', ...args], options);
  return { ...outcome, stderr: stderr.toString() };
};
const AS_LINES = ['--chunk-size', '1M'];
const STAYS = 'BAM is sorted as it is: all of its text stays in memory';
const KEEPS = 'pipes stay in memory as they are compressed, until the output is written';

const cwd = freshDirectory('bam-from-pipes');
mkdirSync(cwd, { recursive: true });
const some = encodeBam(sam(alignments(19, 1500)));
const header = some.subarray(0, encodeBam(sam([])).length);
/** So many records that the pipe is not a small one. */
const text = Buffer.concat([header, ...Array.from({ length: 13 }, () => some.subarray(header.length))]);
const file = bgzf(text, 0, 50_000);
writeFileSync(join(cwd, 'a.bam'), file);

/** Runs a sort whose inputs come from named pipes; what is not read of them is lost. */
async function fromPipes(
  sort: Sort,
  args: readonly string[],
  pipes: Readonly<Record<string, Buffer>>,
): Promise<Outcome> {
  const writing = Object.entries(pipes).map(([name, bytes]) => {
    if (!existsSync(join(cwd, name))) execFileSync('mkfifo', [join(cwd, name)]);
    return promises.writeFile(join(cwd, name), bytes).catch(() => undefined);
  });
  const outcome = await sort(args, { cwd });
  await Promise.all(writing);
  return outcome;
}

const BY = ['--format', 'bam', '--by', 'coordinate'];

const SORTS: readonly (readonly [string, readonly string[]])[] = [
  ['stored', [...BY, '--level', '0']],
  ['at level 1', [...BY, '--level', '1']],
  ['at the default level', BY],
  ['by name', ['--format', 'bam', '--by', 'queryname', '--level', '1']],
  ['by the bytes of names', ['--format', 'bam', '--by', 'queryname-ascii', '--level', '0']],
];
it.each(sampled(SORTS, { count: 5, seed: 1, values: ([, words]) => [words.includes('coordinate')] }))(
  'is the same file as from a file, %s',
  async (_, words) => {
    const here = await fromPipes(alone, [...words, 'one.fifo'], { 'one.fifo': file });
    const there = await onCpu([...words, 'a.bam'], { cwd });
    expect([here.status, there.status]).toEqual([0, 0]);
    expect(here.stderr.toString()).toContain(STAYS);
    expect(here.stdout.equals(there.stdout)).toBe(true);
  },
);

it('is sorted as it is from several pipes and files', async () => {
  const inputs = ['one.fifo', 'a.bam', 'two.fifo', 'none.fifo'];
  const pipes = { 'one.fifo': file, 'two.fifo': bgzf(some, 1, 9000), 'none.fifo': Buffer.alloc(0) };
  writeFileSync(join(cwd, 'two.bam'), pipes['two.fifo']);
  const words = [...BY, '--level', '1'];
  const here = await fromPipes(alone, [...words, ...inputs], pipes);
  expect(here.status).toBe(0);
  expect(here.stderr.toString()).toContain(STAYS);
  const there = await onCpu([...words, ...AS_LINES, 'a.bam', 'a.bam', 'two.bam'], { cwd });
  expect(here.stdout.equals(there.stdout)).toBe(true);
});

it('is sorted as it is from standard input, however often that is named, and by the library', async () => {
  const expected = (await onCpu([...BY, '--level', '1', 'a.bam'], { cwd })).stdout;
  const command = 'cat a.bam | gpusort --engine cpu --by coordinate --level 1 --stats -o std.bam - -';
  const { status, stderr } = await script(command, { cwd });
  expect({ status, stays: stderr.includes(STAYS) }).toEqual({ status: 0, stays: true });
  const stream = createReadStream(join(cwd, 'a.bam'), { highWaterMark: 30_000 });
  const settings = { engine: 'cpu', format: 'bam', by: 'coordinate', level: 1, statistics: true } as const;
  const { statistics } = await sortStreams(stream, join(cwd, 'library.bam'), settings);
  expect(JSON.stringify(statistics)).toContain(STAYS);
  for (const name of ['std.bam', 'library.bam']) expect(readFileSync(join(cwd, name)).equals(expected)).toBe(true);
});

it('is sorted as lines from a small pipe, and if little memory is left', async () => {
  const small = await fromPipes(alone, [...BY, 'one.fifo'], { 'one.fifo': bgzf(some) });
  expect(small.stderr.toString()).not.toContain(STAYS);
  const long = bgzf(Buffer.concat([text, ...Array.from({ length: 40 }, () => some.subarray(header.length))]), 0);
  expect(long.length).toBeGreaterThan(8 << 20);
  const words = [...BY, '-S', '64M', '--parallel', '2', '--level', '0', 'one.fifo'];
  const { status, stderr } = await fromPipes(alone, words, { 'one.fifo': long });
  expect({ status, stays: stderr.includes(STAYS) }).toEqual({ status: 0, stays: false });
});

const damaged = Buffer.from(file);
damaged[file.length >> 1] ^= 0x55;
const records = Buffer.from(text);
records.fill(255, records.length - 900, records.length - 800);
const empty = bgzf(Buffer.alloc(0));
const DAMAGED = [
  ['a damaged block', damaged],
  ['no end block', file.subarray(0, -28)],
  ['an incomplete block', file.subarray(0, file.length - 9000)],
  ['an end in its first half', file.subarray(0, file.length >> 1)],
  ['an end in its header', file.subarray(0, 40)],
  ['zeros after the end block', Buffer.concat([file, Buffer.alloc(5)])],
  ['other bytes after it', Buffer.concat([file, Buffer.alloc(5, 1)])],
  ['empty blocks inside', Buffer.concat([bgzf(header), empty, bgzf(text.subarray(header.length), 0), empty])],
  ['a malformed record', bgzf(records, 0)],
  ['an incomplete record', bgzf(text.subarray(0, -5), 0)],
  ['another file after it', Buffer.concat([file, file])],
  ['gzip instead of BGZF', gzipSync(text, { level: 0 })],
  ['no compression', text],
  ['no bytes', Buffer.alloc(0)],
] as const;
const FORMS = {
  count: 14,
  seed: 1,
  values: ([name]: readonly [string, Buffer]) => [/damaged|end|record|no /.exec(name)?.[0] ?? ''],
};
it.each(sampled(DAMAGED, FORMS))('has the output and the messages of lines if it has %s', async (_, bytes) => {
  const words = [...BY, '--level', '0'];
  const here = await fromPipes(onCpu, [...words, 'one.fifo'], { 'one.fifo': bytes });
  const there = await fromPipes(onCpu, [...words, ...AS_LINES, 'one.fifo'], { 'one.fifo': bytes });
  expect({ status: here.status, stderr: here.stderr }).toEqual({ status: there.status, stderr: there.stderr });
  if (there.status === 0) expect(here.stdout.equals(there.stdout)).toBe(true);
});

it('has the messages of lines if one of several pipes has a problem', async () => {
  const other = bgzf(encodeBam('@SQ\tSN:chr1\tLN:9\n'), 0);
  const pairs = [
    [file, file.subarray(0, -9000)],
    [file.subarray(0, -9000), file],
    [file, other],
    [file, gzipSync(text, { level: 0 })],
  ];
  for (const [first, second] of sampled(pairs, { count: 4, seed: 1, values: ([first]) => [first === file] })) {
    const outcomes = [];
    for (const more of [[], AS_LINES]) {
      const pipes = { 'one.fifo': first, 'two.fifo': second };
      const { status, stderr, stdout } = await fromPipes(
        onCpu,
        [...BY, '--level', '0', ...more, ...Object.keys(pipes)],
        pipes,
      );
      outcomes.push({ status, stderr, bytes: status === 0 ? stdout.toString('latin1') : '' });
    }
    expect(outcomes[0]).toEqual(outcomes[1]);
  }
});

it('says why a pipe is sorted as lines after all, and --explain what is done with a large one', async () => {
  const tail = Buffer.concat([file, Buffer.alloc(5)]);
  const { status, stderr } = await fromPipes(alone, [...BY, '--level', '0', '-o', 'c.bam', 'one.fifo'], {
    'one.fifo': tail,
  });
  expect(status).toBe(0);
  expect(stderr.toString()).toContain('BAM cannot be sorted as it is: a block is not one of BGZF');
  // Opening a pipe without a writer would wait.
  const { stdout } = await gpusort(['--engine', 'cpu', '--explain', ...BY, 'one.fifo'], { cwd });
  for (const reason of [STAYS, KEEPS]) expect(stdout.toString()).toContain(reason);
});

it('dies of a signal while it waits for more, and leaves the output as it was', async () => {
  writeFileSync(join(cwd, 'kept.bam'), 'as it was');
  // Two jobs: bash waits for all of a pipeline.
  const writer = '{ cat a.bam; exec sleep 10 2> /dev/null; } > hold & writer=$!';
  // Not the function that script() defines: its process would get the signal.
  const job = '"${P[@]}" --engine cpu --by coordinate -o kept.bam < hold & job=$!';
  const begin = `mkfifo hold; ${writer}; ${job}`;
  const end = 'sleep 1; kill -TERM $job; wait $job; echo "status $?"; cat kept.bam; kill $writer';
  const { stdout, stderr } = await script(`${begin}; ${end}`, { cwd });
  expect(stderr.toString()).toBe('');
  expect(stdout.toString()).toBe('status 143\nas it was');
});
