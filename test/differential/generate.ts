/** Cases by their numbers: the same case for the same number and seed, whatever ran before. Pure. */
import type { Case } from './case.js';
import { dice, type Dice } from './dice.js';
import { FIELD_KINDS, textsOf, type FieldKind } from './inputs.js';
import { optionsOf, type Options } from './options.js';

/** Kinds of fields that an ordering looks into. */
const KINDS_OF: Readonly<Record<string, readonly FieldKind[]>> = {
  '': ['words', 'punctuated', 'filtered', 'filtered', 'bytes', 'prefixed'], 'n': ['integers', 'decimals'], 'g': ['general'], 'h': ['sizes', 'decimals'], 'M': ['months'], 'V': ['versions', 'versions', 'filtered'], 'R': ['words', 'integers', 'filtered', 'prefixed'],
};
const ANY = Object.keys(FIELD_KINDS) as FieldKind[];
/** Fields of a line, at most. */
const MOST_COLUMNS = 5;
/** Numbers of the seeds are apart by this, a prime, so that neighbouring seeds share no case. */
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
    randomSource: mayBeRandom(words) || d.chance(0.02) ? d.several(d.chance(0.03) ? 0 : 16, d.chance(0.9) ? 24 : 48, () => String.fromCharCode(d.below(256))).join('') : null,
    presorted: mode === 'sort' ? 'no' : d.pick(mode === 'merge' ? ['same', 'same', 'near', 'no'] as const : ['same', 'near', 'near', 'no'] as const),
    posix: d.chance(0.02),
  };
}

/** Whether options may ask for -R, under which the order is another each time unless it has a source. */
export function mayBeRandom(words: string): boolean { return /R|random|--sort[= ]r/.test(words); }

/** The NaNs that may stand in one input of -g, where no two keys hold the same one. */
const NANS: readonly string[] = ['nan', '-nan', 'nan(1)', '-nan(1)'];

/**
 * Files without what is known to be different under options (docs/compatibility.md): R and Q are suffixes of sizes here, and to GNU sort since 9.2;
 * of equal NaNs GNU sort 9.1 compares bytes of memory that hold anything.
 */
export function withoutDifferences(files: readonly string[], words: string): string[] {
  const sizes = /h/.test(words) ? files.map((text) => text.replace(/[RQrq]/g, 'T')) : [...files];
  if (!/g/.test(words)) return sizes;
  // A key that begins in the middle of a NaN may make another one of it.
  const mayCut = /[.]|-t|--field/.test(words);
  const seen = new Set<string>();
  return sizes.map((text) => text.replace(/-?nan(\([^)]*\)?)?/gi, (nan) => {
    const kind = mayCut ? 'nan' : nan.toLowerCase();
    if (!seen.has(kind) && NANS.includes(nan.toLowerCase())) {
      seen.add(kind);
      return nan;
    }
    return nan.replaceAll(/nan/gi, 'nbn');
  }));
}

function filesOf(d: Dice, { keys, separator, zeroTerminated, mode }: Options): string[] {
  const kindOf = (order: string): FieldKind => (d.chance(0.85) ? d.pick(KINDS_OF[order]!) : d.pick(ANY));
  const last = Math.max(...keys.map(({ field }) => field));
  // Columns are what the keys that begin there look into; some inputs have more of them, some fewer.
  const count = Math.min(d.pick([last, last, last + 1, 1 + d.below(4)]), MOST_COLUMNS);
  const columns = Array.from({ length: count }, (_, i) => kindOf((keys.find(({ field }) => field === i + 1) ?? d.pick(keys)).order));
  const lines = d.pick([d.below(2), 2 + d.below(5), 2 + d.below(5), 2 + d.below(5), 7 + d.below(25), 7 + d.below(25), 7 + d.below(25), 7 + d.below(25), 20 + d.below(80), 20 + d.below(80), 20 + d.below(d.chance(0.2) ? 400 : 80)]);
  const files = mode === 'check' ? (d.chance(0.05) ? 2 : 1) : d.pick(mode === 'merge' ? [1, 2, 2, 3, 3, 5, 12] : [1, 1, 1, 1, 1, 2, 3]);
  return textsOf(d, { columns, separator, delimiter: zeroTerminated ? '\0' : '\n' }, files, lines);
}
