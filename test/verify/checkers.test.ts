/** Output checkers in threads report the same as in the calling thread, whatever the parts and their number. */
import { closeSync, mkdtempSync, openSync, rmSync, truncateSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join as joinPath } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import type { Ordering } from '../../src/job/ordering.js';
import { GpusortError } from '../../src/system/errors.js';
import { startCheckers } from '../../src/verify/checkers.js';
import { OutputChecker } from '../../src/verify/output.js';
import { digestOf } from '../support/digests.js';
import { byNumber } from '../support/keyed.js';
import { randomBelow } from '../support/random.js';
import { join, LINES } from '../support/records.js';
import { sampled } from '../support/tier.js';

const next = randomBelow(53);
const fail = (what: string): GpusortError => new GpusortError('verify-failed', what);
const records = Array.from({ length: 60_000 }, () => next(1e6))
  .sort((a, b) => a - b)
  .map((number) => Buffer.from(`${number}`.padStart(7, '0') + 'x'.repeat(number % 90)));

const directory = mkdtempSync(joinPath(process.env.GPUSORT_TEST_TMP ?? tmpdir(), 'checkers-'));
afterAll(() => {
  rmSync(directory, { recursive: true });
});

/** The source of the text: its blocks, a file written late, a file changed after it was written, or a truncated one. */
type Source = 'blocks' | 'file' | 'changed file' | 'short file';

async function check(ordering: Ordering, text: Buffer, threads: number, source: Source = 'blocks'): Promise<unknown> {
  const name = joinPath(directory, 'out');
  const fd = openSync(name, 'w+');
  const checkers = startCheckers(ordering, threads, 'plain', source === 'blocks' ? null : fd);
  const output = new OutputChecker(ordering, checkers, () => 0, fail);
  try {
    const taken: Promise<void>[] = [];
    for (let at = 0; at < text.length; ) {
      const from = at;
      const block = Buffer.from(text.subarray(at, (at += 1 + next(300_000))));
      const late = Buffer.from(block);
      const written = new Promise<void>((resolve) => {
        setTimeout(() => {
          if (source !== 'short file' || from === 0) writeSync(fd, late, 0, late.length, from);
          if (source === 'changed file' && from === 0) writeSync(fd, 'z', 200);
          if (source === 'short file') truncateSync(name, 1000);
          resolve();
        }, next(20));
      });
      // Overwrite the block as soon as the checker has released it.
      taken.push(
        output.take(block, written).then(() => {
          block.fill(0);
        }),
      );
    }
    await Promise.all(taken);
    return await output.finish();
  } finally {
    await checkers.close();
    closeSync(fd);
  }
}

const WAYS = [LINES, byNumber()].flatMap((ordering) => [
  ...[0, 1, 3].map((threads) => ({ ordering, threads, source: 'blocks' as const })),
  ...[1, 3].map((threads) => ({ ordering, threads, source: 'file' as const })),
]);
it.each(
  sampled(WAYS, {
    count: WAYS.length,
    seed: 1,
    values: ({ ordering, threads, source }) => [ordering.key.kind, threads, source],
  }),
)('reports the digest of the written records: %j', async ({ ordering, threads, source }) => {
  expect(await check(ordering, join(records), threads, source)).toEqual(digestOf(records));
});

it('reads the written file, not the blocks passed to the writer', async () => {
  const found = await check(LINES, join(records), 2, 'changed file').catch((error: unknown) => error);
  expect(found).not.toEqual(digestOf(records));
});

it('reports an output file that was truncated', async () => {
  await expect(check(LINES, join(records), 2, 'short file')).rejects.toMatchObject({
    message: 'read failed: the output, for verification: it was truncated',
  });
});

it('reports the place of disorder in the output', async () => {
  const changed = [...records.slice(0, 40_000), records[39_000], ...records.slice(40_000)];
  const byte = join(records.slice(0, 40_000)).length;
  for (const threads of [0, 2]) {
    await expect(check(LINES, join(changed), threads)).rejects.toThrow(
      `record 40001 of the output, at byte ${byte}, is before record 40000`,
    );
  }
});

it('reports a last record of the output without its delimiter', async () => {
  for (const threads of [0, 2])
    await expect(check(LINES, join(records).subarray(0, -1), threads)).rejects.toThrow('has no end');
});

it('reports disorder between two blocks of the output', async () => {
  for (const threads of [0, 2]) {
    const checkers = startCheckers(LINES, threads, 'plain', null);
    const output = new OutputChecker(LINES, checkers, () => 0, fail);
    await output.take(Buffer.from('a\nc\n'), null);
    await output.take(Buffer.from('b\nd\n'), null);
    await expect(output.finish()).rejects.toThrow('record 3 of the output, at byte 4, is before record 2');
    await checkers.close();
  }
});
