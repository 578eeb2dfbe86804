/** Where records of FASTQ begin, found from any line on, against the lines counted from the beginning. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ReadBoundary } from '../../src/records/read-boundary.js';
import { type PartSizes, partSizes, partsOf } from '../support/cuts.js';
import { property } from '../support/property.js';
import { type RandomBelow, randomBelow } from '../support/random.js';
import { drawFastq } from './fastx-reference.js';

const SEED = fc.nat();

describe('the beginning of a record', () => {
  /** Searches a text from byte `begin` on. */
  function find(text: string, begin: number, sizes: PartSizes): { found: number | null; refuted: boolean } {
    const search = new ReadBoundary(begin);
    for (const part of partsOf(Buffer.from(text.slice(begin), 'latin1'), sizes)) {
      const found = search.next(Buffer.from(part));
      if (found !== null) return { found, refuted: false };
    }
    return { found: null, refuted: search.isRefuted };
  }

  /** The first bytes of all lines, and of those that begin a record. */
  function beginsOf(text: string): { lines: number[]; records: number[] } {
    const lines = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)];
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

  property(
    'never takes another line of FASTQ for the beginning of a record, in any parts',
    [SEED, fc.boolean(), partSizes(30)],
    (seed, isHostile, sizes) => {
      const below = randomBelow(seed);
      const text = isHostile ? drawHostile(below) : drawFastq(below, 2 + below(5), 4, 40).trimEnd();
      const { lines, records } = beginsOf(text);
      for (const begin of lines) {
        const whole = find(text, begin, [1 << 30]);
        if (whole.found !== null) expect(records, JSON.stringify([text, begin])).toContain(whole.found);
        expect(find(text, begin, [1])).toEqual(whole);
        expect(find(text, begin, sizes)).toEqual(whole);
      }
    },
    { runs: 250 },
  );

  property(
    'finds the first record after a whole one if sequences are letters',
    [SEED],
    (seed) => {
      const below = randomBelow(seed);
      const text = drawFastq(below, 6, 4, 40).replace(/\r?\n/g, () => (below(2) === 0 ? '\n' : '\r\n'));
      const { lines, records } = beginsOf(text);
      for (const begin of lines) {
        const { found } = find(text, begin, [64]);
        // The last line of a record may be cut off by the end of the text.
        const next = records.filter((at) => at >= begin)[1];
        if (next !== undefined && text.indexOf('\n', next) >= 0) expect(found).toBe(next);
      }
    },
    { runs: 250 },
  );

  it('finds no beginning of a record in short hostile texts and in wrapped sequences', () => {
    expect(find('@\n@\n+\n@\n', 0, [7])).toEqual({ found: null, refuted: false });
    const text = '@a\nACGT\nACGT\n+\nIIII\nIIII\n'.repeat(20);
    for (const begin of beginsOf(text).lines.slice(0, 30))
      expect(find(text, begin, [7])).toEqual({ found: null, refuted: true });
  });
});
