/** Counts of equal neighbours, however the stream is cut into blocks, against a plain count. */
import { describe, expect, it } from 'vitest';
import type { KeyPart, Ordering } from '../../src/job.js';
import { KeyMaker } from '../../src/keys/key-maker.js';
import { countEqual } from '../../src/output/count.js';
import { countCollated } from '../../src/output/count-collated.js';
import { collector } from '../support/jobs.js';
import { randomBelow } from '../support/random.js';
import { join, LINES } from '../support/records.js';

const ordered: Ordering = { ...LINES, lastResort: false };
const PART: KeyPart = {
  span: {
    begin: { field: 0, byte: 0, skipBlanks: false },
    end: { field: 0, byte: 0, skipBlanks: false },
    separator: null,
  },
  order: 'numeric',
  dictionary: false,
  printing: false,
  fold: false,
  reverse: false,
};
const byNumber = (format: Ordering['format']): Ordering => ({
  ...ordered,
  format,
  key: { kind: 'normalised', parts: [PART], seed: null },
});

/** What uniq -c writes: for neighbouring lines with the same name, their number and the first line. */
function counted(lines: readonly Buffer[], nameOf: (line: string) => string, end: string): string {
  const groups: { name: string; line: string; count: number }[] = [];
  for (const line of lines) {
    const text = line.toString('latin1');
    if (groups.at(-1)?.name === nameOf(text)) groups.at(-1)!.count++;
    else groups.push({ name: nameOf(text), line: text, count: 1 });
  }
  return groups.map(({ line, count }) => `${String(count).padStart(7)} ${line}${end}`).join('');
}

async function through(
  ordering: Ordering,
  text: Buffer,
  blockBytes: () => number,
  waits: boolean,
  count = countEqual,
): Promise<string> {
  const out = collector();
  const filter = count(ordering, async (block) => {
    await new Promise(setImmediate);
    await out.write(block);
  });
  const writes: Promise<void>[] = [];
  for (let at = 0; at < text.length; ) {
    // Like the engine's memory: shared with threads, and reused after the write.
    const part = text.subarray(at, (at += 1 + blockBytes()));
    const block = new Uint8Array(new SharedArrayBuffer(part.length));
    block.set(part);
    const taken = filter.write(block).then(() => {
      block.fill(0x2a);
    });
    writes.push(taken);
    if (waits) await taken;
  }
  await Promise.all(writes);
  await filter.finish();
  return out.bytes().toString('latin1');
}

describe.each([
  ['newlines', 10],
  ['NUL', 0],
])('lines that end with %s', (_, delimiter) => {
  const format = { kind: 'lines', delimiter } as const;
  const end = String.fromCharCode(delimiter);
  const below = randomBelow(delimiter + 3);
  const long = (): number => (below(20) === 0 ? 200 : 6);

  it('are counted like by uniq -c', async () => {
    for (let round = 0; round < 300; round++) {
      const lines = Array.from({ length: below(60) }, () =>
        Buffer.alloc(below(long()), 'ab\xff'[below(3)], 'latin1'),
      ).sort((a, b) => a.compare(b));
      const ordering = { ...ordered, format };
      const most = [1, 6, 300][round % 3];
      expect(await through(ordering, join(lines, ordering), () => below(most), round % 2 === 0)).toBe(
        counted(lines, (line) => line, end),
      );
    }
  });

  it('are counted by key and written without it', async () => {
    for (let round = 0; round < 300; round++) {
      const lines = Array.from({ length: below(60) }, () => below(5))
        .sort((a, b) => a - b)
        .map((number) =>
          Buffer.from(`${'0'.repeat(below(3))}${number === 0 ? '' : number} ${'x'.repeat(below(long()))}`),
        );
      const ordering = byNumber(format);
      const text = Buffer.concat(
        lines.length === 0
          ? []
          : new KeyMaker(ordering).keyed(join(lines, ordering)).map((piece) => Buffer.from(piece)),
      );
      const most = [1, 9, 500][round % 3];
      expect(await through(ordering, text, () => below(most), round % 2 === 0)).toBe(
        counted(lines, (line) => String(Number(/^\d*/.exec(line)![0])), end),
      );
    }
  });

  it('are counted by language, even if their bytes differ', async () => {
    const ordering: Ordering = {
      ...ordered,
      format,
      key: {
        kind: 'collated',
        locale: 'de',
        parts: [{ ...PART, span: { ...PART.span, end: null }, order: 'bytes', fold: true }],
        seed: null,
      },
    };
    for (let round = 0; round < 100; round++) {
      const lines = Array.from({ length: below(60) }, () => below(5))
        .sort((a, b) => a - b)
        .map((i) =>
          Buffer.from(
            [['a', 'A'], ['\u00e4', 'a\u0308', '\u00c4'], ['b'.repeat(long())], ['c'], ['\u00df', 'SS']][i].at(
              below(3),
            ) ?? 'c',
          ),
        )
        .sort((a, b) =>
          new Intl.Collator('de').compare(a.toString().toLocaleUpperCase('de'), b.toString().toLocaleUpperCase('de')),
        );
      const most = [1, 6, 300][round % 3];
      expect(await through(ordering, join(lines, ordering), () => below(most), round % 2 === 0, countCollated)).toBe(
        counted(lines, (line) => Buffer.from(line, 'latin1').toString().toLocaleUpperCase('de').normalize('NFC'), end),
      );
    }
  });
});

it('adds counts to the first lines of reads', async () => {
  const below = randomBelow(9);
  const ordering = byNumber({ kind: 'lines', delimiter: 0 });
  for (let round = 0; round < 300; round++) {
    const end = ['\n', '\r\n'][below(2)];
    const records = Array.from({ length: below(60) }, () => below(5))
      .sort((a, b) => a - b)
      .map((number) => `${number} ${'x'.repeat(below(40))}${['', `${end}AC${end}+${end}II`][below(2)]}`);
    const lines = records.map((record) => Buffer.from(record));
    const text = lines.length === 0 ? [] : new KeyMaker(ordering).keyed(join(lines, ordering));
    const most = [1, 9, 500][round % 3];
    const groups = new Map<string, string[]>();
    for (const record of records) groups.set(record[0], [...(groups.get(record[0]) ?? []), record]);
    expect(
      await through(
        ordering,
        Buffer.concat([...text].map((piece) => Buffer.from(piece))),
        () => below(most),
        round % 2 === 0,
        (of, write) => countEqual(of, write, true),
      ),
    ).toBe(
      [...groups.values()].map((group) => `${group[0].replace(/(?=\r?\n|$)/, ` count=${group.length}`)}\0`).join(''),
    );
  }
});

it('writes counts of several digits into reads', async () => {
  const text = Buffer.concat([Buffer.alloc(4 * 12_345, 'a\nb\0'), Buffer.from('b\n\0'), Buffer.alloc(2 * 10, 'c\0')]);
  const ordering: Ordering = { ...ordered, format: { kind: 'lines', delimiter: 0 } };
  expect(
    await through(
      ordering,
      text,
      () => 4 << 20,
      true,
      (of, write) => countEqual(of, write, true),
    ),
  ).toBe('a count=12345\nb\0b count=1\n\0c count=10\0');
});

it('writes counts wider than seven digits, and lines longer than a block', async () => {
  const huge = [
    Buffer.alloc(3 << 20, 'c'),
    Buffer.alloc(3 << 20, 'c'),
    Buffer.alloc((1 << 20) - 21, 'd'),
    Buffer.alloc(1 << 20, 'e'),
    Buffer.from('f'),
  ];
  const text = Buffer.concat([Buffer.alloc(2 * 10_000_003, 'a\n'), Buffer.from('b\nb\n'), join(huge)]);
  const expected = `10000003 a\n      2 b\n${counted(huge, (line) => line, '\n')}`;
  expect((await through(ordered, text, () => 4 << 20, true)) === expected).toBe(true);
});

it('fails with the error of the output', async () => {
  const filter = countEqual(ordered, () => Promise.reject(new Error('disk full')));
  await filter.write(Buffer.from('a\nb\n'));
  await expect(filter.finish()).rejects.toThrow('disk full');
  const early = countEqual(ordered, () => Promise.reject(new Error('disk full')));
  const lines = Buffer.from(Array.from({ length: 300_000 }, (_, i) => `${i + 1_000_000}\n`).join(''));
  await expect(
    (async () => {
      for (let i = 0; i < 9; i++) await early.write(lines);
    })(),
  ).rejects.toThrow('disk full');
});
