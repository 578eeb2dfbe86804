/** Messages: system errors in the C library's words, never by a code alone, and raw bytes unchanged. */
import { constants } from 'node:os';
import { getSystemErrorMap } from 'node:util';
import { expect, it } from 'vitest';
import { bytesToText, textToBytes } from '../../src/report/names.js';
import { systemText } from '../../src/system/errors.js';

const failed = (code: string, message: string): Error => Object.assign(new Error(message), { code });

it('describes every error of a system call in the words of the C library', () => {
  for (const code of Object.keys(constants.errno)) {
    expect(systemText(failed(code, code)), code).toMatch(/^[A-Z(].+/);
    expect(systemText(failed(code, code)), code).not.toMatch(/\bE[A-Z0-9]+\b|Unknown error/);
  }
  expect(systemText(failed('EXDEV', 'x'))).toBe('Invalid cross-device link');
  expect(systemText(failed('ENOMEM', 'x'))).toBe('Cannot allocate memory');
  expect(systemText(failed('EEXIST', 'x'))).toBe('File exists');
  // Node has no name for EUCLEAN.
  expect(
    systemText(Object.assign(failed('Unknown system error -117', 'Unknown system error -117: x'), { errno: -117 })),
  ).toBe('Structure needs cleaning');
});

it('never shows a code alone', () => {
  for (const [code, text] of getSystemErrorMap().values()) {
    expect(systemText(failed(code, `${code}: ${text}, open 'x'`)), code).not.toMatch(/\b(E[A-Z0-9]+|UNKNOWN)\b/);
    expect(systemText(failed(code, code)), code).not.toBe(code);
  }
  expect(systemText(failed('ESOMETHING', "ESOMETHING: something happened, open 'a, b'"))).toBe('something happened');
  expect(systemText(failed('ESOMETHING', 'ESOMETHING'))).toBe('Unknown error');
  expect(systemText(failed('ERR_WORKER_INIT_FAILED', 'Worker initialization failure: EAGAIN'))).not.toContain('EAGAIN');
  expect(systemText(new Error('first line\nsecond line'))).toBe('first line');
});

it('restores every byte', () => {
  const bytes = Buffer.from(Array.from({ length: 512 }, (_, i) => i & 255));
  expect(textToBytes(bytesToText(bytes))).toEqual(bytes);
  expect(textToBytes(bytesToText(bytes.subarray(3, 200)))).toEqual(bytes.subarray(3, 200));
});

it('keeps real text as UTF-8, beside raw bytes and with surrogate pairs whose second half looks like one', () => {
  const pair = String.fromCodePoint(0x1f480); // D83D DC80
  expect(textToBytes(`é${pair}${bytesToText(Buffer.from([0xff, 0xc3]))}${pair}x`)).toEqual(
    Buffer.concat([Buffer.from(`é${pair}`), Buffer.from([0xff, 0xc3]), Buffer.from(`${pair}x`)]),
  );
});
