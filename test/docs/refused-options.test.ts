/**
 * The table of gpusort's own options in docs/compatibility.md lists exactly the pairs that the option table refuses.
 */
import { expect, it } from 'vitest';
import { isOwn, type OptionRow } from '../../src/cli/options/option.js';
import { LETTER_ROWS } from '../../src/cli/options/ordering-rows.js';
import { OPTIONS, rowOf } from '../../src/cli/options/table.js';
import { ALGORITHMS } from '../../src/job/algorithm-table.js';
import { read } from './documents.js';

/** Terms of the table that stand for several options, or for one that has no name there. */
const TERMS: readonly (readonly [term: string, options: readonly string[]])[] = [
  ['binary records', ['record-size', 'array']],
  ['CSV', ['csv', 'tsv']],
  ['segments', ['segment-by', 'segments']],
  ['genomics', ['format', 'by']],
  ['keys', ['key']],
  // Without a list of them in parentheses.
  ['the ordering letters,', [...LETTER_ROWS.map(({ long }) => long).filter((long) => long !== 'reverse'), 'sort']],
];
/** Refused for some values only, by other code than the option table. */
const BY_VALUE = ['`--engine gpu`', 'genomics except reads and intervals', 'genomics except reads'];
/** What else a cell may consist of. `files` are no option. */
const FILLERS = /the ordering letters|which are for lines|\bfiles\b|\ball options but\b|\balso\b|\band\b|[(),\s]/g;

/** Two options, in one spelling for both orders. */
const pair = (one: string, other: string): string => [one, other].sort().join(' ');

/** The option that a document names `-x`, `--name`, or `--name=VALUE`. */
function optionNamed(word: string): string {
  const row = OPTIONS.find(({ long, short, alias }) => [`--${long}`, `-${short}`, `-${alias?.short}`].includes(word));
  if (row === undefined) throw new Error(`no option ${word}`);
  return row.long;
}

/** The options of the code in a text: each word that begins with a dash, without its argument. */
function optionsIn(text: string): string[] {
  const words = [...text.matchAll(/`([^`]+)`/g)].flatMap(([, code]) => code.split(' '));
  return words.filter((word) => /^-/.test(word)).map((word) => optionNamed(word.replace(/=.*/, '')));
}

/** The options that a list refuses. Throws if the list has a word that is not understood. */
function optionsOf(list: string): string[] {
  let rest = list;
  for (const text of BY_VALUE) rest = rest.replace(text, '');
  const options = optionsIn(rest);
  rest = rest.replace(/`[^`]+`/g, '');
  for (const [term, named] of TERMS) {
    if (rest.includes(term)) options.push(...named);
    rest = rest.replace(term, '');
  }
  if (rest.replace(FILLERS, '') !== '') throw new Error(`not understood: ${rest}`);
  return options;
}

/** All options but those of a list and those that end the program at once, such as --help. */
function allBut(list: string): string[] {
  const kept = optionsOf(list);
  return OPTIONS.filter(({ long, actsAtOnce }) => !actsAtOnce && !kept.includes(long)).map(({ long }) => long);
}

/** The pairs that the table of the document lists. */
function listedPairs(): Set<string> {
  const [, table] = read('docs/compatibility.md').split('\n| option | meaning | refused with |\n');
  const pairs = new Set<string>();
  const add = (options: readonly string[], others: readonly string[]): void => {
    for (const one of options) for (const other of others) if (one !== other) pairs.add(pair(one, other));
  };
  let before: readonly string[] = [];
  for (const row of table.split('\n\n')[0].split('\n').slice(1)) {
    const [, names, , refused] = row.split(/(?<!\\)\|/).map((cell) => cell.trim());
    const options = optionsIn(names.split(/,? with /)[0]);
    let all: readonly string[] = [];
    for (const clause of refused.split('; ')) {
      // Some options of the row, or others that need them, are refused with more.
      const [own, more] = clause.split(' also ');
      if (more !== undefined) add(optionsIn(own), optionsOf(more));
      else if (clause.includes('all options but')) add(options, allBut(clause));
      else if (clause.startsWith('as ')) expect(optionsIn(clause)).toEqual(options);
      else {
        const list = clause.replace('each other', '').replace('the same', '');
        all = [...all, ...optionsOf(list), ...(clause.includes('the same') ? before : [])];
        if (clause.includes('each other')) add(options, options);
      }
    }
    add(options, all);
    before = all;
  }
  return pairs;
}

/** The long names of the options that `row` is incompatible with, for some value. */
function conflictsOf({ conflicts = [], ...row }: OptionRow): readonly string[] {
  if (typeof conflicts !== 'function') return conflicts;
  const words = ('words' in row ? (row.words?.choices ?? []) : []).map(([word]) => word);
  const algorithms = ALGORITHMS.map((algorithm) => ({ algorithm, tunings: [] }));
  return (row.long === 'algorithm' ? algorithms : words).flatMap((value) => conflicts(value as never));
}

it('docs/compatibility.md lists the pairs of options that are refused, if one is of gpusort', () => {
  const refused = OPTIONS.flatMap((row) =>
    conflictsOf(row)
      .filter((other) => isOwn(row.group) || isOwn(rowOf(other).group))
      .map((other) => pair(row.long, other)),
  );
  expect(refused.length).toBeGreaterThan(100);
  expect([...listedPairs()].sort()).toEqual([...new Set(refused)].sort());
});
