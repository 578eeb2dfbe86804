/** The sums of counts, in front of lines and at the ends of reads' first lines, against plain sums. */
import { expect, it } from 'vitest';
import { CountedLines } from '../../src/verify/output.js';
import { randomBelow } from '../support/random.js';

it.each([
  ['before lines', 10, false, (n: number) => `${String(n).padStart(7)} 12 x9\n`],
  ['before lines that end in NUL', 0, false, (n: number) => `${String(n).padStart(7)} 12\n x9\0`],
  ['before fields', 0, false, (n: number) => `${n},12,\n9\0`],
  ['in quotes', 0, false, (n: number) => `"${n}"112\n\0`],
  ['of reads', 0, true, (n: number) => `@a 5 count=${n}\nAC\n+\n1234\0`],
  ['of reads with CRLF', 0, true, (n: number) => `@a count=${n}\r\nAC\r\n+\r\n12\0`],
  ['of reads of one line', 0, true, (n: number) => `>a count=${n}\0`],
])('adds up counts %s', (_, delimiter, labelled, textOf) => {
  const below = randomBelow(1);
  const counts = Array.from({ length: 30_000 }, () => 1 + below([10, 1e4, 1e10][below(3)]));
  const lines = new CountedLines({ kind: 'lines', delimiter }, labelled);
  for (const half of [counts.slice(0, 100), counts.slice(100)])
    lines.add(Buffer.from(half.map((count) => textOf(count)).join('')));
  expect([lines.lines, lines.sum]).toEqual([counts.length, counts.reduce((a, b) => a + b)]);
});
