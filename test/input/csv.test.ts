/** CSV input as gpusort reads it, from files and descriptors: the newlines that end records become NULs. */
import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { type InputFile, type InputForm, positional, statInput } from '../../src/input/files.js';
import { openText } from '../../src/input/framed.js';
import { Headers } from '../../src/input/header.js';
import { freshDirectory } from '../battery/runner.js';
import { drawCsv, parseCsv } from '../keys/csv-reference.js';
import { randomBelow } from '../support/random.js';

const directory = freshDirectory('csv-input');
const COMMA: InputForm = {
  format: null,
  framing: { kind: 'csv', separator: 44 },
  decompress: false,
  warnsOfCompression: false,
  threads: 0,
};

function fileOf(text: string): Buffer {
  const name = join(directory, 'file');
  writeFileSync(name, text, 'latin1');
  return Buffer.from(name);
}

async function allOf(input: InputFile, headers: Headers | null = null): Promise<string> {
  const source = await openText(input, headers);
  try {
    const parts: Buffer[] = [];
    for (let bytes = await source.read(); bytes !== null; bytes = await source.read()) parts.push(Buffer.from(bytes));
    return Buffer.concat(parts).toString('latin1');
  } finally {
    source.close();
  }
}

it('reads CSV in order from the first byte of the extent', async () => {
  const text = drawCsv(randomBelow(41), 60_000, 4);
  const input = statInput(fileOf(text), 'sort', COMMA);
  expect([input.extent, positional(input)]).toEqual([{ begin: 0, end: text.length }, null]);
  const expected = parseCsv(text).map(({ raw }) => `${raw}\0`);
  expect((await allOf(input)) === expected.join('')).toBe(true);
  const begin = expected.slice(0, 20_000).join('').length;
  expect((await allOf({ ...input, extent: { begin, end: text.length } })) === expected.slice(20_000).join('')).toBe(
    true,
  );
});

it('decompresses CSV before it parses records, for small and large files', async () => {
  for (const text of ['a,b\n"x\ny",1\n', 'a,b\n2,1\n'.repeat(1000)]) {
    const name = join(directory, 'packed');
    writeFileSync(name, gzipSync(text));
    const input = statInput(Buffer.from(name), 'sort', { ...COMMA, decompress: true });
    const expected = parseCsv(text).map(({ raw }) => `${raw}\0`);
    expect(await allOf(input)).toBe(expected.join(''));
    const headers = new Headers({ kind: 'records', count: 1 }, { kind: 'lines', delimiter: 0 });
    expect(await headers.stripFile(input)).toBe(input);
    expect(await allOf(input, headers)).toBe(expected.slice(1).join(''));
    expect(Buffer.from(headers.text).toString()).toBe('a,b\0');
  }
});

it('leaves inputs without framing unchanged', async () => {
  const input = statInput(fileOf('a,"b\nc"\n\0'), 'sort');
  expect([await allOf(input), positional(input)]).toEqual(['a,"b\nc"\n\0', { begin: 0, end: 9 }]);
});

it.each([
  [0, '"', 'the quote at byte 1 is not'],
  [4, 'a,b\n1,"x', 'the quote at byte 7 is not'],
  [2, '"\nabc\0', 'byte 6 is NUL'],
])('rejects invalid CSV in an extent that begins at byte %i', async (begin, text, message) => {
  const input = statInput(fileOf(text), 'sort', COMMA);
  await expect(allOf({ ...input, extent: { begin, end: text.length } })).rejects.toMatchObject({
    code: 'bad-records',
    message: expect.stringContaining(message) as string,
  });
});

it('fails if a CSV file shrinks while it is read', async () => {
  const name = fileOf('a,b\n'.repeat(1000));
  const input = statInput(name, 'sort', COMMA);
  truncateSync(name, 3996);
  await expect(allOf(input)).rejects.toMatchObject({
    code: 'input-changed',
    message: expect.stringContaining('became shorter') as string,
  });
});
