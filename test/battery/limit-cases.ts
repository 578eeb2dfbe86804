/** --top and --bottom on an engine: the output must equal `sort | head` and `sort | tail`. */
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { randomBelow } from '../support/random.js';
import { NIGHTLY } from '../support/tier.js';
import { sortOn } from './here.js';
import { sortRecords } from './matrix.js';
import { expectSameBytes, freshDirectory, script } from './runner.js';

const below = randomBelow(44);
/** Lines with duplicates, some larger than the chunks below. The second file lacks its last newline. */
const words = Array.from({ length: 9000 }, (_, i) =>
  i % 1500 === 7 ? 'long'.repeat(3000 + below(2)) : `${below(60)} ${'w'.repeat(below(20))}${below(90)}`,
);
const [a, b] = [`${words.slice(0, 5000).join('\n')}\n`, words.slice(5000).join('\n')];
const records = Buffer.from(Uint8Array.from({ length: 12 * 3000 }, () => below(4)));

/** Creates the input files before the tests. Returns a function for their directory, valid only inside tests. */
export function limitInputs(): () => string {
  let cwd = '';
  beforeAll(() => {
    cwd = freshDirectory('limit');
    writeFileSync(join(cwd, 'a'), a);
    writeFileSync(join(cwd, 'b'), b);
    writeFileSync(join(cwd, 'empty'), '');
    writeFileSync(join(cwd, 'records'), records);
  });
  return () => cwd;
}

const ORDERS = ['', '-r', '-u', '-s', '-z', '-k1,1n', '-k1,1n -s', '-k1,1nr -u', '-k2b'];
const COUNTS = [0, 1, 10, 700, 8999, 1_000_000];
/** With the small chunks there are many runs; with -S 64K they go to temporary files. */
const WAYS = ['', '--chunk-size 8K', '--chunk-size 8K -S 64K -T .'];

/** Registers the tests of an engine. */
export function limits(engine: 'cpu' | 'gpu'): void {
  const directory = limitInputs();
  const sort = sortOn(engine);
  // By day, each order meets two counts. On a software GPU, every second order meets one, which is not 0.
  const cases = ORDERS.flatMap((order, i) =>
    COUNTS.map((count, j) => [order, count, WAYS[(i + j) % WAYS.length]] as const).filter(
      (_, j) => NIGHTLY || (engine === 'cpu' ? j % 3 === i % 3 : j === (i + 1) % COUNTS.length && i % 2 === 0),
    ),
  );
  it.each(cases)('writes the same as sort %s with head and tail: %d records, %s', async (order, count, way) => {
    const cwd = directory();
    const z = order === '-z' ? '-z' : '';
    const options = [...way.split(' '), ...order.split(' ')].filter((word) => word !== '');
    const same = async (args: readonly string[], stdin: Buffer | undefined, reference: string): Promise<void> => {
      const [{ status, stderr, stdout }, expected] = await Promise.all([
        sort([...options, ...args], { cwd, ...(stdin && { stdin }) }),
        script(reference, { cwd }),
      ]);
      expect({ args, status, stderr }).toEqual({ args, status: 0, stderr: '' });
      expectSameBytes(stdout, expected.stdout);
    };
    await same(
      ['--top', String(count), 'a', 'empty', 'b'],
      undefined,
      `sort ${order} a empty b | head ${z} -n ${count}`,
    );
    await same(['--bottom', String(count)], Buffer.from(a + b), `cat a b | sort ${order} | tail ${z} -n ${count}`);
  });

  it('writes the first or last fixed records', async () => {
    for (const options of [['--key', '0:3'], ['--key', '0:3', '-s'], ['--key', '0:3', '-u'], ['-r']]) {
      const expected = sortRecords(records, 12, options);
      const numbers = [
        ['--top', 50],
        ['--bottom', 50],
        ['--top', 0],
        ['--bottom', 10_000],
      ] as const;
      for (const [name, count] of engine === 'gpu' && !NIGHTLY ? numbers.slice(0, 2) : numbers) {
        const { stdout, stderr } = await sort(
          ['--chunk-size', '4K', '--record-size', '12', ...options, name, String(count), 'records'],
          { cwd: directory() },
        );
        expect(stderr).toBe('');
        expectSameBytes(
          stdout,
          name === '--top'
            ? expected.subarray(0, count * 12)
            : expected.subarray(Math.max(0, expected.length - count * 12)),
        );
      }
      if (engine === 'gpu') break;
    }
  });

  it('leaves no temporary files', () => {
    expect(readdirSync(directory()).filter((name) => name.startsWith('gpusort-'))).toEqual([]);
  });
}
