/** Generates cases from numbers: the same seed and number always give the same case. Pure. */
import type { Case } from './case.js';
import { type Dice, dice } from './dice.js';
import { FIELD_KINDS, type FieldKind, textsOf } from './inputs.js';
import { type Options, optionsOf } from './options.js';

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
/** The distance between the dice's seeds for neighbouring seeds. It is large, so that they share no case. A prime. */
const SEED_STEP = 1_000_003;

/** Case `number` of `seed`. */
export function caseOf(seed: number, number: number): Case {
  const d = dice(seed * SEED_STEP + number);
  const chosen = optionsOf(d);
  const { options, mode } = chosen;
  const words = options.flatMap((option) => option.words).join(' ');
  const files = filesOf(d, chosen);
  return {
    options,
    before: d.chance(0.15) ? d.below(options.length + 1) : options.length,
    files: withoutDifferences(files, words),
    randomSource:
      mayBeRandom(words) || d.chance(0.02)
        ? d.several(d.chance(0.03) ? 0 : 16, d.chance(0.9) ? 24 : 48, () => String.fromCharCode(d.below(256))).join('')
        : null,
    presorted:
      mode === 'sort'
        ? 'no'
        : d.pick(
            mode === 'merge' ? (['same', 'same', 'near', 'no'] as const) : (['same', 'near', 'near', 'no'] as const),
          ),
    posix: d.chance(0.02),
  };
}

/** Whether the options may contain -R, whose order changes with each run unless there is a --random-source. */
export function mayBeRandom(words: string): boolean {
  return /R|random|--sort[= ]r/.test(words);
}

/** The NaNs that an input of -g may contain, each at most once. */
const NANS: readonly string[] = ['nan', '-nan', 'nan(1)', '-nan(1)'];

/**
 * Removes from files what is known to differ under the options (docs/compatibility.md). With -h, R and Q are suffixes
 * in gpusort, but in GNU sort only since 9.2. With -g, GNU sort 9.1 compares equal NaNs by uninitialized memory.
 */
export function withoutDifferences(files: readonly string[], words: string): string[] {
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

function filesOf(d: Dice, { keys, separator, zeroTerminated, mode }: Options): string[] {
  const kindOf = (order: string): FieldKind => (d.chance(0.85) ? d.pick(KINDS_OF[order]) : d.pick(ANY));
  const last = Math.max(...keys.map(({ field }) => field));
  // A column suits the key that begins in it. Some inputs have more columns than the keys need, some fewer.
  const count = Math.min(d.pick([last, last, last + 1, 1 + d.below(4)]), MOST_COLUMNS);
  const columns = Array.from({ length: count }, (_, i) =>
    kindOf((keys.find(({ field }) => field === i + 1) ?? d.pick(keys)).order),
  );
  const lines = d.pick([
    d.below(2),
    2 + d.below(5),
    2 + d.below(5),
    2 + d.below(5),
    7 + d.below(25),
    7 + d.below(25),
    7 + d.below(25),
    7 + d.below(25),
    20 + d.below(80),
    20 + d.below(80),
    20 + d.below(d.chance(0.2) ? 400 : 80),
  ]);
  const files =
    mode === 'check'
      ? d.chance(0.05)
        ? 2
        : 1
      : d.pick(mode === 'merge' ? [1, 2, 2, 3, 3, 5, 12] : [1, 1, 1, 1, 1, 2, 3]);
  return textsOf(d, { columns, separator, delimiter: zeroTerminated ? '\0' : '\n' }, files, lines);
}
