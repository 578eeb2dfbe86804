/** Records in host memory: found, and written in a given order. */
import { expect, it } from 'vitest';
import {
  bytesInOrder,
  countDelimiters,
  writeEnds,
  writeInOrder,
} from '../../../../src/engines/gpu/hybrid/host-text.js';

const TEXT = Buffer.from(`a\n\n${'long '.repeat(30)}\nbc\n`);

it('finds the ends of records in any part of a text', () => {
  for (let cut = 0; cut <= TEXT.length; cut++) {
    const before = countDelimiters(TEXT, 0, cut, 10);
    const ends = new Uint32Array(5);
    writeEnds(TEXT, 0, cut, 10, ends.subarray(1));
    writeEnds(TEXT, cut, TEXT.length, 10, ends.subarray(1 + before));
    expect(before + countDelimiters(TEXT, cut, TEXT.length, 10)).toBe(4);
    expect([...ends]).toEqual([0, 2, 3, 154, 157]);
  }
});

it('writes a part of an order, short records and long ones', () => {
  const starts = Uint32Array.of(0, 2, 3, 154, 157);
  const order = Uint32Array.of(3, 2, 0, 1);
  for (const [from, to, expected] of [
    [0, 4, `bc\n${'long '.repeat(30)}\na\n\n`],
    [1, 3, `${'long '.repeat(30)}\na\n`],
    [2, 2, ''],
  ] as const) {
    const target = new Uint8Array(bytesInOrder(starts, order, from, to));
    writeInOrder(TEXT, starts, order.subarray(from, to), target);
    expect(Buffer.from(target).toString()).toBe(expected);
  }
});
