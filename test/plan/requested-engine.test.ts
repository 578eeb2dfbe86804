/** --algorithm and --engine: which engine each name gives for each kind of input, and what is refused. */
import { describe, expect, it } from 'vitest';
import { parseArguments } from '../../src/cli/request.js';
import {
  ALGORITHMS,
  algorithmRow,
  algorithmsOn,
  INPUT_KINDS,
  type InputKind,
  requestText,
  tuningRow,
  tuningsOf,
} from '../../src/job/algorithm-table.js';
import type { SortJob } from '../../src/job/job.js';
import { requestedEngine } from '../../src/plan/engine.js';
import { SURROUNDINGS } from '../cli/arguments.js';

const KINDS: Readonly<Record<InputKind, readonly (readonly string[])[]>> = {
  lines: [[], ['-k2n'], ['--csv', '-k1']],
  longKeys: [
    ['--record-size=17'],
    ['--record-size=100', '-k', '3:17'],
    ['--record-size=100', '-k', '0:u128', '-k', '16:u8'],
  ],
  shortKeys: [['--record-size=16'], ['--record-size=100', '-k', '0:10'], ['--array=u128'], ['--array=f64+u128']],
  segments: [['--segments=blank'], ['--segment-by=1'], ['--record-size=9', '--segment-by=0:4']],
};
const ENGINES = ['auto', 'gpu', 'cpu'] as const;
const NAMES = ALGORITHMS.filter((name) => name !== 'auto');

function jobOf(args: readonly string[]): SortJob {
  const request = parseArguments(args, SURROUNDINGS);
  if (request.action !== 'sort') throw new Error(`asked for ${request.action}`);
  return request.job;
}

describe.each(Object.entries(KINDS))('for %s', (kind, inputs) => {
  it.each(inputs.map((input) => [input]))('with %j, each name gives the engines of the table', (input) => {
    for (const algorithm of NAMES)
      for (const engine of ENGINES) {
        const row = algorithmRow(algorithm);
        const possible = (['gpu', 'cpu'] as const).filter(
          (one) => row[one].includes(kind as InputKind) && (engine === 'auto' || engine === one),
        );
        const args = [...input, '--algorithm', algorithm, '--engine', engine];
        const isSorted = row.gpu.includes(kind as InputKind) || row.cpu.includes(kind as InputKind);
        const why = isSorted ? '' : `does not sort ${INPUT_KINDS[kind as InputKind]}:`;
        if (possible.length === 0) expect(() => jobOf(args), args.join(' ')).toThrow(`--algorithm ${algorithm} ${why}`);
        else expect(requestedEngine(jobOf(args)), args.join(' ')).toBe(possible.length > 1 ? 'auto' : possible[0]);
      }
  });
});

describe('an algorithm that does not apply', () => {
  it.each([
    [
      ['--segments=blank', '--algorithm=msd-radix'],
      '--algorithm msd-radix does not sort segments: use auto, segmented, radix',
    ],
    [
      ['--segment-by=1', '--algorithm=sample-sort', '--engine=cpu'],
      '--algorithm sample-sort does not sort segments: use auto, radix',
    ],
    [['--algorithm=sample-sort', '--engine=gpu'], '--algorithm sample-sort runs on --engine cpu only'],
    [['--algorithm=string-merge', '--engine=cpu'], '--algorithm string-merge runs on --engine gpu only'],
  ])('is refused in one line that names the alternatives: %j', (args, message) => {
    expect(() => jobOf(args)).toThrow(expect.objectContaining({ message, hint: undefined, exitCode: 2 }));
  });

  it('is not refused by -c and -m, which do not use it', () => {
    expect(jobOf(['-c', '--segments=blank', '--algorithm=msd-radix']).resources.algorithm).toBe('msd-radix');
    expect(jobOf(['-m', '--algorithm=sample-sort', '--engine=gpu']).resources.algorithm).toBe('sample-sort');
  });
});

describe('a tuning', () => {
  const WORDS = NAMES.flatMap((algorithm) => tuningsOf(algorithm).map((tuning) => ({ algorithm, tuning })));

  it.each(WORDS)('$algorithm:$tuning needs a GPU, and input on which it has an effect', ({ algorithm, tuning }) => {
    const { gpu } = algorithmRow(algorithm);
    const kinds = tuningRow(algorithm, tuning).kinds ?? gpu;
    expect(kinds.length).toBeGreaterThan(0);
    const args = ['--algorithm', requestText({ algorithm, tunings: [tuning] })];
    for (const [kind, [input]] of Object.entries(KINDS)) {
      const resolves = (...more: string[]) => requestedEngine(jobOf([...input, ...args, ...more]));
      if (kinds.includes(kind as InputKind)) {
        expect(resolves()).toBe('gpu');
        expect(resolves('--engine=gpu')).toBe('gpu');
      } else expect(resolves).toThrow(gpu.includes(kind as InputKind) ? 'has no effect on' : 'does not sort');
      expect(() => resolves('--engine=cpu')).toThrow();
    }
  });

  it.each([
    [['--algorithm=radix:two-sweeps', '--engine=cpu'], '--algorithm radix:two-sweeps runs on --engine gpu only'],
    [
      ['--algorithm=radix:two-sweeps', '--segments=blank'],
      '--algorithm radix:two-sweeps does not sort segments: use auto, segmented, radix',
    ],
    [
      ['--algorithm=merge:search-wide'],
      '--algorithm merge:search-wide has no effect on lines: the tuning is for arrays, or binary records with keys of ' +
        'up to 16 bytes',
    ],
  ])('that does not apply is refused in one line: %j', (args, message) => {
    expect(() => jobOf(args)).toThrow(expect.objectContaining({ message, hint: undefined, exitCode: 2 }));
  });
});

it('gives every kind of input an algorithm on each engine', () => {
  for (const kind of Object.keys(INPUT_KINDS) as InputKind[])
    for (const engine of ['gpu', 'cpu'] as const) expect(algorithmsOn(engine, kind)).not.toEqual([]);
});

/** Abbreviations that were accepted when there were seven names. */
it.each([
  ['m', 'msd-radix'],
  ['msd', 'msd-radix'],
  ['l', 'locality'],
  ['st', 'string-merge'],
  ['radix-', 'radix-refine'],
  ['radix', 'radix'],
  ['sa', 'sample-sort'],
])('--algorithm=%s still means %s', (abbreviation, name) => {
  expect(jobOf([`--algorithm=${abbreviation}`]).resources.algorithm).toBe(name);
});
