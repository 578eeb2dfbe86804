/** Records read by position, one after another, against those of the whole text. */
import { closeSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { recordsFrom } from '../../src/input/boundary.js';
import { recordFinder } from '../../src/records/record-finder.js';
import { freshDirectory } from '../battery/runner.js';
import { pick, several, weighted } from '../support/draws.js';
import { property } from '../support/property.js';

const WINDOW_BYTES = 64 << 10;
const name = join(freshDirectory('boundary'), 'x');
const finder = recordFinder({ kind: 'lines', delimiter: 10 });

/** Reads lines as records of at most about `most` bytes; returns the number of those that are too long. */
async function read(lines: readonly string[], end: string, most: number): Promise<number> {
  const text = lines.join('\n') + end;
  writeFileSync(name, text);
  const wanted = text.split('\n');
  if (wanted.at(-1) === '') wanted.pop();
  const file = { fd: openSync(name, 'r'), label: 'x', end: text.length };
  let [number, at, long] = [0, 0, 0];
  for await (const record of recordsFrom(file, finder, 0, most)) {
    expect(record.at).toBe(at);
    const line = wanted[number++];
    if (record.bytes === null) {
      long++;
      expect(line.length).toBeGreaterThanOrEqual(most);
    } else expect(record.bytes.toString() === line).toBe(true);
    at += line.length + 1;
  }
  closeSync(file.fd);
  expect(number).toBe(wanted.length);
  return long;
}

property(
  'yields each record once, and null for each record that is too long',
  [
    several(1, 30, weighted([3, fc.nat(39)], [1, fc.nat(400_000)])),
    pick(['\n', 'z']),
    pick([WINDOW_BYTES, 4 * WINDOW_BYTES, 1 << 20]),
  ],
  async (lengths, end, most) => {
    await read(
      lengths.map((length, i) => String.fromCharCode(97 + (i % 26)).repeat(length)),
      end,
      most,
    );
  },
  { runs: 30 },
);

it('yields null for records that are too long, between others and at the end', async () => {
  const long = 'l'.repeat(2 * WINDOW_BYTES);
  expect(await read(['a', long, 'b', long, long], '', WINDOW_BYTES)).toBe(3);
});
