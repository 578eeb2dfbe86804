/**
 * The real binary with --compress-program: messages if the program fails, and the files that remain after each kind of
 * end.
 */
import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { randomBelow } from '../support/random.js';
import { sampled } from '../support/tier.js';
import { BINARY, environment, exitOf, shell, withDirectory } from './run.js';

const LIMIT_MS = 20_000;
/** Options for so little memory that the input spills. */
const SPILLING = '--engine cpu -S 1M --chunk-size 256K -T t';

/** Creates an input of 2 MB, a directory t for temporary files, and a hanging program that adds its PID to `pids`. */
function prepare(directory: string): void {
  const below = randomBelow(12);
  writeFileSync(join(directory, 'input'), Array.from({ length: 200_000 }, () => `${below(1e9)}\n`).join(''));
  mkdirSync(join(directory, 't'));
  writeFileSync(join(directory, 'hanging'), '#!/bin/sh\necho $$ >> pids\nexec sleep 100\n');
  chmodSync(join(directory, 'hanging'), 0o755);
}

/** PIDs of the hanging programs that have started: a line that is still being written does not count. */
function startedIn(directory: string): number[] {
  const path = join(directory, 'pids');
  return existsSync(path) ? [...readFileSync(path, 'latin1').matchAll(/(\d+)\n/g)].map(([, pid]) => Number(pid)) : [];
}

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

async function until(what: () => boolean): Promise<void> {
  for (const end = Date.now() + LIMIT_MS; !what(); await sleep(20))
    if (Date.now() > end) throw new Error(`not within ${LIMIT_MS} ms: ${what}`);
}

describe('--compress-program', () => {
  it('does not change the output, and leaves no temporary files', () =>
    withDirectory((directory) => {
      prepare(directory);
      expect(
        shell(`$GPUSORT ${SPILLING} --compress-program=gzip input | cmp - <(sort input) && ls t`, { cwd: directory }),
      ).toMatchObject({ status: 0, stdout: '', stderr: '' });
    }));

  /** Scripts of programs, and the messages about them; null: the file is not a program. */
  const FAILING: readonly [string | null, string][] = [
    [null, "couldn't execute compress program './program': No such file or directory"],
    ['exit 3', "'./program' terminated abnormally: exit status 3"],
    ['kill -9 $$', "'./program' terminated abnormally: SIGKILL"],
    ['exec head -c 1000', "'./program' [-d] gave 1000 bytes for a block of 1048576"],
    ['[ "$1" = -d ] && exit 4; exec cat', "'./program' [-d] terminated abnormally: exit status 4"],
  ];
  // A pipe is closed while blocks of a megabyte are written to it: smaller inputs do not show that.
  const drawn = sampled(FAILING, { count: Infinity, seed: 1, values: ([script]) => [script === null] });
  it.each(drawn)('reports the program %j, and leaves no files', (script, message) =>
    withDirectory((cwd) => {
      mkdirSync(join(cwd, 't'));
      if (script !== null) {
        writeFileSync(join(cwd, 'program'), `#!/bin/sh\n${script}\n`);
        chmodSync(join(cwd, 'program'), 0o755);
      }
      const { status, signal, stdout, stderr } = shell(
        'seq 3000000 | rev > in; $GPUSORT --engine cpu -S 16M -T t --compress-program=./program -o out in; s=$?; ls t; ls out; exit $s',
        { cwd },
      );
      expect({ status, signal, stdout }).toEqual({ status: 2, signal: null, stdout: '' });
      expect(stderr.split('\n')).toEqual([
        `gpusort: ${message}`,
        expect.stringContaining('or omit --compress-program'),
        expect.stringContaining('ls:'),
        '',
      ]);
    }),
  );

  it('ends with all of its processes if the reader of the output ends', () =>
    withDirectory((directory) => {
      prepare(directory);
      expect(
        shell(`$GPUSORT ${SPILLING} --compress-program=gzip input | head -1 | wc -l; echo \${PIPESTATUS[0]}; ls t`, {
          cwd: directory,
        }),
      ).toMatchObject({ stdout: '1\n141\n', stderr: '' });
    }));

  it.each(sampled(['SIGINT', 'SIGTERM', 'SIGHUP'] as const, { count: 3, seed: 1 }))(
    'ends the program with the sort by %s, and leaves no temporary files',
    (signal) =>
      withDirectory(async (directory) => {
        prepare(directory);
        const child = spawn(BINARY, [...SPILLING.split(' '), '--compress-program=./hanging', 'input'], {
          cwd: directory,
          env: environment(),
          stdio: ['ignore', 'pipe', 'pipe'],
        });
        try {
          await until(() => startedIn(directory).length > 0);
          child.kill(signal);
          expect(await exitOf(child)).toEqual({ status: null, signal });
        } finally {
          child.kill('SIGKILL');
        }
        expect(readdirSync(join(directory, 't'))).toEqual([]);
        await until(() => !startedIn(directory).some(isAlive));
      }),
  );
});
