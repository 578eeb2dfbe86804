/** The progress line: its text, and when it is visible. */
import type { Options, Params } from 'cli-progress';
import { expect, it } from 'vitest';
import { formatLine } from '../../../src/cli/terminal/progress.js';
import type { Phase, TaskCount } from '../../../src/report/recorder.js';
import { shell } from '../run.js';

interface Shown {
  readonly firstBytes?: number;
  readonly tasks?: TaskCount;
  readonly laterPasses?: number;
  readonly columns?: number;
}

/** The progress line `milliseconds` after the start of a phase. */
function line(phase: Phase, bytes: number, totalBytes: number | undefined, milliseconds: number, more: Shown = {}) {
  const { firstBytes = 0, tasks, laterPasses = 0, columns } = more;
  const start = performance.now() - milliseconds;
  const shown = { phase, start, firstBytes, bytes, totalBytes, tasks, laterPasses, columns };
  return formatLine({} as Options, {} as Params, shown);
}

const GiB = 2 ** 30;

/** Milliseconds since the phase began. */
const S = 10_000;
it.each<[string, string, string]>([
  [
    'shows the phase, how much of it is done, how fast, and the time left',
    line('reading', 5 * GiB, 10 * GiB, S),
    'reading   [============            ]  5 GiB of 10 GiB  512 MiB/s  10 s left',
  ],
  [
    'counts the tasks of a distributed sort',
    line('merging', 5 * GiB, 10 * GiB, S, { tasks: { done: 7, all: 1000 } }),
    'merging   [======      ]  7 of 1000 tasks  5 GiB of 10 GiB  512 MiB/s  10 s left',
  ],
  [
    'adds the time of the passes that follow',
    line('reading', 5 * GiB, 10 * GiB, S, { laterPasses: 1 }),
    'reading   [============            ]  5 GiB of 10 GiB  512 MiB/s  30 s left',
  ],
  [
    'shows no time of less than a second',
    line('writing', 9.99 * GiB, 10 * GiB, S),
    'writing   [========================]  9.99 GiB of 10 GiB  1023 MiB/s',
  ],
  [
    'leaves out the bar on a terminal of 60 columns',
    line('reading', 5 * GiB, 10 * GiB, S, { columns: 60 }),
    'reading   5 GiB of 10 GiB  512 MiB/s  10 s left',
  ],
  [
    'leaves out what would fill the last column, because some terminals then begin a new line',
    line('reading', 5 * GiB, 10 * GiB, S, { columns: 47 }),
    'reading   5 GiB of 10 GiB  10 s left',
  ],
  [
    'leaves out the rate on a terminal of 40 columns',
    line('reading', 5 * GiB, 10 * GiB, S, { columns: 40 }),
    'reading   5 GiB of 10 GiB  10 s left',
  ],
  [
    'leaves out the bytes before the tasks',
    line('merging', 5 * GiB, 10 * GiB, S, { tasks: { done: 7, all: 1000 }, columns: 40 }),
    'merging   7 of 1000 tasks  10 s left',
  ],
  ['shows only the phase if there is no room', line('merging', 5 * GiB, 10 * GiB, S, { columns: 10 }), 'merging'],
  [
    'does not count what was done before the phase began',
    line('sorting', 6 * GiB, 10 * GiB, S, { firstBytes: GiB }),
    'sorting   [==============          ]  6 GiB of 10 GiB  512 MiB/s  8 s left',
  ],
  [
    'has no rate before the first bytes of the phase',
    line('sorting', 5 * GiB, 10 * GiB, S, { firstBytes: 5 * GiB }),
    'sorting   [============            ]  5 GiB of 10 GiB  -',
  ],
  [
    'guesses no time at the very beginning',
    line('checking', 100 * 2 ** 20, 10 * GiB, S),
    'checking  [                        ]  100 MiB of 10 GiB  10 MiB/s',
  ],
  ['guesses no time without a total', line('reading', 100 * 2 ** 20, undefined, S), 'reading   100 MiB  10 MiB/s'],
  ['has no bar before anything has moved', line('merging', 0, 10 * GiB, S), 'merging   10 GiB ...'],
  ['has only the phase at first', line('merging', 0, undefined, S), 'merging   ...'],
])('%s', (_, shown, expected) => {
  expect(shown).toBe(expected);
});

/** An input of more than a pipe holds, a pause, and more input. */
const SLOW = '(seq 20000; sleep 1.5; seq 20000) | $GPUSORT -o /dev/null';

it('is not shown without a terminal, except with --progress=always', () => {
  expect(shell(SLOW)).toEqual({ status: 0, signal: null, stdout: '', stderr: '' });
  expect(shell(`${SLOW} --progress=always`).stderr).toMatch(/^reading +[\d.]+ .*B/);
});

it('names the merge of -m', () => {
  const line = '(seq 9; sleep 1.2; seq 9) | $GPUSORT -m - -o /dev/null --progress=always';
  expect(shell(line).stderr).toMatch(/^merging +\S/);
});

it('does not go back and forth if segments are written while others are read', () => {
  const options = '--engine=cpu -S400K --chunk-size=64K --segment-by=1,1 -o /dev/null --progress=always';
  const { stderr } = shell(`(seq 100000; sleep 1.2; seq 100000; sleep 1.2) | $GPUSORT ${options}`);
  // Only once everything is read can another phase be shown.
  expect(stderr).toMatch(/^(?:reading +[\d.]+ [^\n]*\n){2,}(?:(?:sorting|writing) [^\n]*\n)*$/);
});

// Retried: on a busy machine the program may take longer than half a second.
it('is not shown before half a second', { retry: 5 }, () => {
  const nothing = { status: 0, signal: null, stdout: '', stderr: '' };
  expect(shell('seq 10 | $GPUSORT -o /dev/null --progress=always')).toEqual(nothing);
});

it('is erased from a terminal at the end', ({ skip }) => {
  if (shell('command -v script').status !== 0) skip();
  const { stdout } = shell(`script -qec '${SLOW}' /dev/null`, { env: { TERM: 'xterm' } });
  expect(stdout).toMatch(/reading +[\d.]+ .*B/);
  expect(stdout.endsWith('\x1b[2K')).toBe(true);
});
