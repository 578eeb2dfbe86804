/** --verify: no message on success, two lines and exit status 2 on failure, and what --stats says about it. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { digestOf } from '../support/digests.js';
import { gpusortHere } from './here.js';
import { gnuSort, gpusort } from './run.js';

let cwd = '';
const lines = Array.from({ length: 5000 }, (_, i) => `${(i * 7919) % 5003} line`);
beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), 'gpusort-verify-'));
  // The last line lacks its newline.
  writeFileSync(join(cwd, 'input'), lines.join('\n'));
});
afterAll(() => {
  rmSync(cwd, { recursive: true });
});

it('prints nothing if the check succeeds', async () => {
  expect(await gpusortHere(['--engine=cpu', '--verify', '-n', 'input'], { cwd })).toEqual(
    gnuSort(['-n', 'input'], { cwd }),
  );
});

it('shows its result in --stats', () => {
  const { records, bytes, hash } = digestOf(lines.map((line) => Buffer.from(line)));
  const text = gpusort(['--engine=cpu', '--verify', '--stats', 'input', '-o', 'output'], { cwd }).stderr;
  expect(text).toContain(
    'the output is in order and holds the records of the input: ' +
      `${records} records, ${bytes} bytes, hash ${hash.toString(16).padStart(16, '0')}\n`,
  );
  expect(text).toContain('- verified: sort: 5000 records in, 5000 out, 0 dropped\n');
  const { verification } = JSON.parse(
    gpusort(['--engine=cpu', '--verif', '--stats=json', '-u', '-k2', 'input', '-o', 'output'], { cwd }).stderr,
  );
  expect(verification).toMatchObject({
    input: { records: 5000, bytes },
    output: { records: 1 },
    sameRecords: false,
  });
  expect(verification.stages.at(-1)).toMatchObject({ stage: 'merge', recordsOut: 1 });
});

it('ends with exit status 2 if the check fails, and leaves FILE of -o unchanged', async () => {
  writeFileSync(join(cwd, 'output'), 'as it was');
  const { status, stderr } = await gpusortHere(['--verify', '-m', 'input', '-o', 'output'], { cwd });
  expect(status).toBe(2);
  expect(stderr).toMatch(
    /^gpusort: verification failed: record \d+ of the output, at byte \d+, is before record \d+\n.*keeps its contents.*\n$/,
  );
  expect(readFileSync(join(cwd, 'output'), 'latin1')).toBe('as it was');
});

it('says that standard output must be discarded if the check fails', () => {
  const { status, stderr } = gpusort(['--verify', '-m', 'input'], { cwd });
  expect(status).toBe(2);
  expect(stderr).toContain('Discard what was written to standard output.');
});
