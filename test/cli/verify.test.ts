/** --verify on the command line: no message on success, two lines and exit status 2 on failure, and --stats. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { digestOf } from '../support/digests.js';
import { gnuSort, gpusort } from './run.js';

let directory = '';
const lines = Array.from({ length: 5000 }, (_, i) => `${(i * 7919) % 5003} line`);
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'gpusort-verify-'));
  // The last line lacks its newline.
  writeFileSync(join(directory, 'input'), lines.join('\n'));
});
afterAll(() => {
  rmSync(directory, { recursive: true });
});

it('--verify prints nothing if the check succeeds', () => {
  const { status, stdout, stderr } = gpusort(['--engine=cpu', '--verify', '-n', 'input'], { cwd: directory });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout).toBe(gnuSort(['-n', 'input'], { cwd: directory }).stdout);
});

it('--stats shows the result of --verify', () => {
  const { records, bytes, hash } = digestOf(lines.map((line) => Buffer.from(line)));
  const text = gpusort(['--engine=cpu', '--verify', '--stats', 'input', '-o', 'output'], { cwd: directory }).stderr;
  expect(text).toContain(
    `the output is in order and holds the records of the input: ${records} records, ${bytes} bytes, hash ${hash.toString(16).padStart(16, '0')}\n`,
  );
  expect(text).toContain('- verified: sort: 5000 records in, 5000 out, 0 dropped\n');
  const json = JSON.parse(
    gpusort(['--engine=cpu', '--verify', '--stats=json', '-u', '-k2', 'input', '-o', 'output'], { cwd: directory })
      .stderr,
  );
  expect(json.verification).toMatchObject({
    input: { records: 5000, bytes },
    output: { records: 1 },
    sameRecords: false,
  });
  expect(json.verification.stages.at(-1)).toMatchObject({ stage: 'merge', recordsOut: 1 });
});

it('a failed check ends with exit status 2 and leaves FILE of -o unchanged', () => {
  writeFileSync(join(directory, 'output'), 'as it was');
  const { status, stderr } = gpusort(['--verify', '-m', 'input', '-o', 'output'], { cwd: directory });
  expect(status).toBe(2);
  expect(stderr).toMatch(
    /^\S*: verification failed: record \d+ of the output, at byte \d+, is before record \d+\n.*keeps its contents.*\n$/,
  );
  expect(readFileSync(join(directory, 'output'), 'latin1')).toBe('as it was');
});

it('a failed check says that standard output must be discarded', () => {
  const { status, stderr } = gpusort(['--verify', '-m', 'input'], { cwd: directory });
  expect(status).toBe(2);
  expect(stderr).toContain('Discard what was written to standard output.');
});

it('--verify does not change the abbreviations of --version', () => {
  for (const word of ['--v', '--ver', '--vers'])
    expect(gpusort([word]).stderr.replace(/^\S*gpusort|(?<=')\S*gpusort/g, 'sort')).toBe(gnuSort([word]).stderr);
  expect(gpusort(['--verif', '--stats=json', 'input', '-o', 'output'], { cwd: directory }).stderr).toContain(
    '"verification"',
  );
});
