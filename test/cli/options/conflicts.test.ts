/** Every pair of incompatible options in the option table is refused, in whichever order the two are given. */
import { describe, expect, it } from 'vitest';
import { ALGORITHMS } from '../../../src/algorithm-table.js';
import type { OptionRow } from '../../../src/cli/options/option.js';
import { OPTIONS, rowOf } from '../../../src/cli/options/table.js';
import { ourVerdict } from '../arguments.js';

/** A valid value of an option. */
function sampleOf(row: OptionRow): string {
  if (row.argument === undefined) return '';
  const samples: Record<string, string> = {
    key: '1',
    array: 'u32',
    json: 'a',
    'segment-by': '2',
    'field-separator': ',',
    locale: 'de',
  };
  return `=${row.words?.choices[0][0] ?? samples[row.long] ?? '3'}`;
}

const given = (row: OptionRow, value?: string): string =>
  `--${row.long}${value === undefined ? sampleOf(row) : `=${value}`}`;

/** Both options as arguments. */
const PAIRS = OPTIONS.flatMap((row) => {
  const { conflicts } = row;
  if (typeof conflicts === 'function')
    return ALGORITHMS.flatMap((name) => conflicts(name).map((other) => [given(row, name), given(rowOf(other))]));
  return (conflicts ?? []).map((other) => [given(row), given(rowOf(other))]);
});

describe('incompatible options', () => {
  it.each(PAIRS)('%s %s', (one, other) => {
    const verdict = ourVerdict([one, other]);
    expect(verdict.stderr).toMatch(/^sort: options '.*' are incompatible\n$/);
    expect(verdict.status).toBe(2);
    expect(ourVerdict([other, one])).toEqual(verdict);
  });

  it.each([
    [['--csv', '-k1', '--count'], "'--csv' and '--count'"],
    [['-C', '--verify'], "'-C' and '--verify'"],
    [['--check', '--top=1'], "'-c' and '--top'"],
    [['--algorithm=radix-refine', '--locale=de'], "'--algorithm radix-refine' and '--locale'"],
    [['--array=u32le+u64', '-k0:4'], "'--array u32le+u64' and '-k'"],
    [['--count', '--array=i8'], "'--count' and '--array i8'"],
    [['--sort=month', '--record-size=8'], "'--record-size' and '-M'"],
    [['-Co', 'x'], "'-Co'"],
    [['-C', '--debug'], "'-C --debug'"],
    [['--output=x', '--debug'], "'-o --debug'"],
  ])('%j are called %s', (args, names) => {
    expect(ourVerdict(args).stderr).toBe(`sort: options ${names} are incompatible\n`);
  });
});
