/** Lines `###` of GFF are left out of a text, however it is cut. */
import fc from 'fast-check';
import { expect } from 'vitest';
import { leavingOut, RESOLVED } from '../../src/records/directives.js';
import { property } from '../support/property.js';

const line = fc.constantFrom(
  '###',
  '### ',
  '###\t\r',
  '####',
  ' ###',
  '###a',
  '#',
  '##',
  '',
  'a###',
  'c\t1\t2',
  `###${' '.repeat(70)}`,
);
const text = fc
  .tuple(fc.array(line, { maxLength: 9 }), fc.boolean())
  .map(([lines, ends]) => lines.join('\n') + (ends ? '\n' : ''));

property(
  'leaves lines ### out, whatever the pieces of the text are',
  [text, fc.array(fc.nat(), { maxLength: 12 })],
  (given, places) => {
    const ends = [...new Set(places.map((place) => place % (given.length + 1)))].sort((a, b) => a - b);
    const framer = leavingOut(RESOLVED);
    const pieces = [0, ...ends].map((begin, i) => framer.next(Buffer.from(given.slice(begin, ends[i]))));
    const left = pieces.map((piece) => Buffer.from(piece).toString('latin1')).join('');
    const expected = given.split(/(?<=\n)/).filter((one) => !/^###[ \t\r]{0,60}\n?$/.test(one));
    expect(left + Buffer.from(framer.end()).toString('latin1')).toBe(expected.join(''));
  },
  { runs: 1000 },
);
