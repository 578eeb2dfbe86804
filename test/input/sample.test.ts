/** The sample that is read before the plan: whole records from all over files and streams, and little of them. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { statInput, type InputFile } from '../../src/input/files.js';
import { sampleFiles, sampleParts } from '../../src/input/sample.js';
import { recordFinder } from '../../src/records/format.js';

const lines = recordFinder({ kind: 'lines', delimiter: 10 });
const numbered = (count: number): Buffer => Buffer.from(Array.from({ length: count }, (_, i) => `${String(i).padStart(9, '0')}\n`).join(''));
const all = (windows: Uint8Array[][]): string[] => windows.flat().map((record) => Buffer.from(record).toString('latin1'));

let directory = '';
beforeAll(() => { directory = mkdtempSync(join(process.env.GPUSORT_TEST_TMP ?? tmpdir(), 'sample-')); });
function file(name: string, bytes: Uint8Array): InputFile {
  writeFileSync(join(directory, name), bytes);
  return statInput(Buffer.from(join(directory, name)), 'sort');
}

describe('of files', () => {
  it('is whole records from all over, in order', () => {
    const windows = sampleFiles([file('many', numbered(500_000))], lines);
    const records = all(windows);
    // A slow machine may read fewer of the windows.
    expect(windows.length).toBeGreaterThan(7);
    expect(records.length).toBeLessThanOrEqual(1024);
    for (const record of records) expect(record).toMatch(/^\d{9}$/);
    expect(records).toEqual([...records].sort());
    expect(Number(records.at(-1))).toBeGreaterThan(250_000);
  });
  it('is all records of a small file but a last one without end, and goes over several files', () => {
    expect(all(sampleFiles([file('a', Buffer.from('x\ny\n\nz'))], lines))).toEqual(['x', 'y', '']);
    expect(all(sampleFiles([file('a', numbered(3000)), file('b', numbered(3000))], lines)).length).toBeGreaterThan(500);
  });
  it('takes larger windows for long records, and gives up on longer ones', () => {
    const long = Buffer.alloc(3_000_000, 'q');
    for (let at = 19_999; at < long.length; at += 20_000) long[at] = 10;
    const records = sampleFiles([file('long', long)], lines).flat();
    expect(records.length).toBeGreaterThan(2);
    expect(records.every((record) => record.length === 19_999)).toBe(true);
    expect(sampleFiles([file('longer', Buffer.alloc(3_000_000, 'q'))], lines)).toEqual([]);
  });
  it('cuts fixed records where they begin', () => {
    const records = Buffer.alloc(700_000);
    for (let i = 0; i < 100_000; i++) records.writeUInt32BE(i, i * 7);
    const found = sampleFiles([file('fixed', records)], recordFinder({ kind: 'fixed', size: 7 })).flat();
    expect(found.length).toBeGreaterThan(500);
    for (const record of found) expect([...record.subarray(4)]).toEqual([0, 0, 0]);
  });
  it('is nothing of what has no size or cannot be read', () => {
    expect(sampleFiles([{ name: null, label: '-', extent: null, csvSeparator: null, identity: '' }], lines)).toEqual([]);
    expect(sampleFiles([{ name: Buffer.from('/no/such/file'), label: 'x', extent: { begin: 0, end: 1e6 }, csvSeparator: null, identity: '' }], lines)).toEqual([]);
    expect(sampleFiles([], lines)).toEqual([]);
  });
});

describe('of a stream', () => {
  it('is whole records of what has been read', () => {
    const text = numbered(100_000);
    const parts = [text.subarray(0, 333_333), text.subarray(333_333, 333_334), text.subarray(333_334)];
    const records = all(sampleParts(parts, lines));
    expect(records.length).toBeGreaterThan(500);
    for (const record of records) expect(record).toMatch(/^\d{9}$/);
    expect(records).toEqual([...records].sort());
    expect(sampleParts([], lines)).toEqual([]);
  });
});
