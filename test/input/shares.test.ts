/** Shares of inputs: they cover each byte once, and reading one after another gives the text of reading all at once. */
import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseFieldSpan } from '../../src/cli/parse/key-definition.js';
import { type InputFile, statInput } from '../../src/input/files.js';
import { Headers } from '../../src/input/header.js';
import { cutShares, type SharePart, shareInputs } from '../../src/input/shares.js';
import type { Framing, Header } from '../../src/job/job.js';
import { delimiterOf, type Ordering, type RecordFormat, type SegmentRule } from '../../src/job/ordering.js';
import { planEncoding } from '../../src/keys/record-encoding.js';
import { showWarnings } from '../../src/report/warnings.js';
import { freshDirectory } from '../battery/runner.js';
import { damage, drawFasta, drawFastq, resultOf } from '../records/fastx-reference.js';
import { collectingEngine, portionsOf } from '../support/collect-chunks.js';
import { property } from '../support/property.js';
import { type RandomBelow, randomBelow } from '../support/random.js';
import { LINES } from '../support/records.js';
import { blankParted, keyed } from '../support/segments.js';

const NUL_LINES: RecordFormat = { kind: 'lines', delimiter: 0 };
const LF: RecordFormat = { kind: 'lines', delimiter: 10 };
const folder = freshDirectory('shares');

interface Form {
  readonly format?: RecordFormat;
  readonly framing?: Framing | null;
  readonly decompress?: boolean;
  readonly header?: Header;
  readonly warns?: boolean;
}

const FASTQ: Form = { format: NUL_LINES, framing: { kind: 'fastq', reads: 1 }, decompress: true };
const PAIRS: Form = { format: NUL_LINES, framing: { kind: 'fastq', reads: 2 }, decompress: true };
const FASTA: Form = { format: NUL_LINES, framing: { kind: 'fasta' }, decompress: true };
const CSV: Form = { format: NUL_LINES, framing: { kind: 'csv', separator: 44 } };

/** Files of the given texts, in latin1, as inputs whose headers are stripped. */
async function inputsOf(texts: readonly (string | Buffer)[], form: Form): Promise<InputFile[]> {
  const { framing = null, decompress = false, header, format = LF, warns = false } = form;
  const headers = header === undefined ? null : new Headers(header, format);
  const inputs: InputFile[] = [];
  for (const [i, text] of texts.entries()) {
    const name = join(folder, `file-${i}`);
    writeFileSync(name, text, 'latin1');
    const options = { format: null, framing, decompress, threads: 0, warnsOfCompression: warns };
    const input = statInput(Buffer.from(name), 'sort', options);
    inputs.push(headers === null ? input : await headers.stripFile(input));
  }
  return inputs;
}

/** The text of all records of inputs, with a delimiter after each. */
async function textOf(inputs: readonly InputFile[], form: Form, chunkBytes = 1 << 12): Promise<string> {
  const { format = LF, header } = form;
  const headers = header === undefined ? null : new Headers(header, format);
  const end = format.kind === 'fixed' ? '' : String.fromCharCode(delimiterOf(format));
  const portions = await portionsOf(inputs, format, collectingEngine(chunkBytes, chunkBytes >> 4), headers);
  return portions.map((portion) => (typeof portion === 'string' ? portion : portion.large + end)).join('');
}

const orderingOf = ({ format = LF }: Form, segments?: SegmentRule): Ordering => ({
  ...LINES,
  format,
  ...(segments && { segments }),
});

/** Cuts inputs, and checks that the shares hold each byte of them once, in order. */
async function sharesOf(inputs: readonly InputFile[], form: Form, count: number): Promise<readonly SharePart[][]> {
  const shares = await cutShares(inputs, { ordering: orderingOf(form) }, count);
  expectWhole(inputs, shares, count);
  return shares as SharePart[][];
}

function expectWhole(inputs: readonly InputFile[], shares: readonly (readonly SharePart[])[], count: number): void {
  expect(shares.length).toBeLessThanOrEqual(count);
  for (const share of shares) expect(share.length).toBeGreaterThan(0);
  const parts = shares.flat();
  for (const { begin, end } of parts) expect(end).toBeGreaterThan(begin);
  let next = 0;
  for (const [input, { extent }] of inputs.entries()) {
    if (extent === null || extent.begin === extent.end) continue;
    let at = extent.begin;
    for (; parts[next]?.input === input; next++) {
      expect(parts[next].begin).toBe(at);
      at = parts[next].end;
    }
    expect(at).toBe(extent.end);
  }
  expect(next).toBe(parts.length);
}

/** The text of all shares, each read by itself; or the error of the first one that is refused. */
async function textOfShares(
  inputs: readonly InputFile[],
  shares: readonly (readonly SharePart[])[],
  form: Form,
  chunkBytes?: number,
): Promise<string> {
  const texts: string[] = [];
  for (const parts of shares) texts.push(await textOf(shareInputs(inputs, parts), form, chunkBytes));
  return texts.join('');
}

/** Compares shares with the whole, for several counts. Returns the largest number of shares. */
async function expectSame(texts: readonly (string | Buffer)[], form: Form, counts: readonly number[]): Promise<number> {
  const inputs = await inputsOf(texts, form);
  const want = await resultOf(() => textOf(inputs, form));
  let most = 0;
  for (const count of counts) {
    const shares = await sharesOf(inputs, form, count);
    most = Math.max(most, shares.length);
    const got = await resultOf(() => textOfShares(inputs, shares, form));
    const isRefused = want.refused !== undefined;
    if (got.text === want.text && isRefused === (got.refused !== undefined)) continue;
    expect(got, JSON.stringify([texts, count, shares])).toEqual(want);
  }
  return most;
}

const COUNTS = [1, 2, 3, 7, 19, 50];

/** Up to four texts; some are empty. */
const several = (below: RandomBelow, draw: () => string): string[] =>
  Array.from({ length: 1 + below(4) }, () => (below(4) === 0 ? '' : draw()));

const drawLines = (below: RandomBelow, end: string): string =>
  Array.from({ length: below(40) }, () => 'k'.repeat(below(10) === 0 ? below(300) : below(9))).join(end) +
  (below(2) === 0 ? end : '');

const FIXED_HEADER: Header = { kind: 'records', count: 2 };

/** Forms of records, and texts of them. */
const DRAWN: readonly {
  readonly what: string;
  readonly draw: (below: RandomBelow) => { readonly form: Form; readonly texts: readonly string[] };
}[] = [
  ...(
    [
      ['lines', LF, '\n'],
      ['lines that end in CR LF', LF, '\r\n'],
      ['lines that end in NUL', NUL_LINES, '\0'],
    ] as const
  ).map(([what, format, end]) => ({
    what,
    draw: (below: RandomBelow) => ({ form: { format }, texts: several(below, () => drawLines(below, end)) }),
  })),
  {
    what: 'lines, with headers',
    draw: (below) => ({
      form: { header: { kind: 'prefixes', prefixes: [Buffer.from('#')] } },
      texts: several(below, () => `#1\n#2${below(3) === 0 ? '' : `\n${drawLines(below, '\n')}`}`),
    }),
  },
  {
    what: 'fixed records',
    draw: (below) => {
      const size = 1 + below(9);
      const start = 'h'.repeat(2 * size);
      return {
        form: { format: { kind: 'fixed', size }, ...(below(2) === 0 && { header: FIXED_HEADER }) },
        texts: several(below, () => start + Array.from({ length: below(50) * size }, () => below(10)).join('')),
      };
    },
  },
  {
    what: 'FASTQ, whose qualities may begin with @ and +',
    draw: (below) => ({
      form: FASTQ,
      texts: several(below, () => drawFastq(below, below(30), 4, 1 + below(60))),
    }),
  },
  {
    what: 'FASTQ that looks like records from any line on',
    draw: (below) => ({ form: FASTQ, texts: several(below, () => hostile(below)) }),
  },
  { what: 'FASTA', draw: (below) => ({ form: FASTA, texts: several(below, () => drawFasta(below, below(30))) }) },
  {
    what: 'damaged FASTQ and FASTA',
    draw: (below) => {
      const isFasta = below(3) === 0;
      const text = isFasta ? drawFasta(below, 1 + below(9)) : drawFastq(below, 1 + below(12), 4, 1 + below(20));
      const other = text.slice(0, below(9) === 0 ? below(text.length) : 0);
      return { form: isFasta ? FASTA : FASTQ, texts: [damage(below, text), other] };
    },
  },
];

function hostile(below: RandomBelow): string {
  const word = (first: string) => first + 'x'.repeat(below(3));
  let text = '';
  for (let i = below(40); i > 0; i--) {
    const sequence = word(['@', '+', 'A'][below(3)]);
    const quality = ['@', '+', 'I'][below(3)] + 'x'.repeat(sequence.length - 1);
    text += [word('@'), sequence, word('+'), quality, ''].join('\n');
  }
  return text;
}

describe('shares of inputs', () => {
  for (const [i, { what, draw }] of DRAWN.entries()) {
    property(
      `reads the same records in shares as in whole files: ${what}`,
      [fc.nat(), fc.constantFrom(...COUNTS)],
      async (seed, count) => {
        const { texts, form } = draw(randomBelow(seed));
        await expectSame(texts, form, [count]);
      },
      { runs: 120, seed: 1 + i },
    );
  }

  const WHOLE = DRAWN.filter(({ what }) => !/headers|damaged/.test(what));
  it.each(WHOLE)('cuts small files into many shares: $what', async ({ draw }) => {
    let most = 0;
    for (let seed = 1; seed <= 6; seed++) {
      const { texts, form } = draw(randomBelow(seed));
      most = Math.max(most, (await sharesOf(await inputsOf(texts, form), form, 50)).length);
    }
    expect(most).toBeGreaterThan(20);
  });

  it('refuses to cut files that are not a whole number of fixed records', async () => {
    const inputs = await inputsOf(['x'.repeat(30), 'x'.repeat(25)], {});
    const ordering = orderingOf({ format: { kind: 'fixed', size: 10 } });
    await expect(cutShares(inputs, { ordering }, 3)).rejects.toThrow(/25 bytes are not .* 10-byte records/);
  });

  it('cuts FASTQ into few shares if almost any line may begin a record', async () => {
    const turned = '@x\n@x\n+x\n+x\n'.repeat(30);
    expect(await expectSame([turned], FASTQ, [5])).toBe(1);
    expect(await expectSame([`${turned}@y\nACGT\n+\nIIII\n`.repeat(3)], FASTQ, [3])).toBe(2);
  });

  it('reads FASTQ with empty reads and empty lines at its end in shares', async () => {
    for (const end of ['\n', '\r\n'])
      for (const tail of ['', end, end.repeat(30)]) {
        const text = `@${end}${end}+${end}${end}`.repeat(30) + tail;
        expect(await expectSame([text, ''], FASTQ, COUNTS)).toBeGreaterThan(9);
      }
    // The last record's empty quality line has no line end.
    await expectSame([`${'@a\nA\n+\nI\n'.repeat(9)}@a\n\n+\n`], FASTQ, COUNTS);
  });

  it('keeps CSV, interleaved FASTQ and compressed files whole in shares', async () => {
    const below = randomBelow(8);
    const csv = Array.from({ length: 5 }, (_, i) => `a,b\n${`"x\ny${i}",z\n`.repeat(20)}`);
    const header: Header = { kind: 'records', count: 1 };
    expect(await expectSame(csv, { ...CSV, header }, COUNTS)).toBe(5);
    const packed = csv.map((text) => gzipSync(text));
    expect(await expectSame(packed, { ...CSV, header, decompress: true }, COUNTS)).toBe(5);
    const pairs = Array.from({ length: 3 }, () => drawFastq(below, 20, 8, 30).trimEnd());
    expect(await expectSame(pairs, PAIRS, COUNTS)).toBe(3);
    const reads = Array.from({ length: 4 }, () => gzipSync(drawFastq(below, 50, 4, 90)));
    expect(await expectSame(reads, FASTQ, COUNTS)).toBe(4);
    const lines = Array.from({ length: 3 }, () => gzipSync(`# h\n${drawLines(below, '\n')}`));
    const prefixed: Header = { kind: 'prefixes', prefixes: [Buffer.from('#')] };
    expect(await expectSame(lines, { decompress: true, header: prefixed }, COUNTS)).toBe(3);
    const stored = gzipSync('@a\nACGT\n+\nIIII\n'.repeat(100), { level: 0 });
    expect(await expectSame([stored], FASTQ, COUNTS)).toBe(1);
    // Together with a plain file.
    const mixed = [reads[0], drawFastq(below, 300, 4, 90).trimEnd(), ''];
    expect(await expectSame(mixed, FASTQ, COUNTS)).toBeGreaterThan(20);
  });
});

describe('shares', () => {
  it('cuts shares of about equal bytes', async () => {
    const below = randomBelow(9);
    const line = (): string => `${'x'.repeat(below(200))}\n`;
    const texts = Array.from({ length: 5 }, () => Array.from({ length: below(9000) }, line).join(''));
    const reads = [drawFastq(below, 4000, 4, 300), drawFastq(below, 900, 4, 300)];
    for (const [given, form, most] of [
      [texts, {}, 201],
      [reads, FASTQ, 2 * 1200],
    ] as const) {
      const inputs = await inputsOf(given, form);
      const total = inputs.reduce((sum, { extent }) => sum + extent!.end, 0);
      for (const count of [2, 10, 33]) {
        const shares = await sharesOf(inputs, form, count);
        expect(shares.length).toBe(count);
        for (const parts of shares) {
          const bytes = parts.reduce((sum, { begin, end }) => sum + end - begin, 0);
          expect(Math.abs(bytes - total / count)).toBeLessThan(most);
        }
      }
    }
  });

  it('cuts shares exactly at the end of a record, even between windows', async () => {
    const inputs = await inputsOf(['aaa\n'.repeat(80)], {});
    expect((await sharesOf(inputs, {}, 10)).map(([{ begin }]) => begin / 32)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    // The first window begins one byte before the middle.
    const second = 100_000 - 1 + (64 << 10);
    const text = `>${'A'.repeat(second - 2)}\n>`.padEnd(200_000, 'C');
    expect((await sharesOf(await inputsOf([text], FASTA), FASTA, 2))[1][0].begin).toBe(second);
  });

  it('makes whole files shares if they are about equal and cannot be cut', async () => {
    const inputs = await inputsOf(
      [97, 104, 96, 105, 95, 103].map((count) => 'a,b\n'.repeat(count)),
      CSV,
    );
    const shares = await sharesOf(inputs, CSV, 6);
    expect(shares.map((parts) => parts.map(({ input }) => input))).toEqual([[0], [1], [2], [3], [4], [5]]);
    expect((await sharesOf(inputs, CSV, 3)).map((parts) => parts.length)).toEqual([2, 2, 2]);
  });

  it('combines many small files into each share', async () => {
    const texts = Array.from({ length: 90 }, (_, i) => `${i}\n`.repeat(3));
    const shares = await sharesOf(await inputsOf(texts, {}), {}, 4);
    expect(shares.length).toBe(4);
    for (const parts of shares) expect(parts.length).toBeGreaterThan(15);
    await expectSame(texts, {}, COUNTS);
  });

  it('enlarges a share if a record is longer than it would be', async () => {
    const below = randomBelow(10);
    const giant = 'g'.repeat(2_500_000);
    for (const text of [giant, `a\nb\n${giant}\nc\n`, `${giant}\n`.repeat(2) + 'x\n'.repeat(20)]) {
      const inputs = await inputsOf([text, 'd\ne'], {});
      for (const count of [3, 30]) {
        const shares = await sharesOf(inputs, {}, count);
        expect(
          (await textOfShares(inputs, shares, {}, 3 << 20)) === `${text}${text.endsWith('\n') ? '' : '\n'}d\ne\n`,
        ).toBe(true);
      }
    }
    const read = (bases: number): string => `@r\n${'A'.repeat(bases)}\n+\n${'@'.repeat(bases)}\n`;
    const text = Array.from({ length: 12 }, () => read(below(2) * 700_000 + below(9))).join('');
    const inputs = await inputsOf([text], FASTQ);
    const shares = await sharesOf(inputs, FASTQ, 4);
    expect(shares.length).toBeGreaterThan(1);
    const want = await textOf(inputs, FASTQ, 3 << 20);
    expect((await textOfShares(inputs, shares, FASTQ, 3 << 20)) === want).toBe(true);
  });

  it('cuts no shares of files without records', async () => {
    expect(await sharesOf(await inputsOf(['', ''], {}), {}, 5)).toEqual([]);
    const header: Header = { kind: 'records', count: 1 };
    expect(await sharesOf(await inputsOf(['only\n', 'only'], { header }), { header }, 5)).toEqual([]);
  });

  it('refuses to cut streams and files of unknown size into shares', async () => {
    const form = { format: null, framing: null, decompress: false, threads: 0, warnsOfCompression: false };
    for (const name of ['/dev/zero', '/proc/self/status']) {
      const input = statInput(Buffer.from(name), 'sort', form);
      await expect(cutShares([input], { ordering: LINES }, 2)).rejects.toMatchObject({
        code: 'usage',
        message: `cannot cut into shares: ${name}: it is not a regular file with a known size`,
      });
    }
  });

  it('ignores the magic bytes of gzip in the middle of a file', async () => {
    // Lines that begin like gzip, in a file that does not.
    const texts = [`a\n${`\x1f\x8b\x08${'\0'.repeat(20)}\n`.repeat(50)}`];
    const warnings: string[] = [];
    showWarnings((sentence) => warnings.push(sentence));
    for (const form of [{ decompress: true }, { warns: true }]) await expectSame(texts, form, COUNTS);
    expect(warnings).toEqual([]);
    showWarnings(() => undefined);
  });

  it('names the byte and line of a share in messages about records', async () => {
    const text = '@a\nA\n+\nI\n'.repeat(40);
    const inputs = await inputsOf([`${text}@a\nA\nI\n`], FASTQ);
    const shares = await sharesOf(inputs, FASTQ, 2);
    const { begin } = shares[1][0];
    const line = ((text.length - begin) / 9) * 4 + 3;
    expect((await resultOf(() => textOfShares(inputs, shares, FASTQ))).refused).toContain(
      `file-0 after byte ${begin}: line ${line} does not begin with "+"`,
    );
  });

  it('refuses a share if its file became shorter', async () => {
    for (const [form, text] of [
      [FASTQ, '@a\nA\n+\nI\n'.repeat(40)],
      [{}, 'aaaaaaaa\n'.repeat(40)],
    ] as const) {
      const inputs = await inputsOf([text], form);
      const shares = await sharesOf(inputs, form, 2);
      truncateSync(join(folder, 'file-0'), 90);
      await expect(textOf(shareInputs(inputs, shares[0]), form)).rejects.toThrow(/became shorter while it was read/);
    }
  });

  it('refuses a share that ends inside a record because its file was written to', async () => {
    const inputs = await inputsOf(['aaaaaaaa\n'.repeat(40)], {});
    const shares = await sharesOf(inputs, {}, 2);
    writeFileSync(join(folder, 'file-0'), 'a\n'.padEnd(360, 'b'));
    for (const chunkBytes of [4096, 128])
      await expect(textOf(shareInputs(inputs, shares[0]), {}, chunkBytes)).rejects.toThrow(/was written to while/);
  });
});

describe('segments', () => {
  const isBlank = (line: string): boolean => /^[ \t\r]*$/.test(line);
  const SPACE: SegmentRule = { kind: 'fields', span: parseFieldSpan('1,1', Buffer.from(' ')) };
  /** For each kind: lines, and whether two neighbors belong to one segment. */
  const kinds: readonly (readonly [SegmentRule, typeof keyed, (a: string, b: string) => boolean])[] = [
    [{ kind: 'blank' }, blankParted, (a, b) => !isBlank(a) && !isBlank(b)],
    [SPACE, keyed, (a, b) => a.split(' ')[0] === b.split(' ')[0]],
  ];

  /** The lines at the ends of shares that follow each other. */
  async function ends(inputs: readonly InputFile[], shares: readonly (readonly SharePart[])[]): Promise<string[][]> {
    const texts: string[][] = [];
    for (const parts of shares) texts.push((await textOf(shareInputs(inputs, parts), {})).split('\n').slice(0, -1));
    return texts.slice(1).map((lines, i) => [texts[i].at(-1)!, lines[0]]);
  }

  property(
    'cuts no segment, within a file or between files',
    [fc.constantFrom(...kinds), fc.nat()],
    async ([segments, draw, belong], seed) => {
      const below = randomBelow(seed);
      const texts = several(below, () => draw(below(1000), 1 + below(60)).join('\n') + '\n'.repeat(below(2)));
      const inputs = await inputsOf(texts, {});
      const whole = await textOf(inputs, {});
      for (const count of COUNTS) {
        const shares = await cutShares(inputs, { ordering: orderingOf({}, segments) }, count);
        expectWhole(inputs, shares, count);
        expect(await textOfShares(inputs, shares, {})).toBe(whole);
        for (const [a, b] of await ends(inputs, shares)) expect(belong(a, b), JSON.stringify([a, b])).toBe(false);
      }
    },
    { runs: 60 },
  );

  it('finds segments of fixed records at their offset in the file, not in the encoded record', async () => {
    const below = randomBelow(13);
    const type = { kind: 'unsigned', bytes: 2, bigEndian: false } as const;
    const part = (offset: number) => ({ offset, length: 2, type, reverse: false });
    const { encoding, segment } = planEncoding(8, [part(6), part(2)], false, { offset: 5, length: 1 });
    expect(segment!.offset).not.toBe(5);
    const form: Form = { format: { kind: 'fixed', size: 8 } };
    const ordering: Ordering = {
      ...orderingOf(form, { kind: 'bytes', ...segment! }),
      ...(encoding && { encoding }),
    };
    let most = 0;
    for (let round = 0; round < 30; round++) {
      let name = 0;
      const text = Buffer.concat(
        Array.from({ length: 100 }, () => {
          const record = Buffer.from(Array.from({ length: 8 }, () => below(256)));
          record[5] = name = below(4) === 0 ? below(3) : name;
          return record;
        }),
      );
      const at = 8 * below(100);
      const inputs = await inputsOf([text.subarray(0, at), text.subarray(at)], form);
      const shares = await cutShares(inputs, { ordering }, 1 + below(50));
      expectWhole(inputs, shares, 50);
      most = Math.max(most, shares.length);
      const starts = shares.slice(1).map(([{ input, begin }]) => begin + (input === 0 ? 0 : at));
      for (const start of starts) expect(text[start + 5]).not.toBe(text[start - 3]);
    }
    expect(most).toBeGreaterThan(10);
  });

  it('cuts no segment of long records', async () => {
    const line = (name: string, bytes: number) => `${name} ${'x'.repeat(bytes)}\n`;
    const text = [line('a', 300_000), line('a', 9), line('b', 500_000), line('b', 200_000), line('c', 9)].join('');
    const inputs = await inputsOf([text], {});
    for (const count of [2, 5, 20]) {
      const shares = await cutShares(inputs, { ordering: orderingOf({}, SPACE) }, count);
      expectWhole(inputs, shares, count);
      for (const [{ begin }] of shares.slice(1))
        expect(text[begin]).not.toBe(text.slice(0, begin - 1).match(/(.) x*$/)![1]);
    }
  });

  it('refuses large segments that span several shares', async () => {
    const text = `a 1\n${'b 2\n'.repeat(1000)}c 3\n`;
    const inputs = await inputsOf([text], {});
    const cut = (count: number, least?: number) => cutShares(inputs, { ordering: orderingOf({}, SPACE) }, count, least);
    expectWhole(inputs, await cut(10), 10);
    expectWhole(inputs, await cut(3, 100), 3);
    await expect(cut(10, 100)).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringMatching(
        /cannot cut into shares: .*file-0: the segment at byte 8\d\d spans several shares/,
      ),
      hint: 'Use fewer --tasks, or sort without --cluster.',
    });
  });

  it('refuses segments that may span a compressed file and another file', async () => {
    const inputs = await inputsOf([gzipSync('a\nb\n'), 'c\n'], { decompress: true });
    const job = { ordering: orderingOf({}, { kind: 'blank' }) };
    await expect(cutShares(inputs, job, 3)).rejects.toMatchObject({ code: 'usage' });
    expect(await cutShares(inputs.slice(0, 1), job, 30, 1)).toEqual([
      [{ input: 0, begin: 0, end: inputs[0].extent!.end }],
    ]);
  });
});
