/** Surveys of text in a file, with blocks and checkpoints a few bytes apart, against a plain reading of the text. */
import { closeSync, openSync, writeFileSync } from 'node:fs';
import { join as path } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RecordForm } from '../../src/contract/engine.js';
import type { Ordering } from '../../src/job/ordering.js';
import { keyHeader } from '../../src/keys/keyed.js';
import { sampleHead } from '../../src/runs/run-index.js';
import { crc32 } from '../../src/system/zlib.js';
import { type Checkpoint, type FileSurvey, Surveyor, surveyRole } from '../../src/verify/survey.js';
import { freshDirectory } from '../battery/runner.js';
import { digestOf } from '../support/digests.js';
import { either, pick, several, weighted } from '../support/draws.js';
import { byNumber } from '../support/keyed.js';
import { property } from '../support/property.js';
import { randomBelow } from '../support/random.js';
import { join, LINES, positionsOf } from '../support/records.js';

const SIZES = { block: 16, checkpoint: 32, long: 256 };

/** A record as runs hold it, and as output. */
interface Both {
  readonly stored: Uint8Array;
  readonly text: Uint8Array;
}

interface Kind {
  readonly ordering: Ordering;
  readonly form: RecordForm;
  /** The record of a text. */
  store(key: Uint8Array, text: Uint8Array): Uint8Array;
}

const same = (_: Uint8Array, text: Uint8Array): Uint8Array => text;
const KEYED = byNumber();
const NUL: Ordering = { ...LINES, format: { kind: 'lines', delimiter: 0 } };
const withKey = (key: Uint8Array, text: Uint8Array): Uint8Array =>
  Buffer.concat([keyHeader(KEYED, key.length), key, text]);
const KINDS: Readonly<Record<string, Kind>> = {
  lines: { ordering: LINES, form: 'run', store: same },
  'lines that end in NUL': { ordering: NUL, form: 'run', store: same },
  'keyed lines': { ordering: KEYED, form: 'run', store: withKey },
  'lines with keys, as output': { ordering: KEYED, form: 'plain', store: same },
};

/** Lengths of records: empty, short, about as long as the distance of checkpoints, longer than tasks, and mixed. */
const LENGTHS: readonly fc.Arbitrary<number>[] = [
  fc.constant(0),
  fc.nat(5),
  fc.integer({ min: 26, max: 37 }),
  fc.integer({ min: 100, max: 399 }),
  either(fc.integer({ min: 700, max: 739 }), fc.integer({ min: 1500, max: 1539 })),
  either(pick([0, 1, 2, 5, 31, 32, 33, 63, 64]), fc.nat(99), weighted([8, fc.nat(9)], [2, fc.nat(899)])),
];
const lengths = fc.noBias(either(...LENGTHS.map((length) => several(1, 60, length))));

/** Records of these lengths, of any bytes but the delimiter. */
function recordsOf({ ordering: { format }, store }: Kind, of: readonly number[], seed: number): Both[] {
  const below = randomBelow(seed);
  const delimiter = format.kind === 'lines' ? format.delimiter : -1;
  return of.map((length) => {
    const text = Uint8Array.from({ length }, () => below(256)).map((byte) => (byte === delimiter ? 1 : byte));
    return {
      text,
      stored: store(
        Uint8Array.from({ length: below(41) }, () => 20 + below(200)),
        text,
      ),
    };
  });
}

/** Surveys a file of `text` by tasks of `taskBytes` bytes. */
function surveysOf(text: Uint8Array, { ordering, form }: Kind, taskBytes: number): (FileSurvey | null)[] {
  const name = path(freshDirectory('survey'), 'run');
  writeFileSync(name, text);
  const fd = openSync(name, 'r');
  try {
    const surveyor = new Surveyor(surveyRole(ordering, form), SIZES);
    return Array.from({ length: Math.ceil(text.length / taskBytes) }, (_, i) =>
      surveyor.survey({
        fd,
        from: i * taskBytes,
        to: Math.min(text.length, (i + 1) * taskBytes),
        end: text.length,
      }),
    );
  } finally {
    closeSync(fd);
  }
}

/** Checkpoints must have the right numbers of records between them, and be as dense as promised. */
function expectCheckpoints(
  checkpoints: readonly Checkpoint[],
  records: readonly Both[],
  ordering: Ordering,
  taskBytes: number,
): void {
  const places = positionsOf(
    records.map(({ stored }) => stored),
    ordering,
  ).map(({ byte }) => byte);
  const number = new Map(places.map((byte, i) => [byte, i]));
  const begins = checkpoints.map(({ begin }) => begin);
  expect(begins[0]).toBe(0);
  expect(begins).toEqual([...begins].sort((a, b) => a - b));
  for (const [i, { begin, bytes, head, digest }] of checkpoints.entries()) {
    const from = number.get(begin)!;
    const to = number.get(begins[i + 1] ?? places.at(-1)!)!;
    expect(bytes).toBe(records[from].stored.length);
    expect(Buffer.from(head)).toEqual(Buffer.from(sampleHead(ordering, records[from].stored)));
    expect(digest).toEqual(
      digestOf(
        records.slice(from, to).map(({ text }) => text),
        ordering.format,
      ),
    );
    // Checkpoints are at most two distances apart, unless a record is longer.
    const last = records[to - 1].stored.length;
    expect(places[to] - begin < 2 * SIZES.checkpoint || (to - from === 1 && last >= SIZES.checkpoint - 1)).toBe(true);
    const isTasksLast = Math.floor(begin / taskBytes) !== Math.floor((begins[i + 1] ?? Infinity) / taskBytes);
    const isBeforeLong = (records[to]?.stored.length ?? 0) >= SIZES.checkpoint - 1;
    expect(places[to] - begin >= SIZES.checkpoint || isTasksLast || isBeforeLong).toBe(true);
  }
  const isLong = records.flatMap(({ stored }, i) => (stored.length >= SIZES.checkpoint ? [i] : []));
  for (const i of isLong)
    expect(begins.includes(places[i]) && (i + 1 === records.length || begins.includes(places[i + 1]))).toBe(true);
}

/** Surveys records, and compares checksums and checkpoints with the records. */
function expectSurvey(records: readonly Both[], kind: Kind, taskBytes: number): void {
  const stored = records.map((record) => record.stored);
  const text = join(stored, kind.ordering);
  const surveys = surveysOf(text, kind, taskBytes).map((survey) => survey!);
  const blocks = Array.from({ length: Math.ceil(text.length / SIZES.block) }, (_, i) =>
    crc32(text.subarray(i * SIZES.block, (i + 1) * SIZES.block)),
  );
  expect(surveys.flatMap(({ checksums }) => [...checksums])).toEqual(blocks);
  const checkpoints = surveys.flatMap((survey) => survey.checkpoints);
  expectCheckpoints(checkpoints, records, kind.ordering, taskBytes);
}

const taskBytes = pick([1, 2, 5, 8, 64].map((blocks) => SIZES.block * blocks));

describe.each(Object.entries(KINDS))('%s', (_, kind) => {
  property(
    'surveys records with checksums of all blocks and checkpoints that cover all records',
    [lengths, fc.nat(), taskBytes],
    (of, seed, taskBytes) => expectSurvey(recordsOf(kind, of, seed), kind, taskBytes),
    { runs: 150 },
  );

  it('returns no survey before a record ends', () => {
    for (const bytes of [3, 40, 300, 2000]) expect(surveysOf(Buffer.alloc(bytes, 'x'), kind, 1 << 16)).toEqual([null]);
  });
});

it('surveys records of a fixed size', () => {
  for (const size of [1, 3, 16, 31, 32, 33, 100])
    for (const taskBytes of [16, 48, 1024]) {
      const kind: Kind = { ordering: { ...LINES, format: { kind: 'fixed', size } }, form: 'run', store: same };
      expectSurvey(recordsOf(kind, Array(30).fill(size), size), kind, taskBytes);
    }
});
