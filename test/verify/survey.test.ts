/** Surveys of text in a file, with blocks and marks of some bytes, against what a plain reading of the text gives. */
import { closeSync, openSync, writeFileSync } from 'node:fs';
import { join as path } from 'node:path';
import { describe, expect, it } from 'vitest';
import { crc32 } from '../../src/crc32.js';
import type { RecordForm } from '../../src/engine.js';
import type { Ordering } from '../../src/job.js';
import { keyHeader } from '../../src/keys/keyed.js';
import { sampleHead } from '../../src/runs/sample-head.js';
import { type Mark, type Survey, Surveyor, surveyRole } from '../../src/verify/survey.js';
import { freshDirectory } from '../battery/runner.js';
import { type Dice, dice } from '../differential/dice.js';
import { digestOf } from '../support/digests.js';
import { byNumber } from '../support/keyed.js';
import { join, LINES, positionsOf } from '../support/records.js';

const SIZES = { block: 16, mark: 32, long: 256 };

/** A record as runs hold it, and as output. */
interface Both {
  readonly stored: Uint8Array;
  readonly text: Uint8Array;
}

interface Kind {
  readonly ordering: Ordering;
  readonly form: RecordForm;
  /** The record of a text. */
  store(d: Dice, text: Uint8Array): Uint8Array;
}

const same = (_: Dice, text: Uint8Array): Uint8Array => text;
const KEYED = byNumber();
const KINDS: Readonly<Record<string, Kind>> = {
  lines: { ordering: LINES, form: 'run', store: same },
  'lines that end in NUL': {
    ordering: { ...LINES, format: { kind: 'lines', delimiter: 0 } },
    form: 'run',
    store: same,
  },
  'keyed lines': {
    ordering: KEYED,
    form: 'run',
    store: (d, text) => {
      const key = Buffer.from(d.several(0, 40, () => 20 + d.below(200)));
      return Buffer.concat([keyHeader(KEYED, key.length), key, text]);
    },
  },
  'lines with keys, as output': { ordering: KEYED, form: 'output', store: same },
};

/** Lengths of records: short, about as long as the distance of marks, longer than tasks, and mixed. */
const LENGTHS: Readonly<Record<string, (d: Dice) => number>> = {
  empty: () => 0,
  short: (d) => d.below(6),
  'as long as marks': (d) => 26 + d.below(12),
  long: (d) => 100 + d.below(300),
  'longer than is held': (d) => d.pick([700, 1500]) + d.below(40),
  mixed: (d) => d.pick([0, 1, 2, 5, 31, 32, 33, 63, 64, d.below(100), d.below(d.chance(0.2) ? 900 : 10)]),
};

function recordsOf(d: Dice, { ordering, store }: Kind, length: (d: Dice) => number): Both[] {
  const delimiter = ordering.format.kind === 'lines' ? ordering.format.delimiter : -1;
  return d.several(1, 60, () => {
    const text = Uint8Array.from({ length: length(d) }, () => d.below(256)).map((byte) =>
      byte === delimiter ? 1 : byte,
    );
    return { text, stored: store(d, text) };
  });
}

/** Surveys a file of `text` by tasks of `taskBytes` bytes. */
function surveysOf(text: Uint8Array, { ordering, form }: Kind, taskBytes: number): (Survey | null)[] {
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

/** Marks must have the records between them, and be as dense as is promised. */
function expectMarks(marks: readonly Mark[], records: readonly Both[], ordering: Ordering, taskBytes: number): void {
  const places = positionsOf(
    records.map(({ stored }) => stored),
    ordering,
  ).map(({ byte }) => byte);
  const number = new Map(places.map((byte, i) => [byte, i]));
  const begins = marks.map(({ begin }) => begin);
  expect(begins[0]).toBe(0);
  expect(begins).toEqual([...begins].sort((a, b) => a - b));
  for (const [i, { begin, bytes, head, digest }] of marks.entries()) {
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
    // Marks are no farther apart than two distances, unless a record is longer.
    const last = records[to - 1].stored.length;
    expect(places[to] - begin < 2 * SIZES.mark || (to - from === 1 && last >= SIZES.mark - 1)).toBe(true);
    const isTasksLast = Math.floor(begin / taskBytes) !== Math.floor((begins[i + 1] ?? Infinity) / taskBytes);
    const isBeforeLong = (records[to]?.stored.length ?? 0) >= SIZES.mark - 1;
    expect(places[to] - begin >= SIZES.mark || isTasksLast || isBeforeLong).toBe(true);
  }
  const isLong = records.flatMap(({ stored }, i) => (stored.length >= SIZES.mark ? [i] : []));
  for (const i of isLong)
    expect(begins.includes(places[i]) && (i + 1 === records.length || begins.includes(places[i + 1]))).toBe(true);
}

describe.each(Object.entries(KINDS))('%s', (_, kind) => {
  it.each(Object.entries(LENGTHS))('%s', (_, length) => {
    for (let seed = 0; seed < 25; seed++) {
      const d = dice(seed);
      const records = recordsOf(d, kind, length);
      const text = join(
        records.map(({ stored }) => stored),
        kind.ordering,
      );
      const taskBytes = SIZES.block * d.pick([1, 2, 5, 8, 64]);
      const surveys = surveysOf(text, kind, taskBytes).map((survey) => survey!);
      const blocks = Array.from({ length: Math.ceil(text.length / SIZES.block) }, (_, i) =>
        crc32(text.subarray(i * SIZES.block, (i + 1) * SIZES.block)),
      );
      expect(surveys.flatMap(({ checksums }) => [...checksums])).toEqual(blocks);
      expectMarks(
        surveys.flatMap(({ marks }) => marks),
        records,
        kind.ordering,
        taskBytes,
      );
    }
  });

  it('waits for the end of a record', () => {
    for (const bytes of [3, 40, 300, 2000]) {
      const text = Buffer.alloc(bytes, 'x');
      expect(surveysOf(text, kind, 1 << 16)).toEqual([null]);
    }
  });
});

it('records of a fixed size', () => {
  for (const size of [1, 3, 16, 31, 32, 33, 100])
    for (const taskBytes of [16, 48, 1024]) {
      const d = dice(size);
      const ordering: Ordering = { ...LINES, format: { kind: 'fixed', size } };
      const records = d.several(20, 40, () => {
        const text = Uint8Array.from({ length: size }, () => d.below(256));
        return { text, stored: text };
      });
      const text = join(
        records.map(({ stored }) => stored),
        ordering,
      );
      const surveys = surveysOf(text, { ordering, form: 'run', store: same }, taskBytes);
      expectMarks(
        surveys.flatMap((survey) => survey!.marks),
        records,
        ordering,
        taskBytes,
      );
    }
});
