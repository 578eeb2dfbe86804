/**
 * The algorithm msd-radix-hybrid in whole jobs, compared with a plain sort: only first symbols are sent to the device,
 * and threads of the host sort the remaining ties and write the text. battery.gpu.test.ts runs them on its device: with
 * devices of their own, each job would compile the same kernels.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join as path } from 'node:path';
import { expect, it } from 'vitest';
import type { Ordering } from '../../../../src/job/ordering.js';
import { createRecorder, type Stage } from '../../../../src/report/recorder.js';
import { runJob } from '../../../../src/run/run-job.js';
import { freshDirectory } from '../../../battery/runner.js';
import { type JobSettings, job, silent } from '../../../support/jobs.js';
import { byNumber, numberLines, sortedNumbers } from '../../../support/keyed.js';
import { random } from '../../../support/random.js';
import { join, LINES, sortedRecords } from '../../../support/records.js';
import { REVERSE, UNIQUE } from '../strings/string-sorts.js';
import { DISTRIBUTIONS } from '../strings/strings.js';

const HYBRID = { engine: 'gpu', algorithm: 'msd-radix-hybrid' } as const;

/** Registers the tests. */
export function hybridJobs(): void {
  async function sorted(text: Uint8Array, changes: JobSettings, recorder = silent): Promise<Buffer> {
    const directory = freshDirectory('hybrid');
    const [input, output] = [path(directory, 'input'), path(directory, 'output')];
    writeFileSync(input, text);
    await runJob(
      job({ ...HYBRID, parallel: 2, inputs: [Buffer.from(input)], output: Buffer.from(output), ...changes }),
      recorder,
    );
    return readFileSync(output);
  }

  // Runs stay in memory, or there is room for one or two and the others go to temporary files.
  const [LARGE, SMALL] = [32 << 20, 60_000];
  const ORDERINGS: readonly (readonly [string, Ordering, readonly Uint8Array[], number])[] = [
    ['lines', LINES, DISTRIBUTIONS.URLs(3000, random(1)), LARGE],
    ['lines in reverse', REVERSE, DISTRIBUTIONS['Zipf words'](3000, random(2)), SMALL],
    ['unique lines', UNIQUE, DISTRIBUTIONS['16 values'](3000, random(3)), SMALL],
    ['long lines and short ones', LINES, DISTRIBUTIONS['two letters, 0 to 600'](1500, random(5)), LARGE],
  ];
  it.each(ORDERINGS)('sorts %s in many chunks, and verifies them', async (_, ordering, records, memoryBytes) => {
    const changes = { ordering, chunkBytes: 9000, memoryBytes, verify: true };
    expect((await sorted(join(records, ordering), changes)).toString('latin1')).toBe(
      join(sortedRecords(records, ordering), ordering).toString('latin1'),
    );
  });

  it('sorts keyed lines, whose keys the host makes', async () => {
    const lines = numberLines(2000, 3);
    const text = Buffer.from(lines.map((line) => `${line}\n`).join(''), 'latin1');
    const expected = `${sortedNumbers(lines, byNumber()).join('\n')}\n`;
    const changes = { ordering: byNumber(), chunkBytes: 5000, memoryBytes: SMALL, verify: true };
    expect((await sorted(text, changes)).toString('latin1')).toBe(expected);
  });

  it('sends 12 bytes a record and reads 4 back, however many ties there are', async () => {
    const records = DISTRIBUTIONS.URLs(2000, random(6));
    const recorder = createRecorder(() => {}, { keepsSpans: true });
    const output = await sorted(join(records), {}, recorder);
    expect(output.equals(join(sortedRecords(records)))).toBe(true);
    const { sentBytes, readBackBytes } = recorder.deviceTraffic!;
    expect(sentBytes).toBe(12 * records.length);
    // The state of the splits is read too.
    expect(readBackBytes - 4 * records.length).toBeLessThan(2000);
  });

  it.each([
    ['whose runs stay in memory', LARGE, false],
    ['whose runs go to temporary files', SMALL, true],
  ] as const)('sends 12 bytes a record of each of many chunks, %s', async (_, memoryBytes, spills) => {
    const records = DISTRIBUTIONS.URLs(4000, random(8));
    const recorder = createRecorder(() => {}, { keepsSpans: true });
    const output = await sorted(join(records), { chunkBytes: 9000, memoryBytes }, recorder);
    expect(output.equals(join(sortedRecords(records)))).toBe(true);
    const has = (name: Stage): boolean => recorder.spans.some(({ stage }) => stage === name);
    expect([has('merge'), has('spill')]).toEqual([true, spills]);
    expect(recorder.deviceTraffic!.sentBytes).toBe(12 * records.length);
  });

  it('keeps runs of several blocks', async () => {
    const records = DISTRIBUTIONS['two letters, 0 to 600'](9000, random(9));
    const output = await sorted(join(records), { chunkBytes: 1_500_000, memoryBytes: LARGE });
    expect(output.equals(join(sortedRecords(records)))).toBe(true);
  });

  it('keeps the last records', async () => {
    const records = DISTRIBUTIONS['random strings'](1200, random(7));
    const output = await sorted(join(records), { limit: { count: 17, end: 'last' }, chunkBytes: 7000 });
    expect(output.equals(join(sortedRecords(records).slice(-17)))).toBe(true);
  });
}
