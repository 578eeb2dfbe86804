/**
 * Failures that take long to provoke: each file call of a sort that spills a pipe, limits of the system, merges of more
 * files than may be open, non-blocking descriptors.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { NIGHTLY } from '../support/tier.js';
import { BIN, expectSameBytes, freshDirectory, gpusort, PROGRAM, run, script } from './runner.js';
import { directory, SMALL } from './spilling.js';

/** Node cannot pass a non-blocking descriptor to a child; Python can. */
const hasPython = spawnSync('python3', ['--version']).status === 0;

describe('temporary files', () => {
  it.skipIf(process.env.GPUSORT_TEST_BIN !== undefined).each([
    ['large records of a pipe', 'cat input | "${F[@]}" -S 1M --chunk-size 64K -T t -o out', ''],
    ['large records of a pipe, by numbers', 'cat input | "${F[@]}" -S 1M --chunk-size 64K -T t -n -o out', '-n'],
  ])(
    'give one error line or the full output whichever file call fails: %s',
    { timeout: 120_000 },
    async (_, text, options) => {
      const cwd = freshDirectory('calls');
      const lines = Array.from({ length: 3000 }, (_, i) => `${(i * 7919) % 3001}`);
      for (const i of [100, 1500, 2900]) lines[i] += 'x'.repeat(300_000);
      writeFileSync(join(cwd, 'input'), `${lines.join('\n')}\n`);
      mkdirSync(join(cwd, 't'));
      const expected = (await run('bash', ['-c', `LC_ALL=C sort ${options} input`], { cwd })).stdout;
      const preload = fileURLToPath(new URL('../support/failing-calls.cjs', import.meta.url));
      const failures = [];
      for (let call = 0; call < 60; call += NIGHTLY ? 1 : 3) {
        writeFileSync(join(cwd, 'out'), 'kept');
        const fault = `${call}:${['EIO', 'ENOSPC', 'short', 'EINTR', 'EACCES', 'EMFILE', 'EDQUOT'][call % 7]}`;
        const { status, stderr } = await run(
          'bash',
          ['-c', `F=("${process.execPath}" --require "${preload}" "${BIN}" --engine cpu --color never); ${text}`],
          { cwd, env: { GPUSORT_TEST_FAULT: fault }, hangMs: 30_000 },
        );
        const out = readFileSync(join(cwd, 'out'));
        if (status === 0) expect(out.equals(expected), fault).toBe(true);
        else {
          failures.push(call);
          expect(status, fault).toBe(2);
          expect(stderr, fault).toMatch(/^gpusort: (?!unexpected|internal)[^\n]*\n([^\n]*\n)?$/);
          expect(stderr, fault).not.toMatch(/(?:^|[ :(])E[A-Z]{3,}\b/);
          expect(out.toString(), fault).toBe('kept');
        }
        expect(readdirSync(join(cwd, 't')), fault).toEqual([]);
      }
      expect(failures.length).toBeGreaterThan(NIGHTLY ? 15 : 3);
    },
  );

  it('use one descriptor for many intermediate runs', { timeout: 120_000 }, async () => {
    const cwd = freshDirectory('runs');
    const names = Array.from({ length: NIGHTLY ? 2500 : 700 }, (_, i) => `f${String(i).padStart(4, '0')}`);
    for (const [i, name] of names.entries())
      writeFileSync(join(cwd, name), `${[`${i % 7}`, `${i}`].sort().join('\n')}\n`);
    writeFileSync(join(cwd, 'names'), names.join('\0'));
    mkdirSync(join(cwd, 't'));
    const ours = await script('ulimit -n 64; gpusort -m --batch-size=2 --files0-from=names -T t', {
      cwd,
      hangMs: 100_000,
    });
    expect({ status: ours.status, stderr: ours.stderr }).toEqual({ status: 0, stderr: '' });
    expectSameBytes(
      ours.stdout,
      (await run('bash', ['-c', 'LC_ALL=C sort -m --batch-size=16 --files0-from=names'], { cwd, hangMs: 100_000 }))
        .stdout,
    );
    expect(readdirSync(join(cwd, 't'))).toEqual([]);
  });
});

describe('a limit on the size of files', () => {
  it('fails at a file-size limit, or ends with SIGXFSZ like GNU sort', async () => {
    const { status, stderr } = await script(`ulimit -f 64; gpusort large -o out`, { cwd: await directory() });
    if (status === 2) expect(stderr).toMatch(/^gpusort: .*File too large/);
    else expect(status).toBe(128 + 25);
  });

  it('leaves no temporary files at a file-size limit', async () => {
    const cwd = await directory();
    mkdirSync(join(cwd, 't'));
    const { status } = await script(`ulimit -f 64; gpusort ${SMALL} -T t large > /dev/null`, { cwd });
    expect([2, 128 + 25]).toContain(status);
    expect(readdirSync(join(cwd, 't'))).toEqual([]);
  });
});

describe('streams', () => {
  it.skipIf(!hasPython)('reads a non-blocking standard input', async () => {
    const cwd = await directory();
    // The pipe that gpusort reads has O_NONBLOCK set, and its writer is slow.
    writeFileSync(
      join(cwd, 'nonblock.py'),
      [
        'import os, sys, time, subprocess',
        'r, w = os.pipe()',
        'os.set_blocking(r, False)',
        'p = subprocess.Popen(sys.argv[1:], stdin=r)',
        'os.close(r)',
        'for part in (b"d\\n", b"c\\nb", b"\\na\\n"):',
        '    time.sleep(0.3); os.write(w, part)',
        'os.close(w)',
        'sys.exit(p.wait())',
      ].join('\n'),
    );
    const { status, stdout, stderr } = await run('python3', ['nonblock.py', ...PROGRAM], { cwd });
    expect({ status, stdout: stdout.toString(), stderr }).toEqual({ status: 0, stdout: 'a\nb\nc\nd\n', stderr: '' });
  });

  it.skipIf(!hasPython)('writes to a non-blocking standard output', async () => {
    const cwd = await directory();
    writeFileSync(
      join(cwd, 'nonblock.py'),
      [
        'import os, sys, time, subprocess',
        'r, w = os.pipe()',
        'os.set_blocking(w, False)',
        'p = subprocess.Popen(sys.argv[1:], stdout=w)',
        'os.close(w)',
        'time.sleep(1)',
        'while data := os.read(r, 65536): sys.stdout.buffer.write(data)',
        'sys.stdout.flush()',
        'sys.exit(p.wait())',
      ].join('\n'),
    );
    const ours = await run('python3', ['nonblock.py', ...PROGRAM, 'large'], { cwd });
    const gnu = await run('sort', ['large'], { cwd });
    expect({ status: ours.status, stderr: ours.stderr }).toEqual({ status: 0, stderr: '' });
    expectSameBytes(ours.stdout, gnu.stdout);
  });

  // GNU sort waits for a full buffer, but the disorder is already known.
  it('stops -c at the first disorder even if the writer then stays silent', async () => {
    const { stdout, stderr } = await script(
      'exec 3< <(printf "b\\na\\n"; exec sleep 30); timeout 20 "${P[@]}" -c <&3; echo $?; kill $!',
      { hangMs: 40_000 },
    );
    expect({ status: stdout.toString(), stderr }).toEqual({ status: '1\n', stderr: 'gpusort: -:2: disorder: a\n' });
  });

  it('reads /proc files, which report no size', async () => {
    const { status, stdout, stderr } = await gpusort(['/proc/cpuinfo', '/proc/filesystems']);
    const gnu = await run('bash', ['-c', 'cat /proc/cpuinfo /proc/filesystems | sort']);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    // Clock rates change between the two reads.
    const still = (data: Buffer): string[] =>
      data
        .toString('latin1')
        .split('\n')
        .filter((line) => !/MHz|bogomips/i.test(line));
    expect(still(stdout)).toEqual(still(gnu.stdout));
  });
});
