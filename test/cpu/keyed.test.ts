/**
 * Keyed lines on the CPU engine and in whole jobs. Numbers are compared with a sort by Array.sort: with chunks of all
 * sizes, spilled runs, segments, -m and -c. test/keys/ tests what keys consist of.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join as path } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { SortJob } from '../../src/job.js';
import { runJob } from '../../src/sort.js';
import { freshDirectory } from '../battery/runner.js';
import { job, silent } from '../support/jobs.js';
import { byNumber, KEYED_ORDERINGS, numberLines, sortedNumbers } from '../support/keyed.js';

const directory = freshDirectory('keyed');
let files = 0;
function fileOf(text: readonly string[]): Buffer {
  const name = path(directory, `f${files++}`);
  writeFileSync(name, text.map((line) => `${line}\n`).join(''));
  return Buffer.from(name);
}

async function resultOf(changes: Partial<SortJob>): Promise<string[]> {
  const output = fileOf([]);
  await runJob(job({ engine: 'cpu', output, ...changes }), silent);
  return readFileSync(output, 'latin1').split('\n').slice(0, -1);
}

describe.each(KEYED_ORDERINGS)('%s', (_, ordering) => {
  const all = numberLines(3000, 5);

  it.each([1, 8, 100, 4096, 1 << 20])('sorts in chunks of %i bytes', async (chunkBytes) => {
    // A chunk of one byte holds only an empty line; each other line becomes a run of its own.
    const some = chunkBytes < 100 ? all.slice(0, 200) : all;
    expect(await resultOf({ inputs: [fileOf(some)], ordering, chunkBytes })).toEqual(sortedNumbers(some, ordering));
  });

  it('sorts with spilled runs', async () => {
    expect(await resultOf({ inputs: [fileOf(all)], ordering, chunkBytes: 2000, memoryBytes: 4096 })).toEqual(
      sortedNumbers(all, ordering),
    );
  });

  it('sorts with workers', async () => {
    const many = numberLines(100_000, 6);
    expect(await resultOf({ inputs: [fileOf(many)], ordering, chunkBytes: 50_000, parallel: 2 })).toEqual(
      sortedNumbers(many, ordering),
    );
  });

  it('sorts with workers and spilled runs, whose memory is reused', async () => {
    const many = numberLines(100_000, 8);
    expect(
      await resultOf({ inputs: [fileOf(many)], ordering, chunkBytes: 20_000, memoryBytes: 100_000, parallel: 2 }),
    ).toEqual(sortedNumbers(many, ordering));
  });

  it('merges files, and checks the order', async () => {
    const parts = [all.slice(0, 700), all.slice(700, 710), [], all.slice(710)].map((part) =>
      sortedNumbers(part, ordering),
    );
    const inputs = parts.map(fileOf);
    const merged = await resultOf({ mode: 'merge', inputs, ordering });
    expect(merged).toEqual(sortedNumbers(parts.flat(), ordering));
    expect(await runJob(job({ mode: 'check', inputs: [fileOf(merged)], ordering }), silent)).toBe(0);
    const swapped = [...merged.slice(0, 50), merged[90], ...merged.slice(50)];
    await expect(runJob(job({ mode: 'check', inputs: [fileOf(swapped)], ordering }), silent)).rejects.toThrow(
      `:52: disorder: ${swapped[51]}`,
    );
  });

  it('sorts segments in chunks of every size', async () => {
    const blocks = [all.slice(0, 5), all.slice(5, 400), all.slice(400, 401), all.slice(401, 600)];
    const text = blocks.flatMap((block) => [...block, '']);
    for (const chunkBytes of [64, 1000, 1 << 20]) {
      expect(
        await resultOf({ inputs: [fileOf(text)], ordering: { ...ordering, segments: { kind: 'blank' } }, chunkBytes }),
      ).toEqual(blocks.flatMap((block) => [...sortedNumbers(block, ordering), '']));
    }
  });
});

it('sorts lines that end with NUL and contain newlines', async () => {
  const ordering = byNumber({ format: { kind: 'lines', delimiter: 0 } });
  const [input, output] = [fileOf([]), fileOf([])];
  writeFileSync(input, '10\nb\0' + '9\0' + '\n8\0' + '10\na\0');
  await runJob(job({ engine: 'cpu', inputs: [input], output, ordering }), silent);
  expect(readFileSync(output, 'latin1')).toBe('\n8\0' + '9\0' + '10\na\0' + '10\nb\0');
});
