/**
 * The device's keyed lines must equal the host's, byte for byte: all kinds of lines, numbers, fields and filters;
 * several parts.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { keysOnDevice } from '../../../../../src/engines/gpu/records/keyed-lines/key-support.js';
import type { KeyPart, PartOrder } from '../../../../../src/job/ordering.js';
import { INPUTS } from '../../../../battery/inputs.js';
import { describeGpu } from '../../../../setup/gpu.js';
import { property } from '../../../../support/property.js';
import { randomBelow } from '../../../../support/random.js';
import { split } from '../../../../support/records.js';
import { sampled } from '../../../../support/tier.js';
import { comparedKeys, lines, orderingOf, part, spanOf } from './compared.js';

const below = randomBelow(71);
const pick = <T>(list: readonly T[]): T => list[below(list.length)];

/** Numbers in many notations, valid and not. */
const NUMBERS = [
  ...'0 -0 00 0.0 -.0 . - -. 1 -1 9 10 0010 -0010.0100 1. 1.0 .5 -.5 .05 5.05 12. 12.3 120 1200.00 100.001'.split(' '),
  ...'--1 +1 1e5 0x10 1.2.3 ..1 -00000.000001 1,000 99999999 -123456789.987654321'.split(' '),
  ...['', ' 7', '\t -7', '1 2'],
  ...[99, 100, 300].map((zeros) => `1${'0'.repeat(zeros)}`),
  ...[19, 20].map((zeros) => `0.${'0'.repeat(zeros)}1`),
  `-9${'9'.repeat(100)}`,
  `0.${'0'.repeat(21)}7`,
  `-.${'0'.repeat(300)}12`,
  '3'.repeat(1000),
  `${'4'.repeat(500)}.${'5'.repeat(501)}`,
  // With bytes that are skipped between digits.
  ...'\x805 1\x800 -\x801\x80\x802.5 1.\x805 \x80.5 1\x80.70 0\x80'.split(' '),
];

function randomNumber(): string {
  const digits = (most: number): string =>
    Array.from({ length: below(most) }, () => pick([...'0001234567899', ...(below(9) === 0 ? ['\x80'] : [])])).join('');
  return (
    pick(['', '', ' ', '\t ', '  ']) +
    pick(['', '', '-']) +
    digits(pick([3, 3, 9, 130])) +
    pick(['', '', '.', `.${digits(6)}`, `.${digits(150)}`]) +
    pick(['', '', 'x', ' 5', '-', '.1'])
  );
}

it.each<[PartOrder, Partial<KeyPart>, boolean]>([
  ['bytes', { dictionary: true, fold: true }, true],
  ['numeric', { fold: true }, true],
  ['numeric', { dictionary: true }, false],
  ['natural', {}, true],
  ['natural', { fold: true }, false],
  ['contig', { printing: true }, false],
  ['month', {}, false],
])('the device knows how to make keys: %s %o: %s', (order, filters, known) => {
  const parts = [part(spanOf('1')), part(spanOf('2,2'), { order, ...filters })];
  expect(keysOnDevice(orderingOf(parts).key)).toBe(known);
});

describeGpu('keyed lines of the device', () => {
  const { made, check } = comparedKeys();

  const DELIMITERS = [10, 0];
  const numbers = sampled(
    [false, true].flatMap((reverse) => DELIMITERS.map((delimiter) => ({ reverse, delimiter }))),
    { count: 4, seed: 1, values: ({ reverse, delimiter }) => [reverse, delimiter] },
  );
  const texts = lines([...NUMBERS, ...Array.from({ length: 3000 }, randomNumber)]);
  it.each(numbers)('are those of the host for numbers (reversed: $reverse, delimiter: $delimiter)', async (one) => {
    const { reverse, delimiter } = one;
    const format = { kind: 'lines', delimiter } as const;
    await check(texts, orderingOf([part(spanOf('1'), { order: 'numeric', reverse })], { format }), 'numbers');
  });

  it('are those of the host for numbers in reverse that are folded', async () => {
    const folded = part(spanOf('1'), { order: 'numeric', fold: true });
    await check(texts, orderingOf([folded], { reverse: true }), 'numbers');
  });

  const FILTERS = DELIMITERS.flatMap((delimiter) =>
    Array.from({ length: 8 }, (_, bits) => ({
      delimiter,
      filters: { dictionary: (bits & 1) !== 0, printing: (bits & 2) !== 0, fold: (bits & 4) !== 0 },
      reverse: bits % 3 === 0,
    })),
  );
  const filtered = sampled(FILTERS, {
    count: 16,
    seed: 1,
    values: ({ delimiter, filters: { dictionary, printing, fold } }) => [delimiter, dictionary, printing, fold],
  });
  it.each(filtered)('are those of the host for bytes of all values, delimiter $delimiter, $filters', async (one) => {
    const { delimiter, filters, reverse } = one;
    const bytes = (): number[] =>
      Array.from({ length: below(40) }, () => pick([below(256), below(256), 250 + below(6), 65 + below(60)]));
    const all = Array.from({ length: 2500 }, () => Buffer.from(bytes().filter((byte) => byte !== delimiter)));
    const format = { kind: 'lines', delimiter } as const;
    await check(all, orderingOf([part(spanOf('1'), { ...filters, reverse })], { format }), 'bytes');
  });

  const SEPARATED = [
    [null, ' \t,ab1'],
    [',', ',,, a1b'],
    ['\t', '\t\t a1b'],
    ['||', '||||| a1'],
    ['é', 'éé a1'],
    ['abcd', 'abcd'],
  ] as const;
  // A seed draws lines, and one to four parts with fields and offsets.
  property(
    'are those of the host for fields by blanks and by separators',
    [fc.constantFrom(...SEPARATED), fc.nat()],
    async ([separator, alphabet], seed) => {
      const next = randomBelow(seed);
      const one = <T>(list: readonly T[]): T => list[next(list.length)];
      const place = (least: number): string =>
        `${1 + next(4)}${next(2) ? `.${least + next(4)}` : ''}${next(3) === 0 ? 'b' : ''}`;
      const atoms = separator !== null && separator.length > 1 ? [...alphabet, separator, separator] : [...alphabet];
      const records = Array.from({ length: 700 }, () =>
        Buffer.from(Array.from({ length: next(24) }, () => one(atoms)).join(''), 'latin1'),
      );
      const parts = Array.from({ length: 1 + next(4) }, () =>
        part(spanOf(next(4) === 0 ? place(1) : `${place(1)},${place(0)}`, separator), {
          order: one(['bytes', 'numeric']),
          reverse: next(2) === 0,
          fold: next(3) === 0,
        }),
      );
      await check(records, orderingOf(parts, { reverse: next(2) === 0 }), `${separator} ${JSON.stringify(parts)}`);
    },
    { runs: 40 },
  );

  const ORDERINGS = [
    orderingOf([part(spanOf('1.1,1.90'))]),
    orderingOf([part(spanOf('1'), { order: 'numeric', reverse: true }), part(spanOf('1.3,1.60'), { fold: true })]),
    orderingOf([part(spanOf('2,2')), part(spanOf('1,1.50'), { dictionary: true })]),
    orderingOf([part(spanOf('3,3', '/')), part(spanOf('2b,2.9', ' '), { order: 'numeric' })]),
  ];
  const inputs = INPUTS.filter(({ size }) => size !== 'large').map((input, i) => ({
    ...input,
    i: i % ORDERINGS.length,
  }));
  it.each(sampled(inputs, { count: inputs.length, seed: 1, values: ({ i }) => [i] }))(
    'are those of the host for the battery input: $name',
    async ({ name, make, i }) => {
      const text = make();
      const records = split(text.length > 0 && text.at(-1) !== 10 ? Buffer.concat([text, Buffer.of(10)]) : text);
      if (records.length > 0)
        await check(records, ORDERINGS[records.some(({ length }) => length > 4000) ? 0 : i], name);
    },
  );

  it('are those of the host for lines of all lengths, including empty ones and a single line', async () => {
    const ordering = orderingOf([part(spanOf('2,2', ','), { order: 'numeric' })]);
    await check([Buffer.alloc(0)], ordering, 'an empty line');
    await check(lines([',5']), ordering, 'one line');
    await check(
      Array.from({ length: 5000 }, () => Buffer.alloc(0)),
      ordering,
      'empty lines',
    );
    await check(
      Array.from({ length: 400 }, (_, i) =>
        Buffer.from(
          `${'x'.repeat(i % 7 === 0 ? below(3000) : below(20))},${below(1000)},${'y'.repeat(i % 11 === 0 ? below(70_000) : below(9))}`,
        ),
      ),
      ordering,
      'long lines',
    );
  });

  it('are made only if no thread has too much to read', async () => {
    const number = part(spanOf('1'), { order: 'numeric' });
    const text = part(spanOf('1'));
    const second = part(spanOf('2,2', ','), { order: 'numeric' });
    const some = (long: string): Buffer[] => lines(['1', '22', long, '333']);
    // The device makes keys that end within the first 4,096 bytes of a line, however long the line is.
    await check(some(`12${' '.repeat(9000)}`), orderingOf([number]), 'a number at the beginning');
    await check(some(`${'z'.repeat(4000)},17,${'z'.repeat(9000)}`), orderingOf([second]), 'a field at the beginning');
    await check(some('x'.repeat(4096)), orderingOf([text]), 'a key as long as the line');
    for (const [line, ordering] of [
      ['x'.repeat(4097), orderingOf([text])],
      [`${' '.repeat(4097)}`, orderingOf([number])],
      ['7'.repeat(5000), orderingOf([number])],
      [`${'z'.repeat(4095)},17,`, orderingOf([second])],
      [`1,${'z'.repeat(9000)}`, orderingOf([part(spanOf('1,1', ',')), part(spanOf('2', ','))])],
    ] as const) {
      const keyed = await made(some(line), ordering);
      expect(keyed, line.slice(0, 10)).toEqual({ kind: 'long', from: 0, to: line.length + 10 });
    }
  });

  it('have at most the requested number of bytes', async () => {
    const ordering = orderingOf([part(spanOf('1'), { order: 'numeric' })]);
    const records = lines(['1', '-2', '3']);
    // Each is a header, two digits, the line and its delimiter.
    expect((await made(records, ordering, 25)).kind).toBe('keyed');
    expect((await made(records, ordering, 24)).kind).toBe('many');
  });
});
