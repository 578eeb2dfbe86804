/** The warnings of --debug and the errors, compared with GNU sort's, for random keys and ordering options. */
import { describe, expect, it } from 'vitest';
import { randomBelow } from '../../support/random.js';
import { gnuVerdicts, ourVerdict } from '../arguments.js';

const below = randomBelow(207);
const pick = <T>(list: readonly T[]): T => list[below(list.length)];
/** Ordering letters. Mostly none, so that many command lines are valid. */
const letters = (): string =>
  Array.from({ length: Math.max(0, below(6) - 3) }, () => pick([...'bbdfgiMhnnrrRV'])).join('');
const place = (first: number): string =>
  `${first + below(3)}${below(3) === 0 ? `.${first + below(3)}` : ''}${letters()}`;
const key = (): string[] =>
  below(5) > 0
    ? ['-k', below(3) > 0 ? `${place(1)},${place(1)}` : place(1)]
    : below(2) > 0
      ? [`+${place(0)}`, `-${place(0)}`]
      : [`+${place(0)}`];
const option = (): string[] => [
  pick(['-b', '-d', '-f', '-i', '-n', '-g', '-r', '-r', '-h', '-M', '-V', '-R', '-s', '-u', '-z', '--sort=n']),
];
const separator = (): string[] => [`-t${pick([',', '.', '-', '+', '\\0', ' '])}`];

function commandLine(): string[] {
  const parts = [
    ...Array.from({ length: below(4) }, key),
    ...Array.from({ length: below(3) }, option),
    ...(below(3) === 0 ? [separator()] : []),
  ];
  for (let i = parts.length - 1; i > 0; i--) {
    const j = below(i + 1);
    [parts[i], parts[j]] = [parts[j], parts[i]];
  }
  return ['--debug', ...parts.flat()];
}

describe('1,500 random command lines with --debug', () => {
  const commandLines = Array.from({ length: 1500 }, commandLine);
  const gnu = gnuVerdicts(commandLines);

  it('get the warnings and errors of GNU sort', () => {
    commandLines.forEach((args, i) => expect(ourVerdict(args), args.join(' ')).toEqual(gnu[i]));
  });

  it('are mostly valid, and cause every warning', () => {
    expect(gnu.filter(({ status }) => status === 0).length).toBeGreaterThan(750);
    for (const warning of [
      'obsolescent key',
      'zero width',
      'leading blanks',
      'spans multiple fields',
      'minus sign',
      'plus sign',
      'treated as a decimal point',
      'as a decimal point in this locale',
      'is ignored',
      'are ignored',
      'last-resort',
    ]) {
      expect(gnu.filter(({ stderr }) => stderr.includes(warning)).length, warning).toBeGreaterThan(0);
    }
  });
});
