/** Each option of the command is a property or left out with a reason; a property has the meaning of its option. */
import { PassThrough, Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { OptionRow } from '../../src/cli/options/option.js';
import { OPTIONS } from '../../src/cli/options/table.js';
import { surroundings } from '../../src/cli/parse/environment.js';
import { valueName } from '../../src/cli/parse/option-values.js';
import { parseArguments } from '../../src/cli/request.js';
import { createSorter, type SortOptions, type SortSettings, sort, sortFile } from '../../src/index.js';
import { LEFT_OUT, optionArguments, PROPERTIES, pathArgument, refuseSettings } from '../../src/library/options.js';

/** A value of each property, and the words of the command that mean the same. The compiler finds a missing one. */
const EXAMPLES: { readonly [Name in keyof Required<SortOptions>]: readonly [SortOptions[Name], string] } = {
  ignoreLeadingBlanks: [true, '-b'],
  dictionaryOrder: [true, '-d'],
  ignoreCase: [true, '-f'],
  generalNumericSort: [true, '-g'],
  humanNumericSort: [true, '-h'],
  ignoreNonprinting: [true, '-i'],
  monthSort: [true, '-M'],
  numericSort: [true, '-n'],
  randomSort: [true, '-R'],
  randomSource: ['-', '--random-source ./-'],
  reverse: [true, '-r'],
  sort: ['version', '--sort version'],
  versionSort: [true, '-V'],
  key: [['2,2n', '1'], '-k 2,2n -k 1'],
  check: ['explain', '--check=explain'],
  merge: [true, '-m'],
  stable: [true, '-s'],
  fieldSeparator: [Buffer.of(0xc3, 0xa4), '-t \xc3\xa4'],
  bufferSize: [100_000_000, '-S 100000000b'],
  temporaryDirectory: [[new URL('file:///tmp/a%20b'), Buffer.from('/\xff', 'latin1')], '-T /tmp/a\0b -T /\xff'],
  parallel: [3, '--parallel 3'],
  batchSize: [7, '--batch-size 7'],
  compressProgram: ['gzip', '--compress-program gzip'],
  unique: ['last', '--unique=last'],
  zeroTerminated: [true, '-z'],
  engine: ['cpu', '--engine cpu'],
  algorithm: ['radix:two-sweeps', '--algorithm radix:two-sweeps'],
  csv: [true, '--csv'],
  tsv: [true, '--tsv'],
  json: ['user.age:n', '--json user.age:n'],
  recordSize: [8, '--record-size 8'],
  array: ['u32+u32', '--array u32+u32'],
  segmentBy: ['1,1', '--segment-by 1,1'],
  segments: ['blank', '--segments blank'],
  locale: ['sv', '--locale sv'],
  header: [2, '--header 2'],
  headerPrefix: ['#', '--header-prefix #'],
  shuffle: [true, '--shuffle'],
  sample: [3, '--sample 3'],
  seed: [7, '--seed 7 -R'],
  count: [true, '--count'],
  dupesOutput: ['d', '--dupes-output d'],
  top: [0, '--top 0'],
  per: ['2,2', '--per 2,2 --top 1'],
  bottom: [5, '--bottom 5'],
  verify: [true, '--verify'],
  sync: [true, '--sync'],
  chunkSize: ['64K', '--chunk-size 64K'],
  gpuMemory: [1 << 20, '--gpu-memory 1048576'],
  format: ['bed', '--format bed'],
  by: ['coordinate', '--by coordinate'],
  as: ['samtools', '--as samtools --format sam --by queryname'],
  contigs: ['natural', '--contigs natural --format bed'],
  mate: ['r2.fq', '--mate r2.fq --format fastq -o r1 --mate-out r3'],
  mateOut: [['r3.fq'], '--mate-out r3.fq --mate r2 --format fastq -o r1'],
  interleaved: [true, '--interleaved --format fastq'],
  combineRg: [true, '--combine-rg --format sam'],
  combinePg: [true, '--combine-pg --format bam'],
  decompress: [true, '--decompress'],
  outputFormat: ['zstd', '--output-format zstd'],
  level: [3, '--level 3 --output-format gzip'],
  index: ['csi', '--index=csi --format bam -o x.bam'],
};

/** The words of a type that is a union of words and of other values. */
type WordsOf<T> = T extends string ? (string extends T ? never : T) : never;
type WithWords = { [Name in keyof SortOptions]-?: [WordsOf<SortOptions[Name]>] extends [never] ? never : Name };
/** The words in the types of properties. The compiler finds a missing one and one that the types lack. */
const TYPED_WORDS: {
  readonly [Name in WithWords[keyof SortOptions]]: Readonly<Record<WordsOf<SortOptions[Name]>, true>>;
} = {
  sort: { 'general-numeric': true, 'human-numeric': true, month: true, numeric: true, random: true, version: true },
  check: { explain: true },
  unique: { first: true, last: true },
  engine: { auto: true, gpu: true, cpu: true },
  algorithm: {
    ...{ auto: true, merge: true, radix: true, quicksort: true, 'string-merge': true, 'radix-refine': true },
    ...{ 'msd-radix': true, 'msd-radix-hybrid': true, locality: true, segmented: true, 'sample-sort': true },
  },
  array: {
    ...{ u8: true, u16: true, u32: true, u64: true, u128: true, i8: true, i16: true, i32: true, i64: true },
    ...{ f32: true, f64: true },
  },
  segments: { blank: true },
  decompress: { always: true, never: true },
  format: { fastq: true, fasta: true, sam: true, bam: true, bed: true, vcf: true, gff: true },
  by: {
    ...{ name: true, id: true, natural: true, seq: true, length: true, similar: true, quality: true },
    ...{ coordinate: true, queryname: true, 'queryname-ascii': true, 'template-coordinate': true, minimiser: true },
    ...{ position: true, contig: true, start: true, end: true, strand: true, flag: true, mapq: true },
    ...{ 'template-length': true, score: true, type: true },
  },
  as: { samtools: true, picard: true, 'sort-bed': true, bcftools: true },
  contigs: { natural: true },
  outputFormat: {
    ...{ plain: true, gzip: true, bgzf: true, zstd: true, xz: true, bzip2: true, lz4: true },
    ...{ sam: true, 'sam.gz': true, bam: true },
  },
  index: { auto: true, csi: true },
};

/** The words of a row that its property takes: the command alone takes the others of --check. */
function wordsOf(row: OptionRow): string[] {
  if (row.argument === undefined) return [];
  return row.long === 'check' ? ['explain'] : (row.words?.choices ?? []).flat();
}

/** The job that arguments request; fresh objects, so that jobs can be compared. */
function jobOf(words: readonly string[]): unknown {
  const request = parseArguments(words, { ...surroundings(), programName: 'gpusort', posixlyCorrect: false });
  if (request.action !== 'sort') throw new Error(request.action);
  return request.job;
}

it('has a property for each row of the option table, or a reason to have none', () => {
  expect(Object.keys(LEFT_OUT).filter((long) => !OPTIONS.some((row) => row.long === long))).toEqual([]);
  const properties = OPTIONS.map(({ long }) => long).filter((long) => !Object.hasOwn(LEFT_OUT, long));
  expect(Object.keys(EXAMPLES).sort()).toEqual(properties.map(valueName).sort());
  expect([...PROPERTIES.keys()].sort()).toEqual(Object.keys(EXAMPLES).sort());
});

it('completes the words of the option table in editors', () => {
  const rows = [...PROPERTIES].filter(([, row]) => wordsOf(row).length > 0);
  expect(
    Object.fromEntries(Object.entries(TYPED_WORDS).map(([name, words]) => [name, Object.keys(words).sort()])),
  ).toEqual(Object.fromEntries(rows.map(([name, row]) => [name, wordsOf(row).sort()])));
});

it('refuses other words when programs are compiled', () => {
  // @ts-expect-error
  const sorts: SortOptions = { sort: 'numerically' };
  // @ts-expect-error
  const formats: SortOptions = { format: 'cram' };
  // @ts-expect-error
  const algorithms: SortOptions = { algorithm: 'bogo' };
  // @ts-expect-error
  const tunings: SortOptions = { algorithm: 'bogo:fast' };
  for (const options of [sorts, formats, algorithms, tunings]) expect(() => jobOf(optionArguments(options))).toThrow();
  const open: SortOptions = { algorithm: 'radix:one-sweep', array: 'u32be+f64', by: 'tag:NM:r', contigs: 'genome.fai' };
  expect(optionArguments(open)).toHaveLength(4);
});

it.each(Object.entries(EXAMPLES))('translates the property %s into its option', (name, [value, words]) => {
  // A NUL in `words` stands for a blank inside a word. Further options that it needs are given to both.
  const command = words.split(' ').map((word) => word.replace('\0', ' '));
  const own = command.findIndex((word, i) => i > 0 && word.startsWith('-') && !['-k', '-T', './-'].includes(word));
  const needed = own < 0 ? [] : command.slice(own);
  expect(jobOf([...optionArguments({ [name]: value }), ...needed])).toEqual(jobOf(command));
});

it('omits options that are undefined or false', () => {
  expect(optionArguments({ reverse: false, key: undefined, top: undefined, temporaryDirectory: [] })).toEqual([]);
});

const REFUSED: readonly [object, string][] = [
  [{ numericsort: true }, "unknown option 'numericsort'"],
  [{ output: 'x' }, "unknown option 'output'"],
  ...[
    ['reverse', 1, '1'],
    ['reverse', 'yes', '"yes"'],
    ['top', true, 'true'],
    ['top', null, 'null'],
    ['top', 1.5, '1.5'],
    ['key', [['2']], 'object'],
    ['algorithm', { field: 2 }, 'object'],
    ['check', 'orders', '"orders"'],
    ['check', 'quiet', '"quiet"'],
    ['parallel', Number.NaN, 'NaN'],
    ['bufferSize', 1e21, '1e+21'],
    ['header', Infinity, 'Infinity'],
    ['signal', null, 'null'],
    ['signal', new AbortController(), 'object'],
    ['onProgress', 5, '5'],
    ['onWarning', 'x', '"x"'],
    ['statistics', 'json', '"json"'],
    ['dupesOutput', 5, '5'],
    ['dupesOutput', true, 'true'],
    ['mate', [7], '7'],
    ['temporaryDirectory', 1, '1'],
    ['compressProgram', 0, '0'],
    ['randomSource', 2, '2'],
  ].map(
    ([name, value, shown]) =>
      [{ [name as string]: value }, `invalid value of '${name}': ${shown}`] satisfies [object, string],
  ),
  [{ contigs: new URL('https://example.org/x') }, 'invalid value of a file name: "https://example.org/x"'],
  [{ contigs: 'a\0b' }, 'invalid value of a file name: "a\\u0000b"'],
];

it.each(REFUSED)('refuses the settings %o', (settings, message) => {
  const { signal, onProgress, onWarning, statistics, ...options } = settings as SortSettings;
  expect(() => {
    refuseSettings({ signal, onProgress, onWarning, statistics });
    optionArguments(options);
  }).toThrow(expect.objectContaining({ code: 'usage', message }));
});

it.each<[SortSettings, string]>([
  [{ reverse: 1 } as object, 'Give true or false.'],
  [{ top: 1.5 }, 'Give text or a whole number (N).'],
  [{ index: null } as object, 'Give true, text or a whole number (KIND).'],
  [{ key: null } as object, 'Give text or a whole number (KEYDEF), an object, or an array of these.'],
  [{ onProgress: 5 } as object, 'Give a function.'],
  [{ signal: {} } as object, 'Give an AbortSignal, such as the signal of an AbortController.'],
  [{ contigs: 'a\0b' }, 'Give a name without NUL.'],
  [{ contigs: 5 } as object, "Give 'natural' or the name of a file: text, a Buffer or a file: URL."],
  [{ dupesOutput: 5 } as object, 'Give the name of a file: text, a Buffer or a file: URL.'],
  [{ temporaryDirectory: [5] } as object, 'Give the name of a directory: text, a Buffer or a file: URL.'],
  [{ compressProgram: 5 } as object, 'Give the name of a program: text, a Buffer or a file: URL.'],
  ['csv' as unknown as object, "Give the options as properties, for example { key: '2n', reverse: true }."],
  [5 as unknown as object, "Give the options as properties, for example { key: '2n', reverse: true }."],
])('says which values are allowed instead of those in %j', async (settings, hint) => {
  const input = Readable.from(['b\na\n']);
  await expect(sort(input, new PassThrough(), settings)).rejects.toMatchObject({ code: 'usage', hint });
  expect(input.destroyed).toBe(true);
  expect(() => createSorter(settings)).toThrow(expect.objectContaining({ code: 'usage', hint }));
  const sorter = createSorter();
  await expect(sorter.sort(['a\n'].values(), new PassThrough(), settings)).rejects.toMatchObject({
    code: 'usage',
    hint,
  });
  await sorter.close();
});

describe('a sorter', () => {
  it.each<[object, string, string?]>([
    [{ foo: 1 }, "unknown option 'foo'"],
    [{ numeric: true }, "unknown option 'numeric'", "Did you mean 'numericSort'?"],
    [{ key: [{ field: 1, numeric: 1 }] }, "invalid value of 'key[0].numeric': 1"],
    [{ key: { feld: 1 } }, "unknown property 'feld' of 'key'", "Did you mean 'field'?"],
    [{ json: { path: 5 } }, "invalid value of 'json.path': 5"],
    [{ engine: 'tpu' }, "invalid argument 'tpu' for '--engine'"],
    [{ top: 'x' }, "invalid --top argument 'x'"],
    [{ onProgress: 5 }, "invalid value of 'onProgress': 5"],
  ])('is refused at once with the settings %j: %s', (settings, message, hint = expect.anything()) => {
    expect(() => createSorter(settings)).toThrow(expect.objectContaining({ code: 'usage', message }));
    if (typeof hint === 'string') expect(() => createSorter(settings)).toThrow(expect.objectContaining({ hint }));
  });

  it('may have settings that others complete', async () => {
    const settings: readonly [SortSettings, SortSettings][] = [
      [{ key: { field: 'a', numeric: true } }, { csv: true }],
      [
        { key: 'a:n', segmentBy: '1,1' },
        { csv: false, key: '1', segmentBy: undefined },
      ],
      [
        { as: 'sort-bed', contigs: 'natural' },
        { format: 'bed', by: 'position' },
      ],
      [{ key: { offset: 0, length: 1 } }, { recordSize: 2 }],
      [{ fieldSeparator: ';', json: { path: 'a' } }, { fieldSeparator: undefined }],
    ];
    const lines = ['a\n', 'a\n'].values();
    for (const [common, own] of settings) {
      const sorter = createSorter(common);
      const input = common.as ? ['c\t1\t2\n'].values() : lines;
      const result = await sorter.sort(input, new PassThrough().resume(), own);
      expect(result.bytes, JSON.stringify(common)).toBeGreaterThanOrEqual(0);
      await sorter.close();
    }
  });
});

describe('sortFile', () => {
  const NAMES = 'the name of a file: text, a Buffer or a file: URL';
  const hints = {
    input: `Give ${NAMES}; or an array of names. Streams are for sort().`,
    output: `Give ${NAMES}. Streams, and null to check, are for sort().`,
  };
  const sorter = createSorter();
  it.each([
    ['the function', sortFile],
    ['that of a sorter', sorter.sortFile],
  ])('takes names only: %s', async (_, call) => {
    const input = Readable.from(['b\na\n']);
    const output = new PassThrough();
    const failed = new Promise((resolve) => {
      output.on('error', resolve);
    });
    await expect(call(input as unknown as string, output as unknown as string)).rejects.toMatchObject({
      code: 'usage',
      message: "invalid value of 'input': object",
      hint: hints.input,
    });
    // As after other errors, the streams are destroyed.
    expect([input.destroyed, await failed]).toEqual([true, expect.objectContaining({ code: 'usage' })]);
    for (const wrong of [new PassThrough(), null, 5, {}])
      await expect(call('no such file', wrong as unknown as string)).rejects.toMatchObject({
        code: 'usage',
        message: `invalid value of 'output': ${typeof wrong === 'object' && wrong !== null ? 'object' : String(wrong)}`,
        hint: hints.output,
      });
    await expect(call(5 as unknown as string, 'x')).rejects.toMatchObject({ hint: hints.input });
    await expect(call(['no such file'], 'x')).rejects.toMatchObject({ code: 'cannot-read' });
  });
});

it.each([
  ['numericsort', 'numericSort'],
  ['numeric', 'numericSort'],
  ['threads', 'parallel'],
  ['delimiter', 'fieldSeparator'],
  ['xyzzy', undefined],
])('suggests an option for %s', (name, meant) => {
  const hint = meant === undefined ? undefined : `Did you mean '${meant}'?`;
  expect(() => optionArguments({ [name]: true })).toThrow(
    expect.objectContaining({ message: `unknown option '${name}'`, hint }),
  );
});

it('says that an array is a list of file names if an element is not one', async () => {
  await expect(sort(['a\n'], null, { check: true })).rejects.toMatchObject({
    code: 'cannot-read',
    hint: 'An array is a list of file names. To sort an array of texts, give Readable.from(array).',
  });
  await expect(sort('no such file', null, { check: true })).rejects.toMatchObject({ hint: undefined });
});

it('treats - as the name of a file', () => {
  expect(pathArgument('-')).toBe('./-');
});

it('accepts settings of the right types', () => {
  const nothing = (): void => undefined;
  const signal = AbortSignal.abort();
  refuseSettings({});
  refuseSettings({ signal, onProgress: nothing, onWarning: nothing, statistics: false, reverse: true });
  refuseSettings({ signal: undefined, onProgress: undefined, onWarning: undefined, statistics: undefined });
});
