/**
 * --verify if a device fails midway: verification starts over with the next engine, and what was already written must
 * be what that engine would write.
 */
import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { Engine, Sorted } from '../../src/engine.js';
import type { Ordering } from '../../src/job.js';
import type { Plan } from '../../src/plan/plan.js';
import { GpusortError } from '../../src/report/errors.js';
import type { Verified } from '../../src/report/verified.js';
import { digestOf } from '../support/digests.js';
import { job, silent, smallEngine } from '../support/jobs.js';
import { byNumber } from '../support/keyed.js';
import { randomBelow } from '../support/random.js';
import { LINES, split } from '../support/records.js';

/** How many blocks the first engine writes before its device is lost, and how they are changed. */
let [blocks, change] = [0, (text: Buffer): Buffer => text];

vi.mock('../../src/start.js', () => ({
  askAdapter: async () => ({ found: true, name: 'failing', software: false, maxBindingBytes: 2 ** 31 }),
  openEngine: async (plan: Plan, ordering: Ordering, _: unknown, verify: boolean) => {
    const engine = await smallEngine(ordering, 64 << 10, plan.limit, verify);
    return plan.engine === 'gpu' ? failing(engine) : engine;
  },
}));

function failing(engine: Engine): Engine {
  const wrap = (sorted: Sorted): Sorted => ({
    ...sorted,
    atOnce: false,
    emit: (write) =>
      sorted.emit(async (block) => {
        const text = change(Buffer.from(block));
        if (blocks-- > 0) return write(text);
        // Half of a block is written before the failure, so part of a record may be.
        await write(text.subarray(0, text.length >> 1));
        throw new GpusortError('device-lost', 'the GPU was lost: for the test');
      }),
  });
  return { ...engine, merge: async (slices, prefix, form) => (await engine.merge(slices, prefix, form)).map(wrap) };
}

const { runJob } = await import('../../src/sort.js');
let directory = '';
const file = (name: string): string => path.join(directory, name);
const next = randomBelow(31);
const text = Array.from({ length: 40_000 }, () => `${next(1e8)}\n`).join('');
beforeAll(() => {
  directory = fs.mkdtempSync('/tmp/gpusort-verify-');
  fs.writeFileSync(file('input'), text);
});
afterAll(() => {
  fs.rmSync(directory, { recursive: true });
});

async function sort(ordering: Ordering): Promise<Verified | null> {
  let verified: Verified | null = null;
  await runJob(
    job({
      inputs: [Buffer.from(file('input'))],
      output: Buffer.from(file('output')),
      engine: 'gpu',
      verify: true,
      ordering,
    }),
    {
      ...silent,
      verified: (found) => {
        verified = found;
      },
    },
  );
  return verified;
}

it.each([
  ['lines', LINES],
  ['numbers', byNumber()],
] as const)('verifies %s after any number of blocks from the first engine', async (_, ordering) => {
  for (const written of [0, 1, 3]) {
    [blocks, change] = [written, (block) => block];
    const digest = digestOf(split(Buffer.from(text)));
    expect(await sort(ordering)).toMatchObject({ same: true, input: digest, output: digest });
  }
});

it('fails if the first engine wrote other bytes', async () => {
  [blocks, change] = [
    1,
    (block) => {
      // Still in order, but not what the second engine writes.
      const at = block.indexOf('\n', 0) - 1;
      block[at] = block[at] === 48 ? 49 : 48;
      return block;
    },
  ];
  fs.writeFileSync(file('output'), 'as it was');
  await expect(sort(byNumber({ lastResort: false }))).rejects.toMatchObject({
    code: 'verify-failed',
    message: expect.stringContaining('written before the sort began again'),
  });
  expect(fs.readFileSync(file('output'), 'latin1')).toBe('as it was');
});
