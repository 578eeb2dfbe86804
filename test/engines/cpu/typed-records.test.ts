/**
 * Binary records with typed keys on the CPU engine, from the command line to the file, against a plain model: random
 * types, letters, segments and limits, values that repeat and extremes, chunks of a few records, runs that spill.
 */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import type { Algorithm } from '../../../src/job/algorithm-table.js';
import { seeds } from '../../support/distributions.js';
import { parsed, runHere } from '../../support/in-process.js';
import { changed } from '../../support/jobs.js';
import { property } from '../../support/property.js';
import { randomBelow } from '../../support/random.js';
import { expected, randomCase, randomRecords } from './typed-cases.js';

/** How a case runs, besides its own words. */
interface Way {
  readonly algorithm: Algorithm;
  readonly chunkBytes: number | null;
  readonly memoryBytes: number | null;
}

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'gpusort-typed-'));
});
afterAll(() => rmSync(directory, { recursive: true }));

const file = (name: string): string => join(directory, name);

async function output(words: readonly string[], { algorithm, chunkBytes, memoryBytes }: Way): Promise<Buffer> {
  const request = () => parsed([...words, '-o', file('out'), '-T', directory, file('in')], 'gpusort');
  const ended = await runHere(request, 'gpusort', (job) =>
    changed(job, {
      engine: 'cpu',
      algorithm: job.ordering.segments !== undefined && algorithm === 'sample-sort' ? 'radix' : algorithm,
      chunkBytes: chunkBytes === null ? null : Math.max(chunkBytes, 1),
      memoryBytes,
    }),
  );
  expect(ended, words.join(' ')).toEqual({ status: 0, messages: '' });
  return readFileSync(file('out'));
}

const WAYS: readonly Way[] = [
  { algorithm: 'auto', chunkBytes: null, memoryBytes: null },
  { algorithm: 'radix', chunkBytes: 400, memoryBytes: null },
  { algorithm: 'sample-sort', chunkBytes: 400, memoryBytes: null },
  { algorithm: 'radix', chunkBytes: 400, memoryBytes: 4096 },
  { algorithm: 'sample-sort', chunkBytes: 1000, memoryBytes: 4096 },
];

describe.each(WAYS)('with $algorithm, chunks of $chunkBytes and $memoryBytes bytes of memory', (way) => {
  property(
    'sorts records with typed keys as the model does',
    [fc.constantFrom(0, 1, 2, 30, 300, 700), seeds],
    async (count, seed) => {
      const below = randomBelow(seed);
      const job = randomCase(below);
      const records = randomRecords(below, job.size, count);
      writeFileSync(file('in'), Buffer.concat(records));
      const got = await output(job.words, way);
      expect(got.equals(expected(job, records)), job.words.join(' ')).toBe(true);
    },
    { runs: 60, seed: WAYS.indexOf(way) },
  );
});
