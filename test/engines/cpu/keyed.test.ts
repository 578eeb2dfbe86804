/**
 * Keyed lines on the CPU engine and in whole jobs. Numbers are compared with a sort by Array.sort: with chunks of all
 * sizes, spilled runs, segments, -m and -c. test/keys/ tests the keys themselves.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join as path } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Ordering } from '../../../src/job/ordering.js';
import { runJob } from '../../../src/run/run-job.js';
import { freshDirectory } from '../../battery/runner.js';
import { type JobSettings, job, silent } from '../../support/jobs.js';
import { byNumber, KEYED_ORDERINGS, numberLines, sortedNumbers } from '../../support/keyed.js';
import { sampled } from '../../support/tier.js';

const directory = freshDirectory('keyed');
let files = 0;
function fileOf(text: readonly string[]): Buffer {
  const name = path(directory, `f${files++}`);
  writeFileSync(name, text.map((line) => `${line}\n`).join(''));
  return Buffer.from(name);
}

async function resultOf(changes: JobSettings): Promise<string[]> {
  const output = fileOf([]);
  await runJob(job({ engine: 'cpu', output, ...changes }), silent);
  return readFileSync(output, 'latin1').split('\n').slice(0, -1);
}

const all = numberLines(3000, 5);
const some = all.slice(0, 200);
/** More lines than a chunk of a thread holds. */
const many = numberLines(100_000, 6);

/**
 * The inputs, and the settings of the sorts. A chunk of one byte holds only an empty line; each other line becomes a
 * run.
 */
const WAYS: readonly { what: string; lines: readonly string[]; changes: JobSettings }[] = [
  { what: 'in chunks of 1 byte', lines: some, changes: { chunkBytes: 1 } },
  { what: 'in chunks of 8 bytes', lines: some, changes: { chunkBytes: 8 } },
  { what: 'in chunks of 100 bytes', lines: all, changes: { chunkBytes: 100 } },
  { what: 'in chunks of 4 KiB', lines: all, changes: { chunkBytes: 4096 } },
  { what: 'in one chunk', lines: all, changes: { chunkBytes: 1 << 20 } },
  { what: 'with spilled runs', lines: all, changes: { chunkBytes: 2000, memoryBytes: 4096 } },
  { what: 'with workers', lines: many, changes: { chunkBytes: 50_000, parallel: 2 } },
  {
    what: 'with workers and spilled runs, whose memory is reused',
    lines: many,
    changes: { chunkBytes: 20_000, memoryBytes: 100_000, parallel: 2 },
  },
];
const CASES = WAYS.flatMap((way) => KEYED_ORDERINGS.map(([by, ordering]) => ({ ...way, by, ordering })));

/** `blocks` separated by blank lines. */
const segmented = (blocks: readonly (readonly string[])[]): string[] => blocks.flatMap((block) => [...block, '']);
const BLOCKS = [all.slice(0, 5), all.slice(5, 400), all.slice(400, 401), all.slice(401, 600)];
const withSegments = (ordering: Ordering): Ordering => ({ ...ordering, segments: { kind: 'blank' } });
const SEGMENTED = KEYED_ORDERINGS.flatMap(([by, ordering]) =>
  [64, 1000, 1 << 20].map((chunkBytes) => ({ by, ordering, chunkBytes })),
);

describe('sorts keyed lines', () => {
  it.each(sampled(CASES, { count: CASES.length, seed: 1, values: ({ by, what }) => [by, what] }))(
    '$what: $by',
    async ({ ordering, lines, changes }) => {
      expect(await resultOf({ inputs: [fileOf(lines)], ordering, ...changes })).toEqual(sortedNumbers(lines, ordering));
    },
  );

  it.each(sampled(SEGMENTED, { count: 18, seed: 1, values: ({ by, chunkBytes }) => [by, chunkBytes] }))(
    'by segments in chunks of $chunkBytes bytes: $by',
    async ({ ordering, chunkBytes }) => {
      const inputs = [fileOf(segmented(BLOCKS))];
      expect(await resultOf({ inputs, ordering: withSegments(ordering), chunkBytes })).toEqual(
        segmented(BLOCKS.map((block) => sortedNumbers(block, ordering))),
      );
    },
  );

  it('that end with NUL and contain newlines', async () => {
    const ordering = byNumber({ format: { kind: 'lines', delimiter: 0 } });
    const [input, output] = [fileOf([]), fileOf([])];
    writeFileSync(input, '10\nb\0' + '9\0' + '\n8\0' + '10\na\0');
    await runJob(job({ engine: 'cpu', inputs: [input], output, ordering }), silent);
    expect(readFileSync(output, 'latin1')).toBe('\n8\0' + '9\0' + '10\na\0' + '10\nb\0');
  });
});

it.each(KEYED_ORDERINGS)('merges files of keyed lines, and checks the order: %s', async (_, ordering) => {
  const parts = [all.slice(0, 700), all.slice(700, 710), [], all.slice(710)].map((part) =>
    sortedNumbers(part, ordering),
  );
  const merged = await resultOf({ mode: 'merge', inputs: parts.map(fileOf), ordering });
  expect(merged).toEqual(sortedNumbers(parts.flat(), ordering));
  expect(await runJob(job({ mode: 'check', inputs: [fileOf(merged)], ordering }), silent)).toBe(0);
  const swapped = [...merged.slice(0, 50), merged[90], ...merged.slice(50)];
  await expect(runJob(job({ mode: 'check', inputs: [fileOf(swapped)], ordering }), silent)).rejects.toThrow(
    `:52: disorder: ${swapped[51]}`,
  );
});
