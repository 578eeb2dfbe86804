/** What the papers' experiments compare with on the host, the texts that they read, and how their tables are made. */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
// @ts-expect-error: plain JavaScript, because the benchmarks run without a build of their own
import { findProgram, mergeInC } from '../../tools/bench/papers/c-programs.mjs';
// @ts-expect-error
import { notesOf, rendered } from '../../tools/bench/papers/documents.mjs';
// @ts-expect-error
import * as texts from '../../tools/bench/papers/texts.mjs';
// @ts-expect-error
import { mergeInWasm } from '../../tools/bench/papers/wasm-merge.mjs';
import { freshDirectory } from '../battery/runner.js';
import { randomBelow } from '../support/random.js';

const folder = freshDirectory('papers');
const hasCompiler = spawnSync('cc', ['--version']).status === 0;

describe.skipIf(!hasCompiler)('in C', () => {
  it.each(['i32', 'f32', 'i64', 'f64'])('%s: two runs are merged by any number of threads', (type) => {
    for (const n of [1, 2, 1000, 4097])
      for (const share of [0, 1 / 2, 127 / 128, 1]) {
        const found = mergeInC(type, { n, share, runs: 2, threads: [1, 2, 5], limitSeconds: 60 });
        // The program checks its outputs and fails if one is wrong.
        expect(found, `${n} ${share}`).toEqual([1, 2, 5].map((threads) => ({ threads, ms: expect.any(Number) })));
      }
  });

  it('rejects arguments that it does not know', () => {
    expect(mergeInC('u8', { n: 10, share: 1 / 2, runs: 1, threads: [1], limitSeconds: 60 })).toEqual({
      error: 'error: bad arguments',
    });
  });

  it('qsort puts lines in the order of their bytes', () => {
    const below = randomBelow(7);
    const line = (): Buffer => Buffer.from(Array.from({ length: below(5) }, () => 97 + below(150)));
    const lines = Array.from({ length: 2000 }, line);
    const [from, to] = [join(folder, 'lines'), join(folder, 'sorted')];
    const textOf = (list: readonly Buffer[]): Buffer => Buffer.concat(list.flatMap((one) => [one, Buffer.from('\n')]));
    writeFileSync(from, textOf(lines));
    const { status, stdout } = spawnSync(findProgram('qsort-lines').path, [from, to], { encoding: 'utf8' });
    expect([status, Number(stdout) >= 0]).toEqual([0, true]);
    expect(readFileSync(to).equals(textOf(lines.toSorted(Buffer.compare)))).toBe(true);
  });
});

it.each([4, 8])('the CPU engine merges two runs of numbers of %i bytes, and the result is checked', async (bytes) => {
  for (const n of [1, 2, 3000])
    for (const share of [0, 1 / 2, 1]) expect(await mergeInWasm(bytes, n, share, 1)).toBeGreaterThanOrEqual(0);
});

describe('texts', () => {
  it('are split into sentences, not after abbreviations', () => {
    const text = 'It was Mr. Bennet. He said\n"no." Then\n\n*Nothing* [followed]';
    expect([...texts.sentencesOf(text)]).toEqual(['It was Mr. Bennet.', 'He said "no."', 'Then', 'Nothing followed']);
  });

  it('are read without the tags of a corpus', () => {
    expect(texts.withoutTags("The/at jury/nn 1/2/cd ,/, ``/`` no/at ''/'' ./.\n")).toBe('The jury 1/2, " no ".\n\n');
  });

  it("are read from R's databases", () => {
    const string = (text: string): Buffer => {
      const head = Buffer.alloc(8);
      head.writeUInt32BE(0x00040009);
      head.writeInt32BE(Buffer.byteLength(text), 4);
      return Buffer.concat([head, Buffer.from(text)]);
    };
    const value = (...list: readonly string[]): Buffer => {
      const plain = Buffer.concat([Buffer.from('X\n\0\0\0\x02'), ...list.map(string)]);
      const length = Buffer.alloc(4);
      length.writeUInt32BE(plain.length);
      return Buffer.concat([length, deflateSync(plain)]);
    };
    expect([...texts.stringsOfR(Buffer.concat([value('a line', ''), value('naïve')]))]).toEqual([
      'a line',
      '',
      'naïve',
    ]);
  });

  it('give their first lines to a sort; without the file they are left out', () => {
    const { [texts.FOLDER_VARIABLE]: before } = process.env;
    process.env[texts.FOLDER_VARIABLE] = folder;
    writeFileSync(join(folder, 'words.br'), brotliCompressSync('one\ntwo\nthree\n'));
    try {
      const taken = [1, 4].map((size) => texts.textSource('words').open(Infinity, size));
      expect(taken.map(({ n, blocks }) => [n, blocks().map(({ block }: { block: Buffer }) => String(block))])).toEqual([
        [2, ['one\ntwo\n']],
        [3, ['one\ntwo\nthree\n']],
      ]);
      expect(texts.textSource('words').unfit()).toBe(null);
      expect(texts.textSource('sentences').unfit()).toMatch(/^real texts/);
    } finally {
      if (before === undefined) delete process.env[texts.FOLDER_VARIABLE];
      else process.env[texts.FOLDER_VARIABLE] = before;
    }
  });
});

describe('a table', () => {
  const machine = {
    cpu: 'a',
    cores: 1,
    memoryGB: 1,
    adapter: 'b',
    system: 'c',
    node: 'd',
    sort: 'e',
    date: '2026-11-22',
  };
  const row = { experiment: '4-tiles', runs: 3, algorithm: 'merge-tile-128x3', case: 'u32 keys two runs', size: 27 };
  const document = 'text\n<!-- results 4-tiles -->\n<!-- end -->\n';

  it('says the date and the machine of its rows', () => {
    const text = rendered(document, [{ ...row, n: 2 ** 27, spanMs: 2, machine }]);
    expect(text).toMatch(/\| 128 \| 3 \| 384 \| 2\^27 \| 349,526 \| 2\.00 \|/);
    expect(text).toMatch(/Measured on a, .*; 2026-11-22; medians of 3\.\n/);
  });

  it('is refused if its rows are of two days', () => {
    const rows = [row, { ...row, algorithm: 'merge-tile-128x5' }].map((one, day) => ({
      ...one,
      n: 2 ** 27,
      spanMs: 2,
      machine: { ...machine, date: `2026-11-2${day}` },
    }));
    expect(() => rendered(document, rows)).toThrow(
      /^4-tiles: rows of different measurements: .*2026-11-20.*2026-11-21/,
    );
  });

  it('names what failed and why figures were left out, of rows and of commands', () => {
    const rows = [
      { id: 'x', error: 'lost' },
      { id: 'y', leftOut: 'no compiler' },
      { id: 'z', ways: { qsort: { leftOut: 'no compiler' }, cpu: { leftOut: 'too slow' } } },
    ];
    expect(notesOf(rows)).toBe('* x: failed: lost\nLeft out: no compiler; too slow.\n');
  });
});
