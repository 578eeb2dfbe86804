/**
 * -m against GNU sort, with windows and ranges of a few records. Inputs are files and pipes: in order, nearly in order
 * and unordered. Many small jobs, in this process, cover disorder of each kind under each ordering. Nightly runs try
 * many more.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { parsed, runHere } from './support/in-process.js';
import { type RandomBelow, random, randomBelow } from './support/random.js';
import { NIGHTLY } from './support/tier.js';

const BINARY = fileURLToPath(new URL('../bin/gpusort.cjs', import.meta.url));
const { NODE_EXTRA_CA_CERTS: _, ...environment } = process.env;
const env = { ...environment, LC_ALL: 'C' };
const CASES = NIGHTLY ? 3000 : 26;
/** Small jobs for each ordering. */
const JOBS = NIGHTLY ? 3000 : 12;
const directory = mkdtempSync(join(process.env.GPUSORT_TEST_TMP ?? tmpdir(), 'merge-'));
afterAll(() => rmSync(directory, { recursive: true }));

const ORDERS = ['', '-r', '-u', '-s', '-k2', '-k2 -s', '-n', '-u -k1,1', '-z', '-f', '-t, -k2,2n', '-r -u', '-n -u'];
const WAYS = [
  '--chunk-size 300',
  '--chunk-size 4K',
  '--chunk-size 64K -S 1M',
  '--chunk-size 1K -S 8K --parallel 2',
  '--chunk-size 300',
  '--chunk-size 500 --batch-size 3',
];
const next = random(5);
const pick = (n: number): number => Math.floor(next() * n);
const DRAWS = [
  () => 'ab '.charAt(pick(3)).repeat(pick(3)),
  () => `${pick(1000)}${pick(2) === 0 ? ` ${pick(30)}` : `,${pick(9)}`}`,
  () =>
    next()
      .toString(36)
      .slice(2, 2 + pick(30)),
  // A few lines are longer than a chunk.
  () => 'long/'.repeat(pick(20) === 0 ? pick(400) : pick(4)),
];

/**
 * Up to `most` lines, sorted unless `order` is null. `swaps` exchanges two lines. One text in four lacks its last
 * delimiter.
 */
function textOf(most: number, draw: () => string, order: string | null, swaps: boolean, delimiter: string): Buffer {
  let lines = Array.from({ length: pick(most + 1) }, draw);
  if (order !== null) {
    const { stdout } = spawnSync('sort', [...order.split(' ').filter(Boolean)], {
      input: lines.map((line) => line + delimiter).join(''),
      env,
      encoding: 'latin1',
    });
    lines = stdout.split(delimiter).slice(0, -1);
  }
  if (swaps && lines.length > 1) {
    const [a, b] = [pick(lines.length), pick(lines.length)];
    [lines[a], lines[b]] = [lines[b], lines[a]];
  }
  const text = lines.map((line) => line + delimiter).join('');
  return Buffer.from(pick(4) === 0 && lines.at(-1) !== '' ? text.slice(0, -1) : text, 'latin1');
}

describe('-m', () => {
  it.each(Array.from({ length: CASES }, (_, i) => i))('merges like GNU sort, case %i', (number) => {
    const order = ORDERS[pick(ORDERS.length)];
    const way = WAYS[number % WAYS.length];
    const draw = DRAWS[pick(DRAWS.length)];
    const [most, disorder] = [pick(2) === 0 ? 40 : 2500, pick(4)];
    const delimiter = order === '-z' ? '\0' : '\n';
    // Under -u, some inputs have equal keys.
    const presorted = pick(2) === 0 ? order : order.replace('-u', '');
    const names = Array.from({ length: 1 + pick(pick(4) === 0 ? 40 : 9) }, (_, i) => {
      const name = join(directory, `f${i}`);
      writeFileSync(
        name,
        textOf(most, draw, disorder === 3 ? null : presorted, disorder === 2 && pick(3) === 0, delimiter),
      );
      return name;
    });
    const inputs = names.map((name) => (pick(3) === 0 ? `<(cat ${name})` : name)).join(' ');
    const expected = spawnSync('sort', ['-m', ...order.split(' ').filter(Boolean), ...names], {
      env,
      maxBuffer: 1 << 28,
    }).stdout;
    const verify = disorder < 2 ? '--verify' : '';
    const ours = spawnSync('bash', ['-c', `"$0" --engine cpu -m ${order} ${way} ${verify} ${inputs}`, BINARY], {
      env,
      maxBuffer: 1 << 28,
      timeout: 60_000,
    });
    expect(ours.stderr.toString()).toBe('');
    expect(ours.stdout.equals(expected)).toBe(true);
  });
});

/** Lines of the pools from which inputs are taken: few keys, many keys, lines longer than a chunk, empty lines. */
const LINES: ((pick: RandomBelow) => string)[] = [
  (pick) => `${pick(20)} ${pick(9)}`.slice(0, 1 + pick(5)),
  (pick) => `${pick(5000)}${pick(2) === 0 ? ' ' : ','}${pick(30)}`,
  (pick) => 'aB'.charAt(pick(2)).repeat(pick(4)) + ' x'.repeat(pick(3)),
  (pick) => `${pick(40)} ${'long,'.repeat(pick(20) === 0 ? pick(80) : pick(3))}${pick(3)}`,
];
/** Ways to put lines that are in order out of order. */
const DISORDERS: ((lines: readonly string[], pick: RandomBelow) => string[])[] = [
  // One line elsewhere.
  (lines, pick) => {
    const others = [...lines];
    const moved = others.splice(pick(lines.length), 1);
    others.splice(pick(lines.length), 0, ...moved);
    return others;
  },
  // Two lines exchanged.
  (lines, pick) => {
    const [a, b] = [pick(lines.length), pick(lines.length)];
    return lines.map((line, i) => lines[i === a ? b : i === b ? a : i] ?? line);
  },
  // Two ordered parts.
  (lines, pick) => {
    const isFirst = lines.map(() => pick(2) === 0);
    return [...lines.filter((_, i) => isFirst[i]), ...lines.filter((_, i) => !isFirst[i])];
  },
  // A few neighbours shuffled.
  (lines, pick) => {
    const [begin, count] = [pick(lines.length), 2 + pick(6)];
    return [
      ...lines.slice(0, begin),
      ...shuffled(lines.slice(begin, begin + count), pick),
      ...lines.slice(begin + count),
    ];
  },
  (lines) => lines.toReversed(),
  shuffled,
];

function shuffled(lines: readonly string[], pick: RandomBelow): string[] {
  const rest = [...lines];
  return lines.map(() => rest.splice(pick(rest.length), 1)[0]);
}

function gnuSort(args: readonly string[], input = ''): Buffer {
  return spawnSync('sort', [...args], { input, env, maxBuffer: 1 << 28 }).stdout;
}

describe('-m of inputs out of order', () => {
  it.each(ORDERS.map((order, seed) => [order, seed] as const))('merges like GNU sort: %s', async (order, seed) => {
    const pick = randomBelow(100 + seed);
    const words = order.split(' ').filter(Boolean);
    const delimiter = order === '-z' ? '\0' : '\n';
    const output = join(directory, 'out');
    // Lines in order: in that of the job, and with equal keys under -u.
    const pools = LINES.flatMap((draw) =>
      [words, words.filter((word) => word !== '-u')].map((by) => {
        const text = Array.from({ length: 600 }, () => draw(pick) + delimiter).join('');
        return gnuSort(by, text).toString().split(delimiter).slice(0, -1);
      }),
    );
    for (let job = 0; job < JOBS; job++) {
      const pool = pools[pick(pools.length)];
      const disorderly = pick(4); // of four inputs
      const names = Array.from({ length: 1 + pick(pick(8) === 0 ? 20 : 5) }, (_, i) => {
        const [begin, count, share] = [pick(pool.length), pick(pool.length), 1 + pick(4)];
        const lines = pool.slice(begin, begin + count).filter(() => pick(share) === 0);
        const isOrdered = lines.length === 0 || pick(4) > disorderly;
        const inOrder = isOrdered ? lines : DISORDERS[pick(DISORDERS.length)](lines, pick);
        const name = join(directory, `s${i}`);
        writeFileSync(name, inOrder.map((line) => line + delimiter).join(''));
        return name;
      });
      const way = `--chunk-size ${[16, 64, 64, 300, 1000][pick(5)]} --parallel ${1 + Number(pick(8) === 0)}`;
      const batch = pick(4) === 0 ? '--batch-size 3' : '';
      const args = ['-m', '--engine', 'cpu', ...words, ...`${way} ${batch}`.trim().split(' '), '-o', output, ...names];
      const ended = await runHere(() => parsed(args, 'gpusort'), 'gpusort');
      expect(ended).toEqual({ status: 0, messages: '' });
      const isSame = readFileSync(output).equals(gnuSort(['-m', ...words, ...names]));
      expect(isSame, `job ${job}: ${args.join(' ')}`).toBe(true);
    }
  });
});
