/**
 * Binary records with typed keys on the CPU engine, from the command line to the file, against a plain model: random
 * types, letters, segments and limits, values that repeat and extremes, chunks of a few records, runs that spill. By
 * day half of the random cases, and each large input in one or two ways.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Algorithm } from '../../src/algorithm-table.js';
import { parseArrayType, parseRecordKey } from '../../src/cli/parse/record-key.js';
import type { RecordPart } from '../../src/job.js';
import { shell } from '../cli/run.js';
import { parsed, runHere } from '../support/in-process.js';
import { type RandomBelow, randomBelow } from '../support/random.js';
import { NIGHTLY, sampled } from '../support/tier.js';
import { compareTyped } from '../support/typed-records.js';

const KINDS = ['u8', 'u16', 'u32', 'u64', 'u128', 'i8', 'i16', 'i32', 'i64', 'f32', 'f64'] as const;

/** A command line on records of `size` bytes, and what it means. */
interface Case {
  readonly words: readonly string[];
  readonly size: number;
  readonly parts: readonly RecordPart[];
  readonly reverse: boolean;
  readonly unique: boolean;
  readonly lastResort: boolean;
  readonly segment: readonly [offset: number, length: number] | null;
  readonly limit: readonly [end: 'top' | 'bottom', count: number] | null;
}

/** How a case runs, besides its own words. */
interface Way {
  readonly algorithm: Algorithm;
  readonly chunkBytes: number | null;
  readonly memoryBytes: number | null;
}

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'gpusort-typed-'));
});
afterAll(() => rmSync(directory, { recursive: true }));

const file = (name: string): string => join(directory, name);
const pick = <T>(below: RandomBelow, list: readonly T[]): T => list[below(list.length)];
const typeText = (below: RandomBelow): string => pick(below, KINDS) + pick(below, ['', 'le', 'be']);

function randomCase(below: RandomBelow): Case {
  const reverse = below(4) === 0;
  const unique = below(4) === 0;
  const flags = [...(reverse ? ['-r'] : []), ...(unique ? ['-u'] : [])];
  const limit = below(5) === 0 ? ([pick(below, ['top', 'bottom'] as const), below(40)] as const) : null;
  const limits = limit === null ? [] : [`--${limit[0]}=${limit[1]}`];
  if (below(2) === 0) {
    const text = typeText(below) + (below(2) === 0 ? '' : `+${typeText(below)}`);
    const { type, valueBytes } = parseArrayType(text, '--array');
    return {
      words: [...flags, ...limits, '--array', text],
      size: type.bytes + valueBytes,
      parts: [{ offset: 0, length: type.bytes, type, reverse }],
      reverse,
      unique,
      lastResort: false,
      segment: null,
      limit,
    };
  }
  const size = pick(below, [1, 2, 3, 4, 6, 8, 12, 13, 16, 17, 24, 100]);
  const keys: string[] = [];
  for (let left = below(4); left > 0; left--) {
    const type = typeText(below);
    const bytes = parseArrayType(type, '').type.bytes;
    const plain = below(3) === 0 || bytes > size;
    const length = plain ? 1 + below(Math.min(size, 12)) : bytes;
    keys.push(`${below(size - length + 1)}:${plain ? length : type}${below(3) === 0 ? ':r' : ''}`);
  }
  const isStable = below(3) === 0;
  const segment = limit === null && below(4) === 0 ? ([below(size), 1] as const) : null;
  return {
    words: [
      ...flags,
      ...limits,
      ...(isStable ? ['-s'] : []),
      ...(segment === null ? [] : [`--segment-by=${segment.join(':')}`]),
      `--record-size=${size}`,
      ...keys.map((key) => `--key=${key}`),
    ],
    size,
    // Without keys, records are compared as bytes.
    parts: (keys.length === 0 ? [`0:${size}`] : keys).map((key) => {
      const part = parseRecordKey(key, '--key');
      return { ...part, reverse: part.reverse || reverse };
    }),
    reverse,
    unique,
    lastResort: !isStable && !unique,
    segment,
    limit,
  };
}

/** Records of extremes, of few distinct bytes or of any; the last bytes often differ although the keys do not. */
function randomRecords(below: RandomBelow, size: number, count: number): Buffer[] {
  const bytes = pick(below, [[0, 1, 0x7f, 0x80, 0xff], [0, 0x80], [7], null]);
  const kinds = 1 + below(count);
  const some = Array.from({ length: kinds }, () =>
    Buffer.from(Array.from({ length: size }, () => byteOf(below, bytes))),
  );
  const order = below(4);
  const records = Array.from({ length: count }, () => Buffer.from(pick(below, some)));
  if (below(2) === 0) for (const record of records) record[size - 1] = below(256);
  if (order < 2) records.sort(Buffer.compare);
  if (order === 1) records.reverse();
  return records;
}

function byteOf(below: RandomBelow, bytes: readonly number[] | null): number {
  return bytes === null ? below(256) : pick(below, bytes);
}

function expected({ parts, reverse, unique, lastResort, segment, limit }: Case, records: readonly Buffer[]): Buffer {
  const compare = (a: Buffer, b: Buffer): number =>
    compareTyped(parts, a, b) || (lastResort ? (reverse ? Buffer.compare(b, a) : Buffer.compare(a, b)) : 0);
  const sorted = segmentsOf(records, segment).flatMap((list) => {
    const ordered = list.toSorted(compare);
    return unique
      ? ordered.filter((record, i) => i === 0 || compareTyped(parts, ordered[i - 1], record) !== 0)
      : ordered;
  });
  const [end, count] = limit ?? ['top', Infinity];
  return Buffer.concat(end === 'top' ? sorted.slice(0, count) : sorted.slice(Math.max(0, sorted.length - count)));
}

function segmentsOf(records: readonly Buffer[], segment: Case['segment']): Buffer[][] {
  const segments: Buffer[][] = [];
  records.forEach((record, i) => {
    const isSame = segment === null || (i > 0 && record[segment[0]] === records[i - 1][segment[0]]);
    if (i > 0 && isSame) segments.at(-1)!.push(record);
    else segments.push([record]);
  });
  return segments;
}

async function output(words: readonly string[], { algorithm, chunkBytes, memoryBytes }: Way): Promise<Buffer> {
  const request = () => parsed([...words, '-o', file('out'), '-T', directory, file('in')], 'gpusort');
  const ended = await runHere(request, 'gpusort', (job) => ({
    ...job,
    engine: 'cpu',
    algorithm: job.ordering.segments !== undefined && algorithm === 'sample-sort' ? 'radix' : algorithm,
    chunkBytes: chunkBytes === null ? null : Math.max(chunkBytes, 1),
    memoryBytes,
  }));
  expect(ended, words.join(' ')).toEqual({ status: 0, messages: '' });
  return readFileSync(file('out'));
}

const WAYS: readonly Way[] = [
  { algorithm: 'auto', chunkBytes: null, memoryBytes: null },
  { algorithm: 'radix', chunkBytes: 400, memoryBytes: null },
  { algorithm: 'sample-sort', chunkBytes: 400, memoryBytes: null },
  { algorithm: 'radix', chunkBytes: 400, memoryBytes: 4096 },
  { algorithm: 'sample-sort', chunkBytes: 1000, memoryBytes: 4096 },
];

describe('sorts records with typed keys as the model does', () => {
  it.each(WAYS)('with $algorithm, chunks of $chunkBytes and $memoryBytes bytes of memory', async (way) => {
    const below = randomBelow(WAYS.indexOf(way) + 1);
    for (let i = 0; i < (NIGHTLY ? 120 : 60); i++) {
      const job = randomCase(below);
      const records = randomRecords(below, job.size, pick(below, [0, 1, 2, 30, 300, 700]));
      writeFileSync(file('in'), Buffer.concat(records));
      const got = await output(job.words, way);
      expect(got.equals(expected(job, records)), `case ${i}: ${job.words.join(' ')}, ${records.length} records`).toBe(
        true,
      );
    }
  });
});

/** Distinct records of the large inputs: the model sorts only these. */
const POOL_RECORDS = 40_000;
const LARGE_BYTES = 18e6;

describe('sorts on several threads and from a pipe as the model does', () => {
  const below = randomBelow(17);
  const jobs = [
    [['--array=i32le'], 2],
    [['--array=f32be+u16', '-r'], 3],
    [['--array=u64le', '-u', '--algorithm=radix'], 2],
    [['--record-size=12', '--key=4:f64le', '--key=0:u16be:r'], 3],
    [['--record-size=12', '--key=4:u32le', '--algorithm=sample-sort', '-s'], 2],
    [['--record-size=40', '--key=30:i64le', '--key=2:4'], 2],
  ] as const;
  const inputs = ['IN', 'IN --chunk-size=1M', '< <(cat IN)'] as const;
  const today = sampled(
    jobs.flatMap(([words]) => inputs.map((input) => ({ words, input }))),
    { count: 8, seed: 1, values: ({ words, input }) => [words.join(' '), input] },
  );
  it.each(jobs)('%j', async (words, threads) => {
    const job = caseOf(words);
    const pool = Array.from({ length: POOL_RECORDS }, () => {
      const record = Buffer.from(Array.from({ length: job.size }, () => below(256)));
      if (below(3) === 0) record.fill(0x80, 0, 4);
      return record;
    });
    const picked = Uint32Array.from({ length: Math.ceil(LARGE_BYTES / job.size) }, () => below(POOL_RECORDS));
    const input = Buffer.concat(Array.from(picked, (number) => pool[number]));
    const wanted = expectedOfPool(job, pool, picked);
    writeFileSync(file('in'), input);
    const args = [...words, '--engine=cpu', `--parallel=${threads}`, '-o', file('out')].join(' ');
    for (const { input: how } of today.filter((one) => one.words === words)) {
      const line = `${args} ${how.replace('IN', file('in'))}`;
      expect(shell(`$GPUSORT ${line}`)).toMatchObject({ status: 0, stderr: '' });
      expect(readFileSync(file('out')).equals(wanted), line).toBe(true);
    }
  });
});

function caseOf(words: readonly string[]): Case {
  const reverse = words.includes('-r');
  const unique = words.includes('-u');
  const given = (name: string): string[] =>
    words.filter((word) => word.startsWith(`--${name}=`)).map((word) => word.slice(name.length + 3));
  const [array] = given('array').map((text) => parseArrayType(text, ''));
  return {
    words,
    size: array === undefined ? Number(given('record-size')[0]) : array.type.bytes + array.valueBytes,
    parts:
      array === undefined
        ? given('key').map((key) => parseRecordKey(key, ''))
        : [{ offset: 0, length: array.type.bytes, type: array.type, reverse }],
    reverse,
    unique,
    lastResort: array === undefined && !unique && !words.includes('-s'),
    segment: null,
    limit: null,
  };
}

/** The same as `expected` for records picked from a pool: records of the pool that compare as equal share a rank. */
function expectedOfPool({ parts, unique, lastResort }: Case, pool: readonly Buffer[], picked: Uint32Array): Buffer {
  const compare = (a: number, b: number): number =>
    compareTyped(parts, pool[a], pool[b]) || (lastResort ? Buffer.compare(pool[a], pool[b]) : 0);
  const order = Array.from(pool.keys()).sort(compare);
  const ranks = new Uint32Array(pool.length);
  order.forEach((number, i) => {
    ranks[number] = i > 0 && compare(order[i - 1], number) === 0 ? ranks[order[i - 1]] : i;
  });
  const groups: Buffer[][] = pool.map(() => []);
  for (const number of picked) groups[ranks[number]].push(pool[number]);
  return Buffer.concat(groups.flatMap((group) => (unique ? group.slice(0, 1) : group)));
}
