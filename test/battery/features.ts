/**
 * The features that the battery tests: arguments, inputs and the expected output, which is GNU sort's or a model's. One
 * table for all features; it knows neither engines nor ways to run (matrix.ts).
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { InputKind } from '../../src/job/algorithm-table.js';
import { type CsvRecord, parseCsv } from '../keys/csv-reference.js';
import { ORDERS as NEARLY_SORTED } from '../support/orders.js';
import { randomBelow } from '../support/random.js';
import { LINES } from '../support/records.js';
import { expected as sortedSegments, text as textsOf } from '../support/segments.js';
import { shuffledBy } from '../support/shuffle.js';
import { INPUTS, type Input, RECORD_INPUTS } from './inputs.js';
import { countsOfNumbers, linesOf, type ModelOrder, sortCsv, sortedBy, sortJson, sortRecords } from './models.js';
import { gnuReference, run } from './runner.js';

type Options = readonly string[];

export interface Feature {
  readonly group: string;
  readonly arguments: Options;
  readonly inputs: readonly Input[];
  /** The kind of input or order, if it matters. */
  readonly shape?: string | undefined;
  /** The values that the quick tier covers besides groups: shapes and arguments, joined. */
  readonly covers: readonly string[];
  /** The kind of input that --algorithm must be able to sort. */
  readonly kind: InputKind;
  /** Both outputs, joined by `joined`, if there is a second one. */
  readonly expected: (files: readonly string[]) => Buffer | Promise<Buffer>;
  /** The file of the second output. */
  readonly second?: string;
}

/** Two outputs of a job. */
export const joined = (first: Buffer, second: Buffer): Buffer =>
  Buffer.concat([first, Buffer.from('\nthe second output:\n'), second]);

const below = randomBelow(16);
const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');
const words = (text: string): Options => text.split(' ').filter((word) => word !== '');
/** Lists of options, separated by commas. */
const listed = (text: string): Options[] => text.split(', ').map(words);
const textIn = (file: string): string => readFileSync(file, 'latin1');
const small = (name: string, text: string | (() => string)): Input => ({
  name,
  size: 'small',
  make: () => latin1(typeof text === 'string' ? text : text()),
});

async function gnuSort(options: Options, files: readonly string[], stdin?: Buffer): Promise<Buffer> {
  const { status, stdout, stderr } = await run('sort', [...options, ...files], { ...(stdin && { stdin }) });
  if (status !== 0) throw new Error(`GNU sort ${options.join(' ')} failed: ${stderr}`);
  return stdout;
}

/** A feature of lines that GNU sort has too. */
const ofGnu = (
  group: string,
  options: Options,
  inputs: readonly Input[],
  { shape, covers = [options.join(' ')] }: Partial<Feature> = {},
): Feature => ({
  group,
  arguments: options,
  inputs,
  shape,
  covers,
  kind: 'lines',
  expected: async (files) =>
    inputs.length === 1 ? readFileSync(await gnuReference(inputs[0], options)) : gnuSort(options, files),
});

const LINE_OPTIONS = listed(', -r, -u, -ru, -s, -z');
const lines = (inputs: readonly Input[]): Feature[] =>
  inputs.flatMap((input) =>
    LINE_OPTIONS.map((options) => {
      const shape = input.name.replace(' (small)', '');
      return ofGnu('lines', options, [input], { shape, covers: [options.join(' '), shape] });
    }),
  );

const RECORD_OPTIONS = listed(
  ', -r, -u, --key 3:5, --key 0:10, --key 0:10 -r, --key 0:10 -u, --key 0:10 -s, --key 0:10 -ru, --key 0:10 -rs',
);
const records = (inputs: typeof RECORD_INPUTS): Feature[] =>
  inputs.flatMap((input) =>
    RECORD_OPTIONS.map((options) => ({
      group: 'binary records',
      arguments: ['--record-size', String(input.recordSize), ...options],
      inputs: [input],
      shape: input.name.replace(' (small)', ''),
      covers: [options.join(' '), input.name],
      kind: options.includes('--key') ? ('shortKeys' as const) : ('longKeys' as const),
      expected: ([file]) => sortRecords(readFileSync(file), input.recordSize, options),
    })),
  );

/** Numbers in binary records, by offset, type and direction. */
function typedKeys(): Feature[] {
  const input = RECORD_INPUTS.find(({ name }) => name === 'records (small)')!;
  const orders: readonly (readonly [string, ModelOrder<Buffer>])[] = [
    ['-k 0:i32 -s', { keys: [{ of: (record) => record.readInt32LE(0) }], stable: true }],
    [
      '-k 2:i16be:r -k 4:u32',
      { keys: [{ of: (record) => record.readInt16BE(2), reverse: true }, { of: (record) => record.readUInt32LE(4) }] },
    ],
    ['-k 98:i8 -u', { keys: [{ of: (record) => record.readInt8(98) }], unique: true }],
  ];
  return orders.map(([options, order]) => ({
    group: 'numbers in binary records',
    arguments: ['--record-size', String(input.recordSize), ...words(options)],
    inputs: [input],
    covers: [options],
    kind: 'shortKeys',
    expected: ([file]) => {
      const data = readFileSync(file);
      const all = Array.from({ length: data.length / input.recordSize }, (_, i) =>
        data.subarray(i * input.recordSize, (i + 1) * input.recordSize),
      );
      return Buffer.concat(sortedBy(all, (record) => record.toString('latin1'), order));
    },
  }));
}

/** Words and numbers separated by tabs. Words may contain blanks. One line in 500 has a field longer than 7 kB. */
function tableRows(): string[] {
  const word = (most: number): string => Array.from({ length: below(most) }, () => 'abcAB -.1'[below(9)]).join('');
  const number = (): string =>
    ['', '-'][below(2)] +
    [String(below(40)), String(below(1e9)), `${below(9)}.${below(1000)}`, `.${below(99)}`, ''][below(5)];
  return Array.from({ length: 4000 }, (_, i) =>
    [word(6), number(), i % 500 === 0 ? 'long '.repeat(1500) : word(9), number()].join('\t'),
  );
}

function keys(): Feature[] {
  const rows = tableRows();
  const TAB = '-t\t';
  const orders: readonly Options[] = [
    [TAB, '-k2,2n'],
    ['-n'],
    [TAB, '-k2,2nr', '-k1,1'],
    ['-k2,2n', '-s'],
    [TAB, '-k4,4n', '-u'],
    [TAB, '-k1,1f', '-k3.2,3.5', '-r'],
    ['-n', '-r', '-u'],
    [TAB, '-k3b,3', '-k4nr'],
    ['-d', '-f'],
    ['-z', TAB, '-k2n,2'],
    ['-z', '-k2,2.3b', '-k1,1.2'],
    ['-k2i', '-r', '-s'],
    [TAB, '-k2.2b,4.2b'],
  ];
  // GNU sort has separators of one byte. Without -s, it would compare whole lines with them.
  const euro = Buffer.from('€').toString('latin1');
  const wide: Feature = {
    ...ofGnu(
      'keys',
      ['-s', '-t', '€', '-k2,2n', '-k3,3', '-k1,1r'],
      [small('wide separators', `${rows.join('\n').replaceAll('\t', euro)}\n`)],
    ),
    expected: async ([file]) => {
      const text = latin1(textIn(file).replaceAll(euro, '\t'));
      const sorted = await gnuSort(['-s', TAB, '-k2,2n', '-k3,3', '-k1,1r'], [], text);
      return latin1(sorted.toString('latin1').replaceAll('\t', euro));
    },
  };
  const ofOneByte = orders.map((options) => {
    const end = options.includes('-z') ? '\0' : '\n';
    const inputs = [
      small(`first rows, ${end === '\0' ? 'NUL' : 'newline'}`, rows.slice(0, 2500).join(end)),
      // Newlines are blanks within lines that end with NUL.
      small(`last rows, ${end === '\0' ? 'NUL' : 'newline'}`, rows.slice(2500).join(end).replaceAll(' -', '\n-') + end),
    ];
    return ofGnu('keys', options, inputs);
  });
  return [...ofOneByte, wide];
}

const HEADER = 'id,"the price","note, if\nany",code';
/**
 * A row of CSV: an id; a price, sometimes quoted; a note with everything that needs quotes, one in 700 longer than the
 * small chunks; and a code with few distinct values, which one row in nine lacks.
 */
function csvRow(i: number): string {
  const quote = (text: string): string => `"${text.replaceAll('"', '""')}"`;
  const price = `${below(5) === 0 ? '-' : ''}${below(60)}${['', '.5', '.25'][below(3)]}`;
  const note =
    Array.from(
      { length: below(4) },
      () => ['fine', 'Fine', 'two\nlines', '"so"', 'a, b', ' ', 'caf\xc3\xa9', '\xff'][below(8)],
    ).join('') + (i % 700 === 0 ? 'long\n'.repeat(2000) : '');
  return [
    i % 97,
    below(4) === 0 ? quote(price) : price,
    below(3) === 0 || /[",\n]/.test(note) ? quote(note) : note,
    ...(below(9) === 0 ? [] : [['x', 'Y', 'y', '"X"'][below(4)]]),
  ].join(',');
}
const csvRows = (count: number): string => Array.from({ length: count }, (_, i) => csvRow(i)).join('\n');
/** The inputs of CSV: the second has nothing but its header, and the third lacks its last newline. */
export const CSV_TEXTS: readonly string[] = [`${HEADER}\n${csvRows(2500)}\n`, HEADER, `${HEADER}\n${csvRows(1200)}`];

const field =
  (i: number) =>
  ({ fields }: CsvRecord): string =>
    fields[i] ?? '';
export const price = (record: CsvRecord): number => Number(field(1)(record));

function csv(): Feature[] {
  const id = (record: CsvRecord): number => Number(field(0)(record));
  const folded = (record: CsvRecord): string => field(2)(record).replace(/[a-z]/g, (letter) => letter.toUpperCase());
  const orders: readonly (readonly [Options, ModelOrder<CsvRecord>])[] = [
    [['-k', 'the price:n'], { keys: [{ of: price }] }],
    [['-k2,2nr', '-k', 'code'], { keys: [{ of: price, reverse: true }, { of: field(3) }] }],
    [['-k', 'note, if\nany:f', '-u'], { keys: [{ of: folded }], unique: true }],
    [['-k4,4', '-k', 'id:n', '-s'], { keys: [{ of: field(3) }, { of: id }], stable: true }],
    [
      ['-k', 'code:r', '-k', 'the price:g', '-r'],
      {
        keys: [
          { of: field(3), reverse: true },
          { of: price, reverse: false },
        ],
        reverse: true,
      },
    ],
    [['-r'], { keys: [{ of: ({ raw }) => raw }], reverse: true }],
    [['-u', '-n', '-k', 'the price'], { keys: [{ of: price }], unique: true }],
    [
      ['-k3,4', '-r', '-s'],
      { keys: [{ of: ({ fields }) => fields.slice(2, 4).join(',') }], reverse: true, stable: true },
    ],
  ];
  const inputs = CSV_TEXTS.map((text, i) => small(`CSV ${i}`, text));
  return orders.map(([options, order]) => ({
    group: '--csv',
    covers: [options.join(' ')],
    arguments: ['--csv', ...options],
    inputs,
    kind: 'lines',
    expected: (files) => sortCsv(files.map(textIn), order),
  }));
}

interface User {
  readonly user: { readonly name?: string; readonly 'e.mail': string } | null;
  readonly n: readonly number[];
  /** One of a few. */
  readonly text?: string;
}
/** A JSON line. Some values are missing, some lines are not in JSON.stringify's form, some are longer than chunks. */
function jsonLine(i: number): string {
  const name = ['Ann', 'bob', 'Éva', 'a\nb', 'a\tb', '"', '', '😀', undefined][below(9)];
  const text = JSON.stringify({
    id: i,
    user: below(6) === 0 ? null : { name, 'e.mail': `u${below(40)}@x` },
    n: [below(90), -below(90) / 4],
    ...(i % 600 === 0 && { text: 'long '.repeat(3000) }),
  });
  return [
    text,
    text.replaceAll(':', ' : '),
    text.replaceAll('é', '\\u00e9').replaceAll('a', '\\u0061'),
    text.replaceAll('É', '\\u00c9'),
  ][below(4)];
}
export const jsonName = ({ user }: User): string => user?.name ?? '';
export const jsonSecond = ({ n }: User): number => n[1];
export const JSON_LINES: readonly string[] = Array.from({ length: 3000 }, (_, i) =>
  Buffer.from(jsonLine(i)).toString('latin1'),
);

function json(): Feature[] {
  const orders: readonly (readonly [Options, ModelOrder<User>])[] = [
    [['--json', 'n.1:n'], { keys: [{ of: jsonSecond }] }],
    [['--json', 'user.name', '--json=n.1:nr'], { keys: [{ of: jsonName }, { of: jsonSecond, reverse: true }] }],
    [
      ['--json', 'user.e\\.mail:r', '-s'],
      { keys: [{ of: ({ user }) => user?.['e.mail'] ?? '', reverse: true }], stable: true },
    ],
    [['--json', 'user.name', '-u'], { keys: [{ of: jsonName }], unique: true }],
    [['--json', 'n.0', '-n', '-r'], { keys: [{ of: ({ n }) => n[0] }], reverse: true }],
    [
      ['--json', 'text', '--json', 'n', '-s'],
      { keys: [{ of: ({ text = '' }) => text }, { of: ({ n }) => JSON.stringify(n) }], stable: true },
    ],
  ];
  // Arrays are compared as written, so this key needs lines in one notation.
  const compact = JSON_LINES.filter((line) => !line.includes(' : '));
  const halves = (name: string, all: readonly string[]): Input[] => [
    small(`${name}, first`, `${all.slice(0, 2000).join('\n')}\n`),
    small(`${name}, last`, all.slice(2000).join('\n')),
  ];
  const inputs = { any: halves('JSON', JSON_LINES), compact: halves('compact JSON', compact) };
  return orders.map(([options, order]) => ({
    group: '--json',
    covers: [options.join(' ')],
    arguments: options,
    inputs: options.includes('n') ? inputs.compact : inputs.any,
    kind: 'lines',
    expected: (files) => {
      const sorted = sortJson(linesOf(files.map((file) => readFileSync(file))), order);
      return latin1(sorted.map((line) => `${line}\n`).join(''));
    },
  }));
}

function header(): Feature[] {
  const rows = (count: number): string =>
    Array.from({ length: count }, () => `${below(300)},${'x'.repeat(below(9))}`).join('\n');
  // The header is longer than the small chunks, and its last line is empty.
  const head = `zz,name\n${'#long'.repeat(20_000)}\n\n`;
  const inputs = [`${head}${rows(3000)}\n`, `${head}${rows(2000)}`, head].map((text, i) => small(`header ${i}`, text));
  return ['', '-r', '-t, -k2,2 -s', '-u', '-t, -k1,1n'].map(words).map((options) => ({
    group: '--header',
    covers: [],
    arguments: ['--header', '3', ...options],
    inputs,
    kind: 'lines',
    expected: async (files) => {
      const rest = linesOf(files.map((file) => readFileSync(file).subarray(head.length)));
      const text = latin1(rest.map((line) => `${line}\n`).join(''));
      return Buffer.concat([latin1(head), await gnuSort(options, [], text)]);
    },
  }));
}

/** A feature with --top or --bottom: the first or last of its records. */
function limited(feature: Feature, side: '--top' | '--bottom', count: number): Feature {
  const { arguments: options, expected } = feature;
  const size = Number(options[options.indexOf('--record-size') + 1]);
  const end = options.includes('-z') ? '\0' : '\n';
  return {
    ...feature,
    group: side,
    arguments: [...options, side, String(count)],
    covers: [],
    expected: async (files) => {
      const sorted = await expected(files);
      const bytes = options.includes('--record-size')
        ? Array.from({ length: sorted.length / size }, () => size)
        : linesOf([sorted], end).map((line) => line.length + 1);
      const first = bytes.slice(0, side === '--top' ? count : Math.max(0, bytes.length - count));
      const cut = first.reduce((sum, length) => sum + length, 0);
      return side === '--top' ? sorted.subarray(0, cut) : sorted.subarray(cut);
    },
  };
}

function limits(): Feature[] {
  // Lines with duplicates, some larger than the chunks. The second file lacks its last newline.
  const all = Array.from({ length: 9000 }, (_, i) =>
    i % 1500 === 7 ? 'long'.repeat(3000 + below(2)) : `${below(60)} ${'w'.repeat(below(20))}${below(90)}`,
  );
  const inputs = [
    small('limits, first', `${all.slice(0, 5000).join('\n')}\n`),
    small('limits, last', all.slice(5000).join('\n')),
  ];
  const orders = listed(', -r, -u, -s, -z, -k1,1n, -k1,1n -s, -k1,1nr -u, -k2b');
  const features = [
    ...orders.map((options) => ofGnu('limits', options, inputs)),
    ...records(RECORD_INPUTS.filter(({ name }) => name === 'records, many duplicate keys (small)')),
  ];
  return features.flatMap((feature) =>
    [0, 1, 10, 700, 8999, 1_000_000].flatMap((count) =>
      (['--top', '--bottom'] as const).map((side) => limited(feature, side, count)),
    ),
  );
}

/** CSV with its counts of equal prices as the first field. */
function countsOfPrices(texts: readonly string[]): Buffer {
  const order: ModelOrder<CsvRecord> = { keys: [{ of: price }] };
  const rows = (changes: Partial<ModelOrder<CsvRecord>>): CsvRecord[] =>
    parseCsv(sortCsv(texts, { ...order, ...changes }).toString('latin1'));
  const all = rows({ stable: true }).slice(1);
  const [head, ...first] = rows({ unique: true });
  const counted = first.map((row) => `${all.filter((other) => price(other) === price(row)).length},${row.raw}\n`);
  return latin1(`count,${head.raw}\n${counted.join('')}`);
}

function counts(): Feature[] {
  const all = Array.from({ length: 9000 }, (_, i) =>
    i % 900 === 5 ? 'long'.repeat(4000 + below(2)) : `${below(40)} ${'w'.repeat(below(4))}${below(9)}`,
  );
  const inputs = [
    small('counts, first', `${all.slice(0, 6000).join('\n')}\n`),
    small('counts, last', all.slice(6000).join('\n')),
  ];
  const feature = (options: Options, expected: Feature['expected']): Feature => ({
    group: '--count',
    covers: [options.join(' ')],
    arguments: ['--count', ...options],
    inputs,
    kind: 'lines',
    expected,
  });
  return [
    ...listed(', -r, -u, -s').map((options) =>
      feature(options, async (files) => {
        const plain = options.filter((option) => option !== '-u');
        return (await run('uniq', ['-c'], { stdin: await gnuSort(plain, files) })).stdout;
      }),
    ),
    {
      ...feature(['--csv', '-k', 'the price:n'], (files) => countsOfPrices(files.map(textIn))),
      inputs: CSV_TEXTS.map((text, i) => small(`CSV ${i}`, text)),
    },
    feature(['-k1,1nr'], (files) => countsOfNumbers(linesOf(files.map((file) => readFileSync(file))))),
  ];
}

/** Both outputs: `kept`, the first records of each key, and the others of `sorted`. */
function withOthers(sorted: readonly string[], kept: readonly string[]): Buffer {
  let at = 0;
  const others = sorted.filter((record) => {
    const isKept = record === kept[at];
    at += Number(isKept);
    return !isKept;
  });
  return joined(latin1(kept.join('')), latin1(others.join('')));
}

function duplicates(): Feature[] {
  const all = Array.from({ length: 7000 }, (_, i) =>
    i % 900 === 5 ? 'long'.repeat(4000 + below(2)) : `${below(40)}${' 0'.slice(below(3))} ${'w'.repeat(below(4))}`,
  );
  const inputs = [
    small('duplicates, first', `${all.slice(0, 4000).join('\n')}\n`),
    small('duplicates, last', all.slice(4000).join('\n')),
  ];
  const tables = CSV_TEXTS.map((text, i) => small(`CSV ${i}`, text));
  const binary = RECORD_INPUTS.find(({ name }) => name === 'records, many duplicate keys (small)')!;
  const feature = (options: Options, expected: Feature['expected'], changes: Partial<Feature> = {}): Feature => ({
    group: '--dupes-output',
    covers: [options.join(' ')],
    arguments: ['--dupes-output', 'others', ...options],
    second: 'others',
    inputs,
    kind: 'lines',
    expected,
    ...changes,
  });
  const ended = (text: Buffer, options: Options): string[] => {
    const end = options.includes('-z') ? '\0' : '\n';
    return linesOf([text], end).map((line) => line + end);
  };
  const price2: ModelOrder<CsvRecord> = { keys: [{ of: price }] };
  const rows = (text: Buffer): string[] => parseCsv(text.toString('latin1')).map(({ raw }) => `${raw}\n`);
  return [
    ...listed(', -r, -z, -u, -k1,1n, -k1,1nr -s, -f, -k2b -r').map((options) =>
      feature(options, async (files) => {
        const plain = options.filter((option) => option !== '-u');
        const [sorted, kept] = [await gnuSort([...plain, '-s'], files), await gnuSort([...plain, '-u'], files)];
        return withOthers(ended(sorted, options), ended(kept, options));
      }),
    ),
    feature(
      ['--csv', '-k', 'the price:n'],
      (files) => {
        const texts = files.map(textIn);
        const sorted = rows(sortCsv(texts, { ...price2, stable: true }));
        const [head, ...kept] = rows(sortCsv(texts, { ...price2, unique: true }));
        const rest = withOthers(sorted.slice(1), kept);
        const at = kept.join('').length + joined(latin1(''), latin1('')).length;
        return Buffer.concat([latin1(head), rest.subarray(0, at), latin1(head), rest.subarray(at)]);
      },
      { inputs: tables },
    ),
    ...listed(', --key 0:10, --key 3:5 -r').map((options) =>
      feature(
        ['--record-size', String(binary.recordSize), ...options],
        ([file]) => {
          const cut = (records: Buffer): string[] =>
            Array.from({ length: records.length / binary.recordSize }, (_, i) =>
              records.toString('latin1', i * binary.recordSize, (i + 1) * binary.recordSize),
            );
          const data = readFileSync(file);
          const sorted = sortRecords(data, binary.recordSize, [...options, '-s']);
          return withOthers(cut(sorted), cut(sortRecords(data, binary.recordSize, [...options, '-u'])));
        },
        { inputs: [binary], kind: options.includes('--key') ? 'shortKeys' : 'longKeys' },
      ),
    ),
    feature(
      ['--record-size', String(binary.recordSize), '-k', '98:i16be:r', '-k', '0:u8'],
      ([file]) => {
        const data = readFileSync(file);
        const records = Array.from({ length: data.length / binary.recordSize }, (_, i) =>
          data.subarray(i * binary.recordSize, (i + 1) * binary.recordSize),
        );
        const order: ModelOrder<Buffer> = {
          keys: [{ of: (record) => record.readInt16BE(98), reverse: true }, { of: (record) => record[0] }],
        };
        const text = (record: Buffer): string => record.toString('latin1');
        const sort = (changes: Partial<ModelOrder<Buffer>>): string[] =>
          sortedBy(records, text, { ...order, ...changes }).map(text);
        return withOthers(sort({ stable: true }), sort({ unique: true }));
      },
      { inputs: [binary], kind: 'shortKeys' },
    ),
  ];
}

/** --unique=last: what GNU sort keeps of the lines in reverse. */
function lastOfEqual(): Feature[] {
  const all = Array.from({ length: 7000 }, (_, i) =>
    i % 900 === 5 ? `3 ${'long'.repeat(4000)}${i}` : `${below(40)}${' 0'.slice(below(3))} ${'wW'[below(2)]} ${i}`,
  );
  const inputs = [
    small('equal keys, first', `${all.slice(0, 4000).join('\n')}\n`),
    small('equal keys, last', all.slice(4000).join('\n')),
  ];
  return listed('-k1,1n, -k1,1nr -s, -k3,3f -r, -k2b,2 --top 7, -k1,1n --bottom 3').map((options) => ({
    group: '--unique=last',
    covers: [options.join(' ')],
    arguments: ['--unique=last', ...options],
    inputs,
    kind: 'lines',
    expected: async (files) => {
      const lines = linesOf(files.map((file) => readFileSync(file))).map((line) => `${line}\n`);
      const plain = options.filter((option) => !/^(?:--|[37]$)/.test(option));
      const kept = linesOf([await gnuSort(['-u', ...plain], [], latin1(lines.reverse().join('')))]);
      const shown = options.includes('--top') ? kept.slice(0, 7) : options.includes('--bottom') ? kept.slice(-3) : kept;
      return latin1(shown.map((line) => `${line}\n`).join(''));
    },
  }));
}

/** --shuffle and --sample, against the model. */
function shuffles(): Feature[] {
  const texts = [4000, 3000].map((count) =>
    Array.from({ length: count }, (_, i) => (i % 900 === 5 ? 'long'.repeat(4000) : String(below(400)))),
  );
  const inputs = texts.map((lines, i) => small(`shuffled ${i}`, `${lines.join('\n')}\n`));
  const feature = (options: Options, shown: (shuffled: readonly string[]) => readonly string[]): Feature => ({
    group: '--shuffle',
    covers: [options.join(' ')],
    arguments: [...options, '--seed', '11'],
    inputs,
    kind: 'lines',
    expected: () => {
      // Each line with its number: lines may be equal.
      const numbered = texts.flat().map((line, i) => `${i} ${line}`);
      const lines = shown(shuffledBy(numbered, 11)).map((line) => line.replace(/^\d+ /, ''));
      return latin1(lines.map((line) => `${line}\n`).join(''));
    },
  });
  return [
    feature(['--shuffle'], (lines) => lines),
    feature(['--shuffle', '--top', '50'], (lines) => lines.slice(0, 50)),
    feature(['--sample', '900'], (lines) =>
      lines.slice(0, 900).toSorted((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10)),
    ),
  ];
}

/** The first `count` of the adjacent records with equal groups. */
function firstOfGroups(records: readonly string[], count: number, groupOf: (record: string) => string): string[] {
  let [group, taken]: [string | null, number] = [null, 0];
  return records.filter((record) => {
    const own = groupOf(record);
    if (own !== group) [group, taken] = [own, 0];
    return taken++ < count;
  });
}

function groups(): Feature[] {
  const line = (i: number): string =>
    i % 900 === 5
      ? `${below(3)} ${'long'.repeat(4000)}`
      : `${below(40)}${'.0'.repeat(below(2))} ${below(9)} Aa`.slice(below(2));
  const all = Array.from({ length: 7000 }, (_, i) => line(i));
  const inputs = [
    small('groups, first', `${all.slice(0, 4000).join('\n')}\n`),
    small('groups, last', all.slice(4000).join('\n')),
  ];
  const feature = (per: string, top: number, options: Options, expected: Feature['expected']): Feature => ({
    group: '--per',
    covers: [`--per ${per} --top ${top} ${options.join(' ')}`.trimEnd()],
    arguments: ['--per', per, '--top', String(top), ...options],
    inputs,
    kind: 'lines',
    expected,
  });
  const first = (record: string): string => /^ *[^ ]*/.exec(record)![0];
  const ofLines = (per: string, top: number, options: string, groupOf = first): Feature =>
    feature(per, top, words(options), async (files) => {
      const end = options.includes('-z') ? '\0' : '\n';
      const sorted = await gnuSort([`-k${per}`, ...words(options)], files);
      const records = linesOf([sorted], end).map((record) => record + end);
      return latin1(firstOfGroups(records, top, groupOf).join(''));
    });
  return [
    ofLines('1,1', 3, ''),
    ofLines('1,1', 1, '-k2,2nr -s'),
    ofLines('1,1n', 2, '-k2', (record) => String(Number.parseFloat(record) || 0)),
    ofLines('1,1r', 1000, '-u -k2,2'),
    ofLines('1.2,1.2f', 5, '-z', (record) => record.slice(1, 2).toUpperCase()),
    ofLines('1', 1, '', (record) => record),
    ofLines('1,1', 0, ''),
    {
      ...feature('code', 2, ['--csv', '-k', 'the price:nr'], (files) => {
        const order: ModelOrder<CsvRecord> = { keys: [{ of: field(3) }, { of: price, reverse: true }] };
        const rows = parseCsv(sortCsv(files.map(textIn), order).toString('latin1'));
        const kept = firstOfGroups(
          rows.slice(1).map(({ raw }) => raw),
          2,
          (raw) => field(3)(parseCsv(raw)[0]),
        );
        return latin1([rows[0].raw, ...kept].map((raw) => `${raw}\n`).join(''));
      }),
      inputs: CSV_TEXTS.map((text, i) => small(`CSV ${i}`, text)),
    },
  ];
}

function segments(): Feature[] {
  // One log in three files. The second lacks its last newline, and its last segment continues in the third.
  const log = Array.from({ length: 4000 }, (_, i) => `host${Math.floor(i / 90) % 7},${below(1000)},${below(3)}`);
  const logs = [
    `${log.slice(0, 1500).join('\n')}\n`,
    log.slice(1500, 1510).join('\n'),
    `${log.slice(1510).join('\n')}\n`,
  ];
  const paragraphs = Array.from({ length: 3000 }, () =>
    below(12) === 0 ? ['', '  ', '\r'][below(3)] : `word${below(200)}`,
  );
  const byHost = (line: string): string => line.split(',')[0];
  const byBlank = (line: string): string | null => (/^[ \t\r]*$/.test(line) ? null : '');
  return [
    {
      group: '--segment-by',
      covers: [],
      arguments: ['-t,', '--segment-by', '1,1', '-r'],
      inputs: logs.map((text, i) => small(`log ${i}`, text)),
      kind: 'segments',
      expected: () => sortedSegments(textsOf(log), byHost, { ...LINES, reverse: true }),
    },
    {
      group: '--segments',
      covers: [],
      arguments: ['--segments', 'blank', '-u'],
      inputs: [small('paragraphs', paragraphs.join('\n'))],
      kind: 'segments',
      expected: () => sortedSegments(textsOf(paragraphs), byBlank, { ...LINES, unique: true, lastResort: false }),
    },
  ];
}

/** Lines of a number and letters. Many are equal or have equal numbers. */
const NUMBERED = Array.from(
  { length: 6000 },
  () => `${String(below(900) + 100)} ${'abc'.slice(below(3))}${'x'.repeat(below(40))}`,
);
export const NEARLY_SORTED_OPTIONS = listed(
  ', -r, -u, -ru, -s, -z, -n, -k1,1n -s, -k1,1 -s -r, -k1,1n -u, -k2 -k1,1nr',
);

/** Lines in GNU sort's order under `options`, permuted. Under -u, one line in three is there twice. */
export function nearlySorted(order: string, options: Options): Input {
  const end = options.includes('-z') ? '\0' : '\n';
  return small(`${order}, ${options.join(' ')}`, () => {
    const input = [...NUMBERED].sort().join(end) + end;
    const { stdout } = spawnSync('sort', options, { input, env: { ...process.env, LC_ALL: 'C' } });
    const ascending = linesOf([stdout], end);
    const twice = options.some((option) => /^-r?u/.test(option))
      ? ascending.flatMap((line, at) => (at % 3 === 0 ? [line, line] : [line]))
      : ascending;
    return NEARLY_SORTED[order](twice, randomBelow(31)).join(end) + end;
  });
}

const nearly = (): Feature[] =>
  Object.keys(NEARLY_SORTED).flatMap((order) =>
    NEARLY_SORTED_OPTIONS.flatMap((options) => {
      const inputs = [nearlySorted(order, options)];
      const whole = ofGnu('nearly sorted', options, inputs, { shape: order, covers: [order] });
      return [whole, limited(whole, '--top', 50)];
    }),
  );

const isLarge = ({ size }: Input): boolean => size === 'large';
const isSmall = (input: Input): boolean => !isLarge(input);

/** Features of small inputs, up to 3,000 lines or 100 kB: orders of whole records. */
export const WHOLE: readonly Feature[] = [
  ...lines(INPUTS.filter(isSmall)),
  ...records(RECORD_INPUTS.filter(isSmall)),
  ...typedKeys(),
  ...nearly(),
];

/** Orders of parts of records, and other features of options. */
export const PARTS: readonly Feature[] = [
  ...keys(),
  ...csv(),
  ...json(),
  ...header(),
  ...limits(),
  ...counts(),
  ...duplicates(),
  ...segments(),
  ...lastOfEqual(),
  ...shuffles(),
  ...groups(),
];

/** Lines and records of megabytes. */
export const LARGE: readonly Feature[] = [...lines(INPUTS.filter(isLarge)), ...records(RECORD_INPUTS.filter(isLarge))];

/** Two features with the beginning of a large input: more lines than a GPU sorts as one tile. */
export const LARGER: readonly Feature[] = [
  ['random lines', '-u'],
  ['Zipf words', '-r'],
].map(([name, options]) => ofGnu('larger', words(options), [beginning(INPUTS.find((input) => input.name === name)!)]));

/** As much of an input as a software GPU sorts in seconds. */
function beginning(input: Input): Input {
  const make = (): Buffer => {
    const text = input.make();
    let end = 0;
    for (let i = 0; i < 60_000 && end < text.length; i++) end = text.indexOf(10, end) + 1 || text.length;
    return text.subarray(0, end);
  };
  return { ...input, name: `${input.name}, 60,000 lines`, make };
}
