/** Small sorts that are done at once by the program: its pipes, signals and messages. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { randomBelow } from '../support/random.js';
import { exitOf, gpusort, shell, waitingGpusort, withDirectory } from './run.js';

/** Waits until a process is in a read of standard input (system call 0, on ARM 63), or a second. */
async function readsInput(pid: number): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    const call = existsSync(`/proc/${pid}/syscall`) ? readFileSync(`/proc/${pid}/syscall`, 'latin1') : '';
    if (/^(0|63) 0x0 /.test(call)) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

it('sorts standard input from where it is, and moves it to its end', async () => {
  await withDirectory((directory) => {
    writeFileSync(join(directory, 'in'), 'first\nc\nb\na\n');
    const line = (program: string): string => `{ read -r first; ${program}; cat; } < in`;
    expect(shell(line('"$GPUSORT"'), { cwd: directory })).toEqual(shell(line('sort'), { cwd: directory }));
  });
});

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
      expect(shell(line('"$GPUSORT" 2> /dev/null'), { cwd: directory })).toEqual(
        shell(line('sort'), { cwd: directory }),
      );
    }
  });
});

it.each(['TERM', 'INT', 'HUP', 'USR1'])('dies of %s while it waits for a pipe', async (signal) => {
  const sorting = waitingGpusort([]);
  sorting.stdin!.write('b\n');
  await readsInput(sorting.pid!);
  sorting.kill(`SIG${signal}` as NodeJS.Signals);
  expect(await exitOf(sorting)).toEqual({ status: null, signal: `SIG${signal}` });
});

it('goes on after HUP if that was ignored when it started', async () => {
  const { status, stdout } = shell(
    'trap \'\' HUP; { echo b; sleep 0.5; echo a; } | { "$GPUSORT" & sleep 0.3; kill -HUP $!; wait; } 2>&1',
  );
  expect([status, stdout]).toEqual([0, 'a\nb\n']);
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
