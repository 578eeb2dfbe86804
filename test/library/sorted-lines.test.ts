/** sortedLines(): records one at a time, in each encoding, and how an iteration ends. */
import { mkdirSync, readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createSorter, type LineSettings, type SortInput, sortedLines } from '../../src/index.js';
import { freshDirectory } from '../battery/runner.js';
import { sampled } from '../support/tier.js';
import { blocksOf, SOURCES, seededLines, sortedBytes } from './support.js';

const TINY = { chunkSize: '4K', parallel: 1, engine: 'cpu' } as const;

/** All records of an iteration. */
async function linesOf<T>(lines: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const line of lines) all.push(line);
  return all;
}
const texts = (text: string | Buffer, settings: LineSettings<'utf8'> = {}): Promise<string[]> =>
  linesOf(sortedLines([text].values(), settings));
const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => Promise.reject(new Error('it did not fail')),
    (error: unknown) => error,
  );

describe('sortedLines()', () => {
  it.each(sampled(Object.entries(SOURCES), { count: Infinity, seed: 1 }))(
    'yields the records of %s',
    async (_, source) => {
      const bytes = seededLines(71, 20_000);
      const lines = linesOf(sortedLines(source(blocksOf(bytes, 72, 3000)), { ...TINY, key: '2', encoding: 'buffer' }));
      const sorted = await sortedBytes([bytes].values(), { key: '2' });
      const expected = sorted.toString('latin1').slice(0, -1).split('\n');
      expect((await lines).map((line) => line.toString('latin1'))).toEqual(expected);
    },
  );

  it('yields nothing for an empty input, and empty lines as they are', async () => {
    expect(await texts('')).toEqual([]);
    expect(await texts('\n')).toEqual(['']);
    expect(await texts('b\n\na\r\n\n')).toEqual(['', '', 'a\r', 'b']);
  });

  it('yields a last line that has no delimiter', async () => {
    expect(await texts('b\na')).toEqual(['a', 'b']);
  });

  it('splits at NUL if lines end there', async () => {
    expect(await texts('b\0a\nx\0\0', { zeroTerminated: true })).toEqual(['', 'a\nx', 'b']);
  });

  it('keeps all bytes as buffers and as latin1, and replaces what is not UTF-8 in text', async () => {
    const bytes = Buffer.from([0xe4, 0x0a, 0xff, 0x80, 0x62, 0x0a, 0xc3, 0xa4, 0x0a, 0xc3, 0x0a, 0x00, 0x0a]);
    const all = [Buffer.from([0]), Buffer.from([0xc3]), Buffer.from([0xc3, 0xa4]), Buffer.from([0xe4])];
    all.push(Buffer.from([0xff, 0x80, 0x62]));
    expect(await linesOf(sortedLines([bytes].values(), { encoding: 'buffer' }))).toEqual(all);
    const chars = all.map((line) => line.toString('latin1'));
    expect(await linesOf(sortedLines([bytes].values(), { encoding: 'latin1' }))).toEqual(chars);
    expect(await texts(bytes)).toEqual(all.map((line) => line.toString()));
  });

  it('yields lines that are longer than several blocks', async () => {
    const [long, longer] = [`ä${'x'.repeat(600 << 10)}`, `${'ä'.repeat(1 << 20)}y`];
    expect(await texts(`b\n${longer}\n${long}\na\n${long}`)).toEqual(['a', 'b', long, long, longer]);
  });

  it('yields records of CSV with newlines in quotes, and the header first', async () => {
    const csv = 'item,text\nb,"x\ny"\na,5" of\nc,"say ""a\n"""\n';
    expect(await texts(csv, { csv: true, key: 'text' })).toEqual([
      'item,text',
      'a,5" of',
      'c,"say ""a\n"""',
      'b,"x\ny"',
    ]);
    const counted = await texts(`${csv}c,"say ""a\n"""\n`, { csv: true, count: true });
    expect(counted).toEqual(['count,item,text', '1,a,5" of', '1,b,"x\ny"', '2,c,"say ""a\n"""']);
    expect(await texts(csv.replaceAll(',', '\t'), { tsv: true, top: 1 })).toHaveLength(2);
  });

  it('yields lines of genomics data', async () => {
    expect(await texts('b\t1\t2\na\t5\t9\n', { format: 'bed' })).toEqual(['a\t5\t9', 'b\t1\t2']);
    const sam = '@HD\tVN:1.6\n@SQ\tSN:c\tLN:9\nr\t0\tc\t1\t0\t*\t*\t0\t0\t*\t*\n';
    expect((await texts(sam, { format: 'sam', by: 'coordinate' })).map((line) => line.slice(0, 3))).toEqual([
      '@HD',
      '@SQ',
      'r\t0',
    ]);
  });

  it.each<[string, LineSettings, string]>([
    ['aaaa', { recordSize: 4 }, 'sortedLines() yields lines: records of a fixed size have no delimiter'],
    ['@r\nA\n+\nI\n', { format: 'fastq' }, 'sortedLines() yields lines: records of FASTQ are not lines'],
    ['@r\nA\n+\nI\n', { by: 'name' }, 'sortedLines() yields lines: records of FASTQ are not lines'],
    ['>r\nA\n', { format: 'fasta' }, 'sortedLines() yields lines: records of FASTA are not lines'],
    ['a\n', { outputFormat: 'gzip' }, 'sortedLines() yields lines: the output is compressed (gzip)'],
    ['', { format: 'bam' }, 'sortedLines() yields lines: the output is compressed (bgzf)'],
    ['a\n', { encoding: 'hex' as 'utf8' }, 'invalid value of \'encoding\': "hex"'],
    ['a\n', { check: true }, 'check writes no output: give null'],
    ['a\n', 5 as LineSettings, 'the settings are not an object'],
  ])('refuses what it cannot yield, and releases the input: %j, %j', async (text, settings, message) => {
    const input = Readable.from([Buffer.from(text)]);
    expect(await failureOf(linesOf(sortedLines(input, settings)))).toMatchObject({ code: 'usage', message });
    expect(input.destroyed).toBe(true);
  });

  it('starts with the first step', async () => {
    const input = Readable.from(['b\n', 'a\n']);
    const lines = sortedLines(input);
    await sleep(10);
    expect(input.readableDidRead).toBe(false);
    expect(await lines.next()).toEqual({ done: false, value: 'a' });
    await lines.return();
  });

  it('is a method of a sorter, with its settings', async () => {
    const sorter = createSorter({ reverse: true });
    expect(await linesOf(sorter.sortedLines(['a\nb\n'].values(), { unique: true }))).toEqual(['b', 'a']);
    await sorter.close();
    expect(await failureOf(linesOf(sorter.sortedLines(['a'].values())))).toMatchObject({ code: 'usage' });
  });
});

describe('an iteration of sortedLines()', () => {
  const directory = join(freshDirectory('sorted-lines'), 'temporary');
  mkdirSync(directory);
  const settings = { ...TINY, bufferSize: '128K', temporaryDirectory: directory } as const;
  const MANY = seededLines(73, 100_000);
  /** The temporary files that are open in this process. */
  const openFiles = (): string[] =>
    readdirSync('/proc/self/fd').flatMap((fd) => {
      try {
        const name = readlinkSync(`/proc/self/fd/${fd}`);
        return name.startsWith(directory) ? [name] : [];
      } catch {
        return [];
      }
    });
  async function expectFreed(input: Readable): Promise<void> {
    // A file operation in progress when the sort ended ends a little later.
    for (let i = 0; i < 500 && openFiles().length > 0; i++) await sleep(10);
    expect({ open: openFiles(), named: readdirSync(directory), destroyed: input.destroyed }).toEqual({
      open: [],
      named: [],
      destroyed: true,
    });
  }
  const spilling = (): Readable => Readable.from(blocksOf(MANY, 74, 9000));

  it('that is left early ends the sort and deletes its temporary files', async () => {
    const input = spilling();
    let lines = 0;
    for await (const _ of sortedLines(input, settings)) {
      expect(openFiles()).not.toEqual([]);
      if (++lines === 3) break;
    }
    // The sort is over: it has released its input.
    expect(input.destroyed).toBe(true);
    await expectFreed(input);
  });

  it('that is left by an error of its body throws that error', async () => {
    const input = spilling();
    const boo = new Error('boo');
    const work = async (): Promise<void> => {
      for await (const _ of sortedLines(input, settings)) throw boo;
    };
    expect(await failureOf(work())).toBe(boo);
    await expectFreed(input);
  });

  it('rejects with the error of the input', async () => {
    const input: SortInput = (async function* () {
      yield 'a\n';
      throw new Error('boo');
    })();
    expect(await failureOf(linesOf(sortedLines(input)))).toMatchObject({
      code: 'read-failed',
      cause: { message: 'boo' },
    });
    expect(await failureOf(linesOf(sortedLines('missing')))).toMatchObject({ code: 'cannot-read' });
  });

  it('rejects with the reason of an aborted signal, while it waits and between steps', async () => {
    const stalled = new PassThrough();
    stalled.write(MANY);
    const reason = new Error('enough');
    const waiting = new AbortController();
    setTimeout(() => waiting.abort(reason), 50);
    expect(await failureOf(linesOf(sortedLines(stalled, { ...settings, signal: waiting.signal })))).toBe(reason);
    await expectFreed(stalled);

    const input = spilling();
    const between = new AbortController();
    const lines = sortedLines(input, { ...settings, signal: between.signal });
    await lines.next();
    between.abort(reason);
    expect(await failureOf(linesOf(lines))).toBe(reason);
    await expectFreed(input);
    expect(await failureOf(linesOf(sortedLines('a', { signal: AbortSignal.abort(reason) })))).toBe(reason);
  });
});
