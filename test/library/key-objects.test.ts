/** Keys as objects mean the same as their text, and each wrong one is an error that names the property. */
import { expect, it } from 'vitest';
import { surroundings } from '../../src/cli/parse/environment.js';
import { EMPTY_LAST, ORDERING_LETTERS } from '../../src/cli/parse/key-definition.js';
import { parseArguments } from '../../src/cli/request.js';
import type { JsonKey, KeyObject, SortOptions } from '../../src/index.js';
import { LETTERS } from '../../src/library/key-objects.js';
import { optionArguments } from '../../src/library/options.js';
import { sortedBytes } from './support.js';

/** The ordering that options request. */
function orderingOf(options: SortOptions): unknown {
  const request = parseArguments(optionArguments(options), {
    ...surroundings(),
    programName: 'gpusort',
    posixlyCorrect: false,
  });
  if (request.action !== 'sort') throw new Error(request.action);
  return request.job.ordering;
}

const CSV: SortOptions = { csv: true };
const BINARY: SortOptions = { recordSize: 16 };
/** A key, the text that means the same, and the options of the sort. */
const SAME: readonly [KeyObject, string, SortOptions?][] = [
  [{ field: 3, numeric: true, reverse: true }, '3,3nr'],
  [{ field: 1 }, '1,1'],
  [{ field: 2, numeric: undefined, reverse: false }, '2,2', { numericSort: true }],
  [{ field: 2, endField: 4 }, '2,4'],
  [{ field: 2, endField: 'last' }, '2'],
  [{ field: 2, endField: 'last', month: true }, '2M'],
  [{ field: 2, endField: 1 }, '2,1'],
  [{ field: 2, byte: 3 }, '2.3,2'],
  [{ field: 2, byte: 3, endByte: 5 }, '2.3,2.5'],
  [{ field: 2, byte: 3, endField: 4, endByte: 5 }, '2.3,4.5', { fieldSeparator: ':' }],
  [{ field: 2, byte: 3, endByte: 5, ignoreLeadingBlanks: true }, '2.3b,2.5b'],
  [{ field: 2, byte: 3, endByte: 5, ignoreLeadingBlanks: 'start' }, '2.3b,2.5'],
  [{ field: 2, byte: 3, endByte: 5, ignoreLeadingBlanks: 'end' }, '2.3,2.5b'],
  [{ field: 2, dictionaryOrder: true, ignoreCase: true, version: true }, '2,2dfV'],
  [{ field: 2, ignoreNonprinting: true, random: true }, '2,2iR'],
  [{ field: 2, generalNumeric: true }, '2,2g'],
  [{ field: 2, humanNumeric: true, emptyLast: true }, '2,2hE'],
  [{ field: 99999999999999 }, '99999999999999,99999999999999'],
  [{ field: 2, emptyLast: true }, '2,2E', CSV],
  [{ field: 2, endField: 'last', emptyLast: true }, '2E', CSV],
  [{ field: 'price', numeric: true, reverse: true }, 'price:nr', CSV],
  [{ field: 'price', ignoreLeadingBlanks: true, emptyLast: true }, 'price:bE', { tsv: true }],
  [{ field: 'a:n,b\\' }, 'a\\:n\\,b\\\\', CSV],
  [{ field: '3' }, '\\3', CSV],
  [{ field: '3E' }, '\\3E', CSV],
  [{ field: ' +2,2n' }, '\\ +2\\,2n', CSV],
  [{ field: '' }, '', CSV],
  [{ field: 'Gr\u{f6}\u{df}e' }, 'Gr\u{f6}\u{df}e', CSV],
  [{ offset: 0, length: 4 }, '0:4', BINARY],
  [{ offset: 8, type: 'u32', reverse: true }, '8:u32:r', BINARY],
  [{ offset: 8, length: 8, type: 'f64be' }, '8:8:f64be', BINARY],
  [{ offset: 8, length: 8, reverse: true }, '8:8:bytes:r', BINARY],
];

it.each<(typeof SAME)[number]>(SAME)('%j means %s', (...[key, text, options]) => {
  expect(orderingOf({ ...options, key })).toEqual(orderingOf({ ...options, key: text }));
  const others = options === BINARY ? '0:1' : '7,7';
  expect(orderingOf({ ...options, key: [others, key] })).toEqual(orderingOf({ ...options, key: [others, text] }));
});

it.each<[JsonKey, string]>([
  [{ path: 'user.age', numeric: true, reverse: true }, 'user.age:nr'],
  [{ path: ['tags', 0] }, 'tags.0'],
  [{ path: ['a.b', 'c:n', '\\'], emptyLast: true }, 'a\\.b.c\\:n.\\\\:E'],
  [{ path: 'a:b\\' }, 'a\\:b\\\\'],
  [{ path: '', ignoreLeadingBlanks: true }, ':b'],
  [{ path: [], version: true }, ':V'],
])('%j means --json %s', (key, text) => {
  expect(orderingOf({ json: key })).toEqual(orderingOf({ json: text }));
  expect(orderingOf({ json: ['x', key] })).toEqual(orderingOf({ json: ['x', text] }));
});

it.each<[unknown, string, string?]>([
  [{}, "'json.path' is missing"],
  [['a', { numeric: true }], "'json[1].path' is missing"],
  [{ path: 1 }, "invalid value of 'json.path': 1", 'Give text, or an array of names and of whole numbers from 0 on.'],
  [{ path: ['a', -1] }, "invalid value of 'json.path': object", expect.any(String)],
  [{ path: 'a', field: 1 }, "'json.field' is not for values in JSON", 'Name the value with path.'],
  [{ path: 'a', numeric: true, version: true }, "'numeric' and 'version' of 'json' are incompatible"],
  [{ paths: 'a' }, "unknown property 'paths' of 'json'", "Did you mean 'path'?"],
  [
    [['a']],
    "invalid value of 'json': object",
    'Give text or a whole number (PATH[:LETTERS]), an object, or an array of these.',
  ],
])('refuses %j as a key of JSON: %s', (json, message, hint) => {
  expect(() => optionArguments({ json } as SortOptions)).toThrow(
    expect.objectContaining({ code: 'usage', message, hint }),
  );
});

it('has a property for each letter of a key', () => {
  expect(Object.values(LETTERS).sort()).toEqual([...ORDERING_LETTERS, EMPTY_LAST].sort());
});

/** A wrong key, the error, its remedy, and the options of the sort. */
const WRONG: readonly [unknown, string, (string | undefined)?, SortOptions?][] = [
  [{}, "'key.field' is missing"],
  [[{ field: 1 }, { numeric: true }], "'key[1].field' is missing"],
  [
    { field: 0 },
    "invalid value of 'key.field': 0",
    'Give a whole number from 1 on or, with csv or tsv, a name of the header.',
  ],
  [
    ['1', undefined, { field: 1.5 }],
    "invalid value of 'key[2].field': 1.5",
    'Give a whole number from 1 on or, with csv or tsv, a name of the header.',
  ],
  [
    { field: null },
    "invalid value of 'key.field': null",
    'Give a whole number from 1 on or, with csv or tsv, a name of the header.',
  ],
  [
    { field: false },
    "invalid value of 'key.field': false",
    'Give a whole number from 1 on or, with csv or tsv, a name of the header.',
  ],
  [{ field: 1, byte: '2' }, 'invalid value of \'key.byte\': "2"', 'Give a whole number from 1 on.'],
  [{ field: 1, byte: 0 }, "invalid value of 'key.byte': 0", 'Give a whole number from 1 on.'],
  [
    { field: 1, endField: 'end' },
    'invalid value of \'key.endField\': "end"',
    "Give a whole number from 1 on, or 'last'.",
  ],
  [{ field: 1, endByte: -1 }, "invalid value of 'key.endByte': -1", 'Give a whole number from 1 on.'],
  [{ field: 1, numeric: 1 }, "invalid value of 'key.numeric': 1", 'Give true or false.'],
  [
    { field: 1, ignoreLeadingBlanks: 'both' },
    'invalid value of \'key.ignoreLeadingBlanks\': "both"',
    "Give true, false, 'start' or 'end'.",
  ],
  [{ field: 1, numericSort: true }, "unknown property 'numericSort' of 'key'", "Did you mean 'numeric'?"],
  [{ fields: 1 }, "unknown property 'fields' of 'key'", "Did you mean 'field'?"],
  [{ field: 1, toString: true }, "unknown property 'toString' of 'key'"],
  [
    [[{ field: 1 }]],
    "invalid value of 'key': object",
    'Give text or a whole number (KEYDEF), an object, or an array of these.',
  ],
  [{ field: 1, numeric: true, month: true }, "'numeric' and 'month' of 'key' are incompatible"],
  [[{ field: 1, version: true, humanNumeric: true }], "'humanNumeric' and 'version' of 'key[0]' are incompatible"],
  [{ field: 'a' }, "'key.field' is a name, which needs 'csv' or 'tsv'", 'Without these, fields have numbers.'],
  [{ field: 'a', byte: 2 }, "'key.byte' needs the number of a field as 'key.field'", undefined, CSV],
  [{ field: 'a', endField: 2 }, "'key.endField' needs the number of a field as 'key.field'", undefined, CSV],
  [{ offset: 0, length: 2 }, "'key.offset' needs 'recordSize': it is for binary records"],
  [{ field: 1, type: 'u32' }, "'key.type' needs 'recordSize': it is for binary records"],
  [{ field: 1 }, "'key.field' is not for binary records", 'Use offset, length, type and reverse.', BINARY],
  [{ offset: 0, numeric: true }, "'key.numeric' is not for binary records", expect.any(String), BINARY],
  [{ length: 2 }, "'key.offset' is missing", undefined, BINARY],
  [{ offset: 2 }, "'key' needs 'length' or 'type'", undefined, BINARY],
  [{ offset: -1, length: 2 }, "invalid value of 'key.offset': -1", 'Give a whole number from 0 on.', BINARY],
  [{ path: 'a' }, "'key.path' is for the option 'json'"],
  [{ offset: 2, type: 4 }, "invalid value of 'key.type': 4", "Give text, such as 'u32be'.", BINARY],
];

it.each<(typeof WRONG)[number]>(WRONG)('refuses %j: %s', (...[key, message, hint, options]) => {
  expect(() => optionArguments({ ...options, key } as SortOptions)).toThrow(
    expect.objectContaining({ code: 'usage', message, hint }),
  );
});

it('sorts by columns, with missing values last', async () => {
  const rows = 'name,"price, net"\nfig,\npear,10\nplum,9\nlime,10\n';
  const key = [{ field: 'price, net', numeric: true, reverse: true, emptyLast: true }, { field: 1 }];
  expect((await sortedBytes([rows].values(), { csv: true, key })).toString()).toBe(
    'name,"price, net"\nlime,10\npear,10\nplum,9\nfig,\n',
  );
});

it('sorts by values in JSON', async () => {
  const lines = ['{"a":{"b.c":[7,10]}}\n', '{"a":{"b.c":[1,9]}}\n', '{"a":{}}\n'];
  const json = { path: ['a', 'b.c', 1], numeric: true, emptyLast: true };
  expect((await sortedBytes(lines.values(), { json })).toString()).toBe([lines[1], lines[0], lines[2]].join(''));
});
