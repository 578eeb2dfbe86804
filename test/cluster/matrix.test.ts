/**
 * What gpusort has beyond GNU sort, distributed over tasks and on one machine: the same bytes. One table of cases, and
 * two ways: sorting, and -m of inputs that one machine has sorted. differential.test.ts has the orderings of GNU sort.
 */
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { zstd } from '../../src/codecs/zstd.js';
import { type Dice, dice } from '../differential/dice.js';
import { expectedOutput, fileOf, plainOutput, SUBJECTS } from '../genomics/subjects.js';
import { hasProgram, piped } from '../support/codecs.js';
import { bgzf } from '../support/genomics-bam.js';
import { fastq, reads } from '../support/genomics-data.js';
import { NIGHTLY, sampled } from '../support/tier.js';
import { expectSame, type Files, plain, sorted } from './both.js';
import type { Tasks } from './in-process.js';

/** Older versions of Node have no zstd. */
const ZSTD = zstd() !== null && hasProgram('zstd');

/** Numbers of tasks, in turn. */
const TASKS: readonly Tasks[] = [
  { shares: 3, ranges: 3 },
  { shares: 7, ranges: 2, places: true },
  { shares: 2, ranges: 7 },
  { shares: 1, ranges: 3, places: true },
  { shares: 13, ranges: 1 },
  { shares: 4, ranges: 5, parts: true },
];
const CHUNKS: readonly string[] = ['64', '300', '4K', '1M'];

const WORDS = ['a', 'b', 'aa', 'A', 'Zoë', 'zebra', 'öl', 'Ol', 'été', 'ete', '', 'x-y', 'x y', '~'];

/** Lines of a word, a number with repeats, and a number without. */
function lines(d: Dice, count: number): string[] {
  return Array.from({ length: count }, (_, i) => {
    const word = Buffer.from(d.pick(WORDS)).toString('latin1');
    return `${word}\t${d.below(9)}\t${i}`;
  });
}
const text = (list: readonly string[], end = '\n'): string => list.map((line) => line + end).join('');
/** Lines over three files, the last of which lacks its last newline. */
function three(d: Dice): Files {
  return { a: text(lines(d, 90)), b: text(lines(d, 1)), c: text(lines(d, 60)).slice(0, -1) };
}

function csv(d: Dice): string {
  const field = (): string => d.pick(['a', 'b', '"a,b"', '"say ""x"""', '"two\nlines"', '', '1', '22', '"3"']);
  const header = 'name,"no,t",size\n';
  return header + d.several(80, 120, () => `${field()},${field()},${d.below(50)}\n`).join('');
}

function json(d: Dice): string {
  return d
    .several(90, 120, () => `${JSON.stringify({ a: { n: d.below(30) }, name: d.pick(WORDS), x: d.below(9) })}\n`)
    .join('');
}

function segmented(d: Dice): string {
  let group = 0;
  return d
    .several(200, 250, () => `${d.chance(0.08) ? ++group : group} ${d.below(40)} ${d.pick(['x', 'y'])}\n`)
    .join('');
}

const blanks = (d: Dice): string =>
  d.several(200, 250, () => (d.chance(0.1) ? '\n' : `${d.below(50)} ${d.below(4)}\n`)).join('');

function bytes(d: Dice, count: number): Buffer {
  // Few values, so that keys repeat.
  return Buffer.from(Uint8Array.from({ length: count }, () => d.pick([0, 1, 10, 127, 128, 255])));
}

interface Row {
  readonly words: readonly string[];
  readonly files: (d: Dice) => Files;
  /** What else must hold of the output. */
  readonly check?: (output: Buffer) => void;
}

const rows = (files: (d: Dice) => Files, ...list: readonly (readonly string[])[]): Row[] =>
  list.map((words) => ({ words, files }));

const OPTIONS: readonly Row[] = [
  ...rows(
    three,
    ['--count'],
    ['--count', '-k2,2n'],
    ['--count', '-k1,1f', '-r'],
    ['--count', '-s', '-k1,1'],
    ['--count', '--top', '4', '-k2,2'],
    ['--count', '--bottom', '3', '-k1,1'],
    ['--top', '1'],
    ['--top', '7'],
    ['--top', '7', '-u', '-k2,2'],
    ['--top', '9', '-s', '-k1,1', '-r'],
    ['--top', '100000', '-k2n'],
    ['--bottom', '7'],
    ['--bottom', '9', '-u', '-k1,1f'],
    ['--bottom', '20', '-s', '-k2,2n'],
    ['--bottom', '100000', '-R', '--random-source', 'c'],
    ['-u', '-k1,1'],
    ['-u', '-k2,2n', '-r'],
    ['-s', '-k2,2n'],
    ['-s', '-k1,1', '-r'],
    ['-s', '-t', 'a', '-k2,2', '-k1,1M'],
    ['--locale', 'sv'],
    ['--locale', 'de', '-f', '-s'],
    ['--locale', 'en', '-u', '-k1,1'],
    ['--locale', 'en', '-k1,1', '-k2nr'],
    ['--locale', 'fr', '--count', '-k1,1'],
    ['--locale', 'sv', '--top', '8', '-r'],
    ['--output-format', 'gzip'],
    ['--output-format', 'zstd', '-u', '-k1,1'],
    ['--output-format', 'bgzf'],
    ['--output-format', 'bgzf', '--count', '-k2,2'],
    ['--output-format', 'bgzf', '--top', '3'],
  ),
  ...rows(
    (d) => ({ a: `h1\nh2\n${text(lines(d, 90))}`, b: `h1\nh2\n${text(lines(d, 50))}`, c: 'h1\nh2\n' }),
    ['--header', '2'],
    ['--header', '2', '-u', '-k1,1'],
    ['--header', '2', '--top', '3', '-r'],
    ['--header', '2', '--count', '-k2,2n'],
    ['--header', '2', '--output-format', 'bgzf'],
    ['--header-prefix', 'h', '-k2n'],
  ),
  ...rows(
    (d) => ({ a: csv(d), b: csv(d) }),
    ['--csv', '-k', 'name'],
    ['--csv', '-k', 'no,t:r', '-k', 'size:n'],
    ['--csv', '-k', 'size:n', '-u'],
    ['--csv', '-k1', '--header', '0', '-s'],
    ['--csv', '-k', 'name', '--top', '5', '--output-format', 'gzip'],
  ),
  ...rows((d) => ({ a: csv(d).replaceAll(',', '\t') }), ['--tsv', '-k', 'size:n']),
  ...rows(
    (d) => ({ a: json(d), b: json(d) }),
    ['--json', 'a.n:n'],
    ['--json', 'name', '--json', 'x:nr', '-s'],
    ['--json', 'x:n', '-u'],
  ),
  ...rows(
    (d) => ({ a: segmented(d), b: segmented(d) }),
    ['--segment-by', '1,1', '-k2n'],
    ['--segment-by', '1,1', '-k2,2n', '-u'],
    ['--segment-by', '1,1', '-k3,3', '-s', '-r'],
    ['--segment-by', '1,1', '--output-format', 'bgzf'],
  ),
  ...rows((d) => ({ a: blanks(d), b: blanks(d) }), ['--segments', 'blank'], ['--segments', 'blank', '-k2,2n', '-s']),
  ...rows(
    (d) => ({ a: bytes(d, 24 * 70), b: bytes(d, 24 * 9), c: bytes(d, 0) }),
    ['--record-size', '24'],
    ['--record-size', '24', '-r', '-u', '-k', '0:2'],
    ['--record-size', '24', '-k', '3:2', '-s'],
    ['--record-size', '24', '-k', '8:i16', '-k', '0:f32:r'],
    ['--record-size', '24', '-k', '8:u64be', '-u'],
    ['--record-size', '24', '-k', '4:2', '--top', '9'],
    ['--record-size', '24', '-k', '4:2', '--bottom', '9', '-s'],
    ['--record-size', '24', '--segment-by', '0:1', '-k', '8:f64'],
    ['--record-size', '8', '-k', '0:i8', '--output-format', 'zstd'],
    ['--array', 'f32'],
    ['--array', 'u32+u32'],
    ['--array', 'u8'],
  ),
  ...rows(
    (d) => ({ a: fastq(reads(d.below(999), 60)), b: fastq(reads(d.below(999), 40)) }),
    ['--format', 'fastq', '--by', 'similar'],
  ),
  ...rows(
    (d) => {
      const header = bytes(d, 72);
      return { a: Buffer.concat([header, bytes(d, 24 * 40)]), b: Buffer.concat([header, bytes(d, 24 * 40)]) };
    },
    ['--record-size', '24', '--header', '3', '-k', '1:1'],
  ),
  ...rows(
    (d) => {
      const pairs = (): string => fastq(reads(d.below(999), 40).flatMap((read) => [read, read]));
      return { a: pairs(), b: pairs() };
    },
    ['--format', 'fastq', '--interleaved', '--by', 'seq'],
  ),
  ...rows(
    (d) => {
      const [a, b, c] = Object.values(three(d)).map((content) => Buffer.from(content as string, 'latin1'));
      return {
        'a.gz': gzipSync(a),
        ...(ZSTD ? { 'b.zst': piped('zstd', ['-c'], b) } : { b }),
        'c.gz': bgzf(c, 1, 300),
        d: a,
      };
    },
    ['--decompress'],
    ['--decompress', '-k2,2n', '-s'],
  ),
];

const LITTLE: readonly Row[] = [
  ...rows(
    () => ({ a: '' }),
    [],
    ['-n'],
    ['-u'],
    ['--count'],
    ['--top', '3'],
    ['--output-format', 'gzip'],
    ['--output-format', 'bgzf'],
    ['--output-format', 'zstd'],
    ['--record-size', '7'],
    ['--segments', 'blank'],
    ['--locale', 'sv'],
  ),
  ...rows(() => ({ a: 'h\n', b: 'h\n' }), ['--header', '1'], ['--header', '1', '--output-format', 'bgzf']),
  ...rows(() => ({ a: 'one' }), [], ['-n'], ['--count'], ['--top', '1'], ['--output-format', 'bgzf']),
  ...rows(() => ({ a: '', b: 'one\ntwo', c: '', d: '\n\n', e: '' }), [], ['-s', '-k1,1'], ['-u'], ['--locale', 'sv']),
  ...rows(() => ({ a: '\n'.repeat(500) }), [], ['-s', '-k2'], ['-u'], ['--count'], ['--segments', 'blank']),
  ...rows(() => ({ a: '\0'.repeat(500), b: '\0\n\0' }), [], ['-z'], ['-k1,1n']),
];

/** Half of the records, and of the bytes, have one key. */
const half = (d: Dice): Files => ({
  a: text(Array.from({ length: 400 }, (_, i) => (d.chance(0.5) ? `same\t${d.below(3)}` : `${d.below(1000)}\t${i}`))),
});
/** In order, in reverse order, and all equal. */
const ordered = (): Files => ({ a: text(Array.from({ length: 300 }, (_, i) => `${1000 + i}`)) });
const backwards = (): Files => ({ a: text(Array.from({ length: 300 }, (_, i) => `${2000 - i}`)) });
const equal = (): Files => ({ a: text(Array.from({ length: 300 }, (_, i) => `k ${i % 7} ${i}`)) });
const SHAPES: readonly Row[] = [half, ordered, backwards, equal].flatMap((files) =>
  rows(files, [], ['-n'], ['-s', '-k1,1'], ['-u', '-k1,1'], ['-r', '-k1,1'], ['--count', '-k1,1']),
);

/** Each order of genomics data, with a change of the output in turn. */
const CHANGES = [{}, { reverse: true }, { unique: true }, { top: 7 }, { bottom: 5 }];
const GENOMICS: readonly Row[] = SUBJECTS.map((subject, i) => {
  const change = CHANGES[i % CHANGES.length];
  const changed = Object.entries(change).flatMap(([name, value]) =>
    name === 'reverse' ? ['-r'] : name === 'unique' ? ['-u'] : [`--${name}`, String(value)],
  );
  const part = (from: number, to?: number): Buffer => {
    const bytes = fileOf(subject, subject.records.slice(from, to));
    return subject.format === 'bam' ? bgzf(bytes, 1, 5000) : bytes;
  };
  return {
    words: [...subject.options, ...changed],
    files: () => ({ a: part(0, 101), b: part(101, 103), c: part(103) }),
    check: (output) => {
      // What Picard makes of a header is not promised.
      if (!subject.options.includes('picard'))
        expect(plainOutput(subject, output).equals(expectedOutput(subject, change))).toBe(true);
    },
  };
});

/** Sorted numbers of which no file ends with a newline. */
const unended = (): Files => {
  const numbers = (from: number): string => text(Array.from({ length: 60 }, (_, i) => String(from + 3 * i)));
  return { a: numbers(100).slice(0, -1), b: numbers(1000).slice(0, -1), c: '', d: numbers(101).slice(0, -1) };
};
const UNENDED = rows(unended, [], ['-n'], ['-u'], ['-s', '-k1,1n']);

/** Shares of these options depend on the order of the input, so that sorted inputs are none of -m. */
const NOT_MERGED = ['--segments', '--segment-by', 'similar', '--array', '--random-source'];
const MERGED = OPTIONS.filter(({ words }) => !words.some((word) => NOT_MERGED.includes(word)));

/** The options that decide the order, and not what is written of it. */
function withoutSelection([word, ...rest]: readonly string[]): string[] {
  if (word === undefined) return [];
  if (word === '--count') return withoutSelection(rest);
  if (['--top', '--bottom', '--output-format'].includes(word)) return withoutSelection(rest.slice(1));
  return [word, ...withoutSelection(rest)];
}

/** The files, each sorted by one machine. */
async function eachSorted(words: readonly string[], files: Files): Promise<Files> {
  const made: Record<string, string | Uint8Array> = { ...files };
  for (const name of Object.keys(made)) {
    const { status, output, messages } = await sorted([...withoutSelection(words), '-o', 'one', name], made, null);
    expect({ status, messages }).toEqual({ status: 0, messages: '' });
    made[name] = output;
  }
  return made;
}

interface Case extends Row {
  readonly group: string;
  /** In its group. */
  readonly number: number;
}
const grouped = (group: string, list: readonly Row[]): Case[] =>
  list.map((row, number) => ({ ...row, group, number })).filter(({ words }) => ZSTD || !words.includes('zstd'));

const CASES: readonly Case[] = [
  ...grouped('options', OPTIONS),
  ...grouped('little input', LITTLE),
  ...grouped('keys that repeat, and input in order', SHAPES),
  ...grouped('genomics', GENOMICS),
  ...grouped('-m', MERGED),
  ...grouped('-m of inputs without a last newline', UNENDED),
];

/** Options, and the names of formats and locales. */
const optionsOf = (words: readonly string[]): readonly string[] =>
  words.filter((word, i) => word.startsWith('-') || ['--output-format', '--locale', '--format'].includes(words[i - 1]));
const ALL_OPTIONS = [...new Set(CASES.flatMap(({ words }) => optionsOf(words)))];

const EACH_OPTION = sampled(CASES, {
  count: CASES.length / 2,
  seed: 1,
  values: ({ group, number, words }) => [
    group,
    number % TASKS.length,
    ...ALL_OPTIONS.map((option) => words.includes(option)),
  ],
});
/** Words by which tasks differ: `2` is of --header. */
const DECISIVE = ['2', 'bgzf', '--segment-by', '--locale', '--record-size', '--count'];
/** Whether the output is one file of several ranges. */
const hasRanges = ({ number, words }: Case): boolean => {
  const { ranges, parts = false } = TASKS[number % TASKS.length];
  return ranges > 1 && !parts && !words.includes('--top');
};
/** `npm test` distributes each of these words once; each option has its own test there. */
const SOME = sampled(EACH_OPTION, {
  count: EACH_OPTION.length,
  seed: 1,
  values: (one) => [
    one.group,
    one.number % TASKS.length,
    ...DECISIVE.map((word) => one.words.includes(word) && hasRanges(one)),
  ],
});

for (const { group, number, words, files, check } of SOME) {
  const isMerge = group.startsWith('-m');
  for (const tasks of NIGHTLY && !isMerge && check === undefined ? TASKS : [TASKS[number % TASKS.length]]) {
    const chunk = CHUNKS[(number + Number(isMerge)) % CHUNKS.length];
    const parts = tasks.parts === true && check === undefined;
    const name = `${words.join(' ')} (${tasks.shares} x ${tasks.ranges}${parts ? ', parts' : ''}; ${chunk})`;
    it(`${group}: ${name}`, async () => {
      const given = files(dice(CASES.findIndex((one) => one.group === group) + number));
      const made = group === '-m' ? await eachSorted(words, given) : given;
      const all = [...(isMerge ? ['-m'] : []), ...words, '--chunk-size', chunk, ...Object.keys(made)];
      const { output } = await expectSame(all, made, { ...tasks, parts });
      check?.(output);
    });
  }
}

describe('-m', () => {
  const good = Array.from({ length: 200 }, (_, i) => `${1000 + i}`);
  it.each([
    { what: 'a smaller number last', bad: [...good, '0'], words: [] },
    { what: 'a larger one first', bad: ['9', ...good], words: [] },
    { what: 'the reverse order', bad: good.toReversed(), words: ['-n'] },
  ])('refuses an input with $what', async ({ bad, words }) => {
    const files = { good: text(good), bad: text(bad) };
    const { status, messages } = await sorted(['-m', ...words, 'good', 'bad'], files, { shares: 1, ranges: 4 });
    expect(messages).toMatch(/^gpusort: bad.* (not sorted|disorder: )/);
    expect(status).toBe(2);
  });
});

it('parts do not overlap', async () => {
  const { parts } = await sorted(['a'], half(dice(5)), { shares: 5, ranges: 6, parts: true });
  const full = parts.filter(({ length }) => length > 0).map((part) => plain(part).toString('latin1').split('\n'));
  for (const [i, [first]] of full.slice(1).entries()) expect(full[i].at(-2)! <= first).toBe(true);
});
