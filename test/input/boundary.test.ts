/** Records read by position, one after another, against those of the whole text. */
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { recordsFrom } from '../../src/input/boundary.js';
import { recordFinder } from '../../src/records/format.js';
import { randomBelow } from '../support/random.js';

const WINDOW_BYTES = 64 << 10;
let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'gpusort-boundary-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

it('yields each record once, and null for those that are too long', async () => {
  const below = randomBelow(1);
  const finder = recordFinder({ kind: 'lines', delimiter: 10 });
  let long = 0;
  for (let round = 0; round < 20; round++) {
    const lines = Array.from({ length: 1 + below(30) }, (_, i) =>
      String.fromCharCode(97 + (i % 26)).repeat(below(4) === 0 ? below(400_000) : below(40)),
    );
    const text = lines.join('\n') + (below(2) === 0 ? '\n' : 'z');
    const name = join(folder, 'x');
    writeFileSync(name, text);
    const want = text.split('\n');
    if (want.at(-1) === '') want.pop();
    const file = { fd: openSync(name, 'r'), label: 'x', end: text.length };
    const most = [WINDOW_BYTES, 4 * WINDOW_BYTES, 1 << 20][round % 3];
    let number = 0;
    let at = 0;
    for await (const record of recordsFrom(file, finder, 0, most)) {
      expect(record.at).toBe(at);
      const line = want[number++];
      if (record.bytes === null) {
        long++;
        expect(line.length).toBeGreaterThanOrEqual(most);
      } else expect(record.bytes.toString() === line).toBe(true);
      at += line.length + 1;
    }
    closeSync(file.fd);
    expect(number).toBe(want.length);
  }
  expect(long).toBeGreaterThan(5);
});
