/** --verify jobs with small chunks: the output is GNU sort's; the reported hash is the reference hash of the input. */
import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { surroundings } from '../../src/cli/parse/environment.js';
import { parseArguments } from '../../src/cli/request.js';
import { delimiterOf, type RecordFormat } from '../../src/job/ordering.js';
import type { Verified } from '../../src/report/digest.js';
import { runJob } from '../../src/run/run-job.js';
import { digestOf } from '../support/digests.js';
import { silent } from '../support/jobs.js';
import { randomBelow } from '../support/random.js';
import { sampled } from '../support/tier.js';

export const NEWLINE: RecordFormat = { kind: 'lines', delimiter: 10 };
const next = randomBelow(23);
let directory = '';
export const file = (name: string): string => path.join(directory, name);

/** Input files by name, with their text, and their records and format if they are not lines. */
export const FILES: Readonly<Record<string, { text: string; records?: string[]; format?: RecordFormat }>> = {
  lines: { text: lines(3000, () => `${next(1000)} ${'abc'[next(3)].repeat(next(40))}`) },
  open: { text: lines(500, () => `${next(100)}.5 x`).slice(0, -1) },
  empty: { text: '' },
  blank: { text: lines(900, () => (next(9) === 0 ? '' : String(next(500)))) },
  zero: { text: lines(800, () => `${next(300)}\n${next(9)}`).replaceAll('\n', '\0') },
  fields: { text: lines(2000, () => `${'pqr'[next(3)]},${next(50)},${next(3000) / 10},${next(1e6)}`) },
  wide: { text: lines(60, (i) => (i % 20 === 7 ? 'w'.repeat(20_000 + next(3)) + next(10) : String(next(100)))) },
  binary: { text: Buffer.from(Array.from({ length: 9 * 700 }, () => next(256))).toString('latin1') },
  reads: { text: lines(600, (i) => `@${i}\n${'ACGT'[next(4)]}${'ACGT'[next(4)]}\n+\n@@`) },
};

function lines(count: number, make: (i: number) => string): string {
  return Array.from({ length: count }, (_, i) => `${make(i)}\n`).join('');
}

/** The records of a text, whether or not it ends with a delimiter. */
export function recordsOf(text: string, format: RecordFormat): Buffer[] {
  const bytes = Buffer.from(text, 'latin1');
  const records: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const found = format.kind === 'fixed' ? at + format.size : bytes.indexOf(delimiterOf(format), at);
    const end = found < 0 ? bytes.length : found;
    records.push(bytes.subarray(at, end));
    at = format.kind === 'fixed' ? end : end + 1;
  }
  return records;
}

/** Creates the files before the tests and removes them afterwards. */
export function verifyInputs(): void {
  beforeAll(() => {
    directory = fs.mkdtempSync('/tmp/gpusort-verify-');
    for (const [name, { text }] of Object.entries(FILES)) fs.writeFileSync(file(name), text, 'latin1');
  });
  afterAll(() => {
    fs.rmSync(directory, { recursive: true });
  });
}

interface Found {
  readonly verified: Verified | null;
  readonly output: Buffer;
}

/** Sorts with --verify; returns its result, and the output. */
export async function verify(words: readonly string[]): Promise<Found> {
  const request = parseArguments(['--verify', '-o', file('output'), ...words], {
    ...surroundings(),
    programName: 'sort',
  });
  if (request.action !== 'sort') throw new Error('the arguments request no sort');
  let verified: Verified | null = null;
  expect(
    await runJob(request.job, {
      ...silent,
      verified: (found) => {
        verified = found;
      },
    }),
  ).toBe(0);
  return { verified, output: fs.readFileSync(file('output')) };
}

/** Options, file names, the format, and whether only gpusort takes these options. */
type Case = readonly [options: string, files: string, format?: RecordFormat, ours?: 'gpusort only'];
const CASES: readonly Case[] = [
  ['', 'lines'],
  ['-r', 'lines open'],
  ['-n', 'lines open'],
  ['-nr', 'lines'],
  ['-s -k2,2', 'lines'],
  ['-k2,2 -k1,1nr', 'lines open lines'],
  ['-f -k2', 'lines'],
  ['-t, -k3,3n', 'fields'],
  ['-t, -k1,1 -k2,2n -k4,4', 'fields'],
  ['-t, -k1,1 -s', 'fields'],
  ['-V', 'lines'],
  ['-g', 'open lines'],
  ['-h', 'lines'],
  ['-M', 'blank'],
  ['', 'empty'],
  ['', 'open'],
  ['', 'blank empty open'],
  ['', 'wide'],
  ['-r', 'wide lines'],
  ['-n', 'wide'],
  ['-k1.2', 'wide'],
  ['-z', 'zero', { kind: 'lines', delimiter: 0 }],
  ['-z -n', 'zero', { kind: 'lines', delimiter: 0 }],
  ['-m', 'sorted sorted'],
  ['-m', 'sorted'],
  ['-m --batch-size 2', 'sorted sorted sorted'],
  ['--record-size 9', 'binary', { kind: 'fixed', size: 9 }, 'gpusort only'],
  ['--record-size 9 -k 3:2 -r', 'binary', { kind: 'fixed', size: 9 }, 'gpusort only'],
  ['--record-size 9 -k 3:1 -s', 'binary', { kind: 'fixed', size: 9 }, 'gpusort only'],
  ['--segments blank', 'blank', NEWLINE, 'gpusort only'],
  ['--segment-by 1,1 -t,', 'fields', NEWLINE, 'gpusort only'],
  ['--segment-by 1,1 -t, -k2,2n', 'fields', NEWLINE, 'gpusort only'],
];

/** The output of GNU sort. */
function gnu(words: readonly string[]): Buffer {
  return spawnSync('sort', words, { env: { LC_ALL: 'C' }, maxBuffer: 1 << 28 }).stdout;
}

/** Registers the tests of an engine, for each of the sizes of chunks. */
export function verified(engine: 'cpu' | 'gpu', chunks: readonly string[]): void {
  beforeAll(() => {
    fs.writeFileSync(file('sorted'), gnu([file('lines')]));
  });
  const inChunks = async (
    words: readonly string[],
    expected: (found: Found) => void,
    some: readonly string[] = chunks,
  ): Promise<void> => {
    for (const chunk of some) expected(await verify([`--engine=${engine}`, `--chunk-size=${chunk}`, ...words]));
  };
  // A software GPU takes seconds to compile kernels.
  const all = CASES.flatMap((of) => chunks.map((chunk) => ({ of, chunk })));
  const cases = sampled(all, {
    count: engine === 'cpu' ? all.length : all.length / 3,
    seed: 1,
    values: ({ of: [options, names, format = NEWLINE], chunk }) =>
      engine === 'cpu'
        ? [options.split(' ').at(-1)!, names.split(' ')[0], chunk]
        : [format.kind, options.startsWith('--'), chunk],
  });
  for (const { of, chunk } of cases) {
    const [options, names, format = NEWLINE, ours] = of;
    it(`computes the same hash of input and output, in chunks of ${chunk}: ${names}${options && ` with ${options}`}`, async () => {
      const words = [...options.split(' ').filter((word) => word !== ''), ...names.split(' ').map(file)];
      const text = names.split(' ').flatMap((name) => recordsOf(fs.readFileSync(file(name), 'latin1'), format));
      const input = digestOf(text, format);
      const wanted = ours === undefined ? gnu(words) : null;
      const expected = ({ verified, output }: Found): void => {
        if (wanted !== null) expect(output.equals(wanted)).toBe(true);
        expect(verified).toMatchObject({ input, output: input, same: true });
      };
      await inChunks(words, expected, [chunk]);
    });
  }

  it.each(['-u', '-u -n', '-u -t, -k1,2', '-z -u'])(
    'finds the hash of the distinct records under --verify: %s',
    async (options) => {
      const words = [...options.split(' '), file('fields'), file('open')];
      const wanted = gnu(words);
      const format: RecordFormat = { kind: 'lines', delimiter: words.includes('-z') ? 0 : 10 };
      await inChunks(words, ({ verified, output }) => {
        expect(output.equals(wanted)).toBe(true);
        expect(verified!.output).toEqual(digestOf(recordsOf(wanted.toString('latin1'), format), format));
        expect(verified!.stages.at(-1)!.recordsOut).toBe(verified!.output.records);
      });
    },
  );

  it.each([
    ['--count -n', 3],
    ['--count -t, -k1,1 --bottom 2', 4],
    ['--count --top 3', 4],
    ['--top 7 -n', 2],
    ['--bottom 11 -r', 2],
    ['--top 0', 2],
    ['-u --top 5', 2],
  ] as const)('counts the records of each stage under --verify: %s', async (options, stages) => {
    await inChunks([...options.split(' '), file('fields'), file('open')], ({ verified }) => {
      expect(verified!.input.records).toBe(2500);
      expect(verified!.stages.length).toBe(stages);
    });
  });

  it('leaves the headers of --header and --csv out of the hash', async () => {
    const records = recordsOf(FILES.fields.text, NEWLINE);
    await inChunks(['--header', '2', file('fields')], ({ verified, output }) => {
      expect(verified).toMatchObject({ same: true, input: digestOf(records.slice(2)) });
      expect(output.subarray(0, records[0].length).equals(records[0])).toBe(true);
    });
    // Inside gpusort, CSV records end in NUL.
    const input = digestOf(records.slice(1), { kind: 'lines', delimiter: 0 });
    await inChunks(['--csv', '-k', '2,2n', file('fields')], ({ verified }) => {
      expect(verified).toMatchObject({ same: true, input });
    });
  });
}
