/** The seed of -R: which jobs get one, its source, and GNU sort's error if the file is missing or too short. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readOptionFiles } from '../../src/input/option-files.js';
import type { SortJob } from '../../src/job/job.js';
import type { KeyPart } from '../../src/job/ordering.js';
import { runJob } from '../../src/run/run-job.js';
import { freshDirectory } from '../battery/runner.js';
import { type JobSettings, job, silent } from '../support/jobs.js';
import { LINES } from '../support/records.js';

const directory = freshDirectory('random-source');

const PLAIN: KeyPart = {
  span: { begin: { field: 0, byte: 0, skipBlanks: false }, end: null, separator: null },
  order: 'bytes',
  dictionary: false,
  printing: false,
  fold: false,
  reverse: false,
};
const shuffled = (changes: JobSettings = {}): SortJob =>
  job({
    ordering: { ...LINES, key: { kind: 'normalized', parts: [PLAIN, { ...PLAIN, order: 'random' }], seed: null } },
    ...changes,
  });

function file(name: string, content: Uint8Array): Buffer {
  writeFileSync(join(directory, name), content);
  return Buffer.from(join(directory, name));
}

const seedOf = async (job: SortJob): Promise<Uint8Array | null> => (await readOptionFiles(job)).seed;

it('takes the first 16 bytes of --random-source as the seed', async () => {
  const bytes = Uint8Array.from({ length: 40 }, (_, i) => 255 - i);
  expect(await seedOf(shuffled({ randomSource: file('long', bytes) }))).toEqual(bytes.subarray(0, 16));
  expect(await seedOf(shuffled({ randomSource: file('enough', bytes.subarray(0, 16)) }))).toEqual(
    bytes.subarray(0, 16),
  );
});

it('closes the file of --random-source', async () => {
  const randomSource = file('closed', Buffer.alloc(40));
  const open = (): number => readdirSync('/proc/self/fd').length;
  const before = open();
  for (let i = 0; i < 10; i++) await seedOf(shuffled({ randomSource }));
  expect(open()).toBeLessThan(before + 10);
});

it('draws a new seed for each sort without --random-source', async () => {
  const [first, second] = [await seedOf(shuffled()), await seedOf(shuffled())];
  expect(first).toHaveLength(16);
  expect(first).not.toEqual(second);
});

it('draws no seed and opens no file if no key is shuffled', async () => {
  const missing = { randomSource: Buffer.from(join(directory, 'missing')) };
  const record = job(missing);
  expect(await seedOf(record)).toBeNull();
  const parts = job({ ...missing, ordering: { ...LINES, key: { kind: 'normalized', parts: [PLAIN], seed: null } } });
  expect(await seedOf(parts)).toBeNull();
});

it('fails like GNU sort, before it opens an input, if --random-source gives no seed', async () => {
  mkdirSync(join(directory, 'folder'));
  for (const randomSource of ['missing', '', 'no file', 'folder', 'short', 'empty', '/dev/null'].map((name) =>
    Buffer.from(name),
  )) {
    file('short', Buffer.alloc(15));
    file('empty', Buffer.alloc(0));
    const gnu = spawnSync('sort', ['-R', `--random-source=${randomSource.toString()}`, 'not-there'], {
      cwd: directory,
      env: { LC_ALL: 'C' },
    });
    const place = process.cwd();
    process.chdir(directory);
    try {
      for (const mode of ['sort', 'merge', 'check'] as const) {
        const { message, exitCode } = await runJob(
          shuffled({ mode, randomSource, inputs: [Buffer.from('not-there')] }),
          silent,
        ).catch((error) => error);
        expect({ text: `sort: ${message}\n`, exitCode }).toEqual({ text: gnu.stderr.toString(), exitCode: gnu.status });
      }
    } finally {
      process.chdir(place);
    }
  }
});
