/** --verify detects faults: an engine's output is changed in one way after another, under every kind of ordering. */
import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createCollateEngine } from '../../src/collate/engine.js';
import type { BlockWriter, Engine, Sorted } from '../../src/engine.js';
import type { Ordering, SortJob } from '../../src/job.js';
import { isCollated } from '../../src/keys/collation/collation.js';
import type { Plan } from '../../src/plan/plan.js';
import { GpusortError } from '../../src/report/errors.js';
import type { Verified } from '../../src/report/verified.js';
import { job, silent, smallEngine } from '../support/jobs.js';
import { byNumber } from '../support/keyed.js';
import { randomBelow } from '../support/random.js';
import { join, LINES, split } from '../support/records.js';
import { FIRST_FIELD } from '../support/segments.js';

const CHUNK_BYTES = 16 << 10;

/** Changes the records of one sorted text, or its bytes; null: no change. */
let fault: ((records: Buffer[]) => Buffer[]) | null = null;
let cut: ((text: Buffer) => Buffer) | null = null;
/** Whether texts swap places. */
let reverseTexts = false;

vi.mock('../../src/start.js', () => ({
  askAdapter: async () => null,
  openEngine: async (plan: Plan, ordering: Ordering, _: unknown, verify: boolean) => {
    const options = {
      ordering,
      limit: plan.limit,
      chunkBytes: CHUNK_BYTES,
      rangeBytes: CHUNK_BYTES,
      workers: 0,
      residentBytes: null,
      recorder: silent,
      verify,
    };
    return faulty(
      isCollated(ordering)
        ? await createCollateEngine(options)
        : await smallEngine(ordering, CHUNK_BYTES, plan.limit, verify),
      ordering,
    );
  },
}));

function faulty(engine: Engine, ordering: Ordering): Engine {
  let done = false;
  const wrap = (sorted: Sorted): Sorted => ({
    ...sorted,
    atOnce: false,
    emit: async (write: BlockWriter) => {
      const blocks: Buffer[] = [];
      await sorted.emit(async (block) => {
        blocks.push(Buffer.from(block));
      });
      let text: Buffer = Buffer.concat(blocks);
      const records = split(text, ordering).map((record) => Buffer.from(record));
      if (!done && records.length > FAR) {
        done = true;
        if (fault !== null) text = join(fault(records), ordering);
        if (cut !== null) text = cut(text);
      }
      for (let at = 0; at < text.length; at += 1000) await write(text.subarray(at, at + 1000));
    },
  });
  let held: Sorted[] = [];
  return {
    ...engine,
    merge: async (slices, prefix, form) => {
      const results = (await engine.merge(slices, prefix, form)).map(wrap);
      if (!reverseTexts) return results;
      // Each call returns the previous call's results.
      const before = held;
      held = results;
      return before;
    },
  };
}

const { runJob } = await import('../../src/sort.js');
let directory = '';
beforeAll(() => {
  directory = fs.mkdtempSync('/tmp/gpusort-verify-');
});
afterAll(() => {
  fs.rmSync(directory, { recursive: true });
});

const next = randomBelow(17);
const number = (): string => String(next(1_000_000));
const ORDERINGS: readonly (readonly [string, Ordering, () => string])[] = [
  ['whole lines', LINES, () => `${number()} line ${number()}`],
  ['long lines', LINES, () => `${'x'.repeat(200)}${number()}`],
  ['reversed', { ...LINES, reverse: true }, number],
  ['NUL at the end', { ...LINES, format: { kind: 'lines', delimiter: 0 } }, number],
  ['numbers', byNumber(), () => `${next(1000)}.${next(1000)} ${next(10)}`],
  ['numbers, reversed and stable', { ...byNumber(), reverse: true, lastResort: false }, number],
  [
    'fixed records by a key',
    { ...LINES, format: { kind: 'fixed', size: 12 }, key: { kind: 'bytes', offset: 3, length: 4 } },
    () => number().padEnd(12, 'z'),
  ],
  ['fixed records', { ...LINES, format: { kind: 'fixed', size: 12 } }, () => number().padStart(12)],
  [
    'a language',
    {
      ...LINES,
      key: {
        kind: 'collated',
        locale: 'de',
        seed: null,
        parts: [
          {
            span: { begin: { field: 0, byte: 0, skipBlanks: false }, end: null, separator: null },
            order: 'bytes',
            dictionary: false,
            printing: false,
            fold: false,
            reverse: false,
          },
        ],
      },
    },
    () => `${['ä', 'b', 'Z'][next(3)]}${number()}`,
  ],
];

function write(name: string, ordering: Ordering, records: readonly string[]): Buffer {
  const file = path.join(directory, name);
  fs.writeFileSync(
    file,
    join(
      records.map((record) => Buffer.from(record)),
      ordering,
    ),
  );
  return Buffer.from(file);
}

/** The error of a job, and what the file of -o then holds; null: the job succeeds. */
async function failureOf(
  changes: Partial<SortJob>,
): Promise<{ readonly error: GpusortError; readonly output: string } | null> {
  const output = path.join(directory, 'output');
  fs.writeFileSync(output, 'as it was');
  try {
    await runJob(
      job({ engine: 'cpu', output: Buffer.from(output), verify: true, chunkBytes: CHUNK_BYTES, ...changes }),
      silent,
    );
    return null;
  } catch (error) {
    expect(error).toBeInstanceOf(GpusortError);
    return { error: error as GpusortError, output: fs.readFileSync(output, 'latin1') };
  }
}

/** Two neighbours in the middle of a text. */
const [NEAR, FAR] = [20, 21];

const swapped = (records: Buffer[], a: number, b: number): Buffer[] =>
  records.map((_, i) => records[i === a ? b : i === b ? a : i]);
const FAULTS: readonly (readonly [string, (records: Buffer[]) => Buffer[], RegExp])[] = [
  ['two exchanged neighbours', (records) => swapped(records, NEAR, FAR), /is before record/],
  ['two exchanged distant records', (records) => swapped(records, 3, records.length - 4), /is before record/],
  [
    'the last two records exchanged',
    (records) => swapped(records, records.length - 2, records.length - 1),
    /is before record/,
  ],
  [
    'a missing record',
    (records) => [...records.slice(0, NEAR), ...records.slice(FAR)],
    /the input has 3000 records, the output 2999/,
  ],
  [
    'a record written twice',
    (records) => [...records.slice(0, FAR), ...records.slice(NEAR)],
    /the input has 3000 records, the output 3001/,
  ],
  [
    'a record in place of another',
    (records) => records.map((record, i) => (i === FAR ? records[NEAR] : record)),
    /bytes|hashes/,
  ],
  ['a missing text', () => [], /the input has 3000 records/],
];

describe.each(ORDERINGS)('%s', (_, ordering, make) => {
  let inputs: Buffer[];
  // No two records are equal, so that every exchange is a fault.
  beforeAll(() => {
    const records = new Set<string>();
    while (records.size < 3000) records.add(make());
    inputs = [write('input', ordering, [...records])];
  });

  it('passes without a fault', async () => {
    [fault, cut, reverseTexts] = [null, null, false];
    expect(await failureOf({ ordering, inputs })).toBeNull();
  });

  it.each(FAULTS)('finds %s', async (name, change, message) => {
    [fault, cut, reverseTexts] = [change, null, false];
    const stable = !ordering.lastResort && /exchanged/.test(name);
    const found = await failureOf({ ordering, inputs });
    // Under -s, exchanged records with equal keys may go unnoticed.
    if (stable && found === null) return;
    expect(found!.error.code).toBe('verify-failed');
    expect(found!.error.message).toMatch(message);
    expect(found!.error.exitCode).toBe(2);
    expect(found!.output).toBe('as it was');
  });

  it('finds a changed byte anywhere', async () => {
    [fault, reverseTexts] = [null, false];
    for (const place of [0, 0.3, 0.5, 0.999]) {
      cut = (text) => {
        const at = Math.min(text.length - 1, Math.floor(place * text.length));
        text[at] ^= 1;
        return text;
      };
      expect((await failureOf({ ordering, inputs }))!.error.code).toBe('verify-failed');
    }
  });

  it('finds a missing last byte', async () => {
    [fault, reverseTexts, cut] = [null, false, (text) => text.subarray(0, -1)];
    expect((await failureOf({ ordering, inputs }))!.error.code).toBe('verify-failed');
  });

  it('finds texts in the wrong order', async () => {
    [fault, cut, reverseTexts] = [null, null, true];
    expect((await failureOf({ ordering, inputs }))!.error.code).toBe('verify-failed');
  });
});

describe('options that drop records', () => {
  const lines = Array.from({ length: 4000 }, () => String(next(2000)));
  const distinct = new Set(lines).size;
  let inputs: Buffer[];
  beforeAll(() => {
    inputs = [write('repeats', LINES, lines)];
  });

  const UNIQUE: Ordering = { ...LINES, unique: true, lastResort: false };
  it.each([
    [
      'a duplicate under -u',
      { ordering: UNIQUE },
      (records: Buffer[]) => [...records.slice(0, FAR), ...records.slice(NEAR)],
      /is not after/,
    ],
    ['disorder under -u', { ordering: UNIQUE }, (records: Buffer[]) => swapped(records, NEAR, FAR), /is not after/],
    [
      'a missing line under --count',
      { ordering: { ...LINES, lastResort: false }, count: true },
      (records: Buffer[]) => records.slice(1),
      /the input has 4000 records, the output 3999/,
    ],
    [
      'disorder under --bottom',
      { limit: { count: 3000, end: 'last' } },
      (records: Buffer[]) => swapped(records, 0, records.length - 1),
      /is before/,
    ],
    [
      'too few records under --top',
      { limit: { count: 4000, end: 'first' } },
      (records: Buffer[]) => records.slice(0, -1),
      /stage merge and top gave 3999 records, not 4000/,
    ],
  ] as const)('finds %s', async (_, changes, change, message) => {
    [fault, cut, reverseTexts] = [change, null, false];
    const found = await failureOf({ inputs, ...changes } as Partial<SortJob>);
    if (found === null) expect.fail('nothing was found');
    expect(found.error.message).toMatch(message);
    expect(found.output).toBe('as it was');
  });

  it.each([
    [
      { ordering: UNIQUE },
      [
        ['sort', 4000, null],
        ['merge', null, distinct],
      ],
    ],
    [
      { ordering: { ...LINES, lastResort: false }, count: true },
      [
        ['sort', 4000, 4000],
        ['merge', 4000, 4000],
        ['count', 4000, distinct],
      ],
    ],
    [
      { limit: { count: 70, end: 'first' } },
      [
        ['sort', 4000, null],
        ['merge and top', null, 70],
      ],
    ],
    [
      { limit: { count: 70, end: 'last' } },
      [
        ['sort', 4000, null],
        ['merge and bottom', null, 70],
      ],
    ],
    [
      { ordering: { ...LINES, lastResort: false }, count: true, limit: { count: 5, end: 'last' } },
      [
        ['sort', 4000, 4000],
        ['merge', 4000, 4000],
        ['count', 4000, distinct],
        ['bottom', distinct, 5],
      ],
    ],
  ] as const)('counts the records into and out of each stage: %j', async (changes, expected) => {
    [fault, cut, reverseTexts] = [null, null, false];
    let verified: Verified | undefined;
    const output = Buffer.from(path.join(directory, 'output'));
    await runJob(
      job({ engine: 'cpu', output, verify: true, chunkBytes: CHUNK_BYTES, inputs, ...changes } as Partial<SortJob>),
      {
        ...silent,
        verified: (found) => {
          verified = found;
        },
      },
    );
    const { stages } = verified!;
    expect(stages.map(({ stage }) => stage)).toEqual(expected.map(([stage]) => stage));
    for (const [i, [, records, given]] of expected.entries()) {
      if (records !== null) expect(stages[i].recordsIn).toBe(records);
      if (given !== null) expect(stages[i].recordsOut).toBe(given);
      if (i > 0) expect(stages[i].recordsIn).toBe(stages[i - 1].recordsOut);
    }
  });
});

describe('segments', () => {
  const ordering: Ordering = { ...LINES, segments: FIRST_FIELD };
  const lines = Array.from({ length: 9000 }, (_, i) => `${(i >> 6) % 7} ${next(100_000)}`);
  let inputs: Buffer[];
  beforeAll(() => {
    inputs = [write('segments', ordering, lines)];
  });

  it('may follow each other in any order', async () => {
    [fault, cut, reverseTexts] = [null, null, false];
    expect(await failureOf({ ordering, inputs })).toBeNull();
  });

  it('must be sorted inside', async () => {
    [fault, cut, reverseTexts] = [(records) => swapped(records, 0, 1), null, false];
    expect((await failureOf({ ordering: { ...byNumber(), segments: FIRST_FIELD }, inputs }))?.error.message).toMatch(
      /is before record/,
    );
  });
});
