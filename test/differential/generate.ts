/** Cases by their numbers: the same case for the same number and seed, whatever ran before. Pure. */
import type { Case } from './case.js';
import { dice, type Dice } from './dice.js';
import { FIELD_KINDS, textsOf, type FieldKind } from './inputs.js';
import { optionsOf, type Options } from './options.js';

/** Kinds of fields that an ordering looks into. */
const KINDS_OF: Readonly<Record<string, readonly FieldKind[]>> = {
  '': ['words', 'punctuated', 'bytes', 'prefixed'], 'n': ['integers', 'decimals'], 'g': ['general'], 'h': ['sizes', 'decimals'], 'M': ['months'], 'V': ['versions'], 'R': ['words', 'integers'],
};
const ANY = Object.keys(FIELD_KINDS) as FieldKind[];
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
    // R and Q are suffixes of sizes to us, but not to GNU sort before 9.2.
    files: chosen.orders.includes('h') || /h/.test(words) ? files.map((text) => text.replace(/[RQrq]/g, 'T')) : files,
    randomSource: mayBeRandom(words) || d.chance(0.02) ? d.several(d.chance(0.03) ? 0 : 16, d.chance(0.9) ? 24 : 48, () => String.fromCharCode(d.below(256))).join('') : null,
    presorted: mode === 'sort' ? 'no' : d.pick(mode === 'merge' ? ['same', 'same', 'near', 'no'] as const : ['same', 'near', 'near', 'no'] as const),
    posix: d.chance(0.02),
  };
}

/** Whether options may ask for -R, under which the order is another each time unless it has a source. */
export function mayBeRandom(words: string): boolean { return /R|random|--sort[= ]r/.test(words); }

function filesOf(d: Dice, { orders, separator, zeroTerminated, mode }: Options): string[] {
  const kind = (order: string): FieldKind => (d.chance(0.75) ? d.pick(KINDS_OF[order]!) : d.pick(ANY));
  const columns = d.chance(orders.length > 1 || separator !== null ? 0.85 : 0.3) ? d.several(2, 4, () => kind(d.pick(orders))) : [kind(d.pick(orders))];
  const count = d.pick([d.below(2), 2 + d.below(5), 2 + d.below(5), 2 + d.below(5), 7 + d.below(25), 7 + d.below(25), 7 + d.below(25), 20 + d.below(d.chance(0.2) ? 400 : 80)]);
  const files = mode === 'check' ? (d.chance(0.05) ? 2 : 1) : d.pick(mode === 'merge' ? [1, 2, 2, 3, 3, 5, 12] : [1, 1, 1, 1, 1, 2, 3]);
  return textsOf(d, { columns, separator, delimiter: zeroTerminated ? '\0' : '\n' }, files, count);
}
