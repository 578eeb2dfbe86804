/** The arbitrary of cases: options and inputs that suit them. */
import fc, { type Arbitrary } from 'fast-check';
import { byte, chance, maybe, pick, several, weighted } from '../support/draws.js';
import type { Case } from './case.js';
import { FIELD_KINDS, type FieldKind, type Rows, textsOf } from './inputs.js';
import { type Facts, facts, optionsOf } from './options.js';

/** The kinds of fields that exercise each ordering. */
const KINDS_OF: Readonly<Record<string, readonly FieldKind[]>> = {
  '': ['words', 'punctuated', 'filtered', 'filtered', 'bytes', 'prefixed'],
  n: ['integers', 'decimals'],
  g: ['general'],
  h: ['sizes', 'decimals'],
  M: ['months'],
  V: ['versions', 'versions', 'filtered'],
  R: ['words', 'integers', 'filtered', 'prefixed'],
};
const ANY = Object.keys(FIELD_KINDS) as FieldKind[];
/** Maximum number of fields in a line. */
const MOST_COLUMNS = 5;
const PRESORTED = {
  sort: ['no'],
  merge: ['same', 'same', 'near', 'no'],
  check: ['same', 'near', 'near', 'no'],
} as const;

/** The files of a case: facts about its lines first, because shrinking keeps these, then the lines. */
function rowsOf({ keys, main, separator, zeroTerminated, mode }: Facts): Arbitrary<Rows> {
  const orders = [...keys, ...(main === null ? [] : [{ order: main, field: '1' }])];
  const last = Math.max(...orders.map(({ field }) => Number(field)));
  const kindFor = (order: string): Arbitrary<FieldKind> => weighted([85, pick(KINDS_OF[order])], [15, pick(ANY)]);
  // A column suits the key that begins in it. Some inputs have more columns than the keys need, some fewer.
  const count = weighted([2, pick([last])], [1, pick([last + 1])], [1, fc.integer({ min: 1, max: 4 })]);
  const columns = count.chain((count) =>
    fc.tuple(
      ...Array.from({ length: Math.min(count, MOST_COLUMNS) }, (_, i) => {
        const own = orders.find(({ field }) => Number(field) === i + 1);
        const kind = pick(own === undefined ? orders : [own]).chain(({ order }) => kindFor(order));
        return fc.record({ kind, isPooled: chance(40) });
      }),
    ),
  );
  const files =
    mode === 'check' ? maybe(5, pick([2]), 1) : pick(mode === 'merge' ? [1, 2, 2, 3, 3, 5, 12] : [1, 1, 1, 1, 1, 2, 3]);
  return fc.record({
    columns,
    separator: pick([separator]),
    delimiter: pick([zeroTerminated ? '\0' : '\n']),
    files,
    mostLines: pick([1, 12, 12, 12, 60, 60, 60, 60, 130, 130, 130, 400]),
    nears: pick([0, 20, 60]),
    repeats: pick([0, 10, 50]),
  });
}

/** Maximum number of tries to make a case smaller. */
export const MOST_SHRINKS = 1500;

/** Cases. The draws follow their weights, not what fast-check prefers. */
export const cases: Arbitrary<Case> = fc.limitShrink(
  fc.noBias(
    fc
      .noShrink(facts.chain((drawn) => fc.record({ facts: pick([drawn]), rows: rowsOf(drawn) })))
      .chain(({ facts, rows }) =>
        fc.record({
          options: optionsOf(facts),
          files: textsOf(rows),
          /** Options before the files; the others follow the files. */
          before: maybe(15, fc.nat(99), null),
          random: several(0, 48, byte()),
          randomBytes: weighted([97, fc.integer({ min: 16, max: 24 })], [3, fc.nat(48)]),
          isRandom: chance(2),
          presorted: pick(PRESORTED[facts.mode]),
          posix: chance(2),
        }),
      )
      .map(({ options, files, before, random, randomBytes, isRandom, ...others }) => {
        const words = options.flatMap((option) => option.words).join(' ');
        const source = [...random, ...'x'.repeat(48)].slice(0, randomBytes).join('');
        return {
          ...others,
          options,
          before: before === null ? options.length : before % (options.length + 1),
          files: withoutDifferences(files, words),
          randomSource: mayBeRandom(words) || isRandom ? source : null,
        };
      }),
  ),
  MOST_SHRINKS,
);

/** Whether the options may contain -R, whose order changes with each run unless there is a --random-source. */
function mayBeRandom(words: string): boolean {
  return /R|random|--sort[= ]r/.test(words);
}

/** The NaNs that an input of -g may contain, each at most once. */
const NANS: readonly string[] = ['nan', '-nan', 'nan(1)', '-nan(1)'];

/**
 * Removes from files the bytes that are known to sort differently under the options (docs/compatibility.md). With -h, R
 * and Q are suffixes in gpusort, but in GNU sort only since 9.2. With -g, GNU sort 9.1 compares equal NaNs by
 * uninitialized memory.
 */
function withoutDifferences(files: readonly string[], words: string): string[] {
  const sizes = /h/.test(words) ? files.map((text) => text.replace(/[RQrq]/g, 'T')) : [...files];
  if (!/g/.test(words)) return sizes;
  // A key that begins inside the text of a NaN may turn it into a different NaN.
  const mayCut = /[.]|-t|--field/.test(words);
  const seen = new Set<string>();
  return sizes.map((text) =>
    text.replace(/-?nan(\([^)]*\)?)?/gi, (nan) => {
      const kind = mayCut ? 'nan' : nan.toLowerCase();
      if (!seen.has(kind) && NANS.includes(nan.toLowerCase())) {
        seen.add(kind);
        return nan;
      }
      return nan.replaceAll(/nan/gi, 'nbn');
    }),
  );
}
