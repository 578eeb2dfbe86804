/** Dictionary orders of languages, and how options change them. */
import { describe, expect, it } from 'vitest';
import { compareRecords } from '../../../src/keys/compare.js';
import { orderingOf } from './support.js';

/** Expects the words in this order, regardless of their input order. */
function inOrder(args: readonly string[], words: readonly string[]): void {
  const ordering = orderingOf(...args);
  const bytes = words.map((word) => Buffer.from(word));
  for (const given of [bytes, [...bytes].reverse(), [...bytes].sort(Buffer.compare)]) {
    expect([...given].sort((a, b) => compareRecords(ordering, a, b)).map(String)).toEqual(words);
  }
}

it.each([
  ['sv', ['apa', 'zebra', 'Åke', 'åtta', 'ägg', 'Örn', 'ös']],
  ['da', ['bil', 'zebra', 'ægte', 'øl', 'århundrede', 'Aarhus']],
  ['de', ['Affe', 'Ähre', 'Ast', 'Öl', 'Ort', 'Strasse', 'Straße', 'Zebra']],
  ['de-u-co-phonebk', ['Ad', 'Ärger', 'Af', 'Az']],
  ['es', ['nata', 'nube', 'ñandú', 'oca']],
  ['fr', ['cote', 'coté', 'côte', 'côté', 'œuf', 'ouf']],
  ['fr-CA', ['cote', 'côte', 'coté', 'côté']],
  ['cs', ['cizí', 'čáp', 'had', 'chata', 'iglú']],
  ['hu', ['cukor', 'csak', 'dal', 'nyak', 'oldal']],
  ['lt', ['ieva', 'yla', 'jau']],
  ['en', ['1', '10', '2', 'a', 'A', 'b', 'B']],
  ['en-u-kn', ['1', '2', '10', '010a', 'a9', 'a10']],
  ['en-u-kf-upper', ['A', 'a', 'B', 'b']],
  ['ru', ['ад', 'ёж', 'ель', 'жук', 'яма']],
])('sorts words in dictionary order: %s', (locale, words) => inOrder(['--locale', locale], words));

describe('options', () => {
  it.each<[string, string[], string[]]>([
    ['-r reverses', ['-r'], ['Zebra', 'Öl', 'Äpfel', 'Apfel', 'apfel']],
    [
      '-f folds lowercase to uppercase, and the last-resort comparison orders them',
      ['-f'],
      ['apfel', 'Apfel', 'Äpfel', 'b'],
    ],
    ['-d compares only blanks, letters and digits of any script', ['-d'], ['a-', '-ä', 'a b', '«a»c', '字-']],
    ['-i ignores nonprinting characters', ['-i', '-s'], ['a', 'a\u0001b', 'ac']],
    ['-k and -t compare fields', ['-t,', '-k2,2', '-k1,1r'], ['b,ä', 'a,ä', 'a,b', 'a,z']],
    ['a key may be numeric before a key of the language', ['-k2,2n', '-k1,1'], ['z 9', 'ä 10', 'b 10', 'a 11']],
    [
      'a key of the language may come before a numeric key',
      ['-k1,1', '-k2,2nr', '-k3'],
      ['a 10 z', 'a 9 ä', 'a 9 z', 'ä 10 a', 'b 1'],
    ],
    ['-b skips leading blanks', ['-k2b,2'], ['x   a', 'x b']],
    ['-b skips leading blanks of the line', ['-b', '-s'], ['  a', 'ä', ' b']],
  ])('%s', (_, args, words) => inOrder(['--locale=de', ...args], words));

  it('-f uses the uppercase of the language', () => {
    const sign = (locale: string): number =>
      compareRecords(orderingOf(`--locale=${locale}`, '-fs'), Buffer.from('i'), Buffer.from('I'));
    expect(sign('tr')).not.toBe(0);
    expect(sign('en')).toBe(0);
  });
});

describe('lines that a language treats as equal', () => {
  const [composed, decomposed] = [Buffer.from('\u00e9'), Buffer.from('e\u0301')];
  it('are ordered by their bytes, except under -s and -u', () => {
    expect(compareRecords(orderingOf('--locale=fr'), decomposed, composed)).toBeLessThan(0);
    expect(compareRecords(orderingOf('--locale=fr', '-r'), decomposed, composed)).toBeGreaterThan(0);
    for (const option of ['-s', '-u'])
      expect(compareRecords(orderingOf('--locale=fr', option), composed, decomposed)).toBe(0);
  });

  it('do not include ill-formed UTF-8, which sorts after all characters by its bytes', () => {
    const forms = 'ff fe c0af e28280 e282 eda080 80 f09f9880 f4908080 f0808080 61ff 61 f3b08080 efbfbd e5ad97'.split(
      ' ',
    );
    const ordering = orderingOf('--locale=de', '-s');
    const words = forms
      .map((form) => Buffer.from(form, 'hex'))
      .sort((a, b) => compareRecords(ordering, a, b))
      .map((word) => word.toString('hex'));
    const characters = ['61', '61ff', 'efbfbd', 'f09f9880', 'e28280', 'e5ad97', 'f3b08080'];
    for (let i = 1; i < words.length; i++)
      expect(
        compareRecords(ordering, Buffer.from(words[i - 1], 'hex'), Buffer.from(words[i], 'hex')),
        words[i],
      ).toBeLessThan(0);
    expect(new Set(words)).toEqual(new Set(forms));
    const illFormed = '80 c0af e282 eda080 f0808080 f4908080 fe ff'.split(' ');
    expect(words.filter((word) => !characters.includes(word))).toEqual(illFormed);
    expect(words.indexOf('80')).toBeGreaterThan(words.indexOf('e5ad97'));
  });
});
