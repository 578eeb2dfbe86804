/** Registers tests that compare gpusort with the model of binary-case.ts, in one way, in this process. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { SortJob } from '../../src/job.js';
import { parsed, runHere } from '../support/in-process.js';
import { NIGHTLY } from '../support/tier.js';
import { SEED } from './batches.js';
import { type BinaryCase, binaryCaseOf } from './binary-case.js';
import { fileName, quoted } from './case.js';

const BATCH = 25;
/** How many times as many cases run each night. */
const NIGHTS = 40;

/** What a way adds to the jobs of one batch. */
export type BinaryWay = Partial<Pick<SortJob, 'engine' | 'algorithm' | 'chunkBytes' | 'gpuMemoryBytes' | 'parallel'>>;

/** Runs the cases from number `from` to `to`, forty times as many each night. */
export function binaryCases(from: number, to: number, wayOf: (batch: number) => BinaryWay): void {
  const end = NIGHTLY ? from + NIGHTS * (to - from) : to;
  for (let first = from; first < end; first += BATCH) {
    const last = Math.min(first + BATCH, end) - 1;
    it(`agrees with the model on cases ${first} to ${last}`, async () => {
      for (let number = first; number <= last; number++)
        await expectSame(binaryCaseOf(SEED, number), number, wayOf(((number - from) / BATCH) | 0));
    });
  }
}

async function expectSame(of: BinaryCase, number: number, way: BinaryWay): Promise<void> {
  const directory = mkdtempSync(join(process.env.GPUSORT_TEST_TMP ?? tmpdir(), 'binary-'));
  try {
    const paths = of.files.map((bytes, i) => {
      const path = join(directory, fileName(i));
      writeFileSync(path, bytes);
      return path;
    });
    const out = join(directory, 'out');
    const ended = await runHere(
      () => parsed([...of.words, ...paths], 'gpusort'),
      'gpusort',
      (job) => ({
        ...job,
        output: job.mode === 'check' ? null : Buffer.from(out),
        ...way,
        ...(job.mode === 'sort' ? {} : { algorithm: 'auto' as const }),
        ...(job.limit !== null && way.algorithm === 'sample-sort' ? { algorithm: 'auto' as const } : {}),
        ...(job.ordering.segments !== undefined && way.algorithm !== 'segmented' ? { algorithm: 'auto' as const } : {}),
      }),
    );
    const label = `case ${number} of seed ${SEED}: ${of.words.map(quoted).join(' ')} (${JSON.stringify(way)})`;
    expect(ended.status, `${label}\n${ended.messages}`).toBe(of.status);
    if (of.status === 0 && !of.words.includes('-c'))
      expect(readFileSync(out).toString('hex'), label).toBe(of.output.toString('hex'));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
