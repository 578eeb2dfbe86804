/**
 * Whole jobs against a plain sort: options, tiny chunks, spilled runs, several files, threads, large lines, -m and -c.
 */
import * as fs from 'node:fs';
import * as path from 'node:path';
import { describe, expect, it } from 'vitest';
import { textToBytes } from '../../../src/report/names.js';
import { runJob } from '../../../src/run/run-job.js';
import { jobOf } from '../../cli/arguments.js';
import { withDirectory } from '../../cli/run.js';
import { type JobSettings, job, silent } from '../../support/jobs.js';
import { randomBelow } from '../../support/random.js';
import { sampled } from '../../support/tier.js';
import { join, type Reference, referenceSort, shown, sorted, textLines } from './support.js';

const field = (line: string, number: number): string => line.split(',')[number - 1] ?? '';
const WHOLE = (line: string): string => line;

const CASES: readonly (readonly [args: string, reference: Omit<Reference, 'locale'>])[] = [
  ['', { keys: [WHOLE] }],
  ['-r', { keys: [WHOLE], reversed: [true], reverse: true }],
  ['-u', { keys: [WHOLE], unique: true }],
  ['-ru', { keys: [WHOLE], reversed: [true], reverse: true, unique: true }],
  ['-s', { keys: [WHOLE], lastResort: false }],
  ['-z', { keys: [WHOLE] }],
  ['-t, -k2,2 -s', { keys: [(line) => field(line, 2)], lastResort: false }],
  ['-t, -k2,2 -r', { keys: [(line) => field(line, 2), WHOLE], reversed: [true, true], reverse: true }],
  [
    '-t, -k2,2r -k1,1 -u',
    { keys: [(line) => field(line, 2), (line) => field(line, 1)], reversed: [true], unique: true },
  ],
  ['-t, -k3,3n -k2,2', { keys: [(line) => Number(field(line, 3)), (line) => field(line, 2), WHOLE] }],
  [
    '-t, -k2,2 -k3,3nr -k1,1 -s',
    {
      keys: [(line) => field(line, 2), (line) => Number(field(line, 3)), (line) => field(line, 1)],
      reversed: [false, true],
      lastResort: false,
    },
  ],
];

/** Random lines. If the keys use fields, each line gets more fields, and the third is a number. */
function linesFor(args: string, seed: number, count: number): Buffer[] {
  const lines = textLines(seed, count, args.includes('-z') ? 0 : 10);
  if (!args.includes('-t')) return lines;
  const below = randomBelow(seed);
  return lines.map((line) => Buffer.concat([line, Buffer.from(','), lines[below(8)], Buffer.from(`,${below(40)}`)]));
}

/** Job settings that must not change the result. */
const WAYS: Readonly<Record<string, JobSettings>> = {
  'in one chunk': {},
  'in tiny chunks': { chunkBytes: 700 },
  'in chunks smaller than some lines': { chunkBytes: 24, memoryBytes: 1 << 20 },
  'from temporary files': { chunkBytes: 1500, memoryBytes: 1000 },
};

/** Each case with one language, and the first case with all of them. */
const LANGUAGES = ['sv', 'de', 'cs', 'da', 'en-u-kn', 'th', 'ja', 'fr-CA', 'hu', 'zh', 'ar'];
const COMBINED = LANGUAGES.flatMap((locale, i) =>
  [CASES[0], CASES[i]]
    .slice(i === 0 ? 1 : 0)
    .flatMap(([args, reference]) => Object.keys(WAYS).map((way) => ({ locale, args, reference, way }))),
);

it.each(sampled(COMBINED, { count: Infinity, seed: 1, values: ({ args, way }) => [args, way] }))(
  'gives the output of a plain sort: --locale $locale $args, $way',
  async ({ locale, args, reference, way }) => {
    const requested = jobOf(`--locale=${locale} ${args}`);
    const lines = linesFor(args, 5, 200);
    const expected = join(referenceSort(lines, { locale, ...reference }), requested.ordering);
    const inputs = [lines.slice(0, 80), lines.slice(80, 81), lines.slice(81)].map((part) =>
      join(part, requested.ordering),
    );
    // The last file has no final delimiter.
    const result = await sorted(requested, [inputs[0], inputs[1], inputs[2].subarray(0, -1)], WAYS[way]);
    expect(shown(result, requested.ordering)).toEqual(shown(expected, requested.ordering));
  },
);

const LIMITS = (
  [
    ['first', 1],
    ['first', 50],
    ['last', 1],
    ['last', 50],
    ['last', 500],
  ] as const
).flatMap(([end, count]) =>
  [null, 100, 700].flatMap((chunkBytes) =>
    [false, true].map((unique) => ({ limit: { end, count }, chunkBytes, unique })),
  ),
);
it.each(
  sampled(LIMITS, { count: 30, seed: 3, values: ({ limit, chunkBytes, unique }) => [limit.end, chunkBytes, unique] }),
)('writes only the lines of $limit, in chunks of $chunkBytes, -u: $unique', async ({ limit, chunkBytes, unique }) => {
  const requested = jobOf(`--locale=sv ${unique ? '-u' : ''}`);
  const lines = linesFor('', 13, 200);
  const all = referenceSort(lines, { locale: 'sv', keys: [WHOLE], unique });
  const expected = limit.end === 'first' ? all.slice(0, limit.count) : all.slice(-limit.count);
  const result = await sorted(requested, [join(lines)], { chunkBytes, limit });
  expect(shown(result, requested.ordering)).toEqual(shown(join(expected), requested.ordering));
});

it('places lines much larger than a chunk', async () => {
  const long = (beginning: string, end: string): Buffer => Buffer.from(`${beginning}${'ä'.repeat(100_000)}${end}`);
  const lines = [
    ...textLines(3, 100),
    long('b', 'x'),
    long('b', 'X'),
    long('B', 'x'),
    long('', ''),
    long('b', 'x'),
    long('ö', 'å'),
  ];
  const expected = join(referenceSort(lines, { locale: 'sv', keys: [WHOLE], unique: true }));
  const result = await sorted(jobOf('--locale=sv -u'), [join(lines)], { chunkBytes: 4096 });
  expect(result.equals(expected)).toBe(true);
});

describe('-m', () => {
  it.each(sampled(CASES, { count: Infinity, seed: 2 }))('merges like a plain sort: %s', async (args, reference) => {
    const requested = jobOf(`-m --locale=de ${args}`);
    const lines = linesFor(args, 8, 300);
    const parts = [0, 100, 130, 131].map((from, i, all) =>
      referenceSort(lines.slice(from, all[i + 1]), { locale: 'de', ...reference }),
    );
    const expected = referenceSort(parts.flat(), { locale: 'de', ...reference });
    for (const batchSize of [null, 2]) {
      const result = await sorted(
        requested,
        parts.map((part) => join(part, requested.ordering)),
        { batchSize },
      );
      expect(shown(result, requested.ordering)).toEqual(shown(join(expected, requested.ordering), requested.ordering));
    }
  });
});

describe('-c', () => {
  const verdict = (args: readonly string[], text: string): Promise<string> =>
    withDirectory(async (directory) => {
      const name = Buffer.from(path.join(directory, 'in'));
      fs.writeFileSync(name, text);
      const { mode, ordering } = jobOf(['-c', ...args]);
      return runJob(job({ mode, ordering, inputs: [name] }), silent).then(
        () => 'in order',
        (error: Error) => error.message.slice(directory.length),
      );
    });

  it.each([
    [['--locale=sv'], 'a\nz\nå\nä\nö\n', 'in order'],
    [['--locale=de'], 'a\nz\nå\nä\nö\n', '/in:3: disorder: å'],
    [['--locale=de'], 'a\nA\ná\nb\n', 'in order'],
    [['--locale=de'], 'A\na\n', '/in:2: disorder: a'],
    [['--locale=de', '-r'], 'b\ná\nA\na\n', 'in order'],
    [['--locale=fr', '-u'], 'e\u0301\n\u00e9\n', '/in:2: disorder: \u00e9'],
    [['--locale=fr', '-s'], '\u00e9\ne\u0301\n', 'in order'],
    [['--locale=fr'], '\u00e9\ne\u0301\n', '/in:2: disorder: e\u0301'],
    [['--locale=de', '-k2n'], 'z 9\na 10\nä 10\n', 'in order'],
  ])('checks with %j the text %j: %s', async (args, text, expected) => {
    expect(textToBytes(await verdict(args, text)).toString()).toBe(expected);
  });
});
