/**
 * The library writes the same as the command: for many options, in tiny chunks, from streams of each kind.
 * @own-process because tests that run the command replace what gives the library's runs their warnings
 */
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { constantFrom, nat } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type SortOptions, sort, sortFile } from '../../src/index.js';
import { optionArguments } from '../../src/library/options.js';
import { runJob } from '../../src/run/run-job.js';
import { expectSameBytes, freshDirectory } from '../battery/runner.js';
import { parsed } from '../support/in-process.js';
import { changed, silent } from '../support/jobs.js';
import { property } from '../support/property.js';
import { sampled } from '../support/tier.js';
import { blocksOf, SOURCES, seededLines, sortedBytes } from './support.js';

const TINY: SortOptions = { chunkSize: '4K', bufferSize: '2M', parallel: 2, engine: 'cpu' };

const CASES: readonly (readonly [string, SortOptions])[] = [
  ['the default', {}],
  ['small memory', TINY],
  ['numbers', { ...TINY, numericSort: true, reverse: true }],
  ['keys', { ...TINY, fieldSeparator: '\t', key: ['2,2n', '1,1f'], stable: true }],
  ['unique keys', { ...TINY, key: '1,1', unique: true }],
  ['counts', { ...TINY, count: true }],
  ['versions', { ...TINY, sort: 'version' }],
  ['the first ones', { ...TINY, top: 17 }],
  ['the last ones', { chunkSize: '4K', bottom: 17, humanNumericSort: true }],
  ['a header', { ...TINY, header: 2 }],
  ['segments', { ...TINY, segmentBy: '1,1' }],
  ['verified', { ...TINY, verify: true }],
  ['binary records', { ...TINY, recordSize: 6, key: '0:u32be' }],
  ['a language', { locale: 'de' }],
  ['gzip', { ...TINY, outputFormat: 'gzip', level: 1 }],
];

/** Lines, as a multiple of 6 bytes for binary records. */
function inputOf(seed: number, count = 3000): Buffer {
  const lines = seededLines(seed, count);
  return lines.subarray(0, lines.length - (lines.length % 6));
}

/** Files in a directory of their own. */
function filesOf(...contents: readonly (string | Buffer)[]): string[] {
  const directory = freshDirectory('library');
  return contents.map((content, i) => {
    writeFileSync(join(directory, `${i}`), content);
    return join(directory, `${i}`);
  });
}

/** The output of the command for the bytes. */
async function commandOutput(input: Buffer, options: SortOptions = {}): Promise<Buffer> {
  const [from, to] = filesOf(input, '');
  const request = parsed([...optionArguments(options), '-o', to, from], 'gpusort');
  if (request.action !== 'sort') throw new Error(request.action);
  expect(await runJob(changed(request.job, { progress: 'never' }), silent)).toBe(0);
  return readFileSync(to);
}

/** Options with their own code paths to the output. */
const WAYS = ['outputFormat', 'recordSize', 'locale', 'header', 'segmentBy', 'verify'];
const SOME = sampled(CASES, {
  count: CASES.length,
  seed: 1,
  values: ([, options]) => WAYS.map((name) => Object.hasOwn(options, name)),
});

it.each(SOME)('writes the same as the command, from a file and from a stream: %s', async (_, options) => {
  // Compressed output needs several blocks, which threads then compress.
  const input = inputOf(1, options.outputFormat === undefined ? 3000 : 40_000);
  const expected = await commandOutput(input, options);
  const [from, to] = filesOf(input, '');
  const { bytes, warnings } = await sortFile(from, to, options);
  expectSameBytes(readFileSync(to), expected);
  expect(warnings).toEqual([]);
  if (options.outputFormat === undefined) expect(bytes).toBe(expected.length);
  expectSameBytes(await sortedBytes(SOURCES['a slow Readable'](blocksOf(input, 2, 500)), options), expected);
});

property(
  'reads each kind of input stream in blocks of any size',
  [constantFrom(...Object.keys(SOURCES)), constantFrom(3, 100, 9000), nat(1e6)],
  async (source, most, seed) => {
    const input = inputOf(seed, most < 10 ? 250 : 3000);
    const options = { ...TINY, key: '2' };
    const found = await sortedBytes(SOURCES[source](blocksOf(input, seed, most)), options);
    expectSameBytes(found, await commandOutput(input, options));
  },
  { runs: 25 },
);

describe.each(Object.entries(SOURCES))('%s', (_, source) => {
  it('sorts an input stream without blocks', async () => {
    expect(await sortedBytes(source([]))).toEqual(Buffer.alloc(0));
  });

  it('leaves the blocks of an input stream unchanged', async () => {
    const text = 'n,t\n2,"x\ny"\n1,z\n';
    const block = Buffer.from(text);
    expect((await sortedBytes(source([block]), { csv: true, key: 'n:n' })).toString()).toBe('n,t\n1,z\n2,"x\ny"\n');
    expect(block.toString()).toBe(text);
  });
});

it('encodes blocks of text as UTF-8', async () => {
  expect((await sortedBytes(['ä\n', 'b', '\n', '', 'a'].values())).toString()).toBe('a\nb\nä\n');
});

it('decompresses streams, or warns if decompress is not set', async () => {
  const input = inputOf(5);
  const blocks = blocksOf(gzipSync(input), 6, 700);
  expectSameBytes(await sortedBytes(blocks.values(), { decompress: true }), await commandOutput(input));
  const warned: string[] = [];
  await sortedBytes(blocks.values(), { onWarning: (sentence) => warned.push(sentence) });
  expect(warned).toEqual([expect.stringContaining('gzip')]);
});

it('guesses the format of a stream for an order by name', async () => {
  const reads = '@b\nAC\n+\nII\n@a\nGT\n+\nII\n';
  expect((await sortedBytes(blocksOf(Buffer.from(reads), 7, 5).values(), { by: 'name' })).toString()).toBe(
    '@a\nGT\n+\nII\n@b\nAC\n+\nII\n',
  );
});

it('sorts files whose names are text, bytes and URLs', async () => {
  const [a, b, c] = filesOf('3\n', '2\n', '1\n');
  expect((await sortedBytes([a, Buffer.from(b), pathToFileURL(c)])).toString()).toBe('1\n2\n3\n');
});

it('merges sorted files', async () => {
  expect((await sortedBytes(filesOf('1\n3\n', '2\n4\n'), { merge: true })).toString()).toBe('1\n2\n3\n4\n');
});

it('sorts and merges into a file that is also an input', async () => {
  const [file] = filesOf(inputOf(8));
  const expected = await commandOutput(inputOf(8), TINY);
  await sortFile([file], file, TINY);
  expectSameBytes(readFileSync(file), expected);
  copyFileSync(file, `${file}2`);
  await sort([file, `${file}2`], file, { ...TINY, merge: true, unique: true });
  expectSameBytes(readFileSync(file), await commandOutput(inputOf(8), { ...TINY, unique: true }));
});

it('checks the order of streams', async () => {
  expect(await sort(['a\n', 'b\n'].values(), null, { check: true })).toEqual({ bytes: 0, records: 0, warnings: [] });
  await expect(sort(['b\n', 'a\n'].values(), null, { check: 'explain' })).rejects.toMatchObject({
    code: 'disorder',
    message: '-:2: disorder: a',
    hint: '-:1: comes after it in order: b',
  });
});

it('sorts data in an unknown compression as lines', async () => {
  const block = brotliCompressSync('b\na\n');
  expectSameBytes(await sortedBytes([block].values()), await commandOutput(block));
});
