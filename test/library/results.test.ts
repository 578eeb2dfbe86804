/**
 * The number of records in the result of a sort, for each form of records and each step that drops or changes them.
 * @own-process because tests that run the command replace what gives the library's runs their warnings
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { type SortSettings, sort } from '../../src/index.js';
import { freshDirectory } from '../battery/runner.js';
import { Collected, seededLines } from './support.js';

const LINES = seededLines(5, 4000);
const TINY: SortSettings = { chunkSize: '4K', bufferSize: '2M', parallel: 2, engine: 'cpu' };
const fixture = (name: string): string => join(import.meta.dirname, '../../fixtures', name);
const linesOf = (bytes: Uint8Array, delimiter = 10): number => bytes.filter((byte) => byte === delimiter).length;

/** Settings under which each line of the output is a record. */
const OF_LINES: readonly (readonly [string, SortSettings])[] = [
  ['lines', {}],
  ['keys', { key: '2n' }],
  ['unique lines', { unique: true }],
  ['unique keys', { key: '1,1', unique: true, ignoreCase: true }],
  ['counts', { count: true }],
  ['the first ones', { top: 17 }],
  ['more than there are', { top: 100_000 }],
  ['the last ones', { bottom: 23 }],
  ['none', { top: 0 }],
  ['segments', { segmentBy: '1,1' }],
  ['a merge', { merge: true }],
  ['a language', { locale: 'de' }],
  ['--verify', { verify: true, key: '2' }],
];

it.each(OF_LINES)('counts the records of the output: %s', async (_, settings) => {
  for (const sizes of [{}, TINY]) {
    const output = new Collected();
    const { records } = await sort([LINES].values(), output, { ...sizes, ...settings });
    expect(records).toBe(linesOf(output.bytes));
  }
});

it.each([
  ['a header', { header: 3 }, 3],
  ['lines that begin with a prefix', { headerPrefix: 'x', zeroTerminated: true }, 0],
] as const)('does not count %s', async (_, settings, header) => {
  const text = Buffer.from('x1\nx2\nx3\nb\na\n');
  const input = 'zeroTerminated' in settings ? Buffer.from('x\0b\0a') : text;
  const { records } = await sort([input].values(), new Collected(), settings);
  expect(records).toBe('zeroTerminated' in settings ? 2 : linesOf(text) - header);
});

it('counts a last line without newline, and no record of an empty input', async () => {
  expect(await sort(['b\na'].values(), new Collected())).toEqual({ bytes: 4, records: 2, warnings: [] });
  expect(await sort([''].values(), new Collected())).toEqual({ bytes: 0, records: 0, warnings: [] });
});

it.each([
  ['CSV with newlines in quotes', { csv: true }, 'n\n"b\n\n",1\n"a\n",2\n', 2],
  ['CSV sorted by a name', { csv: true, key: 'n:r' }, 'n,m\n"b\n\n",1\n"a\n",2\nc,3\n', 3],
  ['binary records', { recordSize: 3, key: '0:2' }, '\n\n\nabcaaa', 3],
  ['numbers', { array: 'u32' }, '\n\n\n\nabcd', 2],
  ['NUL-terminated lines', { zeroTerminated: true }, 'b\n\0a\n\0', 2],
  ['JSON', { json: 'a:n' }, '{"a":2}\n{"a":1}\n', 2],
] as const)('counts records that are no lines: %s', async (_, settings, input, expected) => {
  for (const sizes of [{}, TINY])
    expect((await sort([input].values(), new Collected(), { ...sizes, ...settings })).records).toBe(expected);
});

it.each(['alignments.bam', 'alignments.sam'])('counts the alignments of %s', async (name) => {
  const lines = readFileSync(fixture('alignments.sam'), 'latin1').split('\n');
  const { records } = await sort(fixture(name), join(freshDirectory('results'), name), { by: 'coordinate' });
  expect(records).toBe(lines.filter((line) => line !== '' && !line.startsWith('@')).length);
});

it('counts reads, also if they are sorted by keys or stay together', async () => {
  const file = fixture('reads.fastq');
  const reads = linesOf(readFileSync(file)) / 4;
  for (const by of ['name', 'length', 'seq']) expect((await sort(file, new Collected(), { by })).records).toBe(reads);
  const directory = freshDirectory('results');
  const mates = join(directory, 'mates');
  writeFileSync(mates, readFileSync(fixture('reads_R2.fastq')));
  const settings = { by: 'length', mate: mates, mateOut: join(directory, 'out') };
  expect((await sort(file, join(directory, 'first'), settings)).records).toBe(reads);
});

it('counts each record once if the records are compressed or converted on their way', async () => {
  const { records } = await sort([LINES].values(), new Collected(), { outputFormat: 'gzip', level: 1 });
  expect(records).toBe(linesOf(LINES));
});

it.each([
  ['onProgress', {}],
  ['onWarning', { fieldSeparator: ',', key: '9' }],
])('ends with the error with which a promise of %s rejects', async (name, settings) => {
  const reason = new Error('boo');
  const unhandled: unknown[] = [];
  const listener = (error: unknown): number => unhandled.push(error);
  process.on('unhandledRejection', listener);
  try {
    for (const wait of [0, 30]) {
      let calls = 0;
      const call = async (): Promise<void> => {
        calls++;
        if (wait > 0) await sleep(wait);
        throw reason;
      };
      const given = { ...settings, [name]: call };
      const input = name === 'onWarning' ? fixture('alignments.bam') : [LINES].values();
      await expect(sort(input, new Collected(), given)).rejects.toBe(reason);
      expect(calls).toBeGreaterThan(0);
    }
    await sleep(5);
    expect(unhandled).toEqual([]);
  } finally {
    process.off('unhandledRejection', listener);
  }
});

it('waits for the promises of callbacks, but not after an abort', async () => {
  let settled = 0;
  const slow = async (): Promise<void> => {
    await sleep(10);
    settled++;
  };
  let calls = 0;
  const onProgress = (): Promise<void> => {
    calls++;
    return slow();
  };
  await sort([LINES].values(), new Collected(), { onProgress });
  expect(settled).toBe(calls);
  const controller = new AbortController();
  const reason = new Error('enough');
  const never = sort([LINES].values(), new Collected(), {
    signal: controller.signal,
    onProgress: ({ phase }) => {
      if (phase === 'sorting') controller.abort(reason);
      return new Promise(() => undefined);
    },
  });
  await expect(never).rejects.toBe(reason);
});
