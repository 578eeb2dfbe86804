/**
 * Small limits on descriptors, threads, address space and memory. The output is right, or gpusort fails with one clear
 * message and exit status 2. It never aborts and never hangs.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { random } from '../support/random.js';
import { sampled } from '../support/tier.js';
import { digested, expectSortedOrRefused, manyFiles } from './limited.js';
import { BINARY, type Outcome, shell, withDirectory } from './run.js';

/** A user without other processes. Root would not do: `ulimit -u` does not limit root. */
const UID = 51_000 + (process.pid % 10_000);
const asUser = `setpriv --reuid ${UID} --regid ${UID} --clear-groups`;
const canBeUser = process.getuid?.() === 0 && spawnSync('bash', ['-c', `${asUser} ${BINARY} --version`]).status === 0;
const isLinux = process.platform === 'linux';

/** Writes a file of half a million numbers; returns the digest of its sorted lines, the same each time. */
let sortedNumbers = '';
function numbers(directory: string): string {
  const next = random(7);
  const lines = Array.from({ length: 500_000 }, () => `${Math.floor(next() * 1e9)}\n`);
  writeFileSync(join(directory, 'numbers'), lines.join(''));
  chmodSync(directory, 0o755);
  return (sortedNumbers ||= digested('sort numbers', directory).digest);
}

it.skipIf(!isLinux)('sorts and merges 5,000 files under a limit on open files', () =>
  withDirectory((directory) => {
    const next = random(3);
    const line = (): string => `${Math.floor(next() * 1e6)}\n`;
    const digest = manyFiles(
      directory,
      Array.from({ length: 5000 }, () => Array.from({ length: 3 }, line).sort().join('')),
    );
    const ways = [32, 40, 64, 256].flatMap((limit) =>
      ['', '-S1M', '-m', '-m --batch-size=2'].map((options) => [limit, options] as const),
    );
    // test/battery/faults.test.ts merges with --batch-size=2 under 64.
    const always = ([limit, options]: (typeof ways)[number]): boolean =>
      ['32 -S1M', '40 -m', '256 '].includes(`${limit} ${options}`);
    for (const [limit, options] of sampled(ways, { count: 3, seed: 2, always })) {
      const outcome = digested(`ulimit -n ${limit}; $GPUSORT --engine=cpu ${options} f*`, directory);
      expect({ limit, options, ...outcome }).toEqual({ limit, options, digest, status: 0, stderr: '' });
    }
  }),
);

/** Finds the smallest limit on threads under which Node can read a file, by trial. */
function leastForNode(): number {
  for (let limit = 6; limit < 64; limit++) {
    const read = `$NODE -e 'require(\\"fs\\").readFile(\\"/etc/hostname\\", () => console.log(1))'`;
    const { stdout } = shell(`${asUser} bash -c "ulimit -u ${limit}; exec timeout 2 ${read}" 2>&1`, {
      env: { NODE: process.execPath, UV_THREADPOOL_SIZE: '1' },
    });
    if (stdout === '1\n') return limit;
  }
  throw new Error('Node reads nothing');
}

it.skipIf(!canBeUser)('runs under the lowest limit on threads with which Node starts', () =>
  withDirectory((directory) => {
    const digest = numbers(directory);
    const least = leastForNode();
    const limits = Array.from({ length: 10 }, (_, i) => least + i);
    // The smallest, and each number of threads.
    const always = (limit: number): boolean => limit === least;
    for (const limit of sampled(limits, { count: 4, seed: 1, values: (_, i) => [i % 4], always })) {
      const sort = `timeout 30 $GPUSORT --engine=cpu --parallel=${1 + (limit % 4)} numbers`;
      const outcome = digested(`${asUser} bash -c "ulimit -u ${limit}; exec ${sort}"`, directory);
      expect({ limit, ...outcome }).toEqual({ limit, digest, status: 0, stderr: '' });
    }
  }),
);

/** A control group that limits processes and threads, if this system lets us make one. */
const GROUP = ['/sys/fs/cgroup/pids', '/sys/fs/cgroup']
  .map((parent) => `${parent}/gpusort-test-${process.pid}`)
  .find((group) => {
    try {
      mkdirSync(group);
      return existsSync(join(group, 'pids.max'));
    } catch {
      return false;
    }
  });
afterAll(() => {
  if (GROUP !== undefined) rmdirSync(GROUP);
});

it.skipIf(GROUP === undefined).each([
  [16, 2],
  [20, 2],
  [24, 4],
  [48, 64],
])('runs in a control group that allows %i threads: --parallel=%i', (limit, threads) =>
  withDirectory((directory) => {
    const digest = numbers(directory);
    writeFileSync(join(GROUP!, 'pids.max'), String(limit));
    const sort = `exec $GPUSORT --engine=cpu --parallel=${threads} -S 2M numbers`;
    const outcome = digested(`(echo $BASHPID > ${GROUP}/cgroup.procs; ${sort})`, directory);
    expect(outcome).toEqual({ digest, status: 0, stderr: '' });
  }),
);

/** Whether Node itself starts under a limit. Node 24 and later need 1.2 GB of addresses and 0.6 GB of data. */
const nodeStarts = (limit: string): boolean =>
  spawnSync('bash', ['-c', `${limit}; exec node -e 0`], { timeout: 5000, killSignal: 'SIGKILL' }).status === 0;

// Limits on addresses: one that suffices, one that may, and one that does not.
const MEMORY = [
  ...[4_000_000, 1_500_000, 850_000, 2_000_000, 1_000_000].map((limit) => `-v ${limit}`),
  ...[600_000, 500_000, 150_000].map((limit) => `-d ${limit}`),
].filter((limit) => isLinux && nodeStarts(`ulimit ${limit}`));
const always = (limit: string): boolean => /-d|-v (4000000|1500000|850000)/.test(limit);

it.each(sampled(MEMORY, { count: 6, seed: 4, always }))('sorts or reports one error under ulimit %s', (limit) =>
  withDirectory((directory) => {
    const sorted = numbers(directory);
    const outcome = digested(`ulimit ${limit}; $GPUSORT --engine=cpu numbers`, directory);
    expectSortedOrRefused(outcome, sorted, limit);
    if (/-v [24]000000/.test(limit)) expect(outcome.status).toBe(0);
  }),
);

it.skipIf(!isLinux)('a restarted process keeps its command line, environment, descriptors and signals', () =>
  withDirectory((cwd) => {
    // With a small -S nothing is sorted at once.
    const limited = 'ulimit -v 4000000; GPUSORT="$GPUSORT -S 40M"';
    const script = (text: string): Outcome => shell(`${limited}; ${text}`, { cwd });
    writeFileSync(join(cwd, 'f'), 'b\na\n');
    expect(
      script("cp f $'x\\xff'; $GPUSORT x*; exec 5<f; $GPUSORT /dev/fd/5; $GPUSORT <(cat f) - < f; cat f | $GPUSORT"),
    ).toMatchObject({ status: 0, stdout: 'a\nb\na\nb\na\na\nb\nb\na\nb\n', stderr: '' });
    const named = "printf '/dev/fd/5\\0' | timeout 20 $GPUSORT --files0-from=- 5<f";
    expect(script(`ln -s /dev/fd/6 link; $GPUSORT link 6<f; ${named}`)).toMatchObject({
      status: 0,
      stdout: 'a\nb\na\nb\n',
      stderr: '',
    });
    expect(
      script('$GPUSORT -c f; echo $?; $GPUSORT missing; echo $?; $GPUSORT -k0 f 2>/dev/null; echo $?'),
    ).toMatchObject({
      stdout: '1\n2\n2\n',
      stderr: 'gpusort: f:2: disorder: a\ngpusort: cannot read: missing: No such file or directory\n',
    });
    const spilling = "TMPDIR=$PWD/$'t\\xff' $GPUSORT -S1M --chunk-size=64K n | tail -1";
    expect(script(`mkdir $'t\\xff'; seq 300000 > n; ${spilling}; ls -A t*`).stdout).toBe('99999\n');
    // Enough output that the reader closes the pipe before the end.
    expect(script('seq 1000000 | $GPUSORT | head -1; echo ${PIPESTATUS[1]}').stdout).toBe('1\n141\n');
    // Opening the pipe waits until the new process reads it: its handlers are installed by then.
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
  }),
);
