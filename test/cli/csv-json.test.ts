/** --csv, --tsv, --json and their effect on -k, -t and --header: jobs made from arguments, and refused arguments. */
import { describe, expect, it } from 'vitest';
import { parseArguments } from '../../src/cli/request.js';
import type { FieldPosition, Header, KeyPart, SortJob } from '../../src/job.js';
import { GpusortError } from '../../src/report/errors.js';
import { SURROUNDINGS } from './arguments.js';

function parse(args: readonly string[]): SortJob {
  const request = parseArguments(args, SURROUNDINGS);
  if (request.action !== 'sort') throw new Error(`asked for ${request.action}`);
  return request.job;
}

const bytesOf = (text: string): Buffer => Buffer.from(text, 'latin1');
const position = (field: number, byte = 0, skipBlanks = false): FieldPosition => ({ field, byte, skipBlanks });
const PART: Omit<KeyPart, 'span'> = { order: 'bytes', dictionary: false, printing: false, fold: false, reverse: false };
const WHOLE = { begin: position(0), end: null, separator: null };

/** A key part on quoted fields. */
const quoted = (
  begin: FieldPosition,
  end: FieldPosition | null,
  change: Partial<KeyPart> = {},
  separator = ',',
): KeyPart => ({ ...PART, span: { begin, end, separator: bytesOf(separator), quoted: true }, ...change });
const named = (name: string, change: Partial<KeyPart> = {}): KeyPart =>
  quoted(position(0), position(0), { name: bytesOf(name), ...change });
const json = (path: readonly string[], change: Partial<KeyPart> = {}): KeyPart => ({
  ...PART,
  span: WHOLE,
  path: path.map(bytesOf),
  ...change,
});
const FIRST: Header = { kind: 'records', count: 1 };

describe('the record format', () => {
  it.each<[string[], number | null, Header | null, number]>([
    [[], null, null, 10],
    [['--csv'], 44, FIRST, 0],
    [['--tsv'], 9, FIRST, 0],
    [['--csv', '-t;'], 59, FIRST, 0],
    [['-t', '\t', '--csv', '--header', '0'], 9, null, 0],
    [['--tsv', '--header=3'], 9, { kind: 'records', count: 3 }, 0],
    [['--json', 'a'], null, null, 10],
    [['--json', 'a', '-z', '--header=1', '-t', ',,', '--segment-by', '1'], null, FIRST, 0],
  ])('of %j', (args, csvSeparator, header, delimiter) => {
    const job = parse(args);
    const separator = job.framing?.kind === 'csv' ? job.framing.separator : null;
    expect([separator, job.header, job.ordering.format]).toEqual([csvSeparator, header, { kind: 'lines', delimiter }]);
  });
});

describe('the key', () => {
  it.each<[string[], KeyPart[]]>([
    [['--csv', '-k', 'price:n'], [named('price', { order: 'numeric' })]],
    [
      ['-k', 'price', '--csv', '-r', '-k', 'a b:f'],
      [named('price', { reverse: true }), named('a b', { fold: true })],
    ],
    [
      ['--csv', '-k', 'x:bV'],
      [{ ...named('x', { order: 'version' }), span: { ...named('x').span, begin: position(0, 0, true) } }],
    ],
    [['--csv', '-k', 'time\\:utc:r'], [named('time:utc', { reverse: true })]],
    [
      ['--csv', '-k', '\\2,2', '-k', 'a\\\\b\\c'],
      [named('2,2'), named('a\\bc')],
    ],
    [
      ['--csv', '-k', '', '-k', ':n', '-k', 'x:'],
      [named(''), named('', { order: 'numeric' }), named('x')],
    ],
    [
      ['--csv', '-k', '1st', '-k', '2x:g', '-k', '\xc3\xa9', '-k', '2,x'],
      [named('1st'), named('2x', { order: 'general-numeric' }), named('\xc3\xa9'), named('2,x')],
    ],
    [['--csv', '-k2n'], [quoted(position(1), null, { order: 'numeric' })]],
    [
      ['--tsv', '-k2.2b,3.4r', '+0'],
      [quoted(position(1, 1, true), position(2, 4), { reverse: true }, '\t'), quoted(position(0), null, {}, '\t')],
    ],
    [['--csv', '-k1'], [quoted(position(0), null)]],
    [['--csv', '-n'], [{ ...PART, order: 'numeric', span: { ...WHOLE, separator: bytesOf(',') } }]],
    [['--json', 'a'], [json(['a'])]],
    [
      ['--json', 'user.e\\.mail:fr', '--json=a\\:b.0:n'],
      [json(['user', 'e.mail'], { fold: true, reverse: true }), json(['a:b', '0'], { order: 'numeric' })],
    ],
    [
      ['--json', '', '--json', ':g', '--json', '.', '--json', 'a.'],
      [json([]), json([], { order: 'general-numeric' }), json(['', '']), json(['a', ''])],
    ],
    [
      ['-Mr', '--json', 'x:b', '--json', 'y'],
      [
        json(['x'], { span: { ...WHOLE, begin: position(0, 0, true) } }),
        json(['y'], { order: 'month', reverse: true }),
      ],
    ],
  ])('of %j', (args, parts) => {
    expect(parse(args).ordering.key).toEqual({ kind: 'normalised', parts, seed: null });
  });

  it('is the whole record without -k', () => {
    expect(parse(['--csv', '-r']).ordering).toMatchObject({ key: { kind: 'record' }, reverse: true });
  });
});

describe('an error', () => {
  const pairs = [
    ['--csv', '--tsv'],
    ['--csv', '--json', 'a'],
    ['--tsv', '--json', 'a'],
    ['--csv', '-z'],
    ['--tsv', '-z'],
    ['--csv', '--record-size', '9'],
    ['--json', 'a', '--record-size', '9'],
    ['--csv', '--segment-by', '1'],
    ['--tsv', '--segments', 'blank'],
    ['--csv', '--debug'],
    ['--json', 'a', '--debug'],
    ['--json', 'a', '-k', '1'],
    ['--tsv', '-t', ','],
    ['--csv', '--header-prefix', '#'],
    ['--csv', '--count'],
  ];
  const incompatible = pairs.map((args): [string[], string] => [
    args,
    `options ${args
      .filter((word) => word.startsWith('-'))
      .map((word) => `'${word}'`)
      .join(' and ')} are incompatible`,
  ]);
  it.each<[string[], string]>([
    ...incompatible,
    [['--json', 'a', '+1'], "options '--json' and '-k' are incompatible"],
    [['--csv', '-t', '||'], "invalid CSV separator '||'"],
    [['--csv', '-t', '"'], "invalid CSV separator '\"'"],
    [['--csv', '-t', '\n'], "invalid CSV separator '\\n'"],
    [['--csv', '-t', '\\0'], "invalid CSV separator '\\000'"],
    [['--csv', '-k', 'a:x'], "invalid letters 'x' in key 'a:x'"],
    [['--csv', '-k', 'a:n:r'], "invalid letters 'n:r' in key 'a:n:r'"],
    [['--json', 'a:n,2'], "invalid letters 'n,2' in key 'a:n,2'"],
    [['--csv', '-k', 'a\\'], "nothing after the backslash in 'a\\\\'"],
    [['--csv', '-k', 'a:ng'], "options '-gn' are incompatible"],
    [['--json', 'a:ng'], "options '-gn' are incompatible"],
    [
      ['--csv', '--header', '0', '-k', 'price:n'],
      "cannot look up the field 'price': --header 0 says that there is no header",
    ],
    [['-k', 'price'], "invalid number at field start: invalid count at start of 'price'"],
  ])('ends %j', (args, message) => {
    let error: unknown;
    try {
      parse(args);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(GpusortError);
    expect(error).toMatchObject({ message, exitCode: 2 });
  });
});
