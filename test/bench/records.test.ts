/** The binary benchmark files, and the checker of sorted records, which must find every fault. No GPU, no build. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
// @ts-expect-error: plain JavaScript, because the benchmarks run without a build of their own
import { DISTRIBUTION_NAMES } from './distributions.mjs';
// @ts-expect-error
import { blocksOf, generate } from './generate.mjs';
// @ts-expect-error
import { orderOfCommand, parseKey } from './record-keys.mjs';
// @ts-expect-error
import { scanRecords } from './record-scan.mjs';
// @ts-expect-error
import { scanFile, validate } from './validate.mjs';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(process.env.GPUSORT_TEST_TMP ?? '/tmp', 'records-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** The bytes of a kind. */
function made(kind: string, lines: number, seed = 1): Buffer {
  const parts: Buffer[] = [];
  for (const { block } of blocksOf(kind, { lines, seed })) parts.push(Buffer.from(block));
  return Buffer.concat(parts);
}
const recordsOf = (bytes: Buffer, size: number): Buffer[] =>
  Array.from({ length: bytes.length / size }, (_, i) => bytes.subarray(i * size, (i + 1) * size));

/** A value of a record that JavaScript can compare; floats by the order of their bits. */
type Read = (record: Buffer) => bigint | number;
const READ: Record<string, [size: number, read: Read]> = {
  u8: [1, (b) => b.readUInt8()],
  i8: [1, (b) => b.readInt8()],
  u16: [2, (b) => b.readUInt16LE()],
  u16be: [2, (b) => b.readUInt16BE()],
  i16: [2, (b) => b.readInt16LE()],
  i16be: [2, (b) => b.readInt16BE()],
  u32: [4, (b) => b.readUInt32LE()],
  u32be: [4, (b) => b.readUInt32BE()],
  i32: [4, (b) => b.readInt32LE()],
  i32be: [4, (b) => b.readInt32BE()],
  u64: [8, (b) => b.readBigUInt64LE()],
  u64be: [8, (b) => b.readBigUInt64BE()],
  i64: [8, (b) => b.readBigInt64LE()],
  i64be: [8, (b) => b.readBigInt64BE()],
  f32: [4, (b) => totalOrder(b.readInt32LE(), 0x7fffffff)],
  f32be: [4, (b) => totalOrder(b.readInt32BE(), 0x7fffffff)],
  f64: [8, (b) => totalOrder64(b.readBigInt64LE())],
  f64be: [8, (b) => totalOrder64(b.readBigInt64BE())],
  u128: [16, (b) => (b.readBigUInt64LE(8) << 64n) | b.readBigUInt64LE(0)],
  u128be: [16, (b) => (b.readBigUInt64BE(0) << 64n) | b.readBigUInt64BE(8)],
};
function totalOrder(bits: number, rest: number): number {
  return bits < 0 ? -1 - (bits & rest) : bits;
}
function totalOrder64(bits: bigint): bigint {
  return bits < 0n ? -1n - (bits & 0x7fffffffffffffffn) : bits;
}
const byValue =
  (read: Read, sign = 1) =>
  (a: Buffer, b: Buffer): number =>
    read(a) < read(b) ? -sign : read(a) > read(b) ? sign : 0;

describe('numbers', () => {
  it('have the distributions of the paper, and others', () => {
    const n = 1 << 15;
    const parts = (list: Uint32Array, of: number): number[] => {
      const counts = new Array<number>(of).fill(0);
      for (const key of list) counts[Math.floor(key / (2 ** 32 / of))]!++;
      return counts;
    };
    const list: Record<string, Uint32Array> = {};
    for (const name of DISTRIBUTION_NAMES) list[name] = new Uint32Array(Uint8Array.from(made(`u32-${name}`, n)).buffer);
    const ascends = (keys: Uint32Array): boolean => keys.every((key, i) => i === 0 || keys[i - 1]! <= key);
    for (const name of DISTRIBUTION_NAMES) expect(ascends(list[name]!), name).toBe(['sorted', 'zero'].includes(name));
    expect(ascends(list.reversed!.slice().reverse())).toBe(true);
    expect([new Set(list.zero).size, new Set(list.sixteen).size]).toEqual([1, 16]);
    for (const name of ['uniform', 'gaussian', 'sorted', 'bucket', 'staggered', 'near256'])
      expect(Math.abs(list[name]!.reduce((sum, key) => sum + key / n, 0) / 2 ** 32 - 0.5), name).toBeLessThan(0.01);
    // A block of 256 numbers holds two of each part; a block of staggered, one part.
    expect(parts(list.bucket!.subarray(512, 768), 128)).toEqual(new Array(128).fill(2));
    expect([...list.bucket!.subarray(0, 6)].map((key) => key >>> 25)).toEqual([0, 0, 1, 1, 2, 2]);
    for (const [block, part] of [
      [0, 1],
      [63, 127],
      [64, 0],
      [127, 126],
    ])
      expect(list.staggered!.subarray(256 * block!, 256 * block! + 256).every((key) => key >>> 25 === part)).toBe(true);
    const middle = parts(list.gaussian!, 4);
    expect(middle[1]! + middle[2]!).toBeGreaterThan(0.85 * n);
    const places = [...list.near256!.keys()].sort((a, b) => list.near256![a]! - list.near256![b]! || a - b);
    const farthest = Math.max(...places.map((from, to) => Math.abs(from - to)));
    expect([farthest < 256, farthest > 64]).toEqual([true, true]);
  });

  it.each(Object.keys(READ))('are in the order of their distribution as %s', (type) => {
    const [size, read] = READ[type]!;
    const values = recordsOf(made(`${type}-sorted`, 500), size).map(read);
    expect(values.every((value, i) => i === 0 || values[i - 1]! <= value)).toBe(true);
    expect(new Set(values).size).toBeGreaterThan(100);
    expect(made(`${type}-reversed`, 3, 2).length).toBe(3 * size);
  });

  it('differ by seed, and are the same again', () => {
    expect(made('u64', 10, 7)).toEqual(made('u64', 10, 7));
    expect(made('u64', 10, 7)).not.toEqual(made('u64', 10, 8));
    for (const kind of ['u32-none', 'f16', 'u128+u16', 'i128', 'u8+u32'])
      expect(() => made(kind, 1), kind).toThrow('kind');
  });

  it('have their places as values', () => {
    for (const [kind, size] of [
      ['u64+u64', 16],
      ['u32be+u64-zero', 12],
      ['u32+u32', 8],
    ] as const) {
      const places = recordsOf(made(kind, 300_000), size).map((record) =>
        record.readUInt32LE(kind === 'u64+u64' ? 8 : 4),
      );
      expect(places.every((place, i) => place === i)).toBe(true);
    }
  });

  it('are events near the order of their times', () => {
    const times = recordsOf(made('events', 5000), 32).map((record) => record.readBigUInt64LE(8));
    const day = 86_400_000_000_000n;
    const midnight = BigInt(Date.UTC(2026, 10, 22)) * 1_000_000n;
    expect(times.every((time) => time >= midnight && time < midnight + day)).toBe(true);
    const late = times.filter((time, i) => i > 0 && time < times[i - 1]!).length;
    expect([late > 1000, late < 4000]).toEqual([true, true]);
    expect(times[4999]! - times[0]!).toBeGreaterThan((day * 9n) / 10n);
  });
});

it('makes records of the sort benchmark, as text too', () => {
  const binary = recordsOf(made('sortbenchmark', 300), 100);
  expect(new Set(binary.map((record) => record.toString('latin1', 0, 10))).size).toBe(300);
  expect(binary[299]!.toString('latin1', 12, 28)).toBe((299).toString(16).toUpperCase().padStart(16, '0'));
  const lines = made('sortbenchmarktext', 300).toString('latin1').split('\n');
  expect([lines.length, lines.at(-1)]).toEqual([301, '']);
  for (const line of lines.slice(0, -1)) expect(line).toMatch(/^[!-~]{10} {2}[0-9A-F]{16} [ -~]{70}$/);
});

/** Writes records and checks them. */
async function faultsOf(records: Buffer[], args: string[], given?: Buffer[], ties?: string[]): Promise<string[]> {
  const [path, input] = [join(folder, 'sorted'), join(folder, 'given')];
  writeFileSync(path, Buffer.concat(records));
  const order = orderOfCommand(args, ties);
  if (given === undefined) return (await validate(path, order)).faults;
  writeFileSync(input, Buffer.concat(given));
  return (await validate(path, order, { given: await scanFile(input, order) })).faults;
}

describe('the checker', () => {
  const cases: [kind: string, size: number, args: string[], compare: (a: Buffer, b: Buffer) => number][] = [
    ...Object.entries(READ).flatMap(([type, [size, read]]): typeof cases => [
      [type, size, ['--array', type], byValue(read)],
      [type, size, ['--engine', 'gpu', '--array', type, '-r'], byValue(read, -1)],
    ]),
    ['sortbenchmark', 100, ['--record-size', '100', '--key', '0:10'], Buffer.compare],
    [
      'sortbenchmark',
      100,
      ['--record-size', '100', '--key', '1:3:bytes:r', '-s'],
      byValue((b) => b.readUIntBE(1, 3), -1),
    ],
    ['events-uniform', 32, ['--record-size', '32', '--key', '8:u64'], byValue((b) => b.readBigUInt64LE(8))],
    [
      'events',
      32,
      ['--record-size=32', '-k', '4:u32', '-k', '16:8:f64:r', '-r', '-k', '0:u32le'],
      (a, b) =>
        b.readUInt32LE(4) - a.readUInt32LE(4) ||
        b.readDoubleLE(16) - a.readDoubleLE(16) ||
        b.readUInt32LE(0) - a.readUInt32LE(0) ||
        Buffer.compare(b, a),
    ],
    ['u128', 16, ['--record-size', '16'], Buffer.compare],
    [
      'random11',
      11,
      ['--record-size', '11', '--key', '2:4'],
      (a, b) => a.compare(b, 2, 6, 2, 6) || Buffer.compare(a, b),
    ],
  ];

  it.each(cases)('accepts a sort of %s and finds faults (%i, %j)', async (kind, size, args, compare) => {
    const given = recordsOf(made(kind, 400, 5), size);
    const sorted = given.slice().sort(compare);
    expect(await faultsOf(sorted, args, given)).toEqual([]);
    const at = [...sorted.keys()].find((i) => i > 200 && compare(sorted[i - 1]!, sorted[i]!) !== 0)!;
    const swapped = sorted.with(at, sorted[at - 1]!).with(at - 1, sorted[at]!);
    expect(await faultsOf(swapped, args, given)).toEqual([expect.stringMatching(/^[1-3] records out of order/)]);
    expect(await faultsOf(sorted.toSpliced(at, 1), args, given)).toEqual([
      '399 records, not 400',
      'other records than those of the input: the checksums differ',
    ]);
    const doubled = sorted.with(at, sorted[at - 1]!);
    const other = 'other records than those of the input: the checksums differ';
    expect(await faultsOf(doubled, args, given)).toEqual([other]);
    const last = Buffer.from(sorted[399]!);
    last[size - 1]! ^= 1;
    expect(await faultsOf(sorted.with(399, last), args, given)).toContain(other);
  });

  it('orders floats as IEEE 754 does', async () => {
    const bits = (...list: string[]): Buffer[] => list.map((text) => Buffer.from(text, 'hex'));
    const floats = bits('ffc00001', 'ffc00000', 'ff800000', 'bf800000', '80000001', '80000000', '00000000', '00000001');
    floats.push(...bits('3f800000', '7f800000', '7fc00000', '7fc00001'));
    expect(await faultsOf(floats, ['--array', 'f32be'])).toEqual([]);
    const doubles = floats.map((float) => Buffer.concat([float, Buffer.alloc(4, 1)]));
    expect(await faultsOf(doubles, ['--array', 'f64be'])).toEqual([]);
    for (let i = 1; i < floats.length; i++) {
      const pair = [floats[i]!, floats[i - 1]!];
      expect(await faultsOf(pair, ['--array', 'f32be'])).toHaveLength(1);
    }
    const low = (value: string): Buffer => Buffer.from(`c0000000${value}`, 'hex');
    expect(await faultsOf([low('80000000'), low('00000001')], ['--array', 'f64be'])).toEqual([]);
    expect(await faultsOf([low('00000001'), low('80000000')], ['--array', 'f64be'])).toHaveLength(1);
  });

  it('counts equal keys, and finds an unstable sort', async () => {
    const given = recordsOf(made('u64+u64-sixteen', 400), 16);
    const sorted = given.slice().sort(byValue((b) => b.readBigUInt64LE(0)));
    const args = ['--array', 'u64+u64'];
    expect(await faultsOf(sorted, args, given, ['8:u64'])).toEqual([]);
    const order = orderOfCommand(args);
    expect((await scanFile(join(folder, 'sorted'), order)).duplicates).toBe(400 - 16);
    expect((await validate(join(folder, 'sorted'), order, { unique: true })).faults).toEqual([
      '384 records with the key of the one before',
    ]);
    const unstable = sorted.with(7, sorted[8]!).with(8, sorted[7]!);
    expect(await faultsOf(unstable, args, given)).toEqual([]);
    expect(await faultsOf(unstable, args, given, ['8:u64'])).toEqual(['1 records out of order, the first is record 8']);
  });

  it('finds faults at the borders of blocks and of shares', () => {
    const path = join(folder, 'large');
    const n = (9 << 20) / 4;
    generate('u32-sorted', path, { lines: n });
    const order = orderOfCommand(['--array', 'u32']);
    const share = (first: number, end: number) => scanRecords({ path, order, first, end });
    const whole = share(0, n);
    const cuts = [0, 1, 1000, n - 1, n];
    const parts = cuts.slice(1).map((end, i) => share(cuts[i]!, end));
    expect(parts.map((scan) => scan.disorders)).toEqual([0, 0, 0, 0]);
    expect(
      BigInt.asUintN(
        64,
        parts.reduce((sum, scan) => sum + scan.checksum, 0n),
      ),
    ).toBe(BigInt.asUintN(64, whole.checksum));
    const bytes = readFileSync(path);
    for (const at of [1, 1000, 1 << 20, 2 << 20, n - 1]) {
      const wrong = Buffer.from(bytes);
      wrong.writeUInt32LE(bytes.readUInt32LE(4 * at), 4 * at - 4);
      wrong.writeUInt32LE(bytes.readUInt32LE(4 * at - 4), 4 * at);
      writeFileSync(path, wrong);
      expect([share(0, n).disorders, share(at, n).disorders, share(0, n).firstDisorder]).toEqual([1, 1, at]);
    }
  });

  it('is a command that fails with status 1', () => {
    const [sorted, given] = [join(folder, 'a'), join(folder, 'b')];
    const records = recordsOf(made('u32', 1000), 4);
    writeFileSync(given, Buffer.concat(records));
    writeFileSync(sorted, Buffer.concat(records.slice().sort(byValue((b) => b.readUInt32LE()))));
    const run = (...args: string[]) => {
      const script = join(import.meta.dirname, 'validate.mjs');
      return spawnSync(process.execPath, [script, ...args], { encoding: 'utf8', timeout: 60_000 });
    };
    const good = run(sorted, '--array', 'u32', '--input', given);
    expect([good.status, good.stderr]).toEqual([0, '']);
    expect(good.stdout).toMatch(/^records: 1000\nchecksum: [0-9a-f]{16}\nduplicate keys: 0\nsuccess/);
    expect(run(given, '--array', 'u32').status).toBe(1);
    expect(run(sorted, '--array', 'u32', '-r').status).toBe(1);
    writeFileSync(given, Buffer.concat([...records.slice(1), records[1]!]));
    expect(run(sorted, '--array', 'u32', '--input', given).status).toBe(1);
    for (const args of [[], ['--array', 'u31'], ['--record-size', '3'], ['--array', 'u64', '-u', '--input', given]])
      expect(run(sorted, ...args).status, args.join(' ')).toBe(2);
  });

  it('refuses keys that are none', () => {
    for (const key of [
      'x',
      '0',
      '0:',
      ':4',
      '0:0',
      '0:4:u64',
      '0:u31',
      '0:i128',
      '0:4:z',
      '0:4:bytes:q',
      '0:u32:4',
      '-1:4',
    ])
      expect(() => parseKey(key, false), key).toThrow('not a key');
    expect(parseKey('3:u16be:r', false)).toEqual({ offset: 3, length: 2, type: 'u', big: true, reverse: true });
    expect(() => orderOfCommand(['--record-size', '4', '--key', '1:u32'])).toThrow('not within');
  });
});
