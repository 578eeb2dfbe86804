/** Windows of whole records: together they hold all records, and each begins with the previous window's last record. */
import { expect, it } from 'vitest';
import { RecordWindows } from '../../src/input/record-windows.js';
import type { RecordFormat } from '../../src/job/ordering.js';
import { recordFinder } from '../../src/records/record-finder.js';
import { completed } from '../../src/records/whole-records.js';
import { randomBelow } from '../support/random.js';
import { inPieces } from '../support/streams.js';

const next = randomBelow(17);
const LINES: RecordFormat = { kind: 'lines', delimiter: 10 };
const FIXED: RecordFormat = { kind: 'fixed', size: 7 };

/** Pieces of 1 to `most` bytes. */
const source = (text: string, most: number) => inPieces(text, () => 1 + next(most));

async function windowsOf(text: string, format: RecordFormat, most: number, readsAhead: boolean): Promise<Buffer[]> {
  const windows = new RecordWindows(completed(source(text, most), recordFinder(format), 'text'), format, {
    readsAhead,
  });
  const list: Buffer[] = [];
  let added = 0;
  for (let window = await windows.next(); window !== null; window = await windows.next()) {
    list.push(Buffer.from(window));
    added += windows.added;
  }
  await windows.close();
  expect(added).toBe(text.length + Number(format.kind === 'lines' && text !== '' && !text.endsWith('\n')));
  return list;
}

const records = (text: string, format: RecordFormat): string[] =>
  text.match(format.kind === 'fixed' ? /[\s\S]{7}/g : /[^\n]*\n/g) ?? [];

it.each([
  [LINES, 3, 10],
  [LINES, 40, 5],
  [LINES, 0, 3],
  [LINES, 900, 64],
  [FIXED, 0, 3],
  [FIXED, 0, 50],
] as const)('cuts windows between records: %j of up to %i bytes, read %i at a time', async (format, longest, most) => {
  for (const readsAhead of [false, true]) {
    const text =
      format.kind === 'fixed'
        ? 'abcdefg'.repeat(300)
        : Array.from({ length: 300 }, () => `${'x'.repeat(next(longest + 1))}\n`).join('');
    const found = await windowsOf(text, format, most, readsAhead);
    const windows = found.map((window) => records(window.toString('latin1'), format));
    expect(windows.flatMap((window, i) => (i === 0 ? window : window.slice(1)))).toEqual(records(text, format));
    for (const [i, window] of windows.entries()) {
      expect(window.length).toBeGreaterThan(i === 0 ? 0 : 1);
      if (i > 0) expect(window[0]).toBe(windows[i - 1].at(-1));
    }
  }
});

it('adds a missing last delimiter and returns no window for an empty input', async () => {
  expect((await windowsOf('a\nb', LINES, 9, true)).at(-1)!.toString()).toMatch(/b\n$/);
  expect(await windowsOf('', LINES, 9, true)).toEqual([]);
});

it('rejects half a record and closes the input after the read-ahead', async () => {
  const input = source('abcdefghij', 4);
  const windows = new RecordWindows(completed(input, recordFinder(FIXED), 'text'), FIXED, { readsAhead: true });
  await windows.next();
  await expect(windows.next()).rejects.toThrow('10 bytes are not a whole number');
  await windows.close();
  expect(input.closes).toBe(1);
});
