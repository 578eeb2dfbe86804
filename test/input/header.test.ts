/** Where headers end, in files and in streams of pieces of any size, against a plain cut of the text. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { statInput } from '../../src/input/files.js';
import { Headers } from '../../src/input/header.js';
import type { Header } from '../../src/job/job.js';
import type { RecordFormat } from '../../src/job/ordering.js';
import type { ByteSource } from '../../src/system/byte-source.js';
import { freshDirectory } from '../battery/runner.js';
import { pick, repeated, several, weighted } from '../support/draws.js';
import { property } from '../support/property.js';
import { randomBelow } from '../support/random.js';
import { inPieces, readAll } from '../support/streams.js';

const directory = freshDirectory('header');

const textOf = async (reader: ByteSource): Promise<string> => (await readAll(reader)).toString('latin1');
const FIRST = { label: '-', number: 1, leavesOutResolved: false };
const LINES: RecordFormat = { kind: 'lines', delimiter: 10 };

/** The reference: the header found by splitting the whole text into lines. */
function cut(text: string, header: Header, end: string): { header: string; lines: number; rest: string } {
  const lines = text.split(new RegExp(`(?<=${end})`)).filter((line) => line !== '');
  const isHeader = (line: string, i: number): boolean =>
    header.kind === 'records'
      ? i < header.count
      : header.kind === 'prefixes' &&
        header.prefixes.some((prefix) => line.startsWith(Buffer.from(prefix).toString('latin1')));
  const first = lines.findIndex((line, i) => !isHeader(line, i));
  const count = first < 0 ? lines.length : first;
  const found = lines.slice(0, count).join('');
  return {
    header: found === '' || found.endsWith(end) ? found : found + end,
    lines: count,
    rest: lines.slice(count).join(''),
  };
}

const HEADERS: Header[] = [1, 2, 7, 1000].map((count): Header => ({ kind: 'records', count }));
for (const prefix of ['#', '##', '#a', '####']) HEADERS.push({ kind: 'prefixes', prefixes: [Buffer.from(prefix)] });
HEADERS.push({ kind: 'prefixes', prefixes: ['#a', 'b'].map((prefix) => Buffer.from(prefix)) });

const line = fc
  .tuple(repeated('#', 0, 4), pick(['a', 'b']), weighted([19, fc.nat(4)], [1, fc.nat(99_999)]))
  .map(([start, letter, count]) => start + letter.repeat(count));

property(
  'recognizes header lines in streams and files',
  [pick(['\n', '\0']), several(0, 7, line), fc.boolean(), pick(HEADERS), fc.nat(99), fc.nat()],
  async (end, lines, isClosed, header, percent, seed) => {
    const text = lines.join(end) + (isClosed ? end : '');
    const expected = cut(text, header, end);
    const below = randomBelow(seed);
    const headersOf = (): Headers => new Headers(header, { kind: 'lines', delimiter: end.charCodeAt(0) });
    const [streamed, filed] = [headersOf(), headersOf()];
    const pieceBytes = (): number => 1 + below(Math.max(7, percent * 0.01 * text.length));
    const rest = await textOf(await streamed.strip(inPieces(text, pieceBytes), FIRST));
    const found = Buffer.from(streamed.text).toString('latin1');
    expect({ header: found, lines: streamed.records, rest }).toEqual(expected);
    const name = Buffer.from(join(directory, 'text'));
    writeFileSync(name, text, 'latin1');
    const { extent } = await filed.stripFile(statInput(name, 'sort'));
    if (extent === null) return;
    expect(text.slice(extent.begin, extent.end)).toBe(expected.rest);
    expect(Buffer.from(filed.text).toString('latin1')).toBe(expected.header);
  },
  { runs: 3000 },
);

const some = (most: number): fc.Arbitrary<number> => fc.integer({ min: 1, max: most });
property(
  'recognizes fixed header records in streams and files and refuses half a record',
  [some(9), some(6), fc.nat(8), fc.nat(8), fc.nat()],
  async (size, count, records, rest, seed) => {
    const below = randomBelow(seed);
    const odd = rest % size;
    const text = 'x'.repeat(size * records) + 'y'.repeat(odd);
    const headersOf = (): Headers => new Headers({ kind: 'records', count }, { kind: 'fixed', size });
    const [streamed, filed] = [headersOf(), headersOf()];
    const bytes = Math.min(size * count, text.length);
    const message = `${text.length === 1 ? '1 byte is' : `${text.length} bytes are`} not a whole number of ${size}-byte records: ${odd} byte`;
    const strip = streamed.strip(
      inPieces(text, () => 1 + below(7)),
      FIRST,
    );
    // A stream is found to have a remainder when its end is read, which may be later.
    if (odd > 0 && text.length < size * count) await expect(strip).rejects.toThrow(message);
    else {
      const all = textOf(await strip);
      if (odd > 0) await expect(all).rejects.toThrow(message);
      else expect(await all).toBe(text.slice(bytes));
      expect(Buffer.from(streamed.text).toString()).toBe(text.slice(0, bytes));
      expect(streamed.records).toBe(bytes / size);
    }
    if (text === '') return;
    const name = Buffer.from(join(directory, 'records'));
    writeFileSync(name, text);
    const stripFile = filed.stripFile(statInput(name, 'sort'));
    if (odd > 0) await expect(stripFile).rejects.toThrow(message);
    else expect((await stripFile).extent).toEqual({ begin: bytes, end: text.length });
  },
  { runs: 300 },
);

describe('headers of several inputs', () => {
  async function meet(header: Header, ...texts: string[]): Promise<string> {
    const headers = new Headers(header, LINES);
    for (const [i, text] of texts.entries())
      await headers.strip(
        inPieces(text, () => 3),
        { ...FIRST, label: `input${i + 1}`, number: i + 1 },
      );
    return Buffer.from(headers.text).toString('latin1');
  }
  const TWO: Header = { kind: 'records', count: 2 };
  const HASH: Header = { kind: 'prefixes', prefixes: [Buffer.from('#')] };

  it.each([
    ['equal', TWO, ['a\nb\nc\n', 'a\nb\nd\n'], 'a\nb\n'],
    ['equal, one without its newline', TWO, ['a\nb\nc\n', 'a\nb'], 'a\nb\n'],
    ['missing from empty inputs', TWO, ['', 'a\nb\nc\n', '', 'a\nb\n'], 'a\nb\n'],
    ['all shorter than asked for', TWO, ['a\n', 'a'], 'a\n'],
    ['empty', HASH, ['a\n', 'b\n'], ''],
  ])('accepts headers of several inputs if they are %s', async (_, header, texts, expected) => {
    expect(await meet(header, ...texts)).toBe(expected);
  });

  it.each([
    ['a different line', TWO, ['a\nb\n', 'a\nc\n'], 'input2: header line 2 differs from that of input1'],
    ['a longer line', TWO, ['a\nb\n', 'ab\nb\n'], 'input2: header line 1 differs from that of input1'],
    [
      'a different line in the third input',
      TWO,
      ['a\nb\n', 'a\nb\n', 'x\nb\n'],
      'input3: header line 1 differs from that of input1',
    ],
    ['fewer lines', TWO, ['a\nb\n', 'a\n'], 'input2: 1 header line, but input1 has 2'],
    ['more lines', HASH, ['#a\nb\n', '#a\n#b\n'], 'input2: 2 header lines, but input1 has 1'],
    ['no line with the prefix', HASH, ['#a\nb\n', 'b\n'], 'input2: 0 header lines, but input1 has 1'],
    ['a blank line', TWO, ['a\nb\n', '\n'], 'input2: header line 1 differs from that of input1'],
  ])('rejects headers of several inputs that differ: %s', async (_, header, texts, message) => {
    await expect(meet(header, ...texts)).rejects.toThrow(message);
  });
});
