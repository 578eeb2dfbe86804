/** Where headers end, in files and in streams of pieces of any size, against a plain cut of the text. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { statInput } from '../../src/input/files.js';
import { Headers } from '../../src/input/header.js';
import type { StreamReader } from '../../src/input/stream.js';
import type { Header, RecordFormat } from '../../src/job.js';
import { randomBelow } from '../support/random.js';

let directory = '';
beforeAll(() => {
  directory = mkdtempSync('/tmp/gpusort-header-');
});
afterAll(() => {
  rmSync(directory, { recursive: true });
});

/** Reads `text` in pieces of 1 + `pieceBytes()` bytes. The memory of a piece is overwritten when the next is read. */
function readerOf(text: string, pieceBytes: () => number): StreamReader {
  let at = 0;
  let last = Buffer.alloc(0);
  return {
    read: async () => {
      last.fill(0x2a);
      if (at >= text.length) return null;
      last = Buffer.from(text.slice(at, (at += 1 + pieceBytes())), 'latin1');
      return last;
    },
    close: () => undefined,
  };
}

async function allOf(reader: StreamReader): Promise<string> {
  let text = '';
  for (let bytes = await reader.read(); bytes !== null; bytes = await reader.read())
    text += Buffer.from(bytes).toString('latin1');
  return text;
}

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

describe.each([
  ['newlines', '\n'],
  ['NUL', '\0'],
])('lines that end with %s', (_, end) => {
  it('are recognized as header in streams and files', async () => {
    const below = randomBelow(12);
    for (let round = 0; round < 400; round++) {
      const long = round % 20 === 0 ? 100_000 : 5;
      const text =
        Array.from({ length: below(8) }, () => `${'#'.repeat(below(5))}${'ab'[below(2)].repeat(below(long))}`).join(
          end,
        ) + (below(3) > 0 ? end : '');
      for (const header of HEADERS) {
        const expected = cut(text, header, end);
        const headers = new Headers(header, { kind: 'lines', delimiter: end.charCodeAt(0) });
        expect(
          await allOf(
            await headers.strip(
              readerOf(text, () => below(long === 5 ? 7 : 90_000)),
              '-',
            ),
          ),
        ).toBe(expected.rest);
        expect({
          header: Buffer.from(headers.text).toString('latin1'),
          lines: headers.records,
          rest: expected.rest,
        }).toEqual(expected);
      }
      if (round % 10 > 0) continue;
      const name = Buffer.from(join(directory, 'text'));
      writeFileSync(name, text, 'latin1');
      for (const header of HEADERS) {
        const expected = cut(text, header, end);
        const headers = new Headers(header, { kind: 'lines', delimiter: end.charCodeAt(0) });
        const { extent } = await headers.stripFile(statInput(name, 'sort'));
        if (extent === null) continue;
        expect(text.slice(extent.begin, extent.end)).toBe(expected.rest);
        expect(Buffer.from(headers.text).toString('latin1')).toBe(expected.header);
      }
    }
  });
});

describe('binary records', () => {
  it('are recognized as header in streams and files', async () => {
    const below = randomBelow(13);
    for (let round = 0; round < 300; round++) {
      const size = 1 + below(9);
      const count = 1 + below(6);
      const odd = below(size);
      const text = 'x'.repeat(size * below(9)) + 'y'.repeat(odd);
      const headers = (): Headers => new Headers({ kind: 'records', count }, { kind: 'fixed', size });
      const [streamed, filed] = [headers(), headers()];
      const bytes = Math.min(size * count, text.length);
      const message = `${text.length === 1 ? '1 byte is' : `${text.length} bytes are`} not a whole number of ${size}-byte records: ${odd} byte`;
      const strip = streamed.strip(
        readerOf(text, () => below(7)),
        '-',
      );
      // A stream is found to have a remainder when its end is read, which may be later.
      if (odd > 0 && text.length < size * count) await expect(strip).rejects.toThrow(message);
      else {
        const rest = allOf(await strip);
        if (odd > 0) await expect(rest).rejects.toThrow(message);
        else expect(await rest).toBe(text.slice(bytes));
        expect(Buffer.from(streamed.text).toString()).toBe(text.slice(0, bytes));
        expect(streamed.records).toBe(bytes / size);
      }
      if (text === '') continue;
      const name = Buffer.from(join(directory, 'records'));
      writeFileSync(name, text);
      const stripFile = filed.stripFile(statInput(name, 'sort'));
      if (odd > 0) await expect(stripFile).rejects.toThrow(message);
      else expect((await stripFile).extent).toEqual({ begin: bytes, end: text.length });
    }
  });
});

describe('headers of several inputs', () => {
  async function meet(header: Header, ...texts: string[]): Promise<string> {
    const headers = new Headers(header, LINES);
    for (const [i, text] of texts.entries())
      await headers.strip(
        readerOf(text, () => 3),
        `input${i + 1}`,
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
  ])('are accepted if %s', async (_, header, texts, expected) => {
    expect(await meet(header, ...texts)).toBe(expected);
  });

  it.each([
    ['another line', TWO, ['a\nb\n', 'a\nc\n'], 'input2: header line 2 differs from that of input1'],
    ['a longer line', TWO, ['a\nb\n', 'ab\nb\n'], 'input2: header line 1 differs from that of input1'],
    [
      'another line in the third input',
      TWO,
      ['a\nb\n', 'a\nb\n', 'x\nb\n'],
      'input3: header line 1 differs from that of input1',
    ],
    ['fewer lines', TWO, ['a\nb\n', 'a\n'], 'input2: 1 header line, but input1 has 2'],
    ['more lines', HASH, ['#a\nb\n', '#a\n#b\n'], 'input2: 2 header lines, but input1 has 1'],
    ['no line with the prefix', HASH, ['#a\nb\n', 'b\n'], 'input2: 0 header lines, but input1 has 1'],
    ['a blank line', TWO, ['a\nb\n', '\n'], 'input2: header line 1 differs from that of input1'],
  ])('are rejected: %s', async (_, header, texts, message) => {
    await expect(meet(header, ...texts)).rejects.toThrow(message);
  });
});
