/**
 * The first record out of order that a checker finds, against the host's comparison of keyed lines: parts of lines as
 * bytes and as numbers of every form, other orderings by keys, fixed records, segments, and records larger than a
 * checker's window.
 */
import { describe, expect, it } from 'vitest';
import { surroundings } from '../../src/cli/parse/environment.js';
import { parseArguments } from '../../src/cli/request.js';
import type { Ordering } from '../../src/job.js';
import { compareRecords } from '../../src/keys/compare.js';
import { compileKeyKernels, KeyMaker } from '../../src/keys/key-maker.js';
import { isKeyed } from '../../src/keys/keyed.js';
import { sameSegment, segmentMark } from '../../src/keys/segments.js';
import { createBatchChecker } from '../../src/verify/batch-checker.js';
import { compileVerifyKernels } from '../../src/verify/kernels.js';
import { digestOf } from '../support/digests.js';
import { randomBelow } from '../support/random.js';
import { join } from '../support/records.js';
import { NIGHTLY } from '../support/tier.js';

/** Random texts of each kind. */
const ROUNDS = NIGHTLY ? 2000 : 80;

const next = randomBelow(41);
const pick = <T>(items: readonly T[]): T => items[next(items.length)];

function orderingOf(options: string): Ordering {
  const request = parseArguments(options === '' ? [] : options.split(' '), { ...surroundings(), programName: 'sort' });
  if (request.action !== 'sort') throw new Error('nothing is sorted');
  const { ordering } = request.job;
  return ordering.key.kind === 'normalised'
    ? { ...ordering, key: { ...ordering.key, seed: new Uint8Array(16).fill(7) } }
    : ordering;
}

/** One key maker for each ordering: creating its WebAssembly memory takes longer than making a few keys. */
const makers = new WeakMap<Ordering, KeyMaker>();

/** Records in the engine's form: keyed lines if the ordering has keys. */
function engineForms(ordering: Ordering, records: readonly Buffer[]): Uint8Array[] {
  if (!isKeyed(ordering)) return [...records];
  const keys = makers.get(ordering) ?? new KeyMaker(ordering);
  makers.set(ordering, keys);
  return records.map((record) =>
    Buffer.concat(keys.keyed(join([record], ordering)).map((piece) => new Uint8Array(piece))).subarray(0, -1),
  );
}

/** The number of the first record that must not follow its predecessor; -1: none. */
function firstDisorder(ordering: Ordering, records: readonly Buffer[]): number {
  const forms = engineForms(ordering, records);
  const { segments } = ordering;
  return records.findIndex((record, i) => {
    if (i === 0) return false;
    const sign = compareRecords(ordering, forms[i - 1], forms[i]);
    const inOrder = sign < 0 || (sign === 0 && !ordering.unique);
    return (
      !inOrder &&
      (segments === undefined || sameSegment(segmentMark(segments, records[i - 1]), segmentMark(segments, record)))
    );
  });
}

function check(ordering: Ordering, records: readonly Buffer[]): void {
  const checker = createBatchChecker(ordering, { verify: compileVerifyKernels(), keys: compileKeyKernels() }, 'output');
  const report = checker.check(join(records, ordering));
  const expected = firstDisorder(ordering, records);
  if (expected >= 0) {
    expect(report.disorder).toEqual({ record: expected, byte: join(records.slice(0, expected), ordering).length });
    return;
  }
  expect(report).toEqual({
    digest: digestOf(records, ordering.format),
    first: new Uint8Array(records[0]),
    last: new Uint8Array(records.at(-1)!),
    disorder: null,
  });
}

/** The records sorted by `ordering`, without those that -u drops. */
function inOrder(ordering: Ordering, records: readonly Buffer[]): Buffer[] {
  const forms = engineForms(ordering, records);
  const order = records.map((_, i) => i).sort((a, b) => compareRecords(ordering, forms[a], forms[b]));
  return order
    .filter((i, at) => at === 0 || !ordering.unique || compareRecords(ordering, forms[order[at - 1]], forms[i]) !== 0)
    .map((i) => records[i]);
}

const NUMBERS = [
  '',
  '-',
  '0',
  '-0',
  '00',
  '7',
  '07',
  '-7',
  '12',
  '12.5',
  '12.50',
  '-12.5',
  '.5',
  '-.5',
  '5.',
  '1e3',
  '+3',
  '--4',
  '123456789',
  '1234567890123456',
  '123456789012345678901',
  '0.1234567890123456',
  '0.12345678901234567',
  '1.000000000000001',
  'x',
  ' 3',
  '\t-3',
  '3\x803',
  '\x80',
  '99999999',
  '100000000',
  '-100000000.25',
  '999999999999999',
  '1\r',
] as const;
const number = (): string =>
  next(3) === 0
    ? pick(NUMBERS)
    : pick(['', '-', ' ']) + String(next(10 ** (1 + next(12)))) + (next(3) === 0 ? `.${next(1000)}` : '');
const word = (): string =>
  pick(['', 'a', 'ab', 'B', 'c c', '\0', '\xff', 'a'.repeat(17), 'a'.repeat(33), `a${'b'.repeat(20)}`]) +
  pick(['', '1', 'z']);
const latin = (text: string): Buffer => Buffer.from(text, 'latin1');
/** For -z, a line whose NULs are replaced by newlines, because NUL ends a line. */
const withoutNul = ({ format }: Ordering, line: Buffer): Buffer =>
  format.kind === 'lines' && format.delimiter === 0 ? latin(line.toString('latin1').replaceAll('\0', '\n')) : line;

const OPTIONS = [
  '',
  '-r',
  '-n',
  '-nr',
  '-n -s',
  '-n -u',
  '-k1,1n',
  '-k2,2n -k1,1',
  '-k2n',
  '-t, -k2,2n',
  '-t, -k2,2nr -k1,1',
  '-t, -k3',
  '-t, -k2.2,2.3',
  '-b -k2,2',
  '-k2b,3',
  '-s -k2,2',
  '-u -t, -k1,1',
  '-r -k2,2n',
  '-t, -k1,1r -k2,2n -s',
  '-f',
  '-d -k2',
  '-V',
  '-g -k1,1',
  '-h',
  '-M',
  '-R',
  '-z -n',
  '-z',
  '-k1,1n -k2,2V',
  '-u -r -n',
];

describe.each(OPTIONS)('%s', (options) => {
  const ordering = orderingOf(options);
  const line = (): Buffer =>
    withoutNul(
      ordering,
      latin(
        [pick([number, word])(), pick([number, word])(), pick([number, word])()]
          .slice(0, 1 + next(3))
          .join(pick([',', ' ', '  '])),
      ),
    );

  it('finds the first record out of order among two and three', () => {
    for (let i = 0; i < ROUNDS; i++) check(ordering, Array.from({ length: 2 + next(2) }, line));
  });

  it('accepts sorted records, and finds two exchanged ones', () => {
    for (let i = 0; i < 6; i++) {
      const records = inOrder(ordering, Array.from({ length: 200 }, line));
      check(ordering, records);
      const [a, b] = [next(records.length), next(records.length)];
      check(
        ordering,
        records.map((_, at) => records[at === a ? b : at === b ? a : at]),
      );
    }
  });

  it('compares records larger than a window', () => {
    const records = inOrder(
      ordering,
      Array.from({ length: 40 }, () =>
        withoutNul(ordering, latin(`${pick([number, word])()}${'x'.repeat(next(30_000))},${next(100)}`)),
      ),
    );
    check(ordering, records);
    check(ordering, [...records].reverse());
  });
});

describe.each([
  '--record-size 5',
  '--record-size 5 -r',
  '--record-size 5 -k 1:2',
  '--record-size 5 -k 1:2 -s',
  '--record-size 5 -u -k 0:1',
  '--record-size 5 --segment-by 0:1',
])('%s', (options) => {
  const ordering = orderingOf(options);
  const record = (): Buffer => Buffer.from(Array.from({ length: 5 }, () => next(3)));

  it('finds the first record out of order', () => {
    for (let i = 0; i < ROUNDS; i++) check(ordering, Array.from({ length: 2 + next(2) }, record));
    check(ordering, inOrder(ordering, Array.from({ length: 100_000 }, record)));
  });
});

describe.each([
  '--segments blank',
  '--segments blank -n',
  '--segment-by 1,1 -k2,2n',
  '--segment-by 1,1 -k2,2V',
  '--segment-by 1,1 -u -k2,2n',
])('%s', (options) => {
  const ordering = orderingOf(options);

  it('finds the first record out of order inside a segment', () => {
    for (let i = 0; i < ROUNDS; i++)
      check(
        ordering,
        Array.from({ length: 3 + next(3) }, () => latin(next(4) === 0 ? '' : `${next(2)} ${next(3)}`)),
      );
  });
});
