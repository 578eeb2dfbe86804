/** Keyed lines: texts of any size, and keys of several parts. */
import { describe, expect, it } from 'vitest';
import { parseFieldSpan } from '../../src/cli/parse/key-definition.js';
import type { KeyPart, Ordering } from '../../src/job/ordering.js';
import { KeyMaker } from '../../src/keys/key-maker.js';
import { textWithoutKey } from '../../src/keys/keyed.js';
import { growTo, newMemory } from '../../src/system/memory.js';
import { gnuSort } from '../cli/run.js';
import { randomBelow } from '../support/random.js';
import { join, sortedRecords, split } from '../support/records.js';
import { drawn, keyedBy, keysOf, orderingOf, wholeLine } from './orderings.js';

const below = randomBelow(67);
const NUMERIC = orderingOf([wholeLine({ order: 'numeric' })]);

/** The blocks that `make` emits. */
function blocksOf(ordering: Ordering, text: Uint8Array): Buffer[] {
  const blocks: Buffer[] = [];
  new KeyMaker(ordering).make(text, (block) => blocks.push(Buffer.from(block)));
  return blocks;
}

describe('texts', () => {
  it('may be empty', () => {
    expect(new KeyMaker(NUMERIC).keyed(new Uint8Array()).map((piece) => piece.byteLength)).toEqual([0]);
  });

  it('are rejected if they end within a line', () => {
    expect(() => new KeyMaker(NUMERIC).keyed(Buffer.from('1\n2'))).toThrow('does not end with a line');
  });

  it.each([
    ['short lines', () => drawn(below, 120_000, 4, '0123456789-')],
    // A line can be larger than a batch. The key of an \xff line, with two digits a byte, can be larger than the usual
    // block.
    [
      'some long lines',
      () =>
        Array.from({ length: 40 }, () =>
          ['\xff', 'a', '7'][below(3)].repeat(
            [1, 2, 5, 100, 300, 600].map((kilobytes) => kilobytes * 1024 + below(3) - 1)[below(6)],
          ),
        ),
    ],
  ])('give keyed lines in blocks that end between lines: %s', (_, lines) => {
    const ordering = orderingOf([wholeLine({ order: 'numeric' }), wholeLine({})]);
    const records = lines().map((line) => Buffer.from(line, 'latin1'));
    const text = join(records);
    const blocks = blocksOf(ordering, text);
    expect(blocks.length).toBeGreaterThan(1);
    const ofBlocks = blocks.flatMap((block) => split(block)).map((line) => textWithoutKey(ordering, line));
    expect(Buffer.compare(join(ofBlocks), text)).toBe(0);
    const maker = new KeyMaker(ordering);
    // The second pass reuses the memory of the first.
    for (let i = 0; i < 2; i++) expect(Buffer.compare(keyedBy(maker, text), Buffer.concat(blocks))).toBe(0);
    const most = 12 << 20;
    const pieces = maker.keyed(text, most);
    expect(Buffer.compare(Buffer.concat(pieces.map((piece) => new Uint8Array(piece))), Buffer.concat(blocks))).toBe(0);
    for (const piece of pieces) expect(piece.byteLength).toBeLessThanOrEqual(most);
  });

  it.each([64, 1000, 1 << 20])(
    'are keyed in the kernel memory in pieces of up to %i bytes, and stay unchanged',
    (most) => {
      const memory = newMemory();
      const maker = new KeyMaker(NUMERIC, { memory });
      const text = join(drawn(below, 3000, 8, '0123456789-').map((line) => Buffer.from(line, 'latin1')));
      growTo(memory, maker.free + text.length);
      new Uint8Array(memory.buffer).set(text, maker.free);
      const end = maker.free + text.length;
      const pieces: Buffer[] = [];
      for (let at = maker.free; at < end; ) {
        const { next, end: stop } = maker.keyTo(at, end, end + 16, most);
        expect(next).toBeGreaterThan(at);
        expect(stop - end - 16).toBeLessThanOrEqual(most);
        pieces.push(Buffer.from(memory.buffer.slice(end + 16, stop)));
        at = next;
      }
      expect(Buffer.compare(Buffer.concat(pieces), keyedBy(new KeyMaker(NUMERIC), text))).toBe(0);
      expect(Buffer.compare(new Uint8Array(memory.buffer, maker.free, text.length), text)).toBe(0);
    },
  );

  it('are rejected if a block has no room for a line', () => {
    expect(() => new KeyMaker(NUMERIC).keyed(Buffer.from('1\n'), 8)).toThrow('may be longer than 8 bytes');
  });

  it('give a line the same key at every place', () => {
    const lines = drawn(below, 5000, 40, 'abc \xff');
    const ordering = orderingOf([wholeLine({})]);
    const keys = keysOf(ordering, lines);
    for (const i of [0, 1, 4095, 4096, 4999]) expect(keysOf(ordering, [lines[i]])[0]).toEqual(keys[i]);
  });
});

describe('keys of several parts', () => {
  const atoms = ['a', 'B', 'b', '1', '2', '10', '-1', '.', ',', ' ', '\t', '\xff'];
  // The kernels search for fields 16 bytes at a time. Some fields end in the first 16 bytes, some at the end of the
  // line, some far beyond.
  const lines = [
    ...drawn(below, 400, 9, atoms),
    ...drawn(below, 400, 60, [...atoms, 'abcdefgh', '12345678']),
    ...drawn(below, 200, 30, ['  ', ' ', 'aaaaaaa', 'bbbbbbbb', ',', '7']),
  ];
  const part = (key: string, changes: Partial<KeyPart> = {}, separator: string | null = null): KeyPart =>
    wholeLine({ span: parseFieldSpan(key, separator === null ? null : Buffer.from(separator, 'latin1')), ...changes });
  it.each<[string[], readonly KeyPart[], Partial<Ordering>]>([
    [['-k1,1', '-k2n'], [part('1,1'), part('2', { order: 'numeric' })], {}],
    [['-k2,2n', '-k1,1r'], [part('2,2', { order: 'numeric' }), part('1,1', { reverse: true })], {}],
    [
      ['-t,', '-k2,2nr', '-k1.2b,1Vr', '-k3M'],
      [
        part('2,2', { order: 'numeric', reverse: true }, ','),
        part('1.2b,1', { order: 'version', reverse: true }, ','),
        part('3', { order: 'month' }, ','),
      ],
      {},
    ],
    [
      ['-t ', '-k1,1f', '-k2,2d', '-k3,3i'],
      [part('1,1', { fold: true }, ' '), part('2,2', { dictionary: true }, ' '), part('3,3', { printing: true }, ' ')],
      {},
    ],
    [['-k5,5n', '-k8'], [part('5,5', { order: 'numeric' }), part('8')], {}],
    [['-t,', '-k7,7', '-k3,3n'], [part('7,7', {}, ','), part('3,3', { order: 'numeric' }, ',')], {}],
    [
      ['-z', '-k2,2', '-k3,3n'],
      [part('2,2'), part('3,3', { order: 'numeric' })],
      { format: { kind: 'lines', delimiter: 0 } },
    ],
    // -r reverses keys without ordering letters of their own, and the last-resort comparison.
    [['-r', '-k2,2', '-k1,1n'], [part('2,2', { reverse: true }), part('1,1', { order: 'numeric' })], { reverse: true }],
    [
      ['-r', '-t,', '-k2.2,2.3Vr', '-k1,1h'],
      [part('2.2,2.3', { order: 'version', reverse: true }, ','), part('1,1', { order: 'human-numeric' }, ',')],
      { reverse: true },
    ],
    [
      ['-u', '-k2,2n', '-k1,1f'],
      [part('2,2', { order: 'numeric' }), part('1,1', { fold: true })],
      { unique: true, lastResort: false },
    ],
  ])('sort as in GNU sort: %j', (options, parts, changes) => {
    const ordering: Ordering = { ...orderingOf(parts), lastResort: true, ...changes };
    // With -z, newlines are blanks.
    const records = lines.map((line) =>
      Buffer.from(options.includes('-z') ? line.replaceAll('\t', '\n') : line, 'latin1'),
    );
    const keyed = split(keyedBy(new KeyMaker(ordering), join(records, ordering)), ordering);
    const sorted = sortedRecords(keyed, ordering).map((line) => textWithoutKey(ordering, line));
    const { stdout, stderr } = gnuSort(options, { input: join(records, ordering).toString('latin1') });
    expect(stderr).toBe('');
    expect(join(sorted, ordering).toString('latin1')).toBe(stdout);
  });
});
