/**
 * The first record out of order that a checker finds, against the host's comparison of keyed lines: parts of lines as
 * bytes and as numbers of every form, other orderings by keys, fixed records, segments, and records larger than a
 * checker's window.
 */
import fc, { type Arbitrary } from 'fast-check';
import { expect, it } from 'vitest';
import { surroundings } from '../../src/cli/parse/environment.js';
import { parseArguments } from '../../src/cli/request.js';
import type { Ordering } from '../../src/job/ordering.js';
import { compareRecords } from '../../src/keys/compare.js';
import { sameSegment, segmentMark } from '../../src/keys/fields.js';
import { compileKeyKernels, KeyMaker } from '../../src/keys/key-maker.js';
import { isKeyed } from '../../src/keys/keyed.js';
import { createBatchChecker } from '../../src/verify/batch-checker.js';
import { compileVerifyKernels } from '../../src/verify/kernels.js';
import { pieceEnd } from '../../src/verify/pieces.js';
import { digestOf } from '../support/digests.js';
import { chance, characters, either, joined, maybe, pick, repeated, several, weighted } from '../support/draws.js';
import { property } from '../support/property.js';
import { randomBelow } from '../support/random.js';
import { join } from '../support/records.js';
import { sampled } from '../support/tier.js';

function orderingOf(options: string): Ordering {
  const request = parseArguments(options === '' ? [] : options.split(' '), { ...surroundings(), programName: 'sort' });
  if (request.action !== 'sort') throw new Error('nothing is sorted');
  const { ordering } = request.job;
  return ordering.key.kind === 'normalized'
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
  const checker = createBatchChecker(ordering, { verify: compileVerifyKernels(), keys: compileKeyKernels() }, 'plain');
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
];
const WORDS = ['', 'a', 'ab', 'B', 'c c', '\0', '\xff', 'a'.repeat(17), 'a'.repeat(33), `a${'b'.repeat(20)}`];
const number = weighted(
  [1, pick(NUMBERS)],
  [2, joined(['', '-', ' '], fc.nat(999_999_999_999).map(String), maybe(33, joined('.', fc.nat(999).map(String)), ''))],
);
const field = either(number, joined(WORDS, ['', '1', 'z']));
const line = fc
  .tuple(several(1, 3, field), pick([',', ' ', '  ']))
  .map(([fields, separator]) => fields.join(separator));
/** Longer than a checker's window. */
const longLine = joined(field, repeated('x', 0, 30_000), ',', characters(1, 2, '0123456789'));
const segmentLine = maybe(75, joined(['0', '1'], ' ', ['0', '1', '2']), '');
const fixedRecord = characters(5, 5, '\0\x01\x02');

/** Options, and records sorted by them. */
const LINE_OPTIONS = [
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
const FIXED_OPTIONS = ['', ' -r', ' -k 1:2', ' -k 1:2 -s', ' -u -k 0:1', ' --segment-by 0:1'].map(
  (options) => `--record-size 5${options}`,
);
const SEGMENT_OPTIONS = [
  '--segments blank',
  '--segments blank -n',
  '--segment-by 1,1 -k2,2n',
  '--segment-by 1,1 -k2,2V',
  '--segment-by 1,1 -u -k2,2n',
];
const KINDS: ReadonlyMap<string, Arbitrary<string>> = new Map([
  ...LINE_OPTIONS.map((options) => [options, line] as const),
  ...FIXED_OPTIONS.map((options) => [options, fixedRecord] as const),
  ...SEGMENT_OPTIONS.map((options) => [options, segmentLine] as const),
]);
const orderings = new Map([...KINDS.keys()].map((options) => [options, orderingOf(options)]));

/** Options and `least` to `most` records. For -z, NULs of records are replaced by newlines, because NUL ends a line. */
function lists(
  least: number,
  most: number,
  options = [...KINDS.keys()],
  recordsOf = (options: string): Arbitrary<string> => KINDS.get(options)!,
): Arbitrary<{ options: string; records: string[] }> {
  return pick(options).chain((options) =>
    fc.record({
      options: pick([options]),
      records: several(
        least,
        most,
        recordsOf(options).map((record) => (options.startsWith('-z') ? record.replaceAll('\0', '\n') : record)),
      ),
    }),
  );
}
const latin = (text: string): Buffer => Buffer.from(text, 'latin1');

property(
  'finds the first record out of order among a few',
  [lists(2, 5)],
  ({ options, records }) => check(orderings.get(options)!, records.map(latin)),
  { runs: 2500 },
);

it.each(['-n -u', '-nr'])('compares each pair of numbers like the reference: %s', (options) => {
  const ordering = orderings.get(options)!;
  for (const first of NUMBERS) for (const second of NUMBERS) check(ordering, [latin(first), latin(second)]);
});

property(
  'accepts sorted records and finds two exchanged ones',
  [lists(1, 200, [...LINE_OPTIONS, ...FIXED_OPTIONS]), fc.nat(199), fc.nat(199)],
  ({ options, records }, first, second) => {
    const ordering = orderings.get(options)!;
    const sorted = inOrder(ordering, records.map(latin));
    check(ordering, sorted);
    const [a, b] = [first % sorted.length, second % sorted.length];
    check(
      ordering,
      sorted.map((_, at) => sorted[at === a ? b : at === b ? a : at]),
    );
  },
  { runs: 180 },
);

property(
  'compares records larger than a window',
  [lists(1, 40, LINE_OPTIONS, () => longLine), chance(50)],
  ({ options, records }, isReversed) => {
    const ordering = orderings.get(options)!;
    const sorted = inOrder(ordering, records.map(latin));
    check(ordering, isReversed ? sorted.reverse() : sorted);
  },
  { runs: 50 },
);

it.each(sampled(FIXED_OPTIONS, { count: 6, seed: 1 }))('accepts sorted records of several pieces: %s', (options) => {
  const next = randomBelow(41);
  const ordering = orderings.get(options)!;
  const records = Array.from({ length: 60_000 }, () => Buffer.from(Array.from({ length: 5 }, () => next(3))));
  check(ordering, inOrder(ordering, records));
});

it('compares the last record of a piece with the first one of the next', () => {
  const ordering = orderings.get(FIXED_OPTIONS[0])!;
  const [before, after] = [Buffer.from('bbbbb'), Buffer.from('aaaaa')];
  const many = Array.from({ length: 60_000 }, () => before);
  const first = pieceEnd(ordering.format, Buffer.concat(many), 0) / before.length;
  expect(first).toBeLessThan(many.length);
  check(ordering, [...many.slice(0, first), after]);
});
