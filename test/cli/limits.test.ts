/**
 * Small limits on descriptors, threads, address space and memory. The output is right, or gpusort fails with one clear
 * message and exit status 2. It never aborts and never hangs. By day a sample of the limits.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { random } from '../support/random.js';
import { NIGHTLY, sampled } from '../support/tier.js';
import { BINARY, type Outcome, shell, withDirectory } from './run.js';

/** A user without other processes. Root would not do: `ulimit -u` does not limit root. */
const UID = 51_000 + (process.pid % 10_000);
const asUser = `setpriv --reuid ${UID} --regid ${UID} --clear-groups`;
const canBeUser = process.getuid?.() === 0 && spawnSync('bash', ['-c', `${asUser} ${BINARY} --version`]).status === 0;
const isLinux = process.platform === 'linux';

/** Outputs are compared by digest: half a million lines exceed the buffer for a shell's output. */
const DIGEST = '| sha256sum; echo ${PIPESTATUS[0]}';
interface Digested {
  readonly digest: string;
  readonly status: number;
  readonly stderr: string;
}
function digested(line: string, cwd: string, env: Record<string, string> = {}): Digested {
  const { stdout, stderr } = shell(`${line} ${DIGEST}`, { cwd, env });
  const [digest, status] = stdout.split('\n');
  return { digest: digest!, status: Number(status), stderr };
}

/** Expects the sorted output, or the message that memory is exhausted. */
function expectSortedOrRefused({ digest, status, stderr }: Digested, sorted: string, label: string): void {
  if (status === 0) expect({ label, digest, stderr }).toEqual({ label, digest: sorted, stderr: '' });
  else {
    expect({ label, status }).toEqual({ label, status: 2 });
    expect(stderr, label).toMatch(/^gpusort: memory exhausted.*\n.*\n$/);
  }
}

/** Writes a file of half a million numbers; returns the digest of its sorted lines, the same each time. */
let sortedNumbers = '';
function numbers(directory: string): string {
  const next = random(7);
  writeFileSync(
    join(directory, 'numbers'),
    Array.from({ length: 500_000 }, () => `${Math.floor(next() * 1e9)}\n`).join(''),
  );
  chmodSync(directory, 0o755);
  return (sortedNumbers ||= digested('sort numbers', directory).digest);
}

describe.skipIf(!isLinux)('a limit on open files', () => {
  it('lets 5,000 files be sorted and merged', () =>
    withDirectory((directory) => {
      const next = random(3);
      mkdirSync(join(directory, 'f'));
      for (let i = 0; i < 5000; i++) {
        writeFileSync(
          join(directory, 'f', String(i)),
          Array.from({ length: 3 }, () => `${Math.floor(next() * 1e6)}\n`)
            .sort()
            .join(''),
        );
      }
      const { digest } = digested('sort f/*', directory);
      const [limits, ways] = [
        [32, 40, 64, 256],
        ['', '-S1M', '-m', '-m --batch-size=2'],
      ];
      for (const [i, limit] of limits.entries()) {
        // By day, each limit runs one way, a different one each, but 64 runs none: test/battery/faults.test.ts covers
        // --batch-size=2 under it.
        for (const options of NIGHTLY ? ways : [ways[(i + 1) % ways.length]].filter((way) => !way.includes('batch'))) {
          const outcome = digested(`ulimit -n ${limit}; $GPUSORT --engine=cpu ${options} f/*`, directory);
          expect({ limit, options, ...outcome }).toEqual({ limit, options, digest, status: 0, stderr: '' });
        }
      }
    }));

  it('lets files stay open for their long lines', () =>
    withDirectory((directory) => {
      for (let i = 0; i < 60; i++)
        writeFileSync(join(directory, `f${i}`), `${i % 7}${'x'.repeat(100_000)}${i}\n${i}\n`);
      const { digest } = digested('sort f*', directory);
      expect(digested('ulimit -n 40; $GPUSORT --engine=cpu --chunk-size=64K f*', directory)).toEqual({
        digest,
        status: 0,
        stderr: '',
      });
    }));
});

describe.skipIf(!canBeUser)('a limit on threads', () => {
  /** Finds the smallest limit under which Node can read a file, by trial. */
  function leastForNode(): number {
    for (let limit = 6; limit < 64; limit++) {
      const { stdout } = shell(
        `${asUser} bash -c "ulimit -u ${limit}; exec timeout 2 $NODE -e 'require(\\"fs\\").readFile(\\"/etc/hostname\\", () => console.log(1))'" 2>&1`,
        { env: { NODE: process.execPath, UV_THREADPOOL_SIZE: '1' } },
      );
      if (stdout === '1\n') return limit;
    }
    throw new Error('Node reads nothing');
  }

  it('works from the smallest that Node can start with', () =>
    withDirectory((directory) => {
      const digest = numbers(directory);
      const least = leastForNode();
      const limits = Array.from({ length: 10 }, (_, i) => least + i);
      // The smallest, and each number of threads.
      const today = {
        count: 4,
        seed: 1,
        values: (_: number, i: number) => [i % 4],
        always: (_: number, i: number) => i === 0,
      };
      for (const limit of sampled(limits, today)) {
        const outcome = digested(
          `${asUser} bash -c "ulimit -u ${limit}; exec timeout 30 $GPUSORT --engine=cpu --parallel=${1 + (limit % 4)} numbers"`,
          directory,
        );
        expect({ limit, ...outcome }).toEqual({ limit, digest, status: 0, stderr: '' });
      }
    }));
});

/** Whether Node itself starts under a limit. Node 24 and later need 1.2 GB of addresses and 0.6 GB of data. */
function nodeStarts(limit: string): boolean {
  const { status } = spawnSync('bash', ['-c', `${limit}; exec node -e 0`], { timeout: 5000, killSignal: 'SIGKILL' });
  return status === 0;
}

const LIMITS_OF_ADDRESSES = [4_000_000, 2_000_000, 1_500_000, 1_000_000, 850_000].filter((limit) =>
  nodeStarts(`ulimit -v ${limit}`),
);

describe.skipIf(!isLinux)('a limit on memory', () => {
  // By day one limit that suffices, one that may, and one that does not.
  it.each(LIMITS_OF_ADDRESSES.filter((_, i) => NIGHTLY || i % 2 === 0))(
    'of %d KiB of addresses gives the sorted output or one error',
    (limit) =>
      withDirectory((directory) => {
        const sorted = numbers(directory);
        const outcome = digested(`ulimit -v ${limit}; $GPUSORT --engine=cpu numbers`, directory);
        expectSortedOrRefused(outcome, sorted, String(limit));
        if (limit >= 2_000_000) expect(outcome.status).toBe(0);
      }),
  );

  const limitsOfData = [600_000, 500_000, 150_000].filter((limit) => nodeStarts(`ulimit -d ${limit}`));
  it.each(limitsOfData)('of %d KiB of data gives the sorted output or one error', (limit) =>
    withDirectory((directory) => {
      const sorted = numbers(directory);
      expectSortedOrRefused(
        digested(`ulimit -d ${limit}; $GPUSORT --engine=cpu numbers`, directory),
        sorted,
        String(limit),
      );
    }),
  );

  it('leaves command line, environment and exit status of a restarted process unchanged', () =>
    withDirectory((directory) => {
      const script = (text: string): Outcome => shell(`ulimit -v 4000000; ${text}`, { cwd: directory });
      writeFileSync(join(directory, 'f'), 'b\na\n');
      expect(
        script("cp f $'x\\xff'; $GPUSORT x*; exec 5<f; $GPUSORT /dev/fd/5; $GPUSORT <(cat f) - < f; cat f | $GPUSORT"),
      ).toMatchObject({ status: 0, stdout: 'a\nb\na\nb\na\na\nb\nb\na\nb\n', stderr: '' });
      expect(
        script(
          "ln -s /dev/fd/6 link; $GPUSORT link 6<f; printf '/dev/fd/5\\0' | timeout 20 $GPUSORT --files0-from=- 5<f",
        ),
      ).toMatchObject({ status: 0, stdout: 'a\nb\na\nb\n', stderr: '' });
      expect(
        script('$GPUSORT -c f; echo $?; $GPUSORT missing; echo $?; $GPUSORT -k0 f 2>/dev/null; echo $?'),
      ).toMatchObject({
        stdout: '1\n2\n2\n',
        stderr: 'gpusort: f:2: disorder: a\ngpusort: cannot read: missing: No such file or directory\n',
      });
      expect(
        script(
          "mkdir $'t\\xff'; seq 300000 > n; TMPDIR=$PWD/$'t\\xff' $GPUSORT -S1M --chunk-size=64K n | tail -1; ls -A t*",
        ).stdout,
      ).toBe('99999\n');
      // Enough output that the reader closes the pipe before the end.
      expect(script('seq 1000000 | $GPUSORT | head -1; echo ${PIPESTATUS[1]}').stdout).toBe('1\n141\n');
      // Opening the pipe waits until the new process reads it, so that its handlers are there.
      const waits = (options: string): string => `mkfifo pipe; $GPUSORT pipe ${options} & exec 9> pipe`;
      for (const [signal, status] of [
        ['TERM', 143],
        ['INT', 130],
        ['USR1', 138],
      ] as const) {
        const { stdout, stderr } = script(`${waits('-o out')}; kill -${signal} $!; wait $!; echo $?; rm pipe; ls -A`);
        expect({ signal, last: stdout.split('\n')[0] }).toEqual({ signal, last: String(status) });
        expect(stderr).not.toMatch(/gpusort|Debugger/);
        expect(stdout).not.toMatch(/out|\.gpusort/);
      }
      // HUP ends the program, unless it was ignored at the start.
      expect(script(`trap '' HUP; ${waits('')}; kill -HUP $!; kill -TERM $!; wait $!; echo $?`).stdout).toBe('143\n');
      expect(script(`rm pipe; ${waits('')}; kill -HUP $!; wait $!; echo $?`).stdout).toBe('129\n');
    }));
});
