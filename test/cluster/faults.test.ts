/** Faults in a distributed sort, at every stage: the result is the same bytes, or one clear message. */
import { cpSync, existsSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { readJson, writeJson } from '../../src/cluster/job-file.js';
import type { RangeResult } from '../../src/cluster/range-task.js';
import { sampled } from '../support/tier.js';
import { sorted } from './both.js';
import { type Act, ENDED, type Fault, Place } from './place.js';

describe('a task process that ends without a result', () => {
  const DYING: readonly { what: string; fault: Fault; warning: RegExp }[] = [
    {
      what: 'killed in the first phase',
      fault: ['share-0001', 'kill', 1],
      warning: /share-0001 was ended by SIGKILL, as/,
    },
    { what: 'killed in the second', fault: ['range-0002', 'kill', 2], warning: /range-0002 was ended by SIGKILL, as/ },
    { what: 'out of memory', fault: ['share-0000', 'abort', 1], warning: /share-0000 was ended by SIGABRT; it is/ },
    {
      what: 'exited early',
      fault: ['range-0000', 'exit', 1],
      warning: /range-0000 ended with status 9; it is started/,
    },
  ];

  it.each(sampled(DYING, { count: DYING.length, seed: 1 }))('is started again: $what', ({ fault, warning }) => {
    const place = new Place();
    const { status, stderr } = place.run([], fault);
    expect(stderr).toMatch(new RegExp(`^gpusort: warning: ${warning.source}.*\n$`));
    expect(status).toBe(0);
    place.expectSorted();
  });

  it('ends the sort after three attempts, and the same command resumes', async () => {
    const place = new Place();
    const attempts: number[] = [];
    const act: Act = async (task, attempt) => {
      if (task !== 'share-0002') return place.runs(task);
      attempts.push(attempt);
      writeFileSync(join(place.job, 'shares', `0002.run.host-${attempt}.tmp`), 'x');
      writeFileSync(join(place.job, 'log', task), 'gpusort: fell over\n');
      return { ...ENDED, how: 'ended with status 9' };
    };
    const { status, stderr } = await place.here([], { act });
    expect(stderr.split('\n')).toEqual([
      'gpusort: warning: share-0002 ended with status 9; it is started again',
      'gpusort: share-0002 of the stand-in ended with status 9: fell over',
      `Its output is in ${place.job}/log/share-0002.`,
      expect.stringMatching(/^Run the same command again to resume; to give up: rm -r .*\.job .*\.sorted$/),
      '',
    ]);
    expect({ status, attempts, temporary: place.temporary() }).toEqual({
      status: 2,
      attempts: [1, 2, 3],
      temporary: [],
    });
    expect(existsSync(place.output)).toBe(false);
    expect(await place.here()).toMatchObject({ status: 0, stderr: '' });
    place.expectSorted();
  });
});

/** Flips a bit of the byte at `at`; counted from the end if negative. */
function flip(file: string, at: number): void {
  const bytes = readFileSync(file);
  bytes[at < 0 ? bytes.length + at : at] ^= 4;
  writeFileSync(file, bytes);
}

/** The byte of an index at which the list of checkpoints begins; the sample precedes it, checksums follow it. */
function marksOf(index: string): number {
  const header = JSON.parse(readFileSync(index).subarray(9, 1024).toString('latin1')) as Record<string, number>;
  return 1024 + Math.ceil((header.checkpoints - header.first) / header.step) * (48 + header.headBytes);
}

describe('damage to a file of the job directory', () => {
  // Each run has several checkpoints.
  const place = new Place(50_000);
  const kept = new Map<string, string>();
  const inJob = (name: string): string => join(place.job, name);
  const run = (number: number): string => inJob(`shares/000${number}.run`);
  const index = (number: number): string => inJob(`shares/000${number}.index`);

  beforeAll(async () => {
    expect(await place.prepare()).toMatchObject({ status: 0, stderr: '' });
    await place.tasks('share-0000', 'share-0001', 'share-0002', 'splitters', 'range-0001');
    for (const path of [place.job, place.text()]) {
      kept.set(path, `${path}.faults`);
      renameSync(path, `${path}.faults`);
    }
  });

  /** A job of which two ranges are missing. */
  function restore(): void {
    for (const path of [place.job, place.output]) rmSync(path, { recursive: true, force: true });
    for (const [path, saved] of kept) cpSync(saved, path, { recursive: true });
  }

  const CASES: readonly { what: string; damage: () => void; warns?: RegExp }[] = [
    { what: 'none', damage: () => {} },
    { what: 'a run cut short', damage: () => truncateSync(run(1), 700), warns: /cannot be read|is damaged/ },
    { what: 'a run without text', damage: () => truncateSync(run(2), 0), warns: /cannot be read|is damaged/ },
    { what: 'a run that is gone', damage: () => rmSync(run(0)), warns: /cannot be read/ },
    { what: 'a bit of a run', damage: () => flip(run(0), -100), warns: /is damaged/ },
    { what: 'the header of an index', damage: () => flip(index(0), 100), warns: /is damaged/ },
    { what: 'a sample of an index', damage: () => flip(index(1), 1024 + 20), warns: /is damaged/ },
    { what: 'a checkpoint of an index', damage: () => flip(index(1), marksOf(index(1)) + 25), warns: /is damaged/ },
    // Merges examine it only if the hash of the output is wrong.
    { what: 'a checksum of an index', damage: () => flip(index(2), -1) },
    { what: 'an index cut short', damage: () => truncateSync(index(2), 1100), warns: /cannot be read/ },
    { what: 'the splitters', damage: () => flip(inJob('splitters.json'), 60) },
    { what: 'splitters cut short', damage: () => truncateSync(inJob('splitters.json'), 60) },
    {
      what: 'the done file of a range',
      damage: () => flip(inJob('ranges/0001.json'), 45),
      warns: /0001\.json is damaged; it was/,
    },
    {
      what: 'the edges of a range',
      damage: () => flip(inJob('ranges/0001.edges'), 500),
      warns: /0001\.edges is damaged; it was/,
    },
    {
      what: 'edges that are gone',
      damage: () => rmSync(inJob('ranges/0001.edges')),
      warns: /0001\.edges is damaged; it was/,
    },
    { what: 'the error of a task', damage: () => writeFileSync(inJob('errors/range-0000.json'), 'x') },
  ];

  const kindOf = ({ what }: { what: string }): string[] => [
    /run|index|splitters|done file|edges|error/.exec(what)?.[0] ?? '',
  ];
  it.each(sampled(CASES, { count: CASES.length, seed: 1, values: kindOf }))(
    'is repaired: $what',
    async ({ damage, warns }) => {
      restore();
      damage();
      const { status, stderr } = await place.here();
      expect(stderr).toMatch(warns ?? /^$/);
      expect(stderr).not.toMatch(/internal error|undefined/);
      expect(status).toBe(0);
      expect(readFileSync(place.output, 'latin1') === place.sorted).toBe(true);
      expect([...kept.keys()].filter(existsSync)).toEqual([]);
    },
  );

  it('is refused in the job file, which cannot be rebuilt', async () => {
    restore();
    flip(inJob('job.json'), 500);
    expect(await place.here()).toMatchObject({
      status: 2,
      stderr: `gpusort: ${place.job}/job.json is damaged\nRemove it (rm ${place.job}/job.json) and run the same command again.\n`,
    });
    expect(existsSync(place.output)).toBe(false);
    rmSync(inJob('job.json'));
    expect(await place.here()).toMatchObject({ status: 0, stderr: '' });
    expect(readFileSync(place.output, 'latin1') === place.sorted).toBe(true);
  });

  it.each([
    { what: 'other records', change: { hash: '1' }, says: 'have different records from those that were read' },
    { what: 'a record too few', change: { records: 0 }, says: /have \d+ records of \d+ bytes instead of 50000/ },
  ])('prevents the output if ranges have $what', async ({ change, says }) => {
    restore();
    const name = Buffer.from(inJob('ranges/0001.json'));
    const result = readJson(name) as RangeResult;
    await writeJson(name, { ...result, records: { ...result.records, ...change } });
    const { status, stderr } = await place.here();
    expect(stderr.split('\n')[0]).toMatch(says);
    expect(stderr).toMatch(/^gpusort: the output would be wrong: the ranges of the output /);
    expect({ status, exists: existsSync(place.output) }).toEqual({ status: 2, exists: false });
  });
});

/** Damage that neither the order nor the hash of the output shows: checksums must. */
describe('a damaged run', () => {
  // Numbers end in 0: a larger last digit then changes no order.
  const tens = Array.from({ length: 400 }, (_, i) => `${1000 + ((i * 37) % 400)}0\n`).join('');
  const raiseDigit = (run: Buffer): void => {
    run[run.indexOf('\n', run.length / 2) - 1]++;
  };
  const equalKeys = ['2000 a', '1000 b', '2000 c', '3000 d', '2000 e', '2000 f'].join('\n');
  /** The last byte of a key, before the line: the key becomes larger than those of equal numbers. */
  const raiseKey = (run: Buffer): void => {
    run[run.indexOf('2000 a') - 1]++;
  };

  const UNSEEN = [
    { words: ['-u'], text: tens, damage: raiseDigit },
    { words: ['--top', '300'], text: tens, damage: raiseDigit },
    { words: ['--bottom', '300'], text: tens, damage: raiseDigit },
    { words: ['--count'], text: tens, damage: raiseDigit },
    { words: ['-s', '-k1,1n'], text: equalKeys, damage: raiseKey },
  ];
  it.each(sampled(UNSEEN, { count: UNSEEN.length, seed: 1, values: ({ damage }) => [damage === raiseKey] }))(
    'is detected under $words',
    async ({ words, text, damage }) => {
      const place = new Place();
      writeFileSync(place.input, text);
      const run = join(place.job, 'shares/0000.run');
      let isDamaged = false;
      const act: Act = async (task) => {
        if (task.startsWith('range') && !isDamaged) {
          const bytes = readFileSync(run);
          damage(bytes);
          writeFileSync(run, bytes);
          isDamaged = true;
        }
        return place.runs(task);
      };
      const { status, stderr } = await place.here(['--chunk-size', '1M', '--tasks', '2', ...words], { act });
      expect(stderr).toMatch(
        /^(gpusort: warning: range-000\d failed on .*0000\.run is damaged.*; it is started again\n)+$/,
      );
      const { output } = await sorted([...words, 'in'], { in: text }, null);
      expect(readFileSync(place.output).equals(output)).toBe(true);
      expect(status).toBe(0);
    },
  );
});
