/** Threads that check the output: what they report is what the calling thread does, whatever the parts and their number. */
import { expect, it } from 'vitest';
import type { Ordering } from '../../src/job.js';
import { GpusortError } from '../../src/report/errors.js';
import { startCheckers } from '../../src/verify/checkers.js';
import { OutputChecker } from '../../src/verify/output.js';
import { digestOf } from '../support/digests.js';
import { byNumber } from '../support/keyed.js';
import { randomBelow } from '../support/random.js';
import { join, LINES } from '../support/records.js';

const next = randomBelow(53);
const fail = (what: string): GpusortError => new GpusortError('verify-failed', what);
const records = Array.from({ length: 60_000 }, () => next(1e6))
  .sort((a, b) => a - b)
  .map((number) => Buffer.from(`${number}`.padStart(7, '0') + 'x'.repeat(number % 90)));

async function check(ordering: Ordering, text: Buffer, threads: number): Promise<unknown> {
  const checkers = startCheckers(ordering, threads, 'output');
  const output = new OutputChecker(ordering, checkers, () => 0, fail);
  try {
    const taken: Promise<void>[] = [];
    for (let at = 0; at < text.length;) {
      const block = Buffer.from(text.subarray(at, (at += 1 + next(300_000))));
      // The block's memory is used for something else as soon as it may be.
      taken.push(output.take(block).then(() => { block.fill(0); }));
    }
    await Promise.all(taken);
    return await output.finish();
  } finally {
    await checkers.close();
  }
}

it.each([LINES, byNumber()])('report what the calling thread does', async (ordering) => {
  for (const threads of [0, 1, 3]) expect(await check(ordering, join(records), threads)).toEqual(digestOf(records));
});

it('find disorder where it is', async () => {
  const changed = [...records.slice(0, 40_000), records[39_000]!, ...records.slice(40_000)];
  const byte = join(records.slice(0, 40_000)).length;
  for (const threads of [0, 2]) {
    await expect(check(LINES, join(changed), threads)).rejects.toThrow(`record 40001 of the output, at byte ${byte}, is before record 40000`);
  }
});

it('find that the last record has no end', async () => {
  for (const threads of [0, 2]) await expect(check(LINES, join(records).subarray(0, -1), threads)).rejects.toThrow('has no end');
});
