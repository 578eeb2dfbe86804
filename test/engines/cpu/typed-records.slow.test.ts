/** Large inputs of binary records with typed keys, sorted by several threads and from a pipe, against a plain model. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseArrayType, parseRecordKey } from '../../../src/cli/parse/record-key.js';
import { shell } from '../../cli/run.js';
import { randomBelow } from '../../support/random.js';
import { sampled } from '../../support/tier.js';
import { compareTyped } from '../../support/typed-records.js';
import type { Case } from './typed-cases.js';

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'gpusort-typed-'));
});
afterAll(() => rmSync(directory, { recursive: true }));

const file = (name: string): string => join(directory, name);

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
