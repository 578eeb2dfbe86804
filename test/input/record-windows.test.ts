/** Windows of whole records: together they hold all records, and each begins with the previous window's last record. */
import { expect, it } from 'vitest';
import type { ByteSource } from '../../src/input/record-cursor.js';
import { RecordWindows } from '../../src/input/record-windows.js';
import type { RecordFormat } from '../../src/job.js';
import { randomBelow } from '../support/random.js';

const next = randomBelow(17);
const LINES: RecordFormat = { kind: 'lines', delimiter: 10 };
const FIXED: RecordFormat = { kind: 'fixed', size: 7 };

/** Reads `text` in pieces of at most `most` bytes, all in one buffer that the next piece overwrites. */
function source(text: Buffer, most: number): ByteSource & { closed: boolean } {
  const buffer = Buffer.alloc(most);
  let at = 0;
  return {
    label: 'text',
    closed: false,
    async read() {
      const piece = text.subarray(at, at + 1 + next(most));
      at += piece.length;
      return piece.length === 0 ? null : buffer.subarray(0, piece.copy(buffer));
    },
    close() {
      this.closed = true;
    },
  };
}

async function windowsOf(text: Buffer, format: RecordFormat, most: number, readsAhead: boolean): Promise<Buffer[]> {
  const windows = new RecordWindows(source(text, most), format, readsAhead);
  const list: Buffer[] = [];
  let added = 0;
  for (let window = await windows.next(); window !== null; window = await windows.next()) {
    list.push(Buffer.from(window));
    added += windows.added;
  }
  await windows.close();
  expect(added).toBe(text.length + Number(format.kind === 'lines' && text.length > 0 && text.at(-1) !== 10));
  return list;
}

const records = (text: Buffer, format: RecordFormat): string[] =>
  text.toString('latin1').match(format.kind === 'fixed' ? /[\s\S]{7}/g : /[^\n]*\n/g) ?? [];

it.each([
  [LINES, 3, 10],
  [LINES, 40, 5],
  [LINES, 0, 3],
  [LINES, 900, 64],
  [FIXED, 0, 3],
  [FIXED, 0, 50],
] as const)('cuts windows between records: %j of up to %i bytes, read %i at a time', async (format, longest, most) => {
  for (const readsAhead of [false, true]) {
    const text = Buffer.from(
      format.kind === 'fixed'
        ? 'abcdefg'.repeat(300)
        : Array.from({ length: 300 }, () => `${'x'.repeat(next(longest + 1))}\n`).join(''),
    );
    const windows = (await windowsOf(text, format, most, readsAhead)).map((window) => records(window, format));
    expect(windows.flatMap((window, i) => (i === 0 ? window : window.slice(1)))).toEqual(records(text, format));
    for (const [i, window] of windows.entries()) {
      expect(window.length).toBeGreaterThan(i === 0 ? 0 : 1);
      if (i > 0) expect(window[0]).toBe(windows[i - 1].at(-1));
    }
  }
});

it('adds a missing last delimiter, and returns no window for an empty input', async () => {
  expect((await windowsOf(Buffer.from('a\nb'), LINES, 9, true)).at(-1)!.toString()).toMatch(/b\n$/);
  expect(await windowsOf(Buffer.from(''), LINES, 9, true)).toEqual([]);
});

it('rejects half a record, and closes the input after the read-ahead', async () => {
  const input = source(Buffer.from('abcdefghij'), 4);
  const windows = new RecordWindows(input, FIXED, true);
  await expect(
    (async () => {
      while ((await windows.next()) !== null) {
        /* to the end */
      }
    })(),
  ).rejects.toThrow('10 bytes are not a whole number');
  await windows.close();
  expect(input.closed).toBe(true);
});
