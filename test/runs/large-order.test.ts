/** The work to place records larger than a chunk among runs: it hardly depends on the number of these records. */
import { expect, it } from 'vitest';
import type { Run } from '../../src/contract/engine.js';
import { type Step, steps } from '../../src/runs/combine.js';
import type { LargeRecord } from '../../src/runs/large.js';
import { sortLarge } from '../../src/runs/large-order.js';
import { wholeRun } from '../../src/runs/partition.js';
import { largeRecord, runOf, smallEngine } from '../support/jobs.js';
import { LINES } from '../support/records.js';

const CHUNK_BYTES = 2048;
const LARGE_BYTES = 100_000;
const RUNS = 8;

/** What a combination asked of its runs and read of its large records. */
interface Work {
  /** Calls of `sample`, `record` and `cut`. */
  questions: number;
  /** Lists of records that runs were cut by. */
  readonly lists: Set<unknown>;
  readBytes: number;
}

function watched(run: Run, work: Work): Run {
  const asked = <Answer>(answer: Answer): Answer => {
    work.questions++;
    return answer;
  };
  return {
    kind: run.kind,
    begin: run.begin,
    end: run.end,
    release: () => run.release(),
    sample: (from, to, count) => asked(run.sample(from, to, count)),
    record: (at) => asked(run.record(at)),
    cut: (from, to, records) => {
      work.lists.add(records);
      return asked(run.cut(from, to, records));
    },
  };
}

function watchedRecord(record: LargeRecord, work: Work): LargeRecord {
  return {
    ...record,
    readAt: (byte, target) => {
      work.readBytes += target.length;
      return record.readAt(byte, target);
    },
  };
}

const keyOf = (i: number): string => String((i * 7919) % 10_007).padStart(5, '0');

/** Finds the steps that merge overlapping runs with `count` large records. */
async function workOf(count: number): Promise<{ work: Work; found: Step[] }> {
  const engine = await smallEngine(LINES, CHUNK_BYTES);
  const work: Work = { questions: 0, lists: new Set(), readBytes: 0 };
  try {
    const runs: Run[] = [];
    for (let number = 0; number < RUNS; number++) {
      const lines = Array.from({ length: 200 }, (_, i) => keyOf(i * RUNS + number));
      runs.push(watched(await runOf(engine, Buffer.from(`${lines.join('\n')}\n`)), work));
    }
    const large = Array.from({ length: count }, (_, i) =>
      watchedRecord(largeRecord(Buffer.from(`${keyOf(i * 31)} `.padEnd(LARGE_BYTES, 'x'))), work),
    );
    const found: Step[] = [];
    for await (const step of steps(engine, runs.map(wholeRun), await sortLarge(large, LINES), LINES)) found.push(step);
    return { work, found };
  } finally {
    await engine.close();
  }
}

it('asks runs as much about hundreds of records as about two', async () => {
  const [two, many] = [await workOf(2), await workOf(300)];
  expect(many.found.filter(({ kind }) => kind === 'large')).toHaveLength(300);
  // Together with the cuts of ranges.
  expect(many.work.questions).toBe(two.work.questions);
  expect(many.work.lists.size).toBe(two.work.lists.size);
});

it('passes all runs the same list of records', async () => {
  const { work } = await workOf(0);
  const { work: withLarge } = await workOf(300);
  expect(withLarge.lists.size).toBe(work.lists.size + 1);
  expect(withLarge.questions).toBe(work.questions + RUNS);
});

it('reads only the beginnings of records that differ there', async () => {
  const { work } = await workOf(300);
  // Once to put them in order, once to place them.
  expect(work.readBytes).toBeLessThanOrEqual(300 * 2 * 4096);
});
