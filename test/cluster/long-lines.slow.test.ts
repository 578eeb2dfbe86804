/** Lines as long as the distances of blocks, checkpoints and surveys in stored runs, and longer than chunks. */
import { describe, it } from 'vitest';
import { random, randomBelow, shuffled } from '../support/random.js';
import { expectSame, type Files } from './both.js';

const [MARK, SURVEY] = [128 << 10, 8 << 20];
/** With their newlines, some lines end exactly at a checkpoint or at the end of a survey. */
const LENGTHS = [0, 1, 99, MARK - 2, MARK - 1, MARK, MARK + 1, 3 * MARK - 1, SURVEY - 1, SURVEY, SURVEY + 70_000];

/** About 30 MB of lines that begin with a number; the longest ones begin alike. */
function lines(seed: number): Files {
  const below = randomBelow(seed);
  const list = [
    ...LENGTHS,
    ...Array.from({ length: 60 }, () => LENGTHS[below(8)]),
    ...Array.from({ length: 2000 }, () => 30),
  ];
  const text = shuffled(list, random(seed)).map((length) =>
    `${below(50)} ${length > 99 ? 'x' : below(1e6)}`.padEnd(length, 'x').slice(0, length),
  );
  const half = text.length >> 1;
  return { a: `${text.slice(0, half).join('\n')}\n`, b: text.slice(half).join('\n') };
}

describe('long lines', () => {
  it.each([
    [[], '1M', { shares: 3, ranges: 4 }],
    [['-r'], '100K', { shares: 2, ranges: 3 }],
    [['-k1,1n', '-s'], '1M', { shares: 4, ranges: 5 }],
    [['-k1,1n'], '16M', { shares: 2, ranges: 2 }],
    [['-k1,1n', '-u'], '300K', { shares: 3, ranges: 3 }],
    [['--count', '-k2'], '1M', { shares: 3, ranges: 2 }],
  ] as const)('%j in chunks of %s', async (words, chunk, tasks) => {
    const files = lines(7);
    await expectSame([...words, '--chunk-size', chunk, ...Object.keys(files)], files, tasks);
  });

  it('-m of long lines', async () => {
    const files = lines(8);
    const sorted = Object.fromEntries(
      Object.entries(files).map(([name, text]) => {
        const list = String(text).replace(/\n$/, '').split('\n');
        return [name, `${list.sort((a, b) => (a < b ? -1 : Number(a > b))).join('\n')}\n`];
      }),
    );
    await expectSame(['-m', '--chunk-size', '1M', 'a', 'b'], sorted, { shares: 1, ranges: 4 });
  });
});
