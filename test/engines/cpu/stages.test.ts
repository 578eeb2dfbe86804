/** Each stage of the CPU engine against a plain reference. The kernels come from the build, so build first. */

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CpuKernels, copyIn, ITEM_BYTES, layOut, RANGE_BYTES } from '../../../src/engines/cpu/kernels.js';
import { mergeTexts } from '../../../src/engines/cpu/merge-texts.js';
import { shapeOf } from '../../../src/engines/cpu/shape.js';
import { TILE_BYTES } from '../../../src/engines/cpu/tiles.js';
import { KERNEL_SLACK } from '../../../src/system/memory.js';
import { finish } from '../../../src/system/resumable.js';
import { inputs, recordsOf, seedFor, seeds } from '../../support/distributions.js';
import { byFixed, byLines, ORDERINGS } from '../../support/orderings.js';
import { property } from '../../support/property.js';
import { random } from '../../support/random.js';
import { join, sortedRecords } from '../../support/records.js';
import { expectSorted, expectText, kernelsFor, placesOf, sortInPlace } from './support.js';

/** Sizes on both sides of those at which the sort changes its method. */
const SIZES = [0, 1, 2, 3, 8, 9, 24, 25, 300, 2500];

/** The items in memory: begin and end of each record. */
function itemsAt({ memory }: CpuKernels, items: number, count: number): [number, number][] {
  const words = new Uint32Array(memory.buffer, items, (count * ITEM_BYTES) / 4);
  return Array.from({ length: count }, (_, i) => [words[4 * i + 2], words[4 * i + 3]]);
}

describe('tokenizing', () => {
  property(
    'finds the same lines as a byte loop at every alignment and limit',
    [
      fc.constantFrom(10, 0, 255),
      fc.constantFrom(1, 3, 10, 60),
      fc.integer({ min: 1, max: 300 }),
      fc.nat(15),
      fc.constantFrom(1, 2, 3, 4, 5, 1000),
      seeds,
    ],
    (delimiter, mean, length, alignment, most, seed) => {
      const next = random(seed);
      const kernels = kernelsFor(byLines({ format: { kind: 'lines', delimiter } }));
      const bytes = Uint8Array.from({ length }, () =>
        next() < 1 / mean ? delimiter : [delimiter ^ 1, delimiter ^ 0x80, 1, 254, 97][Math.floor(next() * 5)],
      );
      bytes[length - 1] = delimiter;
      const [text, items] = layOut(kernels, [length + 16 + KERNEL_SLACK, 1000 * ITEM_BYTES]);
      const begin = text + alignment;
      copyIn(kernels, new Uint8Array(length + 16 + KERNEL_SLACK).fill(delimiter), text);
      copyIn(kernels, bytes, begin);
      const ends = [...bytes.keys()].filter((i) => bytes[i] === delimiter).map((i) => begin + i + 1);
      const first = Math.floor(next() * ends.length);
      const from = first === 0 ? begin : ends[first - 1];
      const count = kernels.readRecords(from, begin + length, items, most);
      const expected = ends.slice(first, first + most);
      expect(itemsAt(kernels, items, count)).toEqual(expected.map((end, i) => [i === 0 ? from : expected[i - 1], end]));
      expect(kernels.textEnd(items, count)).toBe(expected.at(-1));
      expect(kernels.lineEndAt(from)).toBe(expected[0]);
    },
    { runs: 400 },
  );

  it('cuts fixed records', () => {
    const kernels = kernelsFor(byFixed(7, null));
    const [items] = layOut(kernels, [10 * ITEM_BYTES]);
    expect(kernels.readRecords(14, 49, items, 100)).toBe(5);
    expect(itemsAt(kernels, items, 5)).toEqual([14, 21, 28, 35, 42].map((begin) => [begin, begin + 7]));
    expect(kernels.readRecords(14, 49, items, 2)).toBe(2);
    expect(kernels.readRecords(14, 14, items, 2)).toBe(0);
  });
});

describe('two texts', () => {
  const kernels = kernelsFor(byLines());
  const [a, b] = layOut(kernels, [40, 40]);
  const text = fc.uint8Array({ minLength: 40, maxLength: 40 });
  property(
    'have their shared bytes counted as by a byte loop, up to a limit',
    [text, text, fc.nat(40), fc.nat(39)],
    (x, other, shared, most) => {
      const y = Uint8Array.of(...x.subarray(0, shared), ...other.subarray(shared));
      copyIn(kernels, x, a);
      copyIn(kernels, y, b);
      let same = 0;
      while (same < most && x[same] === y[same]) same++;
      expect(kernels.sharedBytes(a, b, most)).toBe(same);
    },
    { runs: 300 },
  );
});

describe.each(ORDERINGS)('%s', (by, ordering) => {
  const kernels = kernelsFor(ordering);

  property(
    'sorts a tile stably, and finds the bytes that all keys share',
    [inputs(SIZES.slice(1))],
    (input) => {
      const records = recordsOf(ordering, input);
      const text = join(records, ordering);
      const itemBytes = records.length * ITEM_BYTES;
      const [source, items, room, ranges] = layOut(kernels, [
        text.length,
        itemBytes,
        itemBytes,
        itemBytes / 2 + RANGE_BYTES,
      ]);
      copyIn(kernels, text, source);
      expect(kernels.readRecords(source, source + text.length, items, records.length)).toBe(records.length);
      const shared = kernels.order(items, records.length, room - items, ranges);
      const numberAt = new Map(placesOf(records, ordering).map((at, i) => [source + at, i]));
      const numbers = itemsAt(kernels, items, records.length)
        .filter(([begin, end]) => begin < end)
        .map(([begin]) => numberAt.get(begin)!);
      const sorted = numbers.map((number) => records[number]);
      expect(Buffer.compare(join(sorted, ordering), join(sortedRecords(records, ordering), ordering))).toBe(0);
      // Places in the input distinguish equal records.
      expect(numbers.findIndex((r, i) => i > 0 && sorted[i].equals(sorted[i - 1]) && r < numbers[i - 1])).toBe(-1);
      if (input.distribution === 'urls' && input.count > 100 && ordering.format.kind === 'lines')
        expect(shared).toBe('https://www.example.org/articles/'.length);
    },
    { runs: 60, seed: seedFor(by) },
  );

  property(
    'sorts a text, and merges it from several, with its index',
    [inputs([...SIZES, 9000])],
    (input) => {
      const records = recordsOf(ordering, input);
      const expected = sortedRecords(records, ordering);
      expectSorted(kernels, ordering, records);
      const [third, half] = [Math.floor(records.length / 3), records.length >> 1];
      const parts = [records.slice(0, third), [], records.slice(third, half), records.slice(half)].map((part) =>
        join(sortedRecords(part, ordering), ordering),
      );
      // All at once, and as if that were too much for one merge.
      for (const most of [undefined, 0]) {
        const target = Buffer.alloc(join(records, ordering).length);
        const outcome = finish(
          mergeTexts(kernels, shapeOf(ordering), { texts: parts, depth: 0, target, form: 'run', limit: null }, most),
        );
        expectText(outcome, target, expected, ordering);
      }
    },
    { runs: 60, seed: seedFor(by) },
  );
});

describe('a text of several tiles', () => {
  it('may consist of empty lines, more than a tile holds', () => {
    const text = Buffer.alloc(1 << 20, '\n');
    text[0] = 97;
    const outcome = sortInPlace(kernelsFor(byLines()), byLines(), text);
    expect(outcome.records).toBe((1 << 20) - 1);
    expect(text.subarray(-3).toString()).toBe('\na\n');
  });

  it('may contain records larger than a tile', () => {
    const huge = Buffer.alloc(2 * TILE_BYTES, 'h');
    const records = [Buffer.from('z'), huge, Buffer.from('a'), Buffer.from('hh'), huge, Buffer.from('b')];
    const text = join(records);
    sortInPlace(kernelsFor(byLines()), byLines(), text);
    expect(text.equals(join(sortedRecords(records)))).toBe(true);
  });
});
