/** The sample that is read before the plan: a few whole records from all over files and streams. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type InputFile, statInput } from '../../src/input/files.js';
import { NEIGHBORS, sampledFiles, sampleFiles, sampleParts, spreadWindows } from '../../src/input/sample.js';
import { recordFinder } from '../../src/records/record-finder.js';
import { freshDirectory } from '../battery/runner.js';

/** The rest of a plain input. */
const PLAIN = {
  format: null,
  leavesOutResolved: false,
  framing: null,
  decompress: false,
  warnsOfCompression: false,
  threads: 0,
  compressed: false,
  number: 1,
  sequential: false,
  shuffle: null,
  headerStripped: false,
  size: 0,
  mates: [],
  identity: '',
} as const;

const lines = recordFinder({ kind: 'lines', delimiter: 10 });
const numbered = (count: number): Buffer =>
  Buffer.from(Array.from({ length: count }, (_, i) => `${String(i).padStart(9, '0')}\n`).join(''));
const all = (windows: Uint8Array[][]): string[] =>
  windows.flat().map((record) => Buffer.from(record).toString('latin1'));

const directory = freshDirectory('sample');
function file(name: string, bytes: Uint8Array): InputFile {
  writeFileSync(join(directory, name), bytes);
  return statInput(Buffer.from(join(directory, name)), 'sort');
}
/** A sample with a stopped clock, because a busy machine must not cut it short. */
const sample = (inputs: readonly InputFile[], finder = lines): Uint8Array[][] =>
  sampleFiles(sampledFiles(inputs), finder, NEIGHBORS, () => 0);

describe('a sample of files', () => {
  it('samples complete records from the entire file, in input order', () => {
    const windows = sample([file('many', numbered(500_000))]);
    const records = all(windows);
    expect(windows).toHaveLength(32);
    expect(records.length).toBeLessThanOrEqual(1024);
    for (const record of records) expect(record).toMatch(/^\d{9}$/);
    expect(records).toEqual([...records].sort());
    expect(records.at(0)).toBe('000000000');
    expect(records.at(-1)).toBe('000499212');
  });
  it('samples fewer windows of the entire file if reading is slow', () => {
    let now = 0;
    const windows = sampleFiles(sampledFiles([file('slow', numbered(500_000))]), lines, NEIGHBORS, () => now++);
    const records = all(windows);
    expect(windows).toHaveLength(8);
    expect(records).toEqual([...records].sort());
    expect(Number(records.at(-1))).toBeGreaterThan(250_000);
  });
  it('samples all windows if a busy processor delays some reads', () => {
    let [now, calls] = [0, 0];
    const clock = (): number => (now += calls++ < 14 ? 1000 : 0);
    expect(sampleFiles(sampledFiles([file('busy', numbered(500_000))]), lines, NEIGHBORS, clock)).toHaveLength(32);
  });
  it('samples more windows and records for more buckets', () => {
    const input = file('spread', numbered(500_000));
    for (const [buckets, windows, least] of [
      [16, 64, 500],
      [256, 256, 2000],
    ] as const) {
      const found = sampleFiles(sampledFiles([input]), lines, spreadWindows(buckets), () => 0);
      expect(found).toHaveLength(windows);
      expect(all(found).length).toBeGreaterThan(least);
      expect(all(found)).toEqual([...all(found)].sort());
    }
  });
  it('samples all complete records of a small file, and records of each of several files', () => {
    expect(all(sample([file('a', Buffer.from('x\ny\n\nz'))]))).toEqual(['x', 'y', '']);
    expect(all(sample([file('a', numbered(3000)), file('b', numbered(3000))])).length).toBeGreaterThan(500);
  });
  it('samples larger windows for long records, and nothing if records are longer than those', () => {
    const long = Buffer.alloc(3_000_000, 'q');
    for (let at = 19_999; at < long.length; at += 20_000) long[at] = 10;
    const records = sample([file('long', long)]).flat();
    expect(records.length).toBeGreaterThan(2);
    expect(records.every((record) => record.length === 19_999)).toBe(true);
    expect(sample([file('longer', Buffer.alloc(3_000_000, 'q'))])).toEqual([]);
  });
  it('samples larger windows in the part of a file that has long lines', () => {
    const long = Buffer.alloc(1_500_000, 'q');
    for (let at = 4_999; at < long.length; at += 5_000) long[at] = 10;
    const found = sampleFiles(
      sampledFiles([file('mixed', Buffer.concat([numbered(150_000), long]))]),
      lines,
      spreadWindows(16),
      () => 0,
    );
    expect(found).toHaveLength(16);
    expect(found.filter((records) => records[0].length > 4_000).length).toBeGreaterThan(6);
  });
  it('samples fixed records from their first byte', () => {
    const records = Buffer.alloc(700_000);
    for (let i = 0; i < 100_000; i++) records.writeUInt32BE(i, i * 7);
    const found = sample([file('fixed', records)], recordFinder({ kind: 'fixed', size: 7 })).flat();
    expect(found.length).toBeGreaterThan(500);
    for (const record of found) expect([...record.subarray(4)]).toEqual([0, 0, 0]);
  });
  it('samples nothing of inputs without a size and files that cannot be read', () => {
    expect(sample([{ ...PLAIN, name: null, label: '-', extent: null }])).toEqual([]);
    expect(
      sample([
        {
          ...PLAIN,
          name: Buffer.from('/no/such/file'),
          label: 'x',
          extent: { begin: 0, end: 1e6 },
        },
      ]),
    ).toEqual([]);
    expect(sample([])).toEqual([]);
  });
});

describe('a sample of a stream', () => {
  it('samples complete records of the parts of an input that was read ahead', () => {
    const text = numbered(100_000);
    const parts = [text.subarray(0, 333_333), text.subarray(333_333, 333_334), text.subarray(333_334)];
    const records = all(sampleParts(parts, lines, NEIGHBORS));
    expect(records.length).toBeGreaterThan(500);
    for (const record of records) expect(record).toMatch(/^\d{9}$/);
    expect(records).toEqual([...records].sort());
    expect(sampleParts([], lines, NEIGHBORS)).toEqual([]);
  });
});
