/**
 * Death by signals and by closed pipes, at rest and in the middle of a sort. In the nightly run each signal comes at
 * sixty random moments.
 */

import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { random } from '../../support/random.js';
import { DEADLY } from '../../support/signals.js';
import { sampled } from '../../support/tier.js';
import { BINARY, environment, exitOf, shell, waitingGpusort, withDirectory } from '../run.js';

const STARTED_LIMIT_MS = 20_000;
const hasDash = spawnSync('dash', ['-c', 'true']).status === 0;
const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

/** Small sorts (src/run/at-once.ts) install no handlers. */
const GENERAL = ['--engine=cpu'];

/** Starts the binary and waits until its signal handlers are installed. */
async function started(env: Record<string, string> = {}): Promise<ChildProcess> {
  const child = waitingGpusort(GENERAL, env);
  children.push(child);
  const end = Date.now() + STARTED_LIMIT_MS;
  while (!handlesSignals(child.pid!)) {
    if (Date.now() > end) throw new Error('does not start');
    await sleep(20);
  }
  return child;
}

/** Whether a process handles a signal, by /proc. The program installs SIGIO's handler last. False if it is gone. */
function handlesSignals(pid: number, signal: 'SIGIO' | 'SIGUSR1' = 'SIGIO'): boolean {
  let status = '';
  try {
    status = readFileSync(`/proc/${pid}/status`, 'latin1');
  } catch {
    /* gone */
  }
  const caught = /^SigCgt:\s*([0-9a-f]+)/m.exec(status)?.[1] ?? '0';
  return ((BigInt(`0x${caught}`) >> BigInt(constants.signals[signal] - 1)) & 1n) === 1n;
}

describe('a waiting sort', () => {
  // By default, USR1 would start Node's debugger, which prints a message.
  it.each(sampled(DEADLY, { count: Infinity, seed: 5, values: (signal) => [signal === 'SIGUSR1'] }))(
    'dies of %s without a message',
    async (signal) => {
      const child = await started();
      let output = '';
      child.stdout!.on('data', (data) => {
        output += data;
      });
      child.stderr!.on('data', (data) => {
        output += data;
      });
      child.kill(signal);
      expect(await exitOf(child)).toEqual({ status: null, signal });
      expect(output).toBe('');
    },
  );

  it('dies of USR1 that comes while Node starts, and closes the debugger', async () => {
    const child = waitingGpusort(GENERAL);
    children.push(child);
    while (!handlesSignals(child.pid!, 'SIGUSR1')) await sleep(1);
    child.kill('SIGUSR1');
    expect(await exitOf(child)).toEqual({ status: null, signal: 'SIGUSR1' });
  });

  /** Each read of a file that the user names may wait forever. */
  const WAITING = [
    'pipe',
    '-m pipe',
    '-c pipe',
    '-o pipe in',
    '--files0-from=pipe',
    '-R --random-source=pipe in',
    '--format bed --by position --contigs=pipe in',
    '--by position pipe',
    '--format fastq --by name --mate pipe --mate-out x -o y in',
  ];
  it.each(sampled(WAITING, { count: Infinity, seed: 8 }))('dies of TERM while a pipe has no writer: %s', (words) =>
    withDirectory(async (cwd) => {
      execFileSync('mkfifo', [join(cwd, 'pipe')]);
      writeFileSync(join(cwd, 'in'), '');
      const child = spawn(BINARY, words.split(' '), { cwd, env: environment(), stdio: 'ignore' });
      children.push(child);
      const end = exitOf(child);
      while (!handlesSignals(child.pid!)) await sleep(5);
      await sleep(200);
      child.kill('SIGTERM');
      expect(await end).toEqual({ status: null, signal: 'SIGTERM' });
    }),
  );

  it.skipIf(!existsSync('/dev/zero'))('refuses an endless list of names at its first empty one', () => {
    const message = 'gpusort: /dev/zero:1: invalid zero-length file name\n';
    expect(shell('$GPUSORT --files0-from=/dev/zero')).toMatchObject({ status: 2, stderr: message });
  });

  it('ignores HUP under nohup', async () => {
    const child = await started({ _: '/usr/bin/nohup' });
    child.kill('SIGHUP');
    await sleep(300);
    expect(child.exitCode ?? child.signalCode).toBe(null);
    child.kill('SIGTERM');
    expect(await exitOf(child)).toEqual({ status: null, signal: 'SIGTERM' });
  });

  /** Opening the pipe waits until the sort reads it: its handlers are installed by then. */
  const STARTED = 'mkfifo pipe; $GPUSORT pipe & exec 9> pipe';

  it('ignores signals that the shell ignores', () =>
    withDirectory((cwd) => {
      const ignored = 'HUP INT QUIT USR1 USR2 ALRM XCPU VTALRM PROF IO';
      const { stdout } = shell(
        `trap '' ${ignored}; ${STARTED}; for s in ${ignored}; do kill -$s $!; done; sleep 0.3; kill -0 $! && echo alive; kill -TERM $!; wait $!; echo $?`,
        { cwd },
      );
      expect(stdout).toBe('alive\n143\n');
    }));

  it.skipIf(!hasDash)('ignores TERM if the shell ignores it', () =>
    withDirectory((cwd) => {
      const { stdout } = shell(
        `dash -c 'trap "" TERM; ${STARTED}; kill -TERM $!; sleep 0.3; kill -0 $! && echo alive; kill -HUP $!; wait $!; echo $?'`,
        { cwd },
      );
      expect(stdout).toBe('alive\n129\n');
    }),
  );

  // bash itself ignores QUIT, and TERM if interactive, but its children do not.
  it.each(['TERM', 'QUIT'])('dies of %s if an interactive shell started it', (signal) =>
    withDirectory((cwd) => {
      const { stdout } = shell(
        `bash --norc -ic '${STARTED}; kill -${signal} $!; wait $!; echo status $?' 2>/dev/null`,
        { cwd },
      );
      expect(stdout).toContain(`status ${signal === 'TERM' ? 143 : 131}`);
    }),
  );
});

describe('a closed pipe', () => {
  it.each(['$GPUSORT --help', 'seq 200000 | $GPUSORT'])('ends %s by SIGPIPE without a message', (line) => {
    const { stdout, stderr } = shell(`${line} | (exec 0<&-; sleep 1); echo \${PIPESTATUS[-2]}`);
    expect({ stdout, stderr }).toEqual({ stdout: '141\n', stderr: '' });
  });

  it('is an error if the shell ignores PIPE', () => {
    const { stdout, stderr } = shell(
      `trap '' PIPE; seq 200000 | $GPUSORT | (exec 0<&-; sleep 1); echo \${PIPESTATUS[1]}`,
    );
    expect({ stdout, stderr }).toEqual({
      stdout: '2\n',
      stderr: "gpusort: write failed: 'standard output': Broken pipe\n",
    });
  });

  // The program ends before it has read all that is written to it.
  it.each([
    ['-o out --decompress in.xz', 'in.xz: xz: exit status 3'],
    ['-o out --decompress < in.xz', 'gpusort: -: xz: exit status 3'],
    ['-c --decompress in.xz', 'in.xz: xz: exit status 3'],
    ['-o out --output-format xz in', 'output: cannot be compressed: xz terminated abnormally: exit status 3'],
  ])('of a program that decompresses or compresses does not end %s', (line, message) =>
    withDirectory((cwd) => {
      const text = Buffer.alloc(4 << 20, 'a line of text\n');
      writeFileSync(join(cwd, 'in'), text);
      writeFileSync(join(cwd, 'in.xz'), Buffer.concat([Buffer.from('fd377a585a00', 'hex'), text]));
      // It passes the trial that precedes a sort, whose input is empty.
      const program = '#!/bin/sh\n[ "$(head -c 1 | wc -c)" = 0 ] || exit 3\n';
      writeFileSync(join(cwd, 'xz'), program, { mode: 0o755 });
      const { stdout, stderr } = shell(`PATH="$PWD:$PATH"; $GPUSORT ${line}; echo $?; ls`, { cwd });
      expect(stderr).toContain(message);
      expect(stdout).toBe('2\nin\nin.xz\nxz\n');
    }),
  );

  it('of messages ends the program by SIGPIPE', () =>
    withDirectory((cwd) => {
      const closed = 'mkfifo pipe; exec 8<>pipe 9>pipe 8<&-';
      expect(shell(`${closed}; $GPUSORT /missing 2>&9; echo $?`, { cwd }).stdout).toBe('141\n');
    }));
});

/** Milliseconds. The promise is one second, but a busy machine may stall. */
const MOST_MS = 5000;
/** Each signal sixty times. */
const MOMENTS = Array.from({ length: 60 * DEADLY.length }, (_, i) => i);

it(
  'each signal ends a sort that spills and writes a file at once, and leaves no files',
  () =>
    withDirectory(async (directory) => {
      const input = join(directory, 'in');
      const next = random(20261122);
      const line = (): string => `${Math.floor(next() * 1e12).toString(36)} ${Math.floor(next() * 1e9)}`;
      writeFileSync(input, Array.from({ length: 400_000 }, line).join('\n'));
      let deaths = 0;
      const kill = async (number: number): Promise<void> => {
        const drawn = random(number);
        const signal = DEADLY[number % DEADLY.length];
        const own = join(directory, String(number));
        const temporary = join(own, 't');
        mkdirSync(temporary, { recursive: true });
        const order = [['-k2n'], ['-V'], [], ['-u'], ['-m'], ['--count', '-f']][Math.floor(drawn() * 6)];
        const spilling = ['--engine=cpu', '-S1M', '--chunk-size=256K', '-T', temporary];
        const child = spawn(BINARY, [...order, ...spilling, '-o', join(own, 'out'), input], {
          stdio: 'ignore',
          env: environment(),
        });
        children.push(child);
        const end = exitOf(child);
        while (child.exitCode === null && child.signalCode === null && !handlesSignals(child.pid!)) await sleep(2);
        await sleep(drawn() * 500);
        const sent = performance.now();
        const wasAlive = child.exitCode === null && child.kill(signal);
        const { status, signal: by } = await end;
        const left = readdirSync(own, { recursive: true })
          .map(String)
          .filter((name) => name !== 't' && name !== 'out');
        expect({ number, order, signal, left }).toEqual({ number, order, signal, left: [] });
        if (by === null) expect({ number, status }).toEqual({ number, status: 0 });
        else {
          expect({ number, by }).toEqual({ number, by: signal });
          expect(readdirSync(own), String(number)).toEqual(['t']);
          expect(performance.now() - sent, `${number} ${signal} ${order}`).toBeLessThan(MOST_MS);
          if (wasAlive) deaths++;
        }
      };
      // The first of each signal.
      const always = (number: number): boolean => number < DEADLY.length;
      const drawn = sampled(MOMENTS, { count: 1, seed: 3, always, values: (number) => [number % 3] });
      for (let at = 0; at < drawn.length; at += 2) await Promise.all(drawn.slice(at, at + 2).map(kill));
      expect(deaths).toBeGreaterThan(drawn.length / 2);
    }),
  600_000,
);
