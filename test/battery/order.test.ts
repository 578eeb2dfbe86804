/**
 * Inputs that are in order or nearly so, compared with GNU sort. --stats must report that gpusort noticed. By day each
 * order with about half of the options.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { withDirectory } from '../cli/run.js';
import { ORDERS } from '../support/orders.js';
import { randomBelow } from '../support/random.js';
import { sampled } from '../support/tier.js';
import { sortHere } from './here.js';
import { gpusort, run, sameAsGnu } from './runner.js';

/** Lines of a number and letters. Many are equal or have equal numbers. */
const below = randomBelow(31);
const lines = Array.from(
  { length: 6000 },
  () => `${String(below(900) + 100)} ${'abc'.slice(below(3))}${'x'.repeat(below(40))}`,
);
const byLine = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

const OPTIONS = [
  [],
  ['-r'],
  ['-u'],
  ['-ru'],
  ['-s'],
  ['-z'],
  ['-n'],
  ['-k1,1n', '-s'],
  ['-k1,1', '-s', '-r'],
  ['-k1,1n', '-u'],
  ['-k2', '-k1,1nr'],
] as const;
const WAYS = [
  ['--chunk-size', '4K'],
  ['--chunk-size', '64K', '--parallel', '2'],
  ['--chunk-size', '16K', '-S', '64K'],
  ['--chunk-size', '16K', '--algorithm', 'sample-sort'],
  [],
] as const;
/** The number of chunks that were in order or in reverse, from --stats. */
const noticed = (stderr: string): number =>
  Number(/(\d+) of \d+ chunks were already in (?:order|reverse)/.exec(stderr)?.[1] ?? 0);

const NAMES = Object.keys(ORDERS);
const TODAY = sampled(
  NAMES.flatMap((order, j) => OPTIONS.map((options, i) => ({ order, options, i, way: (i + j) % WAYS.length }))),
  { count: 40, seed: 1, values: ({ order, i, way }) => [order, i, way] },
);

describe.each(NAMES)('%s', (order) => {
  const today = TODAY.filter((one) => one.order === order);
  it.each(today.map(({ options, way }) => [options.join(' '), options, way] as const))(
    'sorts like GNU sort: %s',
    (_, options, way) =>
      withDirectory(async (cwd) => {
        const end = (options as readonly string[]).includes('-z') ? '\0' : '\n';
        // The input is GNU sort's output with these options, permuted.
        writeFileSync(join(cwd, 'lines'), [...lines].sort(byLine).join(end) + end);
        const ascending = (await run('sort', [...options, 'lines'], { cwd })).stdout.toString().split(end).slice(0, -1);
        const twice = (options as readonly string[]).includes('-u')
          ? ascending.flatMap((line, at) => (at % 3 === 0 ? [line, line] : [line]))
          : ascending;
        writeFileSync(join(cwd, 'input'), ORDERS[order](twice, below).join(end) + end);
        const expected = await run('sort', [...options, 'input'], { cwd });
        sameAsGnu(await sortHere(['--engine', 'cpu', ...WAYS[way], '-T', cwd, ...options, 'input'], { cwd }), expected);
        sameAsGnu(
          await sortHere(['--engine', 'cpu', '--chunk-size', '4K', '--top', '50', ...options, 'input'], { cwd }),
          {
            ...expected,
            stdout: Buffer.from(
              expected.stdout
                .toString()
                .split(end)
                .slice(0, 50)
                .map((line) => line + end)
                .join(''),
            ),
          },
        );
        if (order !== 'in order') return;
        const { stdout, stderr } = await gpusort(
          ['--engine', 'cpu', '--chunk-size', '4K', '--stats', ...options, 'input'],
          { cwd },
        );
        expect(stdout.equals(expected.stdout)).toBe(true);
        // Under -u, chunks with duplicates do not count as sorted.
        if (!options.some((option) => option.includes('u'))) expect(noticed(stderr)).toBeGreaterThan(20);
      }),
  );
});

it('reports reversed lines, and fixed records in order', () =>
  withDirectory(async (cwd) => {
    const sorted = Array.from({ length: 5000 }, (_, i) => `${String(i).padStart(7, '0')}.`);
    writeFileSync(
      join(cwd, 'lines'),
      sorted
        .slice()
        .reverse()
        .map((line) => `${line}\n`)
        .join(''),
    );
    const lines = await gpusort(['--engine', 'cpu', '--chunk-size', '4K', '--stats', 'lines'], { cwd });
    expect(lines.stdout.toString()).toBe(sorted.map((line) => `${line}\n`).join(''));
    expect(lines.stderr).toMatch(/1[0-9] of 1[0-9] chunks were already in reverse/);
    writeFileSync(join(cwd, 'records'), sorted.join(''));
    const records = await gpusort(
      ['--engine', 'cpu', '--chunk-size', '4K', '--stats', '--record-size', '8', '--key', '0:7', 'records'],
      { cwd },
    );
    expect(records.stdout.toString()).toBe(sorted.join(''));
    expect(records.stderr).toMatch(/were already in order/);
  }));
