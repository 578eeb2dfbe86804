/** In every language, intervals never contradict the collator, and they distinguish most strings. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareIntervals, PrimaryWeights } from '../../../src/keys/collation/primary-weights.js';
import { property } from '../../support/property.js';
import { randomBelow } from '../../support/random.js';
import { words } from '../../support/words.js';

/**
 * Languages with contractions, expansions, ignorable characters, numeric collation, backward secondary weights and
 * other scripts.
 */
const LANGUAGES = words(
  'en de de-u-co-phonebk sv da nb cs sk hr hu cy sq mt es-u-co-trad lt vi tr fr-CA th en-u-kn en-u-kf-upper',
  'ru uk el ar zh ja ko hi fil',
);

/** Characters that some language contracts or expands, and characters that can stand next to them. */
const POOLS = [
  'aAbcdehijklnorsuzZ',
  'cdglnstzyhCDGLNSTZYH',
  'aàáâäåæøöüßñçéèşığĳœð',
  'αβγδάέΑΒωώΣς',
  'абвгдеёжийыЁњљџії',
  '0123456789 .,-_',
  '\u030a\u0308\u030c\u0301\u0327\u00b7\u0387\u0335\u0000\u0001\t',
  'ÅåÄäÖöØøÆæaAoO',
  '字漢ア가\u{1f600}\udcff',
].map((pool) => [...pool]);

/** Strings of which each second one shares a beginning with the one before: the rest must decide. */
const STRINGS = fc.nat().map((seed) => {
  const below = randomBelow(seed);
  const draw = (length: number): string => {
    const [pool, other] = [POOLS[below(POOLS.length)], POOLS[below(POOLS.length)]];
    return Array.from({ length }, () => {
      const from = below(8) === 0 ? other : pool;
      return from[below(from.length)];
    }).join('');
  };
  const strings = Array.from({ length: 600 }, (_, i) => draw(below(i % 10 === 0 ? 20 : 8)));
  return strings.map((string, i) =>
    i % 2 === 0 ? string : strings[i - 1].slice(0, below(strings[i - 1].length + 1)) + draw(below(4)),
  );
});

describe.each(LANGUAGES)('%s', (locale) => {
  const collator = new Intl.Collator(locale);
  property(
    'has intervals that never contradict the collator',
    [STRINGS, fc.boolean()],
    (strings, reverse) => {
      const weights = new PrimaryWeights(locale, reverse);
      const intervals = weights.intervals(strings.length);
      for (const [i, string] of strings.entries()) {
        const bytes = Buffer.from(string);
        weights.write(intervals, i, bytes, 0, bytes.length);
      }
      for (let i = 0; i < strings.length; i++)
        for (const j of [i ^ 1, (i * 7919) % strings.length]) {
          const sign = compareIntervals(intervals, i, intervals, j);
          // A lone surrogate is encoded as U+FFFD, which has no known weight either.
          if (sign !== 0 && sign !== collator.compare(strings[i], strings[j]) * (reverse ? -1 : 1))
            expect.fail(`${JSON.stringify([strings[i], strings[j]])} ${sign}`);
        }
    },
    { runs: 7 },
  );
});

it('distinguishes nearly all words, even after the first eight letters', () => {
  for (const locale of ['de', 'sv', 'cs', 'en']) {
    const below = randomBelow(5);
    const words = Array.from(
      { length: 1000 },
      () => `wort${Array.from({ length: 6 }, () => 'aäbcdéfghiöz'[below(12)]).join('')}`,
    );
    const weights = new PrimaryWeights(locale, false);
    const intervals = weights.intervals(words.length);
    words.forEach((word, i) => {
      const bytes = Buffer.from(word);
      weights.write(intervals, i, bytes, 0, bytes.length);
    });
    const collator = new Intl.Collator(locale, { sensitivity: 'base' });
    let distinguished = 0;
    let different = 0;
    for (let i = 1; i < words.length; i++) {
      different += Number(collator.compare(words[i - 1], words[i]) !== 0);
      distinguished += Number(compareIntervals(intervals, i - 1, intervals, i) !== 0);
    }
    expect(distinguished, locale).toBeGreaterThan(0.95 * different);
  }
});
