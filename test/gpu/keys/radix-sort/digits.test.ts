/** Digits start at bits where keys differ. */
import { expect, it } from 'vitest';
import { digitShifts } from '../../../../src/gpu/keys/radix-sort/digits.js';

it.each([
  [[0xffffffff], [0, 8, 16, 24]],
  [[0], []],
  [[0x00000100], [8]],
  [[0x000ff000], [12]],
  [[0x80000001], [0, 31]],
  [[0x000fffff], [0, 8, 16]],
  [[1, 0], [32]],
  [
    [0xff, 0xf0000000],
    [28, 36],
  ],
  [
    [0xffffffff, 0xffffffff],
    [0, 8, 16, 24, 32, 40, 48, 56],
  ],
])('%j', (differing, shifts) => {
  expect(digitShifts(differing)).toEqual(shifts);
});
