/** Bytes converted to message text and back. */
import { expect, it } from 'vitest';
import { bytesToText, textToBytes } from '../../src/report/raw-text.js';

it('every byte comes back', () => {
  const bytes = Buffer.from(Array.from({ length: 512 }, (_, i) => i & 255));
  expect(textToBytes(bytesToText(bytes))).toEqual(bytes);
  expect(textToBytes(bytesToText(bytes.subarray(3, 200)))).toEqual(bytes.subarray(3, 200));
});

it('real text stays UTF-8, beside raw bytes and with surrogate pairs whose second half looks like one', () => {
  const pair = String.fromCodePoint(0x1f480); // D83D DC80
  expect(textToBytes(`é${pair}${bytesToText(Buffer.from([0xff, 0xc3]))}${pair}x`)).toEqual(
    Buffer.concat([Buffer.from(`é${pair}`), Buffer.from([0xff, 0xc3]), Buffer.from(`${pair}x`)]),
  );
});
