/** --top with --per: the first records of each group, however the stream is cut into blocks, against a plain filter. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseArguments } from '../../src/cli/request.js';
import { completedJob } from '../../src/input/complete.js';
import type { SortJob } from '../../src/job/job.js';
import { firstOfGroups } from '../../src/output/groups.js';
import { SURROUNDINGS } from '../cli/arguments.js';
import { pour, pouring } from '../support/cuts.js';
import { collector } from '../support/jobs.js';
import { property } from '../support/property.js';

const NAMED = { seed: Buffer.alloc(16, 7), contigs: null };

function jobOf(args: readonly string[]): SortJob {
  const request = parseArguments([...args, 'in'], { ...SURROUNDINGS, programName: 'gpusort' });
  if (request.action !== 'sort') throw new Error('nothing is sorted');
  return request.job;
}

/** Options, a line of a group with other text, and the group as it is compared. */
const FORMS: readonly (readonly [
  options: string,
  line: (group: string, text: string) => string,
  compared: (group: string) => string,
])[] = [
  ['--per 1,1 -t :', (group, text) => `${group}:${text}`, (group) => group],
  ['--per 1,1f -t : -k2r -R', (group, text) => `${group}:${text}`, (group) => group.toUpperCase()],
  ['--per 1,1R -t :', (group, text) => `${group}:${text}`, (group) => group],
  ['--per 1', (group) => group, (group) => group],
  ['--locale=de -t : --per 1,1f -n', (group, text) => `${group}:${text}`, (group) => group.toUpperCase()],
  ['--json text --per g', (group, text) => JSON.stringify({ text, g: group }), (group) => group],
  ['--per 2,2 --per 1,1 -t :', (group, text) => `a:${group}:${text}`, (group) => group],
];
const GROUPS = ['', 'a', 'A', 'b', 'long '.repeat(40)];

describe.each(FORMS)('%s', (options, line, compared) => {
  property(
    'keeps the first records of each group',
    [
      fc.array(fc.tuple(fc.constantFrom(...GROUPS), fc.constantFrom('', 'x', 'y'.repeat(99))), {
        maxLength: 60,
        size: 'max',
      }),
      fc.constantFrom(0, 1, 2, 5, Number.MAX_SAFE_INTEGER),
      pouring(400),
    ],
    async (drawn, top, poured) => {
      const requested = jobOf([...options.split(' '), '--top', String(top)]);
      const { ordering, output } = completedJob(requested, { named: NAMED, headers: null });
      const rows = drawn.toSorted(([a], [b]) => (compared(a) < compared(b) ? -1 : Number(compared(a) > compared(b))));
      const taken = new Map<string, number>();
      const kept = rows.filter(([group]) => {
        const count = taken.get(compared(group)) ?? 0;
        taken.set(compared(group), count + 1);
        return count < top;
      });
      const textOf = (list: typeof rows): string => list.map(([group, text]) => `${line(group, text)}\n`).join('');
      const out = collector();
      await pour(firstOfGroups(ordering, output.groups!, out.write), Buffer.from(textOf(rows)), poured);
      expect(out.bytes().toString()).toBe(textOf(kept));
    },
    { runs: 60 },
  );
});

it.each([['--per 1,1R -t :'], ['--per 1,1f -k2R -t :'], ['--locale=de --per 1,1R -t :']])(
  'completes the keys of the group as those of the ordering: %s',
  (options) => {
    const { ordering, output } = completedJob(jobOf([...options.split(' '), '--top', '1']), {
      named: NAMED,
      headers: null,
    });
    expect(ordering.key).toMatchObject({ seed: NAMED.seed });
    expect(output.groups?.key).toMatchObject({ seed: NAMED.seed });
  },
);

it('sorts by the group before all other keys, wherever the option stands', () => {
  const same = (grouped: string, plain: string): void => {
    const { key, ...others } = jobOf(grouped.split(' ')).ordering;
    if (!('parts' in key)) throw new Error('there are no parts');
    const parts = key.parts.map(({ isGroup: _, ...part }) => part);
    expect({ ...others, key: { ...key, parts } }).toEqual(jobOf(plain.split(' ')).ordering);
  };
  same('-k3,3nr --per 1,1 --top=2 -t,', '-k1,1 -k3,3nr -t,');
  same('--json a:n --per g:r --top=2', '--json g:r --json a:n');
});

it('takes no letters of the command line: -n is about the other keys', () => {
  const orders = (args: string): unknown[] => {
    const { key } = jobOf(args.split(' ')).ordering;
    return 'parts' in key ? key.parts.map(({ order, reverse, fold }) => ({ order, reverse, fold })) : [];
  };
  const group = { order: 'bytes', reverse: false, fold: false };
  const number = { order: 'numeric', reverse: true, fold: false };
  expect(orders('-nr -k 2,2 --per 1,1 --top=1')).toEqual([group, number]);
  expect(orders('-nr --per 1,1 --top=1')).toEqual([group, number]);
  expect(orders('--csv -nr --per 1,1 -k 2,2 --top=1')).toEqual([group, number]);
  expect(jobOf(['-f', '--per', '1,1', '--top=1']).output.groups).toEqual(
    jobOf(['--per', '1,1', '--top=1']).output.groups,
  );
});

it.each([
  ['--per 1', '--per needs --top N'],
  ['--per 1 --bottom 1', "options '--per' and '--bottom' are incompatible"],
  ['--per 1 --top 1 --count', "options '--per' and '--count' are incompatible"],
  ['--per 1 --top 1 --record-size 8', "options '--per' and '--record-size' are incompatible"],
  ['--per 1 --top 1 --by coordinate', "options '--by' and '--per' are incompatible"],
  ['--per 1 --top 1 -c', "options '-c' and '--top' are incompatible"],
  ['--per 1 --top 1 --dupes-output d', "options '--dupes-output' and '--top' are incompatible"],
  ['--per 1 --top 1 --segments blank', "options '--top' and '--segments' are incompatible"],
  ['--per 1 --top 1 --cluster local:2 -o x', "options '--cluster' and '--per' are incompatible"],
  ['--per 0 --top 1', "field number is zero: invalid field specification '0'"],
  ['--csv --header 0 --per name --top 1', "cannot look up the field 'name': --header 0 says that there is no header"],
  ['--json a --per a..b --top 1', "no name at character 3 of path 'a..b'"],
])('refuses %s', (args, message) => {
  expect(() => jobOf(args.split(' '))).toThrow(message);
});
