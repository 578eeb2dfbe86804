/** Where records of FASTQ begin, found from any byte on, against the lines counted from the beginning. */
import { expect, it } from 'vitest';
import { ReadBoundary } from '../../src/records/read-boundary.js';
import { type RandomBelow, randomBelow } from '../support/random.js';
import { drawFastq } from './fastx-reference.js';

const ROUNDS = 300;

/** Passes a text to a search in parts of the given sizes. */
function find(text: string, begin: number, partBytes: () => number): { found: number | null; refuted: boolean } {
  const search = new ReadBoundary(begin);
  for (let at = begin; at < text.length; ) {
    const part = Buffer.from(text.slice(at, (at += partBytes())), 'latin1');
    const found = search.next(part);
    if (found !== null) return { found, refuted: false };
  }
  return { found: null, refuted: search.isRefuted };
}

/** The first bytes of all lines, and of those that begin a record. */
function beginsOf(text: string): { lines: number[]; records: number[] } {
  const lines = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines.push(at + 1);
  return { lines, records: lines.filter((at, i) => i % 4 === 0 && text[at] === '@') };
}

/** Reads whose lines all begin with `@` or `+` if the format allows it, and whose names are as short as sequences. */
function drawHostile(below: RandomBelow): string {
  let text = '';
  for (let i = below(12); i >= 0; i--) {
    const rest = 'x'.repeat(below(2));
    const end = below(2) === 0 ? '\n' : '\r\n';
    const first = () => (below(20) === 0 ? 'A' : '@+'[below(2)]);
    for (const line of ['@', first(), '+', first()]) text += line + rest + end;
  }
  return text;
}

it('is the beginning of a record, whatever the parts of the text are', () => {
  const below = randomBelow(1);
  let unknown = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const text = round % 2 === 0 ? drawHostile(below) : drawFastq(below, 2 + below(5), 4, 40).trimEnd();
    const { lines, records } = beginsOf(text);
    for (const begin of lines) {
      const whole = find(text, begin, () => text.length);
      if (whole.found === null) unknown++;
      else expect(records, JSON.stringify([text, begin])).toContain(whole.found);
      expect(find(text, begin, () => 1)).toEqual(whole);
      expect(find(text, begin, () => 1 + below(30))).toEqual(whole);
    }
  }
  expect(unknown).toBeGreaterThan(ROUNDS);
});

it('is the first one after a whole record if sequences are letters', () => {
  const below = randomBelow(2);
  for (let round = 0; round < ROUNDS; round++) {
    const text = drawFastq(below, 6, 4, 40).replace(/\r?\n/g, () => (below(2) === 0 ? '\n' : '\r\n'));
    const { lines, records } = beginsOf(text);
    for (const begin of lines) {
      const { found } = find(text, begin, () => 64);
      // The last line of a record may be cut off by the end of the text.
      const next = records.filter((at) => at >= begin)[1];
      if (next !== undefined && text.indexOf('\n', next) >= 0) expect(found).toBe(next);
    }
  }
});

it('is not found in wrapped sequences', () => {
  const text = '@a\nACGT\nACGT\n+\nIIII\nIIII\n'.repeat(20);
  for (const begin of beginsOf(text).lines.slice(0, 30))
    expect(find(text, begin, () => 7)).toEqual({ found: null, refuted: true });
});
