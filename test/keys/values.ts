/** What keys are made of: the texts that a key of parts in the order of bytes stands for, read out of it. */
import { expect } from 'vitest';
import type { KeyPart } from '../../src/job.js';
import { keysOf, orderingOf } from './orderings.js';

/** For each record (one character a byte) the text of each part. `any`: parts may hold the byte that ends records. */
export function valuesOf(parts: readonly KeyPart[], records: readonly string[], delimiter: number, any: boolean): string[][] {
  return keysOf(orderingOf(parts, delimiter), records).map((key) => textsOf([...key].map((byte) => byte - Number(byte > delimiter)), any ? 256 : delimiter));
}

/** Rows of digits: one more than a byte's rank, the two highest of which take two digits, and 0 at the end; ranks are bytes but `missing`. */
function textsOf(digits: readonly number[], missing: number): string[] {
  const texts: string[] = [];
  let text = '';
  for (let i = 0; i < digits.length; i++) {
    if (digits[i] === 0) {
      texts.push(text);
      text = '';
      continue;
    }
    const rank = digits[i]! < 254 ? digits[i]! - 1 : 253 + digits[++i]!;
    text += String.fromCharCode(rank + Number(rank >= missing));
  }
  expect(text).toBe('');
  return texts;
}
