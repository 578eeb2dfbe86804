/**
 * One of each limit: on descriptors, on address space, and the memory of -S. The output is right, or gpusort fails with
 * one clear message and exit status 2. limits.slow.test.ts and memory.slow.test.ts have all limits.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { digested, expectBounded, LINE_BYTES, manyFiles, scattered } from './limited.js';
import { shell, withDirectory } from './run.js';

describe.skipIf(process.platform !== 'linux')('under a limit', () => {
  it('on open files, sorts and merges more files, and keeps those with long lines open', () =>
    withDirectory((cwd) => {
      const texts = Array.from({ length: 60 }, (_, i) => `${i % 7}${'x'.repeat(100_000)}${i}\n${i}\n`);
      const digest = manyFiles(cwd, texts);
      const sorted = { digest, status: 0, stderr: '' };
      expect(digested('ulimit -n 40; $GPUSORT --engine=cpu --chunk-size=64K f*', cwd)).toEqual(sorted);
    }));

  // Then a part of the program may not be readable when it is needed. Node itself needs 19 to start.
  it('on open files that is too low for a sort, says so', () =>
    withDirectory((cwd) => {
      shell('seq 1200000 | rev > in; echo old > out', { cwd });
      for (const limit of [21, 22, 23, 24]) {
        for (const name of ['out', 'new']) {
          const { status, stderr } = shell(`ulimit -n ${limit}; $GPUSORT --engine=cpu -o ${name} in`, { cwd });
          const outcome = { limit, name, status, stderr };
          if (status === 0) expect(outcome).toEqual({ ...outcome, stderr: '' });
          else {
            expect(outcome).toEqual({ ...outcome, status: 2 });
            expect(stderr).toMatch(
              /^gpusort: (?!internal)[^\n]*too many open files[^\n]*\n(Raise the limit on open files[^\n]*\n)?$/i,
            );
          }
        }
      }
    }));

  it('on address space, restarts with the same arguments, descriptors and exit status', () =>
    withDirectory((cwd) => {
      writeFileSync(join(cwd, 'f'), 'b\na\n');
      // With a small -S nothing is sorted at once. The shell ends with the status of -c.
      const line = "cp f $'x\\xff'; exec 5<f; $GPUSORT -S 40M x* /dev/fd/5; $GPUSORT -S 40M -c f";
      const { status, stdout, stderr } = shell(`ulimit -v 4000000; ${line}`, { cwd });
      expect({ status, stdout, stderr }).toEqual({
        status: 1,
        stdout: 'a\na\nb\nb\n',
        stderr: 'gpusort: f:2: disorder: a\n',
      });
    }));

  it('on address space that is too low, prints one message', () => {
    const { status, stderr } = shell('ulimit -v 1000000; echo a | $GPUSORT --engine=cpu');
    if (status !== 0)
      expect({ status, stderr }).toEqual({
        status: 2,
        stderr: expect.stringMatching(/^gpusort: memory exhausted.*\n.*\n$/) as string,
      });
  });

  it('needs no current directory, even with threads', () =>
    withDirectory((cwd) => {
      const sorts = ['$GPUSORT --engine=cpu --parallel=2 --verify -o ../out ../in', 'sort -o ../sorted ../in'];
      const lines = ['seq 2400000 > in', 'mkdir gone && cd gone && rmdir ../gone', ...sorts];
      expect(shell([...lines, 'cmp ../out ../sorted'].join(' && ').replaceAll('../', `${cwd}/`), { cwd })).toEqual({
        status: 0,
        signal: null,
        stdout: '',
        stderr: '',
      });
    }));

  it('on memory by -S, uses no more', () =>
    withDirectory((cwd) => {
      const sorted = scattered(join(cwd, 'lines'), 600_000);
      expectBounded({ mebibytes: 32, options: '--parallel=2', input: 'lines' }, LINE_BYTES, sorted, cwd);
    }));
});
