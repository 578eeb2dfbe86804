/** Small sorts that are done at once by the program: its pipes, signals and messages. */
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { randomBelow } from '../support/random.js';
import { BINARY, environment, exitOf, gpusort, shell, waitingGpusort, withDirectory } from './run.js';

/** Waits until something holds, at most 20 seconds. */
async function until(holds: () => boolean): Promise<void> {
  for (let tries = 0; tries < 4000 && !holds(); tries++) await sleep(5);
}

/** Whether a process is in a read of standard input: system call 0, on ARM 63. */
const readsInput = (pid: number): boolean => /^(0|63) 0x0 /.test(readFileSync(`/proc/${pid}/syscall`, 'latin1'));

/** Whether a process handles HUP, signal number 1. */
const handlesSignals = (pid: string): boolean =>
  pid !== '' && /^SigCgt:.*[13579bdf]$/m.test(readFileSync(`/proc/${pid}/status`, 'latin1'));

it.each([
  ['little', 'head -c 1000 in'],
  ['nothing', 'true'],
  ['as much as is read at once', 'head -c 1048576 in'],
  ['a byte more', 'head -c 1048577 in'],
  ['all', 'cat in'],
  ['pieces, with pauses', '{ head -c 300000 in; sleep 0.1; tail -c +300001 in; }'],
  ['a file that is compressed', 'gzip < in'],
])('sorts a pipe with %s like GNU sort, and writes another one', async (_, producer) => {
  await withDirectory((directory) => {
    const below = randomBelow(3);
    writeFileSync(
      join(directory, 'in'),
      Array.from({ length: 90_000 }, () => `${below(2 ** 31)} ${below(9)}\n`).join(''),
    );
    for (const options of ['-k2n -s']) {
      const line = (sort: string): string => `${producer} | ${sort} ${options} - | md5sum`;
      expect(shell(line('"$GPUSORT" --decompress=never'), { cwd: directory })).toEqual(
        shell(line('sort'), { cwd: directory }),
      );
    }
  });
});

it.each(['TERM', 'INT', 'HUP', 'USR1'])('dies of %s while it waits for a pipe', async (signal) => {
  const sorting = waitingGpusort([]);
  sorting.stdin!.write('b\n');
  await until(() => readsInput(sorting.pid!));
  sorting.kill(`SIG${signal}` as NodeJS.Signals);
  expect(await exitOf(sorting)).toEqual({ status: null, signal: `SIG${signal}` });
});

it('goes on after HUP if that was ignored when it started', async () => {
  const bash = spawn('bash', ['--norc', '-c', 'trap "" HUP; "$GPUSORT"; true'], {
    env: environment({ GPUSORT: BINARY }),
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const children = `/proc/${bash.pid}/task/${bash.pid}/children`;
  const ended = buffer(bash.stdout);
  bash.stdin.write('b\n');
  // Its handlers are there, although it is to wait for a pipe.
  await until(() => handlesSignals(readFileSync(children, 'latin1').trim()));
  process.kill(Number(readFileSync(children, 'latin1')), 'SIGHUP');
  bash.stdin.end('a\n');
  expect((await ended).toString()).toBe('a\nb\n');
});

it('leaves a file alone that takes the name of -o while it waits for a pipe, and keeps the sorted text', async () => {
  await withDirectory(async (directory) => {
    const [output, other] = [join(directory, 'out'), join(directory, 'other')];
    writeFileSync(output, 'old\n');
    writeFileSync(other, 'of another program\n');
    const sorting = waitingGpusort(['-o', output]);
    await until(() => readsInput(sorting.pid!));
    renameSync(other, output);
    sorting.stdin!.end('b\na\n');
    expect(await exitOf(sorting)).toEqual({ status: 2, signal: null });
    expect(readFileSync(output, 'latin1')).toBe('of another program\n');
    const [kept] = readdirSync(directory).filter((name) => name.startsWith('gpusort-sorted-'));
    expect(readFileSync(join(directory, kept), 'latin1')).toBe('a\nb\n');
  });
});

it.each([
  ['at once', 'seq 10'],
  ['too much to be sorted at once', 'seq 300000'],
])('keeps a file that another program put in the place of -o while a pipe was read: %s', async (_, producer) => {
  await withDirectory((directory) => {
    writeFileSync(join(directory, 'out'), 'old\n');
    const input = `${producer}; sleep 0.7; echo other > new; mv new out; ${producer}`;
    const line = `{ ${input}; } | "$GPUSORT" -o out 2> /dev/null`;
    expect(shell(`${line}; echo $?; cat out; ls | grep -c sorted`, { cwd: directory }).stdout).toBe('2\nother\n1\n');
  });
});

it('moves standard input before it writes: both may be the same open file', async () => {
  await withDirectory((directory) => {
    const line = `printf 'c\\nb\\na\\n' > f; exec 3<> f; "$GPUSORT" <&3 >&3; cat f`;
    expect(shell(line, { cwd: directory }).stdout).toBe('c\nb\na\na\nb\nc\n');
  });
});

it('passes a file at standard input on to the next program after it has replaced a file', async () => {
  await withDirectory((directory) => {
    writeFileSync(join(directory, 'in'), 'b\na\n');
    writeFileSync(join(directory, 'out'), 'old\n');
    const line = '{ "$GPUSORT" -o out; cat; } < in; cat out';
    expect(shell(line, { cwd: directory }).stdout).toBe('a\nb\n');
  });
});

it('says what GNU sort says if the output cannot be written, and leaves no file', async () => {
  await withDirectory((directory) => {
    writeFileSync(join(directory, 'in'), 'b\na\n');
    const full = shell('"$GPUSORT" in > /dev/full', { cwd: directory });
    expect([full.status, full.stderr]).toEqual([
      2,
      "gpusort: write failed: 'standard output': No space left on device\n",
    ]);
    const nowhere = gpusort(['in', '-o', 'missing/out'], { cwd: directory });
    expect([nowhere.status, nowhere.stderr]).toEqual([
      2,
      'gpusort: open failed: missing/out: No such file or directory\n',
    ]);
    expect(existsSync(join(directory, 'missing'))).toBe(false);
    expect(readdirSync(directory)).toEqual(['in']);
  });
});
