/** Stored runs with checkpoints a few bytes apart, so even small runs have many, in a job directory of their own. */
import { closeSync, openSync, writeFileSync } from 'node:fs';
import { join as path } from 'node:path';
import { JobDirectory } from '../../src/cluster/directory.js';
import { OpenFiles } from '../../src/cluster/open-files.js';
import { writeIndex } from '../../src/cluster/run-index.js';
import { lazySurveyor, StoredShare } from '../../src/cluster/stored-share.js';
import type { Ordering } from '../../src/job/ordering.js';
import { keyHeader } from '../../src/keys/keyed.js';
import { NO_RECORDS } from '../../src/report/digest.js';
import { sampleBytes } from '../../src/runs/run-index.js';
import { BLOCK_BYTES, Surveyor, surveyRole } from '../../src/verify/survey.js';
import { freshDirectory } from '../battery/runner.js';
import { byNumber } from '../support/keyed.js';
import { join, sortedRecords } from '../support/records.js';

/** Stores each list of records in the form that runs hold, and opens the shares. */
export async function storedShares(
  runs: readonly (readonly Uint8Array[])[],
  ordering: Ordering,
  checkpoint = 64,
): Promise<{ readonly shares: StoredShare[]; readonly directory: JobDirectory }> {
  const directory = new JobDirectory(Buffer.from(path(freshDirectory('shares'), 'job')));
  directory.create();
  const surveyor = new Surveyor(surveyRole(ordering, 'run'), { block: BLOCK_BYTES, checkpoint, long: 1 << 20 });
  const files = new OpenFiles(4);
  const shares: StoredShare[] = [];
  for (const [share, records] of runs.entries()) {
    const text = join(records, ordering);
    writeFileSync(directory.run(share), text);
    const fd = openSync(directory.run(share), 'r');
    const surveys = text.length === 0 ? [] : [surveyor.survey({ fd, from: 0, to: text.length, end: text.length })!];
    closeSync(fd);
    const about = { headBytes: sampleBytes(ordering), input: NO_RECORDS, presence: '', share };
    await writeIndex(directory.index(share), surveys, text.length, about);
    shares.push(await StoredShare.open(directory, share, ordering, files, lazySurveyor(ordering, 'run')));
  }
  return { shares, directory };
}

/** Lines with numeric keys, whose ties keep their order. */
export const STABLE = byNumber({ lastResort: false });

/** A run of records of a key and text, as runs hold them. */
export function keyedRun(ordering: Ordering, records: readonly (readonly [key: string, text: string])[]): Uint8Array[] {
  return sortedRecords(
    records.map(([key, text]) => keyed(ordering, key, text)),
    ordering,
  );
}

function keyed(ordering: Ordering, key: string, text: string): Uint8Array {
  if (ordering.key.kind !== 'normalized') return Buffer.from(`${key} ${text}`);
  return Buffer.concat([keyHeader(ordering, key.length), Buffer.from(key), Buffer.from(text)]);
}
