/**
 * BAM that threads sort as it is (src/run/sort-bam.ts), against BAM that is sorted as lines because of --chunk-size:
 * the same bytes and index at every level, and the same refusals of damaged files.
 */
import { appendFileSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it, vi } from 'vitest';
import { fileSystem } from '../../src/system/file-system.js';
import { type Sort, sortOn } from '../battery/here.js';
import { freshDirectory, gpusort, script } from '../battery/runner.js';
import { bgzf, encodeBam } from '../support/genomics-bam.js';
import { alignments, sam } from '../support/genomics-data.js';
import { sampled } from '../support/tier.js';

const BY = ['--by', 'coordinate', '--format', 'bam'];
const AS_LINES = ['--chunk-size', '1M'];
const onCpu = sortOn('cpu');
const asItIs: Sort = (args, options) => onCpu([...BY, ...args], options);
const asLines: Sort = (args, options) => onCpu([...BY, ...AS_LINES, ...args], options);

const cwd = freshDirectory('bam-as-it-is');
mkdirSync(cwd, { recursive: true });
const some = encodeBam(sam(alignments(9, 1500)));
const header = some.subarray(0, encodeBam(sam([])).length);
/** So many records that the file is not a small one. */
const text = Buffer.concat([header, ...Array.from({ length: 11 }, () => some.subarray(header.length))]);
const file = bgzf(text, 0, 50_000);
writeFileSync(join(cwd, 'a.bam'), file);

it('is sorted so', async () => {
  expect(file.length).toBeGreaterThan(2 << 20);
  const explained = async (...words: string[]): Promise<string> =>
    (await gpusort(['--engine', 'cpu', '--explain', ...BY, ...words, 'a.bam'], { cwd })).stdout.toString();
  expect(await explained()).toContain('BAM is sorted as it is: all of its text stays in memory');
  expect(await explained(...AS_LINES)).not.toContain('BAM is sorted as it is');
});

it.each([
  ['stored', ['--level', '0']],
  ['at level 1', ['--level', '1']],
  ['at the default level', []],
  ['by one thread', ['--level', '1', '--parallel', '1']],
  ['by three threads', ['--level', '1', '--parallel', '3']],
])('is the same file, %s', async (_, words) => {
  const [here, there] = [await asItIs([...words, 'a.bam'], { cwd }), await asLines([...words, 'a.bam'], { cwd })];
  expect({ status: here.status, stderr: here.stderr }).toEqual({ status: 0, stderr: '' });
  expect(here.stdout.equals(there.stdout)).toBe(true);
});

it.each([
  ['by name', ['--by', 'queryname', '--format', 'bam', 'a.bam']],
  ['by several keys, reversed', ['--by', 'tag:RG,mapq:r,queryname', '-r', '--format', 'bam', 'a.bam']],
  ['from SAM', ['--by', 'coordinate', '--format', 'sam', '--output-format', 'bam', 'a.sam']],
])('is the same file %s', async (_, words) => {
  writeFileSync(join(cwd, 'a.sam'), sam([]) + `${alignments(9, 1500).join('\n')}\n`.repeat(45));
  expect(statSync(join(cwd, words.at(-1)!)).size).toBeGreaterThan(words.includes('bam') ? 2 << 20 : 8 << 20);
  const [here, there] = [words, [...AS_LINES, ...words]].map((all) => onCpu(['--level', '1', ...all], { cwd }));
  expect(await here).toMatchObject({ status: 0, stderr: '' });
  expect((await here).stdout.equals((await there).stdout)).toBe(true);
});

it('is the same file from several ones, whose headers are united', async () => {
  const lane = (id: string, count: number, sequences = ''): Buffer => {
    const lines = alignments(count, count).map((line) => line.replace(/\tRG:Z:\w+/, ''));
    const listed = sam(lines).replace(/^(@SQ.*\n)(?!@SQ)/m, `$1@RG\tID:${id}\n`);
    return encodeBam(listed.replace('@SQ', `${sequences}@SQ`));
  };
  const records = (bam: Buffer, header: number): Buffer =>
    Buffer.concat(Array.from({ length: 8 }, () => bam.subarray(header)));
  for (const [name, id, sequences] of [
    ['l1.bam', 'one'],
    ['l2.bam', 'two'],
    ['l3.bam', 'one'],
    ['l4.bam', 'two', '@SQ\tSN:more\tLN:9\n'],
  ] as const) {
    const bam = lane(id, 900, sequences);
    const empty = lane(id, 0, sequences);
    writeFileSync(join(cwd, name), bgzf(Buffer.concat([empty, records(bam, empty.length)]), 0, 40_000));
  }
  // IDs of the third one collide with those of the first, so its records change. The fourth one lists another sequence.
  const lists = [
    ['l1.bam', 'l2.bam'],
    ['l1.bam', 'l2.bam', 'l3.bam'],
    ['l1.bam', 'l1.bam'],
    ['l1.bam', 'l4.bam'],
    ['l4.bam', 'l1.bam'],
  ];
  for (const names of sampled(lists, { count: 5, seed: 3, values: ({ length }) => [length] })) {
    const words = ['--level', '0', ...names];
    const [here, there] = [await asItIs(words, { cwd }), await asLines(words, { cwd })];
    expect({ status: here.status, stderr: here.stderr }).toEqual({ status: 0, stderr: '' });
    expect(here.stdout.equals(there.stdout)).toBe(true);
  }
});

it('has the messages of lines if one of several files has a problem', async () => {
  writeFileSync(join(cwd, 'cut.bam'), file.subarray(0, file.length - 9000));
  writeFileSync(join(cwd, 'other.bam'), bgzf(encodeBam('@SQ\tSN:chr1\tLN:9\n'), 0));
  const lists = [
    ['a.bam', 'cut.bam'],
    ['cut.bam', 'a.bam'],
    ['a.bam', 'other.bam'],
    ['cut.bam', 'other.bam'],
  ];
  for (const names of sampled(lists, { count: 4, seed: 1, values: ([first, second]) => [first, second] })) {
    const [here, there] = [await asItIs(names, { cwd }), await asLines(names, { cwd })];
    expect({ status: here.status, stderr: here.stderr }).toEqual({ status: there.status, stderr: there.stderr });
    expect(here.status).toBe(2);
  }
});

it('gets the same index', async () => {
  const files: Buffer[][] = [];
  for (const [i, sort] of [asItIs, asLines].entries()) {
    const { status, stderr } = await sort(['--level', '1', '--index', '-o', `${i}.bam`, 'a.bam'], { cwd });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    files.push([`${i}.bam`, `${i}.bam.bai`].map((name) => readFileSync(join(cwd, name))));
  }
  expect(files[0].map((bytes, i) => bytes.equals(files[1][i]))).toEqual([true, true]);
});

it('may be standard input, and its own output', async () => {
  const expected = (await asLines(['--level', '1', 'a.bam'], { cwd })).stdout;
  writeFileSync(join(cwd, 'own.bam'), file);
  const command = [
    'gpusort --engine cpu --by coordinate --format bam --level 1 < own.bam > out.bam',
    'gpusort --engine cpu --by coordinate --level 1 -o own.bam own.bam',
  ].join(' && ');
  expect(await script(command, { cwd })).toMatchObject({ status: 0 });
  for (const name of ['out.bam', 'own.bam']) expect(readFileSync(join(cwd, name)).equals(expected)).toBe(true);
});

it('is not mixed with the records of a file that takes its place', async () => {
  const path = join(cwd, 'replaced.bam');
  for (const change of [() => renameSync(join(cwd, 'new.bam'), path), () => appendFileSync(path, Buffer.alloc(3))]) {
    writeFileSync(path, file);
    writeFileSync(join(cwd, 'new.bam'), file);
    const original = fileSystem.open;
    let opened = 0;
    // The header is read first.
    const open = vi.spyOn(fileSystem, 'open').mockImplementation((name, flags, mode) => {
      if (String(name) === path && ++opened === 2) change();
      return original(name, flags, mode);
    });
    const { status, stderr, stdout } = await asItIs([path], { cwd });
    open.mockRestore();
    expect({ status, stderr, bytes: stdout.length }).toEqual({
      ...{ status: 2, bytes: 0 },
      stderr: expect.stringContaining('the file changed while it was read'),
    });
    expect(opened).toBe(2);
  }
});

it('is not written if there is no space', async () => {
  const { status, stderr } = await asItIs(['--level', '1', '-o', '/dev/full', 'a.bam'], { cwd });
  expect({ status, stderr }).toMatchObject({ status: 2, stderr: expect.stringContaining('No space left on device') });
});

const damaged = Buffer.from(file);
damaged[file.length >> 1] ^= 0x55;
const records = Buffer.from(text);
records.fill(255, records.length - 900, records.length - 800);
const DAMAGED = [
  ['a damaged block', damaged],
  ['no end block', file.subarray(0, -28)],
  ['an incomplete block', file.subarray(0, file.length - 9000)],
  ['zeros after the end block', Buffer.concat([file, Buffer.alloc(5)])],
  ['other bytes after it', Buffer.concat([file, Buffer.alloc(5, 1)])],
  ['a malformed record', bgzf(records, 0)],
  ['an incomplete record', bgzf(text.subarray(0, -5), 0)],
  ['another file after it', Buffer.concat([file, file])],
  ['gzip instead of BGZF', gzipSync(text, { level: 0 })],
] as const;
const FORMS = {
  count: 9,
  seed: 1,
  values: ([name]: readonly [string, Buffer]) => [/damaged|end|record/.exec(name)?.[0] ?? ''],
};
it.each(sampled(DAMAGED, FORMS))('has the output and the message of lines if it has %s', async (_, bytes) => {
  writeFileSync(join(cwd, 'b.bam'), bytes);
  const args = ['--level', '0', 'b.bam'];
  const [here, there] = [await asItIs(args, { cwd }), await asLines(args, { cwd })];
  expect({ status: here.status, stderr: here.stderr }).toEqual({ status: there.status, stderr: there.stderr });
  if (there.status === 0) expect(here.stdout.equals(there.stdout)).toBe(true);
});

it('is sorted as lines if that is needed, and --stats says why', async () => {
  writeFileSync(join(cwd, 'tail.bam'), Buffer.concat([file, Buffer.alloc(5)]));
  const { status, stderr } = await gpusort(
    ['--engine', 'cpu', ...BY, '--level', '0', '--stats', '-o', 'c.bam', 'tail.bam'],
    { cwd },
  );
  expect(status).toBe(0);
  expect(stderr.toString()).toContain('BAM cannot be sorted as it is: a block is not one of BGZF');
});
