/**
 * --json through the program, on each engine: in chunks and runs of all sizes, from files and pipes, with -m and -c.
 * The reference is a simple sort of the values that JSON.parse finds.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { hasGpu } from '../setup/gpu.js';
import { randomBelow } from '../support/random.js';
import { NIGHTLY } from '../support/tier.js';
import { expectSameBytes, freshDirectory, gpusort } from './runner.js';

const below = randomBelow(62);
/**
 * A JSON line. Some values are missing, some lines are not in JSON.stringify's form, and one in 600 is longer than the
 * small chunks.
 */
function line(i: number): string {
  const name = ['Ann', 'bob', 'Éva', 'a\nb', 'a\tb', '"', '', '😀', undefined][below(9)];
  const value = {
    id: i,
    user: below(6) === 0 ? null : { name, 'e.mail': `u${below(40)}@x` },
    n: [below(90), -below(90) / 4],
    ...(i % 600 === 0 && { text: 'long '.repeat(3000) }),
  };
  const text = JSON.stringify(value);
  return [
    text,
    text.replaceAll(':', ' : '),
    text.replaceAll('é', '\\u00e9').replaceAll('a', '\\u0061'),
    text.replaceAll('É', '\\u00c9'),
  ][below(4)];
}

interface Value {
  user: { name?: string; 'e.mail': string } | null;
  n: number[];
  id: number;
}
type Key = (value: Value) => string | number;
interface Order {
  readonly keys: readonly (readonly [key: Key, reverse: boolean])[];
  readonly reverse?: boolean;
  readonly stable?: boolean;
  readonly unique?: boolean;
}

const compareText = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

function sorted(lines: readonly string[], { keys, reverse = false, stable = false, unique = false }: Order): string[] {
  const rows = lines.map((text) => ({ text, values: keys.map(([key]) => key(JSON.parse(text) as Value)) }));
  type Row = (typeof rows)[number];
  const byKeys = (a: Row, b: Row): number =>
    keys.reduce((sign, [, turned], i) => {
      const [x, y] = [a.values[i], b.values[i]];
      return sign || (turned ? -1 : 1) * (typeof x === 'number' ? x - (y as number) : compareText(x, y as string));
    }, 0);
  rows.sort((a, b) => byKeys(a, b) || (stable || unique ? 0 : (reverse ? -1 : 1) * compareText(a.text, b.text)));
  return rows.filter((row, i) => !unique || i === 0 || byKeys(rows[i - 1], row) !== 0).map(({ text }) => text);
}

const textOf = (lines: readonly string[], end = '\n'): Buffer => Buffer.from(lines.map((text) => text + end).join(''));
const lines = Array.from({ length: 3000 }, (_, i) => line(i));
let cwd = '';
beforeAll(() => {
  cwd = freshDirectory('json');
  writeFileSync(join(cwd, 'a'), textOf(lines.slice(0, 2000)));
  writeFileSync(join(cwd, 'b'), textOf(lines.slice(2000)).subarray(0, -1));
});

const name: Key = ({ user }) => user?.name ?? '';
const second: Key = ({ n }) => n[1];
const ORDERS: readonly (readonly [string[], Order])[] = [
  [['--json', 'n.1:n'], { keys: [[second, false]] }],
  [
    ['--json', 'user.name', '--json=n.1:nr'],
    {
      keys: [
        [name, false],
        [second, true],
      ],
    },
  ],
  [['--json', 'user.e\\.mail:r', '-s'], { keys: [[({ user }) => user?.['e.mail'] ?? '', true]], stable: true }],
  [['--json', 'user.name', '-u'], { keys: [[name, false]], unique: true }],
  [['--json', 'n.0', '-n', '-r'], { keys: [[({ n }) => n[0], true]], reverse: true }],
  [['--json', 'user.nothing', '--json', 'n', '-s'], { keys: [[({ n }) => JSON.stringify(n), false]], stable: true }],
];
const WAYS = [
  [],
  ['--chunk-size', '8K'],
  ['--chunk-size', '4K', '-S', '32K'],
  ['--chunk-size', '100K', '--parallel', '2'],
] as const;
/** By day, a software GPU runs one order: it takes seconds to start. */
const today = (engine: string, i: number): boolean => engine === 'cpu' || NIGHTLY || i === 1;

describe.each(hasGpu() ? ['cpu', 'gpu'] : ['cpu'])('with --engine %s', (engine) => {
  const runs = ORDERS.map(([options, order], i) => [options.join(' '), options, order, i] as const).filter(
    ([, , , i]) => today(engine, i),
  );
  it.each(runs)('sorts by %s', async (_, options, order, i) => {
    // Arrays are compared as written, so only lines in one form are used.
    const all = options.includes('n') ? lines.filter((text) => !text.includes(' : ')) : lines;
    writeFileSync(join(cwd, 'all'), textOf(all));
    for (const [args, from] of [
      [['all'], {}],
      [['-'], { stdin: textOf(all) }],
    ] as const) {
      const { status, stderr, stdout } = await gpusort(
        ['--engine', engine, '-T', cwd, ...options, ...WAYS[(i + args.length) % WAYS.length], ...args],
        { cwd, ...from },
      );
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      expectSameBytes(stdout, textOf(sorted(all, order)));
      if (engine === 'gpu') return;
    }
  });
});

it('merges with -m and checks with -c', async () => {
  const order = ORDERS[1];
  writeFileSync(join(cwd, 'c'), textOf(sorted(lines.slice(0, 700), order[1])));
  writeFileSync(join(cwd, 'd'), textOf(sorted(lines.slice(700), order[1])));
  const { stdout } = await gpusort([...order[0], '-m', 'c', 'd'], { cwd });
  expectSameBytes(stdout, textOf(sorted(lines, order[1])));
  expect(await gpusort([...order[0], '-c', 'c'], { cwd })).toMatchObject({ status: 0, stderr: '' });
  expect(await gpusort(['--json', 'a:n', '-c'], { stdin: Buffer.from('{"a":2}\n{"a":10}\n{"a":9}\n') })).toMatchObject({
    status: 1,
    stderr: 'gpusort: -:3: disorder: {"a":9}\n',
  });
});

it('accepts lines that end with NUL, and sorts invalid JSON first', async () => {
  const { stdout } = await gpusort(['-z', '--json', 'a'], {
    stdin: Buffer.from('{"a":\n"x"}\0{"a":"b"}\0no JSON\0\0[]\0'),
  });
  expect(stdout.toString()).toBe('\0[]\0no JSON\0{"a":"b"}\0{"a":\n"x"}\0');
});

it('uses the entire value if the path is empty', async () => {
  const { stdout } = await gpusort(['--json', ':n'], { stdin: Buffer.from('"10"\n 9\n"-1"\n') });
  expect(stdout.toString()).toBe('"-1"\n 9\n"10"\n');
});
