/**
 * --verify detects faults: an engine's output is changed in one way after another, under every kind of ordering. And
 * --verify if a device fails midway: it starts over with the next engine, and the bytes already written must equal
 * those of that engine.
 */
import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { decorated } from '../../src/contract/decorated.js';
import type { BlockWriter, Engine, Sorted } from '../../src/contract/engine.js';
import { createCollateEngine } from '../../src/engines/collate/engine.js';
import { createCpuEngine } from '../../src/engines/cpu/engine.js';
import type { Ordering } from '../../src/job/ordering.js';
import { isCollated } from '../../src/keys/collation/collation.js';
import type { Verified } from '../../src/report/digest.js';
import { GpusortError } from '../../src/system/errors.js';
import { CountedLines } from '../../src/verify/output.js';
import { freshDirectory } from '../battery/runner.js';
import { digestOf } from '../support/digests.js';
import { type JobSettings, job, silent, smallEngine, smallOptions } from '../support/jobs.js';
import { byNumber } from '../support/keyed.js';
import { randomBelow } from '../support/random.js';
import { join, LINES, split } from '../support/records.js';
import { FIRST_FIELD } from '../support/segments.js';
import { sampled } from '../support/tier.js';

const CHUNK_BYTES = 16 << 10;

/** A fault of an engine. */
interface Wrong {
  /** Changes the records of one sorted text, or its bytes. */
  readonly records?: (records: Buffer[]) => Buffer[];
  readonly bytes?: (text: Buffer) => Buffer;
  /** Whether texts swap places. */
  readonly swapsTexts?: boolean;
}
let wrong: Wrong = {};
/** How many blocks the GPU engine writes before its device is lost, and how they are changed. */
let lost: { readonly blocks: number; readonly change?: (block: Buffer) => void } = { blocks: 0 };
afterEach(() => {
  wrong = {};
});

vi.mock(import('../../src/run/open-engine.js'), async () => {
  const { fakeEngines } = await import('../support/fake-engines.js');
  return fakeEngines(async ({ plan, ordering, verify }) => {
    const uses = { limit: plan.limit, verify };
    if (plan.engine === 'gpu') return failing(await smallEngine(ordering, 4 * CHUNK_BYTES, uses));
    const create = isCollated(ordering) ? createCollateEngine : createCpuEngine;
    return faulty(await create(smallOptions(ordering, CHUNK_BYTES, uses)), ordering);
  });
});

/** An engine whose merged texts are written as `emit` says. */
function rewritten(
  engine: Engine,
  emit: (sorted: Sorted, write: BlockWriter) => Promise<void>,
  results = (next: Sorted[]) => next,
): Engine {
  const wrap = (sorted: Sorted): Sorted => ({ ...sorted, atOnce: false, emit: (write) => emit(sorted, write) });
  return decorated(engine, { merge: async (...call) => results((await engine.merge(...call)).map(wrap)) });
}

function failing(engine: Engine): Engine {
  let left = lost.blocks;
  return rewritten(engine, (sorted, write) =>
    sorted.emit(async (block) => {
      const text = Buffer.from(block);
      lost.change?.(text);
      if (left-- > 0) return write(text);
      // Half of a block is written before the failure, so part of a record may be.
      await write(text.subarray(0, text.length >> 1));
      throw new GpusortError('device-lost', 'the GPU was lost: for the test');
    }),
  );
}

function faulty(engine: Engine, ordering: Ordering): Engine {
  let done = false;
  let held: Sorted[] = [];
  return rewritten(
    engine,
    async (sorted, write) => {
      const blocks: Buffer[] = [];
      await sorted.emit(async (block) => void blocks.push(Buffer.from(block)));
      let text: Buffer = Buffer.concat(blocks);
      const records = split(text, ordering).map((record) => Buffer.from(record));
      if (!done && records.length > FAR) {
        done = true;
        if (wrong.records !== undefined) text = join(wrong.records(records), ordering);
        if (wrong.bytes !== undefined) text = wrong.bytes(text);
      }
      for (let at = 0; at < text.length; at += 1000) await write(text.subarray(at, at + 1000));
    },
    (next) => {
      if (wrong.swapsTexts !== true) return next;
      // Each call returns the previous call's results.
      const before = held;
      held = next;
      return before;
    },
  );
}

const { runJob } = await import('../../src/run/run-job.js');
const directory = freshDirectory('verify-faults');
const OUTPUT = path.join(directory, 'output');
const next = randomBelow(17);

function write(name: string, ordering: Ordering, records: readonly string[]): Buffer {
  const file = path.join(directory, name);
  const bytes = records.map((record) => Buffer.from(record));
  fs.writeFileSync(file, join(bytes, ordering));
  return Buffer.from(file);
}

async function sort(changes: JobSettings): Promise<Verified | null> {
  let verified: Verified | null = null;
  const recorder = { ...silent, verified: (found: Verified) => void (verified = found) };
  const options = { engine: 'cpu', output: Buffer.from(OUTPUT), verify: true, chunkBytes: CHUNK_BYTES } as const;
  await runJob(job({ ...options, ...changes }), recorder);
  return verified;
}

/** The error of a sort, which leaves the file of -o as it was; null: the sort succeeds. */
async function failureOf(changes: JobSettings): Promise<GpusortError | null> {
  fs.writeFileSync(OUTPUT, 'as it was');
  try {
    await sort(changes);
    return null;
  } catch (error) {
    expect(error).toBeInstanceOf(GpusortError);
    expect(fs.readFileSync(OUTPUT, 'latin1')).toBe('as it was');
    return error as GpusortError;
  }
}

const number = (): string => String(next(1_000_000));
const WHOLE = { begin: { field: 0, byte: 0, skipBlanks: false }, end: null, separator: null };
const GERMAN: Ordering['key'] = {
  kind: 'collated',
  locale: 'de',
  seed: null,
  parts: [{ span: WHOLE, order: 'bytes', dictionary: false, printing: false, fold: false, reverse: false }],
};
const FIXED = { ...LINES, format: { kind: 'fixed', size: 12 } } as const;
/** Orderings, each with 3000 records. No two are equal: every exchange is a fault. */
const ORDERINGS = (
  [
    ['whole lines', LINES, () => `${number()} line ${number()}`],
    ['long lines', LINES, () => `${'x'.repeat(200)}${number()}`],
    ['reversed lines', { ...LINES, reverse: true }, number],
    ['lines that end in NUL', { ...LINES, format: { kind: 'lines', delimiter: 0 } }, number],
    ['numbers', byNumber(), () => `${next(1000)}.${next(1000)} ${next(10)}`],
    ['numbers, reversed and stable', { ...byNumber(), reverse: true, lastResort: false }, number],
    [
      'fixed records by a key',
      { ...FIXED, key: { kind: 'bytes', offset: 3, length: 4 } },
      () => number().padEnd(12, 'z'),
    ],
    ['fixed records', FIXED, () => number().padStart(12)],
    ['a language', { ...LINES, key: GERMAN }, () => `${['ä', 'b', 'Z'][next(3)]}${number()}`],
  ] as readonly (readonly [string, Ordering, () => string])[]
).map(([name, ordering, make]) => {
  const records = new Set<string>();
  while (records.size < 3000) records.add(make());
  return { name, ordering, inputs: [write(name.replaceAll(' ', '-'), ordering, [...records])] };
});

/** Two neighbors in the middle of a text. */
const [NEAR, FAR] = [20, 21];
const swapped = (records: Buffer[], a: number, b: number): Buffer[] =>
  records.map((_, i) => records[i === a ? b : i === b ? a : i]);
const repeated = (records: Buffer[]): Buffer[] => [...records.slice(0, FAR), ...records.slice(NEAR)];

const FAULTS: readonly (Wrong & { readonly name: string; readonly message: RegExp })[] = [
  { name: 'nothing without a fault', message: /^$/ },
  { name: 'two exchanged neighbors', records: (all) => swapped(all, NEAR, FAR), message: /is before record/ },
  {
    name: 'two exchanged distant records',
    records: (all) => swapped(all, 3, all.length - 4),
    message: /is before record/,
  },
  {
    name: 'the last two records exchanged',
    records: (all) => swapped(all, all.length - 2, all.length - 1),
    message: /is before record/,
  },
  {
    name: 'a missing record',
    records: (all) => [...all.slice(0, NEAR), ...all.slice(FAR)],
    message: /the input has 3000 records, the output 2999/,
  },
  { name: 'a record written twice', records: repeated, message: /the input has 3000 records, the output 3001/ },
  {
    name: 'a record in place of another',
    records: (all) => all.map((record, i) => (i === FAR ? all[NEAR] : record)),
    message: /bytes|hashes/,
  },
  { name: 'a missing text', records: () => [], message: /the input has 3000 records/ },
  ...[0, 0.3, 0.5, 0.999].map((place) => ({
    name: `a changed byte at ${place} of a text`,
    bytes: (text: Buffer) => {
      text[Math.min(text.length - 1, Math.floor(place * text.length))] ^= 1;
      return text;
    },
    message: /./,
  })),
  { name: 'a missing last byte', bytes: (text) => text.subarray(0, -1), message: /./ },
  { name: 'texts in the wrong order', swapsTexts: true, message: /./ },
];

const MATRIX = ORDERINGS.flatMap((of) => FAULTS.map((fault) => ({ of, fault })));
const VALUES = { values: ({ of, fault }: (typeof MATRIX)[number]) => [of.name, fault.name] };
for (const { of, fault } of sampled(MATRIX, { count: MATRIX.length, seed: 1, ...VALUES }))
  it(`finds ${fault.name}: ${of.name}`, async () => {
    wrong = fault;
    const error = await failureOf({ ordering: of.ordering, inputs: of.inputs });
    // Under -s, exchanged records with equal keys may go unnoticed.
    const mayPass = !of.ordering.lastResort && /exchanged/.test(fault.name);
    if (error === null) expect(mayPass || fault.message.test('')).toBe(true);
    else {
      expect(error).toMatchObject({ code: 'verify-failed', exitCode: 2 });
      expect(error.message).toMatch(fault.message);
    }
  });

describe('options that drop records', () => {
  const lines = Array.from({ length: 4000 }, () => String(next(2000)));
  const distinct = new Set(lines).size;
  const inputs = [write('repeats', LINES, lines)];
  const UNIQUE: JobSettings = { ordering: { ...LINES, unique: true, lastResort: false } };
  const COUNT: JobSettings = { ordering: { ...LINES, lastResort: false }, count: true };

  it.each<[string, JobSettings, Required<Wrong>['records'], RegExp]>([
    ['a duplicate under -u', UNIQUE, repeated, /is not after/],
    ['disorder under -u', UNIQUE, (all) => swapped(all, NEAR, FAR), /is not after/],
    ['a missing line under --count', COUNT, (all) => all.slice(1), /the input has 4000 records, the output 3999/],
    [
      'disorder under --bottom',
      { limit: { count: 3000, end: 'last' } },
      (all) => swapped(all, 0, all.length - 1),
      /is before/,
    ],
    [
      'too few records under --top',
      { limit: { count: 4000, end: 'first' } },
      (all) => all.slice(0, -1),
      /stage merge and top gave 3999 records, not 4000/,
    ],
  ])('finds %s under --verify', async (_, changes, records, message) => {
    wrong = { records };
    expect((await failureOf({ inputs, ...changes }))?.message).toMatch(message);
  });

  it('finds counts that do not add up to the number of records', async () => {
    const { add } = CountedLines.prototype;
    const oneMore = vi.spyOn(CountedLines.prototype, 'add').mockImplementation(function (this: CountedLines, block) {
      add.call(this, block);
      this.sum++;
    });
    const error = await failureOf({ inputs, ...COUNT });
    oneMore.mockRestore();
    expect(error?.message).toMatch(/the counts add up to 40\d\d records, but the input has 4000/);
  });

  type Stage = readonly [stage: string, recordsIn: number | null, recordsOut: number | null];
  it.each<[string, JobSettings, readonly Stage[]]>([
    [
      '-u',
      UNIQUE,
      [
        ['sort', 4000, null],
        ['merge', null, distinct],
      ],
    ],
    [
      '--count',
      COUNT,
      [
        ['sort', 4000, 4000],
        ['merge', 4000, 4000],
        ['count', 4000, distinct],
      ],
    ],
    [
      '--top',
      { limit: { count: 70, end: 'first' } },
      [
        ['sort', 4000, null],
        ['merge and top', null, 70],
      ],
    ],
    [
      '--bottom',
      { limit: { count: 70, end: 'last' } },
      [
        ['sort', 4000, null],
        ['merge and bottom', null, 70],
      ],
    ],
    [
      '--count --bottom',
      { ...COUNT, limit: { count: 5, end: 'last' } },
      [
        ['sort', 4000, 4000],
        ['merge', 4000, 4000],
        ['count', 4000, distinct],
        ['bottom', distinct, 5],
      ],
    ],
  ])('counts the records into and out of each stage: %s', async (_, changes, expected) => {
    const { stages } = (await sort({ inputs, ...changes }))!;
    expect(stages.map(({ stage }) => stage)).toEqual(expected.map(([stage]) => stage));
    for (const [i, [, records, given]] of expected.entries()) {
      if (records !== null) expect(stages[i].recordsIn).toBe(records);
      if (given !== null) expect(stages[i].recordsOut).toBe(given);
      if (i > 0) expect(stages[i].recordsIn).toBe(stages[i - 1].recordsOut);
    }
  });
});

describe('segments', () => {
  const lines = Array.from({ length: 9000 }, (_, i) => `${(i >> 6) % 7} ${next(100_000)}`);
  const inputs = [write('segments', LINES, lines)];

  it('accepts segments that follow each other in any order', async () => {
    expect(await failureOf({ ordering: { ...LINES, segments: FIRST_FIELD }, inputs })).toBeNull();
  });

  it('finds disorder inside a segment', async () => {
    wrong = { records: (all) => swapped(all, 0, 1) };
    const found = await failureOf({ ordering: { ...byNumber(), segments: FIRST_FIELD }, inputs });
    expect(found?.message).toMatch(/is before record/);
  });
});

describe('a lost device', () => {
  const text = Array.from({ length: 20_000 }, () => `${next(1e8)}\n`).join('');
  fs.writeFileSync(path.join(directory, 'input'), text);
  const gpu: JobSettings = {
    engine: 'gpu',
    chunkBytes: null,
    inputs: [Buffer.from(path.join(directory, 'input'))],
  };

  const all = [LINES, byNumber()].flatMap((ordering) => [0, 1, 3].map((blocks) => ({ ordering, blocks })));
  const values = ({ ordering, blocks }: (typeof all)[number]) => [ordering.key.kind, blocks];
  for (const { ordering, blocks } of sampled(all, { count: all.length, seed: 1, values }))
    it(`verifies output if the device is lost after ${blocks} blocks by ${ordering.key.kind}`, async () => {
      const digest = digestOf(split(Buffer.from(text)));
      lost = { blocks };
      expect(await sort({ ...gpu, ordering })).toMatchObject({ same: true, input: digest, output: digest });
    });

  it('fails if the engine of a lost device wrote other bytes', async () => {
    // Still in order, but different from the output of the second engine.
    const change = (block: Buffer): void => {
      const at = block.indexOf('\n', 0) - 1;
      block[at] = block[at] === 48 ? 49 : 48;
    };
    lost = { blocks: 1, change };
    const error = await failureOf({ ...gpu, ordering: byNumber({ lastResort: false }) });
    expect(error).toMatchObject({
      code: 'verify-failed',
      message: expect.stringContaining('the output before the restart'),
    });
  });
});
