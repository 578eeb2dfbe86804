/**
 * -m against GNU sort, with windows and ranges of a few records, under each ordering. Inputs are files and pipes, in
 * order, nearly in order and unordered.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { array, boolean, constantFrom, integer, nat, noShrink, oneof, record } from 'fast-check';
import { afterAll, expect, it, vi } from 'vitest';
import { SMALL_FILE_BYTES } from '../src/input/files.js';
import { recordFinder } from '../src/records/record-finder.js';
import { RecordCursor } from '../src/run/record-cursor.js';
import { fileSystem } from '../src/system/file-system.js';
import { parsed, runHere } from './support/in-process.js';
import { property } from './support/property.js';
import { type RandomBelow, randomBelow, shuffled } from './support/random.js';

const root = mkdtempSync(join(process.env.GPUSORT_TEST_TMP ?? tmpdir(), 'merge-'));
afterAll(() => rmSync(root, { recursive: true }));

const ORDERS = ['', '-r', '-u', '-s', '-k2', '-k2 -s', '-n', '-u -k1,1', '-z', '-f', '-t, -k2,2n', '-r -u', '-n -u'];
const WAYS = [
  '--chunk-size 16',
  '--chunk-size 64',
  '--chunk-size 300',
  '--chunk-size 500 --batch-size 3',
  '--chunk-size 1K -S 8K --parallel 2',
  '--chunk-size 4K',
  '--chunk-size 64K -S 1M',
];
const wordsOf = (text: string): string[] => text.split(' ').filter((word) => word !== '');

/** Lines of the pools from which inputs are taken: few keys, many keys, lines longer than a chunk, empty lines. */
const LINES: readonly ((pick: RandomBelow) => string)[] = [
  (pick) => `${pick(20)} ${pick(9)}`.slice(0, 1 + pick(5)),
  (pick) => `${pick(5000)}${pick(2) === 0 ? ' ' : ','}${pick(30)}`,
  (pick) => 'aB'.charAt(pick(2)).repeat(pick(4)) + ' x'.repeat(pick(3)),
  (pick) => `${pick(40)} ${'long,'.repeat(pick(20) === 0 ? pick(80) : pick(3))}${pick(3)}`,
];
const POOL = 1500;

/** Ways to bring lines out of order. */
const DISORDERS: Readonly<Record<string, (lines: readonly string[], pick: RandomBelow) => string[]>> = {
  'one line elsewhere': (lines, pick) => {
    const others = [...lines];
    const moved = others.splice(pick(lines.length), 1);
    others.splice(pick(lines.length), 0, ...moved);
    return others;
  },
  'two lines exchanged': (lines, pick) => {
    const [a, b] = [pick(lines.length), pick(lines.length)];
    return lines.map((line, i) => lines[i === a ? b : i === b ? a : i] ?? line);
  },
  'two ordered parts': (lines, pick) => {
    const isFirst = lines.map(() => pick(2) === 0);
    return [...lines.filter((_, i) => isFirst[i]), ...lines.filter((_, i) => !isFirst[i])];
  },
  'neighbors shuffled': (lines, pick) => {
    const [begin, end] = [pick(lines.length), 2 + pick(6)];
    const some = shuffled(lines.slice(begin, begin + end), () => pick(1 << 20) / (1 << 20));
    return [...lines.slice(0, begin), ...some, ...lines.slice(begin + end)];
  },
  reversed: (lines) => lines.toReversed(),
  shuffled: (lines, pick) => shuffled(lines, () => pick(1 << 20) / (1 << 20)),
};

/** An input: some of a pool's lines, in order unless `disorder` names a way. */
const INPUT = record({
  begin: nat(POOL),
  count: nat(POOL),
  /** One line in this many. */
  share: integer({ min: 1, max: 5 }),
  disorder: constantFrom(null, null, ...Object.keys(DISORDERS)),
  isPipe: constantFrom(false, false, false, true),
  lacksLastDelimiter: constantFrom(false, false, false, true),
});
const JOB = record({
  seed: nat(1 << 30),
  pool: nat(2 * LINES.length - 1),
  inputs: oneof(
    { arbitrary: array(INPUT, { minLength: 1, maxLength: 5, size: 'max' }), weight: 7 },
    { arbitrary: array(INPUT, { minLength: 1, maxLength: 25, size: 'max' }), weight: 1 },
  ),
  /** Half of the jobs have no disorder. They are verified. */
  isOrdered: boolean(),
  way: constantFrom(...WAYS),
});

function gnuSort(args: readonly string[], input = ''): Buffer {
  return spawnSync('sort', args, { input, env: { ...process.env, LC_ALL: 'C' }, maxBuffer: 1 << 28 }).stdout;
}

/** Starts a program that writes a file to a named pipe beside it. */
function startPipe(file: string): ChildProcess {
  execFileSync('mkfifo', [`${file}.pipe`]);
  return spawn('sh', ['-c', 'exec cat "$0" > "$0.pipe"', file], { stdio: 'ignore' });
}

for (const [number, order] of ORDERS.entries()) {
  const words = wordsOf(order);
  const delimiter = order === '-z' ? '\0' : '\n';
  /** Sorts lines in the order of the job, keeping equal keys under -u. */
  const pools = new Map<number, string[]>();
  const poolOf = (pool: number): string[] => {
    const known = pools.get(pool);
    if (known !== undefined) return known;
    const pick = randomBelow(100 * number + pool);
    const text = Array.from({ length: POOL }, () => LINES[pool >> 1](pick) + delimiter).join('');
    const by = pool % 2 === 0 ? words : words.filter((word) => word !== '-u');
    const sorted = gnuSort(by, text).toString().split(delimiter).slice(0, -1);
    pools.set(pool, sorted);
    return sorted;
  };
  property(
    `merges like GNU sort -m ${order}`,
    [noShrink(JOB)],
    async ({ seed, pool, inputs, isOrdered, way }) => {
      const directory = mkdtempSync(join(root, 'm-'));
      const pick = randomBelow(seed);
      const names = inputs.map(({ begin, count, share, disorder, lacksLastDelimiter }, i) => {
        const lines = poolOf(pool)
          .slice(begin, begin + count)
          .filter(() => pick(share) === 0);
        const arranged =
          isOrdered || disorder === null || lines.length === 0 ? lines : DISORDERS[disorder](lines, pick);
        const text = arranged.map((line) => line + delimiter).join('');
        const name = join(directory, `f${i}`);
        writeFileSync(name, lacksLastDelimiter && arranged.at(-1) !== '' ? text.slice(0, -1) : text);
        return name;
      });
      const output = join(directory, 'out');
      const writers = names.filter((_, i) => inputs[i].isPipe).map(startPipe);
      const given = names.map((name, i) => (inputs[i].isPipe ? `${name}.pipe` : name));
      const verify = isOrdered ? ['--verify'] : [];
      const args = ['-m', '--engine', 'cpu', ...words, ...wordsOf(way), ...verify, '-o', output, ...given];
      try {
        expect(await runHere(() => parsed(args, 'gpusort'), 'gpusort')).toEqual({ status: 0, messages: '' });
      } finally {
        for (const writer of writers) writer.kill();
      }
      expect(readFileSync(output).equals(gnuSort(['-m', ...words, ...names]))).toBe(true);
      rmSync(directory, { recursive: true });
    },
    { runs: 12, seed: number + 1 },
  );
}

it('reads small inputs at once, into windows of their size', async () => {
  const file = join(root, 'small');
  writeFileSync(file, 'a\nb\n');
  const open = vi.spyOn(fileSystem, 'open');
  const args = ['-m', '-o', join(root, 'o'), file, file];
  expect(await runHere(() => parsed(args, 'gpusort'), 'gpusort')).toMatchObject({ status: 0 });
  expect(readFileSync(join(root, 'o'), 'latin1')).toBe('a\na\nb\nb\n');
  expect(open.mock.calls.filter(([name]) => String(name) === file)).toEqual([]);
  open.mockRestore();
  // 50,000 windows of a fixed size would keep the garbage collector busy.
  const cursor = new RecordCursor(
    { read: async () => Buffer.from('a\nb\n'), close: () => {} },
    recordFinder({ kind: 'lines', delimiter: 10 }),
  );
  await cursor.refill();
  expect(cursor.window).toHaveLength(4);
});

it('closes the inputs it has opened if the next one cannot be opened', async () => {
  // Smaller files are read when they are opened.
  const files = ['a\n', 'b\n', 'c\n'].map((text, i) => {
    writeFileSync(join(root, `input${i}`), text.repeat(SMALL_FILE_BYTES));
    return join(root, `input${i}`);
  });
  const { open } = fileSystem;
  const failing = vi
    .spyOn(fileSystem, 'open')
    .mockImplementation((name, ...how) =>
      String(name) === files[2] ? Promise.reject(new Error('EMFILE')) : open(name, ...how),
    );
  const args = ['-m', '--engine=cpu', '--chunk-size=16', '-o', join(root, 'o'), ...files];
  expect(await runHere(() => parsed(args, 'gpusort'), 'gpusort')).toMatchObject({ status: 2 });
  failing.mockRestore();
  const stillOpen = readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return files.includes(readlinkSync(`/proc/self/fd/${fd}`));
    } catch {
      return false; // the descriptor that the list was read through
    }
  });
  expect(stillOpen).toEqual([]);
});
