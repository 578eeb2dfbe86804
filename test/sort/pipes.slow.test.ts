/** Pipes against GNU sort: slow ones, ones that differ from their beginning, with options. Each has over 64 MiB. */
import { describe, expect, it } from 'vitest';
import { NIGHTLY, sampled } from '../support/tier.js';
import { AHEAD, DISTRIBUTED, gnuSort, lines, MiB, useStreams } from './streams.js';

const sorted = useStreams();

/** Bytes of a rest that makes up more than a quarter of the pipe. */
const REST = 32 * MiB;

/** Numbers in order, beginning with `from`, one a line. */
function ascending(bytes: number, from: number): Buffer {
  const count = Math.ceil(bytes / 12);
  return Buffer.from(
    Array.from({ length: count }, (_, i) => `${String(from + i).padStart(11, '0')}\n`).join(''),
  ).subarray(0, count * 12);
}

describe('a pipe', () => {
  it.each([
    ['ends within the read-ahead', AHEAD - 1, false],
    ['ends exactly with the read-ahead', AHEAD, true],
    ['ends a byte after the read-ahead', AHEAD + 1, true],
    ['has several chunks', 100e6, true],
  ] as const)('sorts a pipe that %s', (_, bytes, distributed) => {
    const { found, expected, stats } = sorted(lines(bytes, 1), []);
    expect(found).toBe(expected);
    if (bytes !== AHEAD) expect(DISTRIBUTED.test(stats)).toBe(distributed);
  });
  it('sorts a pipe without its last newline', () => {
    const { found, expected } = sorted(lines(AHEAD + 2e6, 2).subarray(0, -1), []);
    expect(found).toBe(expected);
  });
  it('sorts a pipe that arrives in pieces, with pauses', () => {
    const { found, expected, stats } = sorted(lines(70e6, 3), [], {
      source:
        'for i in 0 1 2 3 4 5 6; do tail -c +$((i * 10000000 + 1)) "$0/input" | head -c 10000000; sleep 0.1; done',
    });
    expect(found).toBe(expected);
    expect(stats).toMatch(DISTRIBUTED);
  });
  it('distributes no pipe whose beginning is in order', () => {
    const { found, expected, stats } = sorted(ascending(70e6, 0), []);
    expect(found).toBe(expected);
    expect(stats).toMatch(/the sample is in order/);
  });
  it('sorts a pipe whose rest sorts after its unordered beginning', () => {
    const { found, expected, stats } = sorted(
      Buffer.concat([
        lines(AHEAD + MiB, 4, (next) => String(Math.floor(next() * 1e9))),
        ascending(REST, 95_000_000_000),
      ]),
      [],
    );
    expect(found).toBe(expected);
    expect(stats).toMatch(DISTRIBUTED);
  });
  // test/engines/cpu/distribute.test.ts covers partial distribution, and test/plan/plan.test.ts its limits.
  it.runIf(NIGHTLY)(
    'distributes only a part of a pipe if memory runs out',
    () => {
      const { found, expected, stats } = sorted(lines(300e6, 5), ['-S', '1100M']);
      expect(found).toBe(expected);
      expect(stats).toMatch(DISTRIBUTED);
    },
    240_000,
  );
  it('sorts a pipe with a line larger than every chunk', () => {
    const text = Buffer.concat([lines(68e6, 6), Buffer.alloc(70 * MiB, 'm'), Buffer.from('\n'), lines(3e6, 7)]);
    const { found, expected } = sorted(text, []);
    expect(found).toBe(expected);
  });
});

describe('a pipe with options', () => {
  const text = lines(70e6, 8);
  const options = [
    [['-u']],
    [['-r']],
    [['-z']],
    [['-t,', '-k2,2n']],
    [['-r', '-z']],
    [['-t,', '-k2,2nr', '-s']],
    [['-t,', '-k2,2n', '-u']],
    [['-f', '-k1,1']],
    [['-S', '40M']],
  ];
  // Each kind of key, ties broken or not, and each other option.
  const today = sampled(options, {
    count: 4,
    seed: 3,
    values: ([words]) =>
      ['-k2', '-s', '-u', '-z', '-f', '-S'].map((word) => words.some((given) => given.startsWith(word))),
  });
  it.each(today)('sorts a pipe with %j', (options) => {
    const { found, expected } = sorted(text, options);
    expect(found).toBe(expected);
  });
  it('writes the first lines of a pipe with --top', () => {
    // GNU sort must not end by SIGPIPE, so sed reads all.
    const { found, expected, stats } = sorted(text, ['--top', '1000'], { reference: `${gnuSort()} | sed -n 1,1000p` });
    expect(found).toBe(expected);
    expect(stats).not.toMatch(DISTRIBUTED);
  });
  it.each([
    [['--header', '2'], 2, ''],
    [['--csv', '-k2,2n'], 1, '-t, -k2,2n'],
  ] as const)('keeps the header of a pipe with %j', (options, header, gnu) => {
    const reference = `head -n ${header} "$0/input"; tail -n +${header + 1} "$0/input" | sort ${gnu}`;
    const { found, expected } = sorted(text, options, { reference });
    expect(found).toBe(expected);
  });
  it('verifies the output of a pipe with --verify', () => {
    const { found, expected, stats } = sorted(text, ['--verify'], { reference: gnuSort() });
    expect(found).toBe(expected);
    expect(stats).toMatch(/verified/);
  });
});
