/**
 * Inputs larger than the memory, or that the system keeps in memory: chunks that are in order as they were read are not
 * kept, and read again when they are written.
 */
import { spawnSync } from 'node:child_process';
import { appendFileSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import type { JobRequest } from '../../src/cli/request.js';
import type { CheckedText, Sorted } from '../../src/contract/engine.js';
import { Checksums } from '../../src/engines/cpu/checksums.js';
import { shapeOf } from '../../src/engines/cpu/shape.js';
import type { Ordering } from '../../src/job/ordering.js';
import { runJob } from '../../src/run/run-job.js';
import { placedRun } from '../../src/runs/placed-run.js';
import { GpusortError } from '../../src/system/errors.js';
import { fileSystem } from '../../src/system/file-system.js';
import { sortHere } from '../battery/here.js';
import { BIN, freshDirectory, gpusort } from '../battery/runner.js';
import { parsed } from '../support/in-process.js';
import { ownRecorder } from '../support/jobs.js';
import { byLines } from '../support/orderings.js';
import { randomBelow } from '../support/random.js';
import { sampled } from '../support/tier.js';

/** Memory for about 16 KiB of text, in chunks of 4 KiB. */
const SMALL = ['-S', '64K', '--chunk-size', '4K', '--engine', 'cpu'];
const NOTE = /\d+ chunks in order were not kept/;
const number = (i: number): string => `line ${String(i).padStart(7, '0')}`;
const text = (from: number, to: number, step = 1): string => {
  const lines: string[] = [];
  for (let i = from; i < to; i += step) lines.push(`${number(i)}\n`);
  return lines.join('');
};
const IN_ORDER = text(0, 20_000);

const sorted = (options: readonly string[], cwd: string, files: readonly string[]): Buffer =>
  spawnSync('sort', [...options, ...files], { cwd, env: { ...process.env, LC_ALL: 'C' }, maxBuffer: 1 << 26 }).stdout;

describe('text in order is read again', () => {
  const below = randomBelow(3);
  const cases: readonly [string, readonly string[], readonly string[], boolean][] = [
    ['in order', [IN_ORDER], [], true],
    ['in order, without a last newline', [IN_ORDER.slice(0, -1)], [], true],
    ['in order under -u', [IN_ORDER], ['-u'], true],
    ['with repeats under -u', [IN_ORDER.replaceAll('5\n', '4\n')], ['-u'], false],
    ['in order, with --count', [IN_ORDER], ['--count'], true],
    ['in order under -r', [text(0, 20_000).split('\n').reverse().slice(1).join('\n')], ['-r'], true],
    ['the last lines in disorder', [IN_ORDER + text(5, 20_000, 997)], [], true],
    [
      'in order and then at random',
      [IN_ORDER + Array.from({ length: 9000 }, () => `${number(below(30_000))}\n`).join('')],
      [],
      true,
    ],
    ['two files that alternate', [text(0, 30_000, 2), text(1, 30_000, 2)], [], true],
    ['two files, the second one first', [text(15_000, 30_000), text(0, 15_000)], [], true],
    [
      'a line longer than a chunk',
      [`${text(0, 9000)}line 0009000${'x'.repeat(70_000)}\n${text(9001, 20_000)}`],
      [],
      true,
    ],
    ['in order, verified', [IN_ORDER], ['--verify'], true],
    ['a header', [`title\n${IN_ORDER}`], ['--header', '1'], true],
    ['lines that fill half a chunk', [text(0, 300).replaceAll('\n', `${'x'.repeat(1500)}\n`)], [], false],
    ['numbers, whose keys are kept', [IN_ORDER], ['-k2n'], false],
    ['at random', [Array.from({ length: 20_000 }, () => `${number(below(30_000))}\n`).join('')], [], false],
    ['segments', [IN_ORDER], ['--segments', 'blank'], false],
    ['fewer than 16 chunks', [text(0, 4000)], [], false],
  ];
  const values = ([, texts, options, isReadAgain]: (typeof cases)[number]) => [
    texts.length,
    options.length,
    isReadAgain,
  ];
  it.each(sampled(cases, { count: cases.length, seed: 1, values }))('%s', async (_, texts, options, isReadAgain) => {
    const cwd = freshDirectory('read-again');
    const files = texts.map((content, i) => {
      writeFileSync(join(cwd, `in${i}`), content);
      return `in${i}`;
    });
    const { status, stderr } = await gpusort([...SMALL, '--stats', ...options, ...files, '-o', 'out'], { cwd });
    expect(status).toBe(0);
    const out = readFileSync(join(cwd, 'out'));
    const isOurs = options.some((option) => option.startsWith('--'));
    // Of a pipe nothing is read again.
    const expected = isOurs
      ? (await gpusort([...SMALL, ...options, ...files], { cwd })).stdout
      : sorted(options, cwd, files);
    expect(out.equals(expected)).toBe(true);
    expect(NOTE.test(stderr)).toBe(isReadAgain);
  });
});

it.each([
  ['that the system keeps in memory', 0xef53, [], true],
  ['of another host', 0x6969, [], false],
  ['of another host, larger than the memory', 0x6969, ['-S', '64K'], true],
  ['whose file system is unknown', null, [], false],
])('is read again or not from a file %s', async (_, type, options, isReadAgain) => {
  const cwd = freshDirectory('read-again');
  writeFileSync(join(cwd, 'in'), IN_ORDER);
  vi.spyOn(fileSystem, 'statfsSync').mockImplementation(() => {
    if (type === null) throw new Error('for the test');
    return type;
  });
  try {
    const words = ['--chunk-size', '4K', '--engine', 'cpu', ...options, join(cwd, 'in'), '-o', join(cwd, 'out')];
    const notes: string[] = [];
    const request = parsed(words, 'gpusort');
    expect(request.action).toBe('sort');
    await runJob((request as JobRequest).job, Object.assign(ownRecorder(), { note: (one: string) => notes.push(one) }));
    expect(readFileSync(join(cwd, 'out')).toString()).toBe(IN_ORDER);
    expect(notes.some((note) => NOTE.test(note))).toBe(isReadAgain);
  } finally {
    vi.restoreAllMocks();
  }
});

/** Runs a command of a shell, which finds the program as $GPUSORT. */
function shell(command: string, cwd: string): { status: number | null; stderr: string } {
  const env = { ...process.env, GPUSORT: `${process.execPath} ${BIN}` };
  return spawnSync('sh', ['-c', command], { cwd, env, encoding: 'utf8' });
}

it.each([
  ['standard output is a file', '$GPUSORT SMALL --stats in > out', 'out', true],
  ['the input is standard input', '$GPUSORT SMALL --stats -o out < in', 'out', true],
  ['the output replaces the input', '$GPUSORT SMALL --stats -o in in', 'in', true],
  ['the output is appended to the input', '$GPUSORT SMALL --stats in >> in', 'in', false],
  ['the output is written over the input', '$GPUSORT SMALL --stats in 1<> in', 'in', false],
  ['the output is a pipe', '$GPUSORT SMALL --stats in | cat > out', 'out', false],
])('if %s', (_, command, output, isReadAgain) => {
  const cwd = freshDirectory('read-again');
  const content = `${IN_ORDER}${text(7, 20_000, 1009)}`;
  writeFileSync(join(cwd, 'in'), content);
  const expected = sorted([], cwd, ['in']);
  const { status, stderr } = shell(command.replace('SMALL', SMALL.join(' ')), cwd);
  expect(status).toBe(0);
  const out = readFileSync(join(cwd, output));
  expect(out.equals(command.includes('>>') ? Buffer.concat([Buffer.from(content), expected]) : expected)).toBe(true);
  expect(NOTE.test(stderr)).toBe(isReadAgain);
});

it('a long line is not overwritten before it is read', () => {
  const cwd = freshDirectory('read-again');
  const lines = `${text(10_000, 20_000)}line 0015000${'x'.repeat(9000)}\n${text(0, 10_000)}`;
  writeFileSync(join(cwd, 'in'), lines);
  const expected = sorted([], cwd, ['in']);
  expect(shell(`$GPUSORT ${SMALL.join(' ')} in 1<> in`, cwd)).toMatchObject({ status: 0, stderr: '' });
  expect(readFileSync(join(cwd, 'in')).equals(expected)).toBe(true);
});

it('chunks that follow in order are one run, and nothing goes to temporary files if few runs overlap', async () => {
  const cwd = freshDirectory('read-again');
  writeFileSync(join(cwd, 'in'), text(0, 200_000) + text(7, 200_000, 30));
  const memory = ['-S', '2M', '--chunk-size', '16K', '--engine', 'cpu'];
  const { stderr } = await gpusort([...memory, '--stats', 'in', '-o', 'out'], { cwd });
  expect(stderr).toMatch(NOTE);
  expect(stderr).not.toMatch(/^spill/m);
  expect(readFileSync(join(cwd, 'out')).equals(sorted([], cwd, ['in']))).toBe(true);
});

describe('a placed run', () => {
  const ordering = byLines();
  const shape = shapeOf(ordering);
  const { blockBytes, checksum } = new Checksums(shape);
  const content = Buffer.from(text(0, 30_000));
  const sums = Uint32Array.from({ length: Math.ceil(content.length / blockBytes) }, (_, i) =>
    checksum(content.subarray(i * blockBytes, (i + 1) * blockBytes)),
  );
  const ends = { first: Buffer.from(number(0)), last: Buffer.from(number(29_999)) };
  const facts = { sums, blockBytes, checksum, ends };
  const runOf = (file: Buffer, found: CheckedText | null = facts, order: Ordering = ordering) => {
    let released = 0;
    const sortedText: Pick<Sorted, 'bytes' | 'asRead' | 'release'> = {
      bytes: content.length,
      asRead: () => found,
      release: () => released++,
    };
    const place = {
      readAt: async (byte: number, target: Uint8Array) => {
        target.set(file.subarray(byte, byte + target.length));
      },
      changed: () => new GpusortError('input-changed', 'changed'),
    };
    return { run: placedRun(place, sortedText as Sorted, order), released: () => released };
  };
  it('has the text, and the ends of the whole alone', async () => {
    const { run, released } = runOf(content);
    expect(released()).toBe(1);
    expect(run!.ends!(run!.begin, run!.end)).toEqual(ends);
    expect(run!.ends!({ byte: 13 }, run!.end)).toBe(null);
    expect(Buffer.from(await run!.record({ byte: 13 * 777 })).toString()).toBe(number(777));
    const [{ lower, upper }] = await run!.cut(run!.begin, run!.end, [Buffer.from(number(500))]);
    expect([lower.byte, upper.byte]).toEqual([13 * 500, 13 * 501]);
  });
  it('is joined with the next one if that follows in order', async () => {
    const [one, two] = [runOf(content).run!, runOf(content).run!];
    expect(one.joined(two)).toBe(null);
    const later = Buffer.from(text(29_999, 59_999));
    const laterSums = sums.map((_, i) => checksum(later.subarray(i * blockBytes, (i + 1) * blockBytes)));
    const laterEnds = { first: Buffer.from(number(29_999)), last: Buffer.from(number(59_998)) };
    const next = runOf(later, { sums: laterSums, blockBytes, checksum, ends: laterEnds }).run!;
    const joined = one.joined(next)!;
    expect(joined.ends(joined.begin, joined.end)).toEqual({ first: ends.first, last: laterEnds.last });
    for (const [from, bytes] of [
      [content.length - 70_000, 140_000],
      [0, 2 * content.length],
      [content.length, 13],
    ] as const) {
      const target = new Uint8Array(bytes);
      await joined.readAt(from, target);
      expect(Buffer.concat([content, later]).compare(target, 0, bytes, from, from + bytes)).toBe(0);
    }
    const unique = { ...ordering, unique: true };
    const [a, b] = [runOf(content, undefined, unique).run!, runOf(later, undefined, unique).run!];
    expect(a.joined(b)).toBe(null);
  });
  it('is none if the text is not as it was read', () => {
    const { run, released } = runOf(content, null);
    expect([run, released()]).toEqual([null, 0]);
  });
  it.each([0, 1, 64, 65_535, 65_536, 200_000, content.length - 1])('finds that byte %i has changed', async (at) => {
    const file = Buffer.from(content);
    file[at] ^= 128;
    await expect(runOf(file).run!.record({ byte: Math.floor(at / 13) * 13 })).rejects.toThrow('changed');
  });
});

it.each([
  [
    'was written to',
    (name: string) => {
      const bytes = readFileSync(name);
      bytes[bytes.length - 100] ^= 1;
      writeFileSync(name, bytes);
    },
  ],
  ['became shorter', (name: string) => truncateSync(name, 5_000_000)],
])('fails if the input %s before it is read again', async (how, change) => {
  const cwd = freshDirectory('read-again');
  const name = join(cwd, 'in');
  // Three blocks: the last one is read after the first one is written.
  writeFileSync(name, text(0, 900_000));
  const { writev } = fileSystem;
  let changes = 0;
  vi.spyOn(fileSystem, 'writev').mockImplementation((...words) => {
    if (changes++ === 0) change(name);
    return writev(...words);
  });
  try {
    const memory = ['-S', '1M', '--chunk-size', '64K', '--engine', 'cpu'];
    const { status, stderr } = await sortHere([...memory, 'in', '-o', 'out'], { cwd });
    expect(changes).toBeGreaterThan(0);
    expect(status).toBe(2);
    expect(stderr).toContain(`read failed: in: the file ${how} while it was read`);
    expect(readdirSync(cwd)).toEqual(['in']);
  } finally {
    vi.restoreAllMocks();
  }
});

it('does not mind an input that grows', async () => {
  const cwd = freshDirectory('read-again');
  const name = join(cwd, 'in');
  writeFileSync(name, IN_ORDER);
  const { writev } = fileSystem;
  vi.spyOn(fileSystem, 'writev').mockImplementation((...words) => {
    appendFileSync(name, 'more\n');
    return writev(...words);
  });
  try {
    expect((await sortHere([...SMALL, 'in', '-o', 'out'], { cwd })).status).toBe(0);
    expect(readFileSync(join(cwd, 'out')).toString()).toBe(IN_ORDER);
  } finally {
    vi.restoreAllMocks();
  }
});
