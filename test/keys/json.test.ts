/**
 * The kernels' values at paths in lines of JSON, against random values of known notation, which JSON.parse also reads.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { KeyPart } from '../../src/job/ordering.js';
import { property } from '../support/property.js';
import { randomBelow } from '../support/random.js';
import { drawJson, jsonAt, NAMES, plainOf } from './json-reference.js';
import { keysOf, orderingOf, wholeLine } from './orderings.js';
import { valuesOf } from './values.js';

const NEWLINE = 10;
/** UTF-8, as a string of one character a byte. */
const bytesOf = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');
const jsonPart = (path: readonly string[], changes: Partial<KeyPart> = {}): KeyPart =>
  wholeLine({ path: path.map((name) => Buffer.from(name)), ...changes });
/** The values at the paths, for each line. */
const found = (lines: readonly string[], ...paths: readonly string[][]): string[][] =>
  valuesOf(
    paths.map((path) => jsonPart(path)),
    lines.map(bytesOf),
    NEWLINE,
    true,
  );

describe('values at a path', () => {
  const names = Object.keys(NAMES);
  const path = fc.array(fc.constantFrom(...names, '1', '2'), { minLength: 2, maxLength: 3 });
  const simple = [[], ...names.map((name) => [name]), ['1'], ['3']];

  property(
    'are those of JSON.parse',
    [fc.nat(), fc.nat(60), fc.array(path, { maxLength: 60, size: 'max' })],
    (seed, count, paths) => {
      const below = randomBelow(seed);
      const values = Array.from({ length: count }, (_, i) => drawJson(below, i % 5));
      for (const value of values) expect(JSON.parse(value.text)).toEqual(plainOf(value));
      const all = [...simple, ...paths];
      const texts = found(
        values.map(({ text }) => text),
        ...all,
      );
      for (const [i, value] of values.entries())
        expect(texts[i], value.text).toEqual(all.map((own) => bytesOf(jsonAt(value, own))));
    },
    { runs: 50 },
  );

  it('exist often enough in the random lines', () => {
    const below = randomBelow(21);
    const values = Array.from({ length: 100 }, (_, i) => drawJson(below, i % 5));
    const all = values.flatMap((value) => simple.map((own) => jsonAt(value, own)));
    expect(all.filter((text) => text !== '').length).toBeGreaterThan(values.length);
  });

  it('are found in long and deeply nested lines, even after strings that look like them', () => {
    const deep = `${'{"a":['.repeat(400)}"x"${']}'.repeat(400)}`;
    const wide = `{${Array.from({ length: 3000 }, (_, i) => `"n${i}":{"v":"}\\"{${i}"}`).join(',')}}`;
    expect(
      found(
        [deep, wide, `${' '.repeat(40)}"${'long '.repeat(1000)}"`],
        Array.from({ length: 800 }, (_, i) => (i % 2 === 0 ? 'a' : '0')),
        ['n2999', 'v'],
        ['n300', 'v'],
        [],
      ).map(([a, b, c]) => [a, b, c]),
    ).toEqual([
      ['x', '', ''],
      ['', '}"{2999', '}"{300'],
      ['', '', ''],
    ]);
    expect(found(['{"b":{"a":1},"c":"\\"a\\":2","a":3}', '[{"a":1},["a",2]]'], ['a'])).toEqual([['3'], ['']]);
  });

  it('need the whole name, and digits for an index', () => {
    expect(found(['{"ab":1,"a":2,"":3}', '[4,5]'], ['a'], ['ab'], [''], ['abc'])).toEqual([
      ['2', '1', '3', ''],
      ['', '', '', ''],
    ]);
    // What "1", ":" and " " less "0" are as numbers may be an index.
    expect(found([`[${Array.from({ length: 300 }, (_, i) => i).join()}]`], [':'], [' '], ['a'], ['1a'])).toEqual([
      ['', '', '', ''],
    ]);
  });

  it('have the replacement character for lone surrogates', () => {
    expect(found(['"\\ude00\\ude00"', '"\\ude00\\ud83d"', '"\\ud83d\\ud83d\\ude00"'], [])).toEqual([
      [bytesOf('\ufffd\ufffd')],
      [bytesOf('\ufffd\ufffd')],
      [bytesOf('\ufffd\u{1f600}')],
    ]);
  });

  it('are those of the first of equal names', () => {
    expect(found(['{"a":1,"a":2}', '{"\\u0061":3,"a":4}'], ['a'])).toEqual([['1'], ['3']]);
  });

  it('may be array members, numbered from 0', () => {
    expect(found(['[10,11,12]'], ['0'], ['2'], ['02'], ['3'], ['-1'], ['1.0'], ['x'], [''])).toEqual([
      ['10', '12', '12', '', '', '', '', ''],
    ]);
    expect(found([`[${Array.from({ length: 2000 }, (_, i) => i).join(', ')}]`], ['1999'], ['2000'])).toEqual([
      ['1999', ''],
    ]);
  });

  it('may contain line delimiters and bytes of any value', () => {
    expect(found(['"\\n\\u0000\\u000b"', '"\\u00ff\xff\xfd\xfe"'], [])).toEqual([
      ['\n\0\v'],
      [bytesOf('\xff\xff\xfd\xfe')],
    ]);
    expect(valuesOf([jsonPart([])], ['"\xfc\xfd\xfe\xff\\n"'], NEWLINE, true)).toEqual([['\xfc\xfd\xfe\xff\n']]);
    const [tab, newline] = keysOf(orderingOf([jsonPart([])], NEWLINE), ['"a\\tb"', '"a\\nb"']);
    expect(tab).not.toEqual(newline);
    // A key may combine parts that can hold the delimiter with parts that cannot.
    const [first, second] = keysOf(orderingOf([wholeLine({}), jsonPart([])], NEWLINE), ['"a"', '"a"']);
    expect(first).toEqual(second);
  });

  it('are empty if the path leads through a value that is no object or array', () => {
    expect(found(['{"a":"{\\"b\\":1}"}', '{"a":null}', '{"a":1}', '7', '{}', '[]', ''], ['a', 'b'])).toEqual([
      [''],
      [''],
      [''],
      [''],
      [''],
      [''],
      [''],
    ]);
  });
});

describe('invalid JSON', () => {
  it('has the values that end before the error', () => {
    expect(
      found(
        [
          'no',
          '{"a" 1}',
          '{a:1}',
          '{"a":',
          '{"a":}',
          '{"b":1 "a":2}',
          '{"b"',
          '{"b":1,',
          '["a"',
          '{"a":1',
          '{"a":"x',
          '{"a":"x\\',
          '{"a":"\\u12"}',
          '{"a":"\\ux"}',
          '{"a":"',
          '{"b":}, "a":1}',
          '{"b":,"a":1}',
        ],
        ['a'],
      ).flat(),
    ).toEqual(['', '', '', '', '', '', '', '', '', '', '', '', 'u12', 'ux', '', '', '1']);
    expect(found(['{"a":7,"b', '{"a":"x",', '{"a":[1]', '{"a":null}x'], ['a']).flat()).toEqual([
      '7',
      'x',
      '[1]',
      'null',
    ]);
  });

  /** Whether a value is there, by the digit of a key that puts missing values last. */
  const digitsOf = (lines: readonly string[], path: readonly string[]): number[] =>
    keysOf(orderingOf([jsonPart(path, { order: 'empty' })]), lines.map(bytesOf)).map(([digit]) => digit);
  const [THERE, EMPTY, MISSING] = [0, 1, 2];

  it.each([
    ['{"a":1}', '{"a":', '{', '{"a":1', '{"a":"}'],
    ['[1,2]', '[1,2', '[', '[[1]', '["]'],
    ['"x"', '"x', '"', '"x\\', '"\\"'],
    ['true', 'tru', 'True', 'no', 'truely'],
    ['null', 'nul', 'nil', 'NULL', '}'],
    ['false', 'fals', 'falsy', ',', ':'],
    ['-Infinity', 'Infinit', 'Nan', 'inf', '+1'],
  ])('has no value if that is cut off or no JSON: after %j', (whole, ...others) => {
    const ends = ['', ' ', '\r'];
    const lines = (inside: (text: string) => string): string[][] =>
      [[whole], others].map((texts) => texts.flatMap((text) => ends.map((end) => inside(text) + end)));
    const kindOf = whole === 'null' ? MISSING : THERE;
    const [some, none] = lines((text) => text);
    expect(digitsOf(some, [])).toEqual(some.map(() => kindOf));
    expect(digitsOf(none, []), none.join()).toEqual(none.map(() => MISSING));
    expect(found(none, []).flat()).toEqual(none.map(() => ''));
    const [members, cut] = [`{"b":0,"a":${whole}}`, others.map((text) => `{"b":0,"a":${text}`)] as const;
    expect(digitsOf([members], ['a'])).toEqual([kindOf]);
    expect(digitsOf(cut, ['a']), cut.join()).toEqual(cut.map(() => MISSING));
  });

  it('has no number that the end of the line cuts off, except as the whole line', () => {
    expect(found(['{"a":12', '{"a":{"b":-1', '[12', '{"a":12}', '[12,'], ['a']).flat()).toEqual(['', '', '', '12', '']);
    expect(found(['[12', '[12,', '[12]'], ['0']).flat()).toEqual(['', '12', '12']);
    expect(found(['12', '-1e3', 'NaN', 'Infinity'], []).flat()).toEqual(['12', '-1e3', 'NaN', 'Infinity']);
    expect(digitsOf(['""', '"" ', '{}', '', ' '], [])).toEqual([EMPTY, EMPTY, THERE, MISSING, MISSING]);
    expect(digitsOf(['{"a":}', '{"a":,"b":1}', '{"a":""}'], ['a'])).toEqual([MISSING, MISSING, EMPTY]);
  });

  property(
    'never yields values longer than the line, or bytes after it',
    [fc.nat(), fc.integer({ min: 1, max: 30 })],
    (seed, count) => {
      const below = randomBelow(seed);
      const lines = Array.from({ length: count }, () => {
        const text = Buffer.from(drawJson(below, 3).text);
        for (let i = 1 + below(3); i > 0; i--)
          text[below(text.length)] = [...'{}[]",:\\u0ad \xff'].map((letter) => letter.charCodeAt(0))[below(15)];
        return text.toString('latin1', 0, below(4) === 0 ? below(text.length) : text.length);
      });
      const paths = [[], ['a'], ['b', 'a'], ['0'], ['a', '1']].map((path) => jsonPart(path));
      const together = valuesOf(paths, lines, NEWLINE, true);
      expect(valuesOf(paths, [lines[0]], NEWLINE, true)[0]).toEqual(together[0]);
      for (const [i, values] of together.entries())
        for (const value of values) expect(value.length).toBeLessThanOrEqual(lines[i].length);
    },
    { runs: 150 },
  );
});

it('values follow the ordering letters', () => {
  const part = (changes: Partial<KeyPart>): KeyPart => jsonPart(['a'], changes);
  const blanks = { begin: { field: 0, byte: 0, skipBlanks: true }, end: null, separator: null };
  expect(
    valuesOf(
      [part({ span: blanks }), part({ fold: true }), part({ dictionary: true }), part({ printing: true })],
      ['{"a":" \\t b-\\u00e9\\n"}'],
      NEWLINE,
      true,
    ),
  ).toEqual([[bytesOf('b-é\n'), bytesOf(' \t B-é\n'), ' \t b\n', '  b-']]);
});
