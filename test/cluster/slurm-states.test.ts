/** What lines of squeue mean. Rows were taken from Slurm 22.05 with and without control groups. */
import { expect, it } from 'vitest';
import type { TaskState } from '../../src/cluster/scheduler.js';
import { COLUMN_FORMAT, readAttempts } from '../../src/cluster/slurm-states.js';

/** Pads and cuts values as squeue does. */
function line(values: readonly string[]): string {
  const widths = COLUMN_FORMAT.split(',').map((column) => Number(column.split(':')[1]));
  return values.map((value, i) => value.slice(0, widths[i]).padEnd(widths[i])).join('');
}

/** The state of share-0007 whose job prints these columns. */
function state(name: string, exitCode: string, host: string, reason: string): TaskState {
  const output = `${line(['gpusort-a1b2c3d4-share-0', '42', '7', name, exitCode, host, reason])}\n`;
  const [attempt, ...others] = readAttempts('a1b2c3d4', output);
  expect(others).toEqual([]);
  expect(attempt).toMatchObject({ task: 'share-0007', job: 42 });
  return attempt.state;
}

it.each([
  ['PENDING', '0', '', 'None', null],
  ['PENDING', '0', '', 'Resources', 'Resources'],
  ['PENDING', '0', '', 'JobHeldUser', 'JobHeldUser'],
  ['PENDING', '0', '', 'BeginTime', 'BeginTime'],
  ['PENDING', '0', '', 'ReqNodeNotAvail, UnavailableNodes:n[1-3]', 'ReqNodeNotAvail, UnavailableNodes:n[1-3]'],
  ['CONFIGURING', '0', 'n1', 'None', 'CONFIGURING'],
  ['REQUEUED', '0', 'n1', 'None', 'REQUEUED'],
  ['SUSPENDED', '0', 'n1', 'None', 'SUSPENDED'],
])('%s %s %s %s: waits', (name, exitCode, host, reason, shown) => {
  expect(state(name, exitCode, host, reason)).toEqual({ kind: 'waiting', reason: shown });
});

it.each([
  ['RUNNING', 'n1', 'n1'],
  ['RUNNING', '', null],
  ['COMPLETING', 'n1', 'n1'],
  ['STATE_OF_A_LATER_VERSION', 'n1', 'n1'],
])('%s on "%s": runs', (name, host, shown) => {
  expect(state(name, '0', host, 'None')).toEqual({ kind: 'running', host: shown });
});

it.each([
  ['COMPLETED', '0', 'None', null, false],
  ['FAILED', '512', 'NonZeroExitCode', null, false],
  ['FAILED', '0', 'JobLaunchFailure', 'could not be started', true],
  ['FAILED', '9', 'JobLaunchFailure', 'was killed (SIGKILL), perhaps because it was out of memory', false],
  ['FAILED', '15', 'RaisedSignal:15(Terminated)', 'was ended (SIGTERM), perhaps because its node was shut down', true],
  ['FAILED', '139', 'RaisedSignal:11(Segmentation_fault)', 'was ended by signal 11', false],
  ['FAILED', '4021', 'JobLaunchFailure', 'could not open its log: its node may not see the job directory', true],
  ['OUT_OF_MEMORY', '253', 'OutOfMemory', 'was out of memory', false],
  ['TIMEOUT', '15', 'TimeLimit', 'reached its time limit', false],
  ['DEADLINE', '15', 'DeadLine', 'reached its deadline', false],
  ['PREEMPTED', '15', 'None', 'was preempted', true],
  ['CANCELLED', '15', 'None', 'was cancelled', false],
  ['REVOKED', '0', 'None', 'was revoked', false],
  ['NODE_FAIL', '0', 'None', 'lost its node n2', true],
  ['BOOT_FAIL', '0', 'None', 'got a node that did not start', true],
  ['LAUNCH_FAILED', '0', 'None', 'could not be started', true],
])('%s %s %s: ended', (name, exitCode, reason, how, again) => {
  expect(state(name, exitCode, 'n2', reason)).toEqual({
    kind: 'ended',
    how,
    again,
    ...(['PREEMPTED', 'NODE_FAIL'].includes(name) && { isLost: true }),
  });
});

it('ignores other jobs, headers of clusters and names that move columns', () => {
  const output = [
    'CLUSTER: one',
    line(['gpusort-zzzzzzzz-share-0', '1', '7', 'RUNNING', '0', 'n1', 'None']),
    line(['wrap', '2', 'N/A', 'RUNNING', '0', 'n1', 'None']),
    line([`gpusort-a1b2c3d4-${'x'.repeat(90)}`, '3', '7', 'RUNNING', '0', 'n1', 'None']),
    line(['gpusort-a1b2c3d4-range-2', '4', '31', 'RUNNING', '0', 'n1', 'None']),
    '',
  ].join('\n');
  expect(readAttempts('a1b2c3d4', output)).toEqual([
    { task: 'range-2031', job: 4, state: { kind: 'running', host: 'n1' } },
  ]);
});
