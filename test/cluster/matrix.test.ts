/**
 * Features beyond GNU sort, distributed over tasks and on one machine: the same bytes. One table of cases, and
 * two ways: sorting, and -m of inputs that one machine has sorted. differential.test.ts has the orderings of GNU sort.
 */
import { gzipSync } from 'node:zlib';
import fc, { type Arbitrary } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expectedOutput, fileOf, plainOutput, SUBJECTS } from '../genomics/subjects.js';
import { hasProgram, piped } from '../support/codecs.js';
import { characters, either, joined, maybe, pick, several } from '../support/draws.js';
import { bgzf } from '../support/genomics-bam.js';
import { fastq, type Read, reads } from '../support/genomics-data.js';
import { holdsForAll, property } from '../support/property.js';
import { NIGHTLY, sampled } from '../support/tier.js';
import { expectSame, type Files, plain, sorted } from './both.js';
import type { Tasks } from './in-process.js';

/** Older versions of Node need the program of zstd, too. */
const ZSTD = hasProgram('zstd');
const MISSING = ['zstd', 'xz'].filter((program) => !hasProgram(program));

/** Numbers of tasks, which alternate. */
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
const WORD = pick(WORDS.map((word) => Buffer.from(word).toString('latin1')));
const below = (n: number): Arbitrary<string> => fc.nat(n - 1).map(String);
/** `least` to `most` texts, one after another. */
const text = (least: number, most: number, entry: Arbitrary<string>): Arbitrary<string> =>
  several(least, most, entry).map((list) => list.join(''));

/** Lines of a word, a number with repeats, and a number without. */
const lines = (least: number, most = least): Arbitrary<string> =>
  several(least, most, joined(WORD, '\t', below(9))).map((all) => all.map((line, i) => `${line}\t${i}\n`).join(''));
/** Lines over three files, the last of which lacks its last newline. */
const THREE = fc.record({ a: lines(30, 150), b: lines(1), c: lines(20, 100).map((all) => all.slice(0, -1)) });

const FIELD = ['a', 'b', '"a,b"', '"say ""x"""', '"two\nlines"', '', '1', '22', '"3"'];
const CSV = joined('name,"no,t",size\n', text(30, 150, joined(FIELD, ',', FIELD, ',', below(50), '\n')));

const OBJECT = fc.record({ a: fc.record({ n: fc.nat(29) }), name: WORD, x: fc.nat(8) });
const OBJECTS = several(30, 150, OBJECT).map((all) => all.map((object) => `${JSON.stringify(object)}\n`).join(''));

const SEGMENTED = several(5, 30, several(1, 25, joined(' ', below(40), ' ', ['x', 'y'], '\n'))).map((segments) =>
  segments.flatMap((segment, i) => segment.map((rest) => `${i}${rest}`)).join(''),
);
const BLANKS = text(60, 350, maybe(90, joined(below(50), ' ', below(4), '\n'), '\n'));

/** Records of 24 bytes. They have few values, so keys repeat. */
const fixed = (least: number, most = least): Arbitrary<string> =>
  text(least, most, characters(24, 24, '\0\x01\n\x7f\x80\xff'));

const readsOf = (count: number): Arbitrary<Read[]> => fc.nat(998).map((seed) => reads(seed, count));
const PAIRS = readsOf(40).map((list) => fastq(list.flatMap((read) => [read, read])));

const two = (content: Arbitrary<string>): Arbitrary<Files> => fc.record({ a: content, b: content });

interface Row {
  readonly words: readonly string[];
  readonly files: Arbitrary<Files>;
  /** Further checks of the output. */
  readonly check?: (output: Buffer) => void;
}

const rows = (files: Arbitrary<Files>, ...list: readonly (readonly string[])[]): Row[] =>
  list.map((words) => ({ words, files }));

const HEADER = 'h1\nh2\n';
const OPTIONS: readonly Row[] = [
  ...rows(
    THREE,
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
    ['--output-format', 'xz', '-k2,2'],
    ['--output-format', 'bgzf'],
    ['--output-format', 'bgzf', '--count', '-k2,2'],
    ['--output-format', 'bgzf', '--top', '3'],
  ),
  ...rows(
    fc.record({ a: joined(HEADER, lines(30, 150)), b: joined(HEADER, lines(20, 80)), c: fc.constant(HEADER) }),
    ['--header', '2'],
    ['--header', '2', '-u', '-k1,1'],
    ['--header', '2', '--top', '3', '-r'],
    ['--header', '2', '--count', '-k2,2n'],
    ['--header', '2', '--output-format', 'bgzf'],
    ['--header-prefix', 'h', '-k2n'],
  ),
  ...rows(
    two(CSV),
    ['--csv', '-k', 'name'],
    ['--csv', '-k', 'no,t:r', '-k', 'size:n'],
    ['--csv', '-k', 'size:n', '-u'],
    ['--csv', '-k1', '--header', '0', '-s'],
    ['--csv', '-k', 'name', '--top', '5', '--output-format', 'gzip'],
  ),
  ...rows(fc.record({ a: CSV.map((csv) => csv.replaceAll(',', '\t')) }), ['--tsv', '-k', 'size:n']),
  ...rows(two(OBJECTS), ['--json', 'a.n:n'], ['--json', 'name', '--json', 'x:nr', '-s'], ['--json', 'x:n', '-u']),
  ...rows(
    two(SEGMENTED),
    ['--segment-by', '1,1', '-k2n'],
    ['--segment-by', '1,1', '-k2,2n', '-u'],
    ['--segment-by', '1,1', '-k3,3', '-s', '-r'],
    ['--segment-by', '1,1', '--output-format', 'bgzf'],
  ),
  ...rows(two(BLANKS), ['--segments', 'blank'], ['--segments', 'blank', '-k2,2n', '-s']),
  ...rows(
    fc.record({ a: fixed(30, 110), b: fixed(9), c: fixed(0) }),
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
  ...rows(two(readsOf(50).map(fastq)), ['--format', 'fastq', '--by', 'similar']),
  ...rows(
    fc.tuple(fixed(3), fixed(20, 60), fixed(20, 60)).map(([header, a, b]) => ({ a: header + a, b: header + b })),
    ['--record-size', '24', '--header', '3', '-k', '1:1'],
  ),
  ...rows(two(PAIRS), ['--format', 'fastq', '--interleaved', '--by', 'seq']),
  ...rows(
    THREE.map((files) => {
      const [a, b, c] = [files.a, files.b, files.c].map((content) => Buffer.from(content, 'latin1'));
      const second = ZSTD ? { 'b.zst': piped('zstd', ['-c'], b) } : { b };
      return { 'a.gz': gzipSync(a), ...second, 'c.gz': bgzf(c, 1, 300), d: a };
    }),
    ['--decompress'],
    ['--decompress', '-k2,2n', '-s'],
  ),
];

const LITTLE: readonly Row[] = [
  ...rows(
    fc.constant({ a: '' }),
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
  ...rows(fc.constant({ a: 'h\n', b: 'h\n' }), ['--header', '1'], ['--header', '1', '--output-format', 'bgzf']),
  ...rows(fc.constant({ a: 'one' }), [], ['-n'], ['--count'], ['--top', '1'], ['--output-format', 'bgzf']),
  ...rows(
    fc.constant({ a: '', b: 'one\ntwo', c: '', d: '\n\n', e: '' }),
    [],
    ['-s', '-k1,1'],
    ['-u'],
    ['--locale', 'sv'],
  ),
  ...rows(fc.constant({ a: '\n'.repeat(500) }), [], ['-s', '-k2'], ['-u'], ['--count'], ['--segments', 'blank']),
  ...rows(fc.constant({ a: '\0'.repeat(500), b: '\0\n\0' }), [], ['-z'], ['-k1,1n']),
];

/** Half of the records, and of the bytes, have one key. */
const HALF = fc.record({
  a: text(100, 700, either(joined('same\t', below(3), '\n'), joined(below(1000), '\t', below(1000), '\n'))),
});
const list = (length: number, line: (i: number) => string | number): string =>
  Array.from({ length }, (_, i) => `${line(i)}\n`).join('');
/** In order, in reverse order, and all equal. */
const ORDERED = [list(300, (i) => 1000 + i), list(300, (i) => 2000 - i), list(300, (i) => `k ${i % 7} ${i}`)];
const SHAPES: readonly Row[] = [HALF, ...ORDERED.map((a) => fc.constant({ a }))].flatMap((files) =>
  rows(files, [], ['-n'], ['-s', '-k1,1'], ['-u', '-k1,1'], ['-r', '-k1,1'], ['--count', '-k1,1']),
);

/** Each order of genomics data, each with another option for the output. */
const CHANGES = [{}, { reverse: true }, { unique: true }, { top: 7 }, { bottom: 5 }];
const GENOMICS: readonly Row[] = SUBJECTS.map((subject, i) => {
  const next = CHANGES[i % CHANGES.length];
  // -u is refused for alignments.
  const change = 'unique' in next && ['sam', 'bam'].includes(subject.format) ? { reverse: true } : next;
  const changed = Object.entries(change).flatMap(([name, value]) =>
    name === 'reverse' ? ['-r'] : name === 'unique' ? ['-u'] : [`--${name}`, String(value)],
  );
  const part = (from: number, to?: number): Buffer => {
    const bytes = fileOf(subject, subject.records.slice(from, to));
    return subject.format === 'bam' ? bgzf(bytes, 1, 5000) : bytes;
  };
  return {
    words: [...subject.options, ...changed],
    // Made when the test runs.
    files: fc.constant(null).map(() => ({ a: part(0, 101), b: part(101, 103), c: part(103) })),
    check: (output) => {
      // Picard's changes of headers are not promised.
      if (!subject.options.includes('picard'))
        expect(plainOutput(subject, output).equals(expectedOutput(subject, change))).toBe(true);
    },
  };
});

/** Sorted numbers of which no file ends with a newline. */
const numbers = (from: number): string => list(60, (i) => from + 3 * i).slice(0, -1);
const UNENDED_FILES = fc.constant({ a: numbers(100), b: numbers(1000), c: '', d: numbers(101) });
const UNENDED = rows(UNENDED_FILES, [], ['-n'], ['-u'], ['-s', '-k1,1n']);

/** With these options shares depend on the input order, so sorted shares are not valid inputs of -m. */
const NOT_MERGED = ['--segments', '--segment-by', 'similar', '--array', '--random-source'];
const MERGED = OPTIONS.filter(({ words }) => !words.some((word) => NOT_MERGED.includes(word)));

/** The options that decide the order, without those that decide what is written. */
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
    delete made[name];
    // The output is not compressed, and its name must not say so.
    made[name.replace(/\.(gz|zst)$/, '')] = output;
  }
  return made;
}

interface Case extends Row {
  readonly group: string;
  /** In its group. */
  readonly number: number;
}
const grouped = (group: string, list: readonly Row[]): Case[] =>
  list
    .map((row, number) => ({ ...row, group, number }))
    .filter(({ words }) => !words.some((word) => MISSING.includes(word)));

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
    const holds = async (given: Files): Promise<void> => {
      const made = group === '-m' ? await eachSorted(words, given) : given;
      const all = [...(isMerge ? ['-m'] : []), ...words, '--chunk-size', chunk, ...Object.keys(made)];
      const { output } = await expectSame(all, made, { ...tasks, parts });
      check?.(output);
    };
    it(`${group}: ${name}`, () => holdsForAll([files], holds, { numRuns: 1, seed: number }));
  }
}

describe('-m', () => {
  const good = list(200, (i) => 1000 + i);
  it.each([
    { what: 'a smaller number last', bad: `${good}0\n`, words: [] },
    { what: 'a larger one first', bad: `9\n${good}`, words: [] },
    { what: 'the reverse order', bad: list(200, (i) => 1199 - i), words: ['-n'] },
  ])('refuses an input with $what', async ({ bad, words }) => {
    const { status, messages } = await sorted(['-m', ...words, 'good', 'bad'], { good, bad }, { shares: 1, ranges: 4 });
    expect(messages).toMatch(/^gpusort: bad.* (not sorted|disorder: )/);
    expect(status).toBe(2);
  });
});

property(
  'parts do not overlap',
  [HALF],
  async (files) => {
    const { parts } = await sorted(['a'], files, { shares: 5, ranges: 6, parts: true });
    const full = parts.filter(({ length }) => length > 0).map((part) => plain(part).toString('latin1').split('\n'));
    for (const [i, [first]] of full.slice(1).entries()) expect(full[i].at(-2)! <= first).toBe(true);
  },
  { runs: 5 },
);
