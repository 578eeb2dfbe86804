/** The progress line: its text, and when it is visible. */
import type { Options, Params } from 'cli-progress';
import { expect, it } from 'vitest';
import { formatLine } from '../../../src/cli/terminal/progress.js';
import type { Phase } from '../../../src/report/stats.js';
import { shell } from '../run.js';

/** The progress line `milliseconds` after the start of a phase. */
function line(phase: Phase, bytes: number, totalBytes: number | undefined, milliseconds: number): string {
  const start = performance.now() - milliseconds;
  return formatLine({} as Options, { progress: bytes / (totalBytes ?? bytes) } as Params, {
    phase,
    start,
    bytes,
    totalBytes,
  });
}

it('says the phase, how much of it, how fast, how long still', () => {
  expect(line('reading', 5e9, 1e10, 10_000)).toBe(
    'reading   [============            ]  5.00 GB of 10.0 GB  500 MB/s  10.0 s left',
  );
});

it('guesses no time at the very beginning, and none without a total', () => {
  expect(line('checking', 1e8, 1e10, 10_000)).toBe(
    'checking  [                        ]  100 MB of 10.0 GB  10.0 MB/s',
  );
  expect(line('reading', 1e8, undefined, 10_000)).toBe('reading   100 MB  10.0 MB/s');
});

/** An input of more than a pipe holds, a pause of 1.5 s, and more input. */
const SLOW = '(seq 100000; sleep 1.5; seq 100000) | $GPUSORT -o /dev/null';

it('is seen nowhere but on a terminal, unless always asked for', () => {
  expect(shell(SLOW)).toEqual({ status: 0, signal: null, stdout: '', stderr: '' });
  expect(shell(`${SLOW} --progress=always`).stderr).toMatch(/^reading +[\d.]+ .?B/);
});

it('does not go back and forth where segments are written while others are read', () => {
  const { stderr } = shell(
    '(seq 100000; sleep 1.2; seq 100000; sleep 1.2) | $GPUSORT --engine=cpu -S400K --chunk-size=64K --segment-by=1,1 -o /dev/null --progress=always',
  );
  expect(stderr).toMatch(/^reading +[\d.]+ .?B/);
  expect(stderr).not.toContain('writing');
});

// Retried: on a busy machine the program may take longer than half a second.
it('is not seen at all before half a second', { retry: 5 }, () => {
  expect(shell('seq 10 | $GPUSORT -o /dev/null --progress=always')).toEqual({
    status: 0,
    signal: null,
    stdout: '',
    stderr: '',
  });
});

it('is erased from a terminal at the end', ({ skip }) => {
  if (shell('command -v script').status !== 0) skip();
  const { stdout } = shell(`script -qec '${SLOW}' /dev/null`, { env: { TERM: 'xterm' } });
  expect(stdout).toMatch(/reading +[\d.]+ .?B/);
  expect(stdout.endsWith('\x1b[2K')).toBe(true);
});
