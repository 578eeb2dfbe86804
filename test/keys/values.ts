/** Decodes normalized keys of parts in byte order back to their texts. */
import { expect } from 'vitest';
import type { KeyPart } from '../../src/job/ordering.js';
import { keysOf, orderingOf } from './orderings.js';

/** The text of each part of each record (one character a byte). `any`: parts may contain the delimiter. */
export function valuesOf(
  parts: readonly KeyPart[],
  records: readonly string[],
  delimiter: number,
  any: boolean,
): string[][] {
  return keysOf(orderingOf(parts, delimiter), records).map((key) =>
    textsOf(
      [...key].map((byte) => byte - Number(byte > delimiter)),
      any ? 256 : delimiter,
    ),
  );
}

/**
 * Decodes digits: a byte's rank plus one, then 0 at the end of a part. Ranks from 253 up take two digits. Ranks number
 * the byte values without `missing`.
 */
function textsOf(digits: readonly number[], missing: number): string[] {
  const texts: string[] = [];
  let text = '';
  for (let i = 0; i < digits.length; i++) {
    if (digits[i] === 0) {
      texts.push(text);
      text = '';
      continue;
    }
    const rank = digits[i] < 254 ? digits[i] - 1 : 253 + digits[++i];
    text += String.fromCharCode(rank + Number(rank >= missing));
  }
  expect(text).toBe('');
  return texts;
}
