/** --debug against GNU sort's: our underlining of GNU's sorted lines, compared with GNU's own. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseArguments } from '../../src/cli/request.js';
import type { BlockWriter } from '../../src/contract/engine.js';
import type { SortJob } from '../../src/job/job.js';
import { underlining } from '../../src/output/underline.js';
import { runJob } from '../../src/run/run-job.js';
import { SURROUNDINGS } from '../cli/arguments.js';
import { changed, collector, silent } from '../support/jobs.js';
import { random } from '../support/random.js';
import { words } from '../support/words.js';

/** Options that decide what is underlined: positions, ordering letters, separators, numbers, the last resort. */
const OPTIONS = [
  ...['', '-r', '-s', '-u', '-z', '-zs', '-b', '-bs', '-d', '-f', '-i', '-fu', '-m', '-m -k2n'],
  ...['-n', '-ns', '-nr', '-nu', '-g', '-gs', '-h', '-hs', '-M', '-Ms', '-V', '-R', '-Rs', '-zn'],
  // Positions.
  ...['-k1', '-k1 -s', '-k1b', '-k1b,1', '-k2', '-k2,2', '-k2b,2', '-k2 -b', '-k2,1', '-k2.2', '-k2.2,2.3', '-zk2'],
  ...['-k2.2b,2.3b', '-k2,2.1', '-k2b,2.3', '-k2,2.3b', '-k1.3,1.5', '-k5', '-k9,9', '-zt: -k2,2'],
  ...['+1', '+1 -2', '+1.1n -2.2', '+0b -1'],
  // Several keys.
  ...['-k1,1 -k2,2', '-k2,2 -k1,1 -s', '-k2,2n -k1,1r -k3 -u', '-k2g -k1g', '-t: -k1,1 -k3,3'],
  // Numbers and months, which may end before their field does.
  ...['-k2n', '-k2n,2', '-k2,2.1n', '-k1.2n', '-k2n -r', '-k2nr', '-k1g', '-k2g,2', '-k1h', '-k2h,2', '-zk2n,2'],
  ...['-k1M', '-k2M,2', '-k2M,2.2', '-k1.2M', '-k2d', '-k2f,3', '-k2V', '-k2R,2'],
  ...['-k3.4,2.4M', '-k2.2g,1.1b', '-k1.3n,1.1', '-t: -k3h,2'],
  // Separators.
  ...['-t. -k1,1', '-t. -k2', '-t. -k2n', '-t. -k1n,2', '-t: -k2,2', '-t: -k2b,3', '-t: -k3g', '-t: -k2.2,3.1n'],
  ...["-t ' ' -k2,2", "-t ' ' -k3n", "-t '\\0' -k2", '-t- -k2n'],
  ...["-t '\t' -k1b,1", "-t '\t' -k1bn,1", "-t '\t' -k2b,2"],
];

/** Edge cases by hand: things that are almost numbers or months, blanks of all kinds, unprintable bytes. */
const LINES = [
  ...words(
    // Blanks, fields and separators.
    '∅ ␣ \t a a␣b ␣a␣␣b \ta\tb a\t\tb␣c ␣␣ a:b:c : :: a: :b a.b.c . ..',
    // Unprintable bytes.
    '\x01 a\x01b␣c \x7f x␣\x7f␣y \xe9 a␣\xe9\xff␣b \x00 a\x00b a␣\x00␣1 \v1 a␣\v␣5 \f-3␣x',
    // Numbers of -n.
    '0 00 -0 - --1 -1 +1 1 12 1. 1.5 .5 . -.5 -. 1..2 1.2.3 1,000 1␣2 ␣␣7 a␣␣7b a␣-7.25x',
    // Numbers of -g.
    'x␣1e5 1e5 1E+5 1e 1e- 1e+x .e5 5.e1 0x 0x1f 0X1.8p3 0x.8p 0x.p1 -0xAg 0x1p+ inf -inf INFINITY infinit infx',
    'nan NaN -nan nan( nan(12) nan(a_Z)x nan(a␣b) +inf +nan +',
    // Numbers of -h.
    '1K 1k 1Ki 2M 3G 4T 5P 6E 7Z 8Y 9R 9Q 1.5K 1.K .K -K K 1␣K -2Kx x␣5m 1KK',
    // Months.
    'jan Feb MAR apri ma may jUn ␣␣jul x␣aug x␣␣Sep␣1 \tOct nov: december jan\t2 a\njan',
    // Newlines, which are blanks in records that end in NUL, and fields between colons.
    '␣\n␣5 a\n␣b \n x:-5:+7 x:\t6:0x7 ␣:␣8␣:9',
  ),
  `very long ${'word '.repeat(40)}`,
];

function generated(): string[] {
  const next = random(41);
  return Array.from({ length: 300 }, () =>
    Array.from({ length: Math.floor(next() * 14) }, () => 'a1 \t.:-x0eKn'[Math.floor(next() * 12)]).join(''),
  );
}

const directory = mkdtempSync(join(process.env.GPUSORT_TEST_TMP ?? tmpdir(), 'underline-'));
const path = (name: string): string => join(directory, name);

beforeAll(() => {
  // Records of -z may hold newlines; in the file of lines, each such record becomes several lines.
  const records = [...LINES, ...generated()];
  writeFileSync(path('lines'), `${records.join('\n')}\n`, 'latin1');
  writeFileSync(path('records'), `${records.map((record) => record.replaceAll('\0', '')).join('\0')}\0`, 'latin1');
  writeFileSync(path('bytes'), Buffer.alloc(100, 'random'));
  const script = OPTIONS.map((options, i) => {
    const all = `${options} --random-source=bytes ${inputOf(options)}`;
    return `sort ${all} > sorted${i}; sort --debug ${all} > shown${i} 2> messages${i}`;
  });
  spawnSync('sh', { cwd: directory, env: { PATH: process.env.PATH, LC_ALL: 'C' }, input: script.join('\n') });
});
afterAll(() => {
  rmSync(directory, { recursive: true });
});

const inputOf = (options: string): string => (options.startsWith('-z') ? 'records' : 'lines');

/** The words of an option set, split as a shell does. */
const wordsOf = (options: string): string[] =>
  [...options.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain!);

function jobOf(options: string): SortJob {
  const request = parseArguments(['--debug', ...wordsOf(options)], SURROUNDINGS);
  if (request.action !== 'sort') throw new Error('the arguments request no sort');
  return request.job;
}

describe('underlined lines', () => {
  it.each(OPTIONS.map((options, i) => [options, i] as const))(
    'underlines lines like sort --debug %s',
    async (options, i) => {
      const [sorted, shown] = [readFileSync(path(`sorted${i}`)), readFileSync(path(`shown${i}`))];
      expect(shown.length).toBeGreaterThan(sorted.length);
      const out = collector();
      const write = underlining(jobOf(options).ordering, out.write);
      // Blocks of all lengths, each passed on before the previous one is written.
      const next = random(i);
      const writes: Promise<void>[] = [];
      for (let at = 0; at < sorted.length; ) {
        const block = Buffer.from(sorted.subarray(at, at + 1 + Math.floor(next() ** 3 * 3000)));
        writes.push(write(block));
        at += block.length;
      }
      await Promise.all(writes);
      expect(out.bytes().toString('latin1')).toBe(shown.toString('latin1'));
    },
  );
});

it('reads a block of sorted lines only before its write ends', async () => {
  const out: string[] = [];
  let release = (): void => undefined;
  const slow: BlockWriter = (block) =>
    new Promise((resolve) => {
      out.push(Buffer.from(block).toString());
      release = resolve;
    });
  const write = underlining(jobOf('').ordering, slow);
  const block = Buffer.from('ab\ncd');
  const first = write(block);
  await new Promise(setImmediate);
  expect(out).toEqual(['ab\n__\n']);
  release();
  await first;
  block.fill('x');
  const second = write(Buffer.from('e\n'));
  await new Promise(setImmediate);
  release();
  await second;
  expect(out).toEqual(['ab\n__\n', 'cde\n___\n']);
});

it('fails to underline any block after a failed write', async () => {
  const write = underlining(jobOf('').ordering, () => Promise.reject(new Error('full')));
  const writes = [write(Buffer.from('a\n')), write(Buffer.from('b\n'))];
  for (const result of await Promise.allSettled(writes))
    expect(result).toMatchObject({ status: 'rejected', reason: { message: 'full' } });
});

describe('a job with --debug', () => {
  it.each(['', '-k2,2 -k1,1 -s', '-k2b,2 -u', '-n', '-t: -k2,2r -k1n', '-m', '-zk2'])(
    'runs a job that writes the same as sort --debug %s',
    async (options) => {
      const input = path(options === '-m' ? `sorted${OPTIONS.indexOf('')}` : inputOf(options));
      const { stdout } = spawnSync('sort', ['--debug', ...wordsOf(options), input], { env: { LC_ALL: 'C' } });
      const job = changed(jobOf(options), {
        engine: 'cpu',
        inputs: [Buffer.from(input)],
        output: Buffer.from(path('output')),
      });
      expect(await runJob(job, silent)).toBe(0);
      expect(readFileSync(path('output')).toString('latin1')).toBe(stdout.toString('latin1'));
    },
  );
});
