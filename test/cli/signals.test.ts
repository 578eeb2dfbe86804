/** Ends by signals and by closed pipes, with a standard input that never ends. */
import { setTimeout as sleep } from 'node:timers/promises';
import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import type { ChildProcess } from 'node:child_process';
import { exitOf, shell, waitingGpusort } from './run.js';

const STARTED_LIMIT_MS = 20_000;
const children: ChildProcess[] = [];
afterEach(() => { for (const child of children.splice(0)) child.kill('SIGKILL'); });

/** Starts the binary and waits until it handles signals by itself. */
async function started(env: Record<string, string> = {}): Promise<ChildProcess> {
  const child = waitingGpusort([], env);
  children.push(child);
  const end = Date.now() + STARTED_LIMIT_MS;
  while (!handlesHangup(child.pid!)) {
    if (Date.now() > end) throw new Error('does not start');
    await sleep(20);
  }
  return child;
}

/** Whether the process catches SIGHUP (1), by the kernel's account; Node by itself only catches INT and TERM. */
function handlesHangup(pid: number): boolean {
  const caught = /^SigCgt:\s*([0-9a-f]+)/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))![1];
  return (BigInt(`0x${caught}`) & 1n) === 1n;
}

describe('signals', () => {
  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('dies of %s, silently', async signal => {
    const child = await started();
    let output = '';
    child.stdout!.on('data', data => { output += data; });
    child.stderr!.on('data', data => { output += data; });
    child.kill(signal);
    expect(await exitOf(child)).toEqual({ status: null, signal });
    expect(output).toBe('');
  });

  it('leaves HUP ignored under nohup', async () => {
    const child = await started({ _: '/usr/bin/nohup' });
    child.kill('SIGHUP');
    await sleep(300);
    expect(child.exitCode ?? child.signalCode).toBe(null);
    child.kill('SIGTERM');
    expect(await exitOf(child)).toEqual({ status: null, signal: 'SIGTERM' });
  });

  it('leaves HUP ignored where the shell ignores it', () => {
    const { stdout } = shell(`trap '' HUP; sleep 4 2>/dev/null | $GPUSORT & sleep 1.5; kill -HUP $!; sleep 0.3; kill -0 $! && echo alive; kill -TERM $!; wait $!; echo $?`);
    expect(stdout).toBe('alive\n143\n');
  });
});

describe('closed pipes', () => {
  it.each(['$GPUSORT --help', 'seq 200000 | $GPUSORT'])('%s ends silently by SIGPIPE', line => {
    const { stdout, stderr } = shell(`${line} | (exec 0<&-; sleep 1); echo \${PIPESTATUS[-2]}`);
    expect({ stdout, stderr }).toEqual({ stdout: '141\n', stderr: '' });
  });
});
