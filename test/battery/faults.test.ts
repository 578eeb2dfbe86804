/**
 * Failures outside the program: files, disks, permissions, signals, pipes that close early, missing drivers. If gpusort
 * must behave like GNU sort, the same script runs with both. Otherwise the test states what is expected. By day a few
 * of the signals (signals.test.ts sends the rest), every fourth file call of a pipe, and fewer files to merge.
 */
import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  copyFileSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { DEADLY } from '../support/signals.js';
import { contentOf, spilledFiles } from '../support/spilled.js';
import { NIGHTLY, sampled } from '../support/tier.js';
import { INPUTS } from './inputs.js';
import {
  BIN,
  expectSameBytes,
  freshDirectory,
  gnuScript,
  gpusort,
  inputFile,
  PROGRAM,
  run,
  sameAsGnu,
  script,
} from './runner.js';

const isRoot = process.getuid?.() === 0;
/** Root ignores permissions, so tests of them run as nobody (65534) if possible. */
const dropsRoot =
  isRoot && spawnSync('setpriv', ['--reuid', '65534', '--regid', '65534', '--clear-groups', 'true']).status === 0;
const asUser = dropsRoot ? 'setpriv --reuid 65534 --regid 65534 --clear-groups' : '';
const canDeny =
  !isRoot || (dropsRoot && spawnSync('setpriv', ['--reuid', '65534', ...PROGRAM, '--version']).status === 0);
/** Node cannot pass a non-blocking descriptor to a child; Python can. */
const hasPython = spawnSync('python3', ['--version']).status === 0;

const largeFile = (): Promise<string> => inputFile(INPUTS.find((input) => input.name === 'Gaussian lengths')!);

/**
 * Creates a directory that every user may write to, with two small files and one of some megabytes. The large file is
 * a hard link shared by all directories, so tests must not write to it.
 */
async function directory(): Promise<string> {
  const path = freshDirectory('faults');
  chmodSync(path, 0o777);
  writeFileSync(join(path, 'f'), 'b\na\n');
  copyFileSync(await inputFile(INPUTS.find((input) => input.name === 'random lines (small)')!), join(path, 'small'));
  linkSync(await largeFile(), join(path, 'large'));
  return path;
}

/** Runs a script with both programs, each in a new directory, and expects the same outcome. */
async function asGnu(text: string): Promise<void> {
  sameAsGnu(await script(text, { cwd: await directory() }), await gnuScript(text, { cwd: await directory() }));
}

/** Options for so little memory that the large file spills. */
const SMALL = '-S 1M --chunk-size 256K';

describe('inputs that cannot be read', () => {
  it.each([
    ['a missing file', 'gpusort missing; echo $?'],
    ['a missing file after a good one writes nothing', 'gpusort f missing; echo $?'],
    ['a missing file leaves -o as it was', 'echo kept > out; gpusort f missing -o out; echo $?; cat out'],
    ['a missing file and -o an input', 'gpusort f missing -o f; echo $?; cat f'],
    ['a directory', 'gpusort .; echo $?'],
    ['a directory after a good file', 'gpusort f . -o out; echo $?'],
    ['a directory with -c', 'gpusort -c .; echo $?'],
    ['-m with a missing file', 'gpusort -m f missing; echo $?'],
    ['a path through a file', 'gpusort f/x; echo $?'],
    ['an empty name', 'gpusort ""; echo $?'],
    ['a name that is not UTF-8', 'cp f "$(printf "x\\377y")"; gpusort x*; gpusort "$(printf "x\\376")"; echo $?'],
  ])('fails like GNU sort: %s', async (_, text) => asGnu(text));

  // Unlike GNU sort, which has created an empty output file by then.
  it('leave no output file', async () => {
    const { stdout } = await script('gpusort f . -o out; gpusort missing -o out; gpusort -m f . -o out; ls', {
      cwd: await directory(),
    });
    expect(stdout.toString()).toBe('f\nlarge\nsmall\n');
  });

  it.skipIf(!canDeny)('fails like GNU sort: a file without read permission', async () => {
    await asGnu(`chmod 000 f; ${asUser} "\${P[@]}" f; echo $?; ${asUser} "\${P[@]}" -c f; echo $?`);
  });
});

describe('outputs that cannot be written', () => {
  // GNU sort's messages name C functions (fflush, fclose). Ours must be one clear line with the reason, and status 2.
  it.each([
    ['a full disk', 'gpusort f > /dev/full', 'No space left on device'],
    ['a full disk, more than a buffer', 'gpusort large > /dev/full', 'No space left on device'],
    ['a full disk under -o', 'gpusort f -o /dev/full', 'No space left on device'],
    ['a full disk under -m', 'gpusort -m f > /dev/full', 'No space left on device'],
    ['an output open for reading', 'gpusort f 1< small', 'Bad file descriptor'],
  ])('fails with status 2 and the reason: %s', async (_, text, reason) => {
    const { status, stdout, stderr } = await script(text, { cwd: await directory() });
    expect(status).toBe(2);
    expect(stdout.length).toBe(0);
    expect(stderr).toMatch(new RegExp(`^gpusort: .*${reason}\\n`));
  });

  it('writes to /dev/null without an error', () => asGnu('gpusort f > /dev/null; echo $?'));
  it('fails like GNU sort: a missing directory', () => asGnu('gpusort f -o nodir/x; echo $?'));
  it('fails like GNU sort: a directory as the output', () => asGnu('gpusort f -o .; echo $?'));
  it('accepts a closed standard output if nothing is written', () => asGnu(': | gpusort -c >&-; echo $?'));

  it.skipIf(!canDeny)('fails like GNU sort: a read-only file, and a directory without permission', async () => {
    await asGnu(
      `chmod 444 f; ${asUser} "\${P[@]}" small -o f; echo $?; cat f;` +
        `mkdir d; chmod 555 d; ${asUser} "\${P[@]}" small -o d/x; echo $?; ls -A d`,
    );
  });

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

/** Bytes of input: more than twice what fits in memory, so that runs spill. */
const SPILLED_BYTES = 4 << 20;

/** Starts a sort that spills, with an input pipe that stays open. Waits until its temporary file stops growing. */
async function spillingSort(args: readonly string[], env: Readonly<Record<string, string>>, temporary: string) {
  const child = spawn(PROGRAM[0], [...PROGRAM.slice(1), '--engine', 'cpu', ...SMALL.split(' '), ...args], {
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const ended = new Promise<{ code: number | null; signal: string | null }>((resolve) =>
    child.on('close', (code, signal) => resolve({ code, signal })),
  );
  child.stdin.on('error', () => {
    /* gpusort ends before it has read its input */
  });
  child.stdin.write(readFileSync(await largeFile()).subarray(0, SPILLED_BYTES));
  const deadline = Date.now() + 30_000;
  let before = 0;
  for (let still = 0; still < 10; await sleep(20)) {
    const [file] = spilledFiles(temporary, child.pid!);
    still = file !== undefined && file.bytes > 0 && file.bytes === before ? still + 1 : 0;
    before = file?.bytes ?? 0;
    if (Date.now() > deadline) {
      child.kill('SIGKILL');
      throw new Error('nothing was spilled in 30 s');
    }
  }
  return { child, ended };
}

describe('temporary files', () => {
  it('fails before any output if -T does not exist and is needed', async () => {
    const ours = await script(`gpusort ${SMALL} -T /nodir large; echo $?`, { cwd: await directory() });
    sameAsGnu(ours, await gnuScript('gpusort -S 1M -T /nodir large; echo $?', { cwd: await directory() }));
  });
  it('ignores a missing -T if no temporary file is needed', () => asGnu('gpusort -T /nodir f; echo $?'));
  it('fails if TMPDIR does not exist and is needed', async () => {
    const ours = await script(`TMPDIR=/nodir gpusort ${SMALL} large; echo $?`, { cwd: await directory() });
    sameAsGnu(ours, await gnuScript('TMPDIR=/nodir gpusort -S 1M large; echo $?', { cwd: await directory() }));
  });

  it.each(sampled(DEADLY, { count: 4, seed: 6 }))('are private to the user, and removed after %s', async (signal) => {
    const temporary = freshDirectory('signal');
    const { child, ended } = await spillingSort(['-T', temporary], {}, temporary);
    expect(spilledFiles(temporary, child.pid!)).toMatchObject([{ mode: 0o600 }]);
    expect(readdirSync(temporary)).toEqual([]);
    child.kill(signal);
    expect(await ended).toEqual({ code: null, signal });
    expect(readdirSync(temporary)).toEqual([]);
  });

  it('are created in TMPDIR', async () => {
    const temporary = freshDirectory('tmpdir');
    const { child, ended } = await spillingSort([], { TMPDIR: temporary }, temporary);
    child.stdout.resume();
    child.stdin.end();
    expect(await ended).toEqual({ code: 0, signal: null });
    expect(readdirSync(temporary)).toEqual([]);
  });

  it('are gone after SIGKILL', async () => {
    const temporary = freshDirectory('killed');
    const { child, ended } = await spillingSort(['-T', temporary], {}, temporary);
    child.kill('SIGKILL');
    expect(await ended).toEqual({ code: null, signal: 'SIGKILL' });
    expect(readdirSync(temporary)).toEqual([]);
  });

  /** Bytes of a checksummed block in runs of this size. */
  const BLOCK = 16 << 10;
  it.each<readonly [string, (content: Buffer) => Buffer, RegExp]>([
    [
      'with a flipped bit',
      (content) => {
        content[content.length >> 1] ^= 32;
        return content;
      },
      /the block at byte \d+ is damaged/,
    ],
    [
      'without newlines',
      (content) => content.map((byte) => (byte === 10 ? 32 : byte)) as Buffer,
      /the block at byte \d+ is damaged/,
    ],
    [
      'with two blocks swapped',
      (content) =>
        Buffer.concat([content.subarray(BLOCK, 2 * BLOCK), content.subarray(0, BLOCK), content.subarray(2 * BLOCK)]),
      /the block at byte \d+ is damaged/,
    ],
    [
      'that are truncated',
      (content) => content.subarray(0, content.length >> 1),
      /the block at byte \d+ is damaged|it ends at byte \d+, before the data written last/,
    ],
    [
      'that are empty',
      (content) => content.subarray(0, 0),
      /the block at byte \d+ is damaged|it ends at byte \d+, before the data written last/,
    ],
  ])('%s end a sort with one error line', async (_, spoil, what) => {
    const temporary = freshDirectory('damaged');
    const { child, ended } = await spillingSort(['-T', temporary, '--color', 'never'], {}, temporary);
    child.kill('SIGSTOP');
    const [file] = spilledFiles(temporary, child.pid!);
    const content = spoil(contentOf(file!));
    truncateSync(file!.path, content.length);
    const fd = openSync(file!.path, 'r+');
    writeSync(fd, content, 0, content.length, 0);
    closeSync(fd);
    const stderr: Buffer[] = [];
    child.stderr.on('data', (part: Buffer) => stderr.push(part));
    child.stdout.resume();
    child.kill('SIGCONT');
    child.stdin.end();
    expect(await ended).toEqual({ code: 2, signal: null });
    const [line, remedy, ...more] = Buffer.concat(stderr).toString().split('\n');
    expect(line).toMatch(new RegExp(`^gpusort: read failed: temporary file in ${temporary}: (${what.source})$`));
    expect([remedy, ...more]).toEqual([expect.stringMatching(/-T/), '']);
    expect(readdirSync(temporary)).toEqual([]);
  });

  it.skipIf(process.env.GPUSORT_TEST_BIN !== undefined).each([
    ['large records of a pipe', 'cat input | "${F[@]}" -S 1M --chunk-size 64K -T t -o out', '', 0],
    ['large records of a pipe, by numbers', 'cat input | "${F[@]}" -S 1M --chunk-size 64K -T t -n -o out', '-n', 2],
  ])(
    'give one error line or the full output whichever file call fails: %s',
    { timeout: 120_000 },
    async (_, text, options, first) => {
      const cwd = freshDirectory('calls');
      const lines = Array.from({ length: 3000 }, (_, i) => `${(i * 7919) % 3001}`);
      for (const i of [100, 1500, 2900]) lines[i] += 'x'.repeat(300_000);
      writeFileSync(join(cwd, 'input'), `${lines.join('\n')}\n`);
      mkdirSync(join(cwd, 't'));
      const expected = (await run('bash', ['-c', `LC_ALL=C sort ${options} input`], { cwd })).stdout;
      const preload = fileURLToPath(new URL('../support/failing-calls.cjs', import.meta.url));
      const failures = [];
      for (let call = NIGHTLY ? 0 : first; call < 24; call += NIGHTLY ? 1 : 4) {
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
      expect(failures.length).toBeGreaterThan(NIGHTLY ? 5 : 1);
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

  it('are removed after the reader closes the pipe', async () => {
    const cwd = await directory();
    mkdirSync(join(cwd, 't'));
    const { stdout, stderr } = await script(`gpusort ${SMALL} -T t large | head -1 | wc -l; echo \${PIPESTATUS[0]}`, {
      cwd,
    });
    expect({ out: stdout.toString().trim().split(/\s+/), stderr }).toEqual({ out: ['1', '141'], stderr: '' });
    expect(readdirSync(join(cwd, 't'))).toEqual([]);
  });
});

describe('signals and pipes', () => {
  it('exits silently with 141 if the reader closes the pipe', () =>
    asGnu('gpusort large | head -1; echo ${PIPESTATUS[0]}'));
  it('exits silently with 141 under -m if the reader closes the pipe', () =>
    asGnu('sort large > s; gpusort -m s s | head -1; echo ${PIPESTATUS[0]}'));
  it('fails cleanly if the reader closes the pipe while SIGPIPE is ignored', async () => {
    const { stdout, stderr } = await script(
      `trap '' PIPE; gpusort large | head -1 > /dev/null; echo \${PIPESTATUS[0]}`,
      { cwd: await directory() },
    );
    // Node ignores SIGPIPE from its start, so gpusort cannot know whether its parent did. Both endings are right.
    expect(['2', '141']).toContain(stdout.toString().trim());
    expect(stderr).not.toMatch(/\n\s+at /);
  });

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

  it('stops -c at the first disorder in an endless pipe', async () => {
    const { stdout, stderr } = await script(
      '(echo b; while echo a; do :; done) 2>/dev/null | timeout 20 "${P[@]}" -c; echo ${PIPESTATUS[1]}',
    );
    expect({ status: stdout.toString(), stderr }).toEqual({ status: '1\n', stderr: 'gpusort: -:2: disorder: a\n' });
  });

  // GNU sort waits for a full buffer, but the disorder is already known.
  it('stops -c at the first disorder even if the writer then stays silent', async () => {
    const { stdout, stderr } = await script(
      'exec 3< <(printf "b\\na\\n"; exec sleep 30); timeout 20 "${P[@]}" -c <&3; echo $?; kill $!',
      { hangMs: 40_000 },
    );
    expect({ status: stdout.toString(), stderr }).toEqual({ status: '1\n', stderr: 'gpusort: -:2: disorder: a\n' });
  });

  it.each([
    ['two endless pipes', 'gpusort -m <(yes a) <(yes b) | head -3; echo ${PIPESTATUS[0]}'],
    ['an endless pipe and one that ends', 'gpusort -m <(yes m) <(seq 3) | head -5; echo ${PIPESTATUS[0]}'],
    ['an endless standard input and a file', 'yes | gpusort -m - f | head -4; echo ${PIPESTATUS[1]}'],
  ])('streams under -m: %s', async (_, text) => {
    sameAsGnu(
      await script(text, { cwd: await directory(), hangMs: 30_000 }),
      await gnuScript(text, { cwd: await directory() }),
    );
  });
});

describe('special files', () => {
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
  it('reads /proc as standard input, and checks /dev/null', () =>
    asGnu('gpusort < /proc/filesystems; gpusort -c /dev/null; echo $?'));
  it('reads /dev/null as an empty file', () => asGnu('gpusort /dev/null f /dev/null'));
  it('sorts from the current position of standard input into the same file', () =>
    asGnu('(read -r x; gpusort -o small) < small; cat small'));
  it('reads one descriptor given twice', () => asGnu('gpusort - - < small'));
});

describe('fixed records', () => {
  it('rejects an input that ends within a record, and reports the remainder', async () => {
    const cwd = await directory();
    writeFileSync(join(cwd, 'r'), Buffer.alloc(1037));
    const { status, stdout, stderr } = await gpusort(['--record-size', '100', 'r'], { cwd });
    expect(status).toBe(2);
    expect(stdout.length).toBe(0);
    expect(stderr).toMatch(/^gpusort: .*\br\b.*\b37\b/);
  });
  it.each([
    [['--record-size', '0']],
    [['--record-size', '10', '--key', '8:3']],
    [['--key', '0:4']],
    [['--record-size', 'x']],
    [['--record-size', '10', '--key', '4']],
  ])('rejects %s', async (args) => {
    const { status, stdout, stderr } = await gpusort([...args, 'f'], { cwd: await directory() });
    expect({ status, out: stdout.length }).toEqual({ status: 2, out: 0 });
    expect(stderr).toMatch(/^gpusort: /);
  });
});

describe('no GPU', () => {
  const nowhere = {
    VK_DRIVER_FILES: '/nonexistent/icd.json',
    VK_ICD_FILENAMES: '/nonexistent/icd.json',
    LD_LIBRARY_PATH: '/nonexistent',
  };
  it('reports what to install under --engine gpu', async () => {
    const { status, stdout, stderr } = await gpusort(['--engine', 'gpu', 'f'], {
      cwd: await directory(),
      env: nowhere,
    });
    expect({ status, out: stdout.length }).toEqual({ status: 2, out: 0 });
    expect(stderr).toMatch(
      /^gpusort: no GPU can be used: (the Vulkan loader, libvulkan\.so\.1, is not|no Vulkan driver is) installed$/m,
    );
    expect(stderr).toMatch(/vulkan/i);
  });
  it('prints nothing to standard error if --engine auto finds no GPU for a large file', async () => {
    const cwd = await directory();
    // A sparse file: large enough for a GPU to be planned, but --explain reads only a sample of it.
    truncateSync(join(cwd, 'f'), 4e9);
    const { status, stderr } = await gpusort(['--explain', 'f'], { cwd, env: nowhere });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });
  it.each(['f', 'large'])('sorts %s on the CPU under --engine auto', async (file) => {
    const cwd = await directory();
    const { status, stdout, stderr } = await gpusort([file], { cwd, env: nowhere });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expectSameBytes(stdout, (await run('sort', [file], { cwd })).stdout);
  });
});

describe('usage errors', () => {
  it.each([
    ['an unknown option', 'gpusort --nope f; echo $?'],
    ['two outputs', 'gpusort -o a -o b f; echo $?'],
    ['-c with two files', 'gpusort -c f f; echo $?'],
    ['-c with -C', 'gpusort -cC f; echo $?'],
    ['-c with -o', 'gpusort -c -o x f; echo $?'],
    ['a bad -S', 'gpusort -S 1x f; echo $?'],
    ['--parallel=0', 'gpusort --parallel=0 f; echo $?'],
    ['an unknown letter', 'gpusort -rQ f; echo $?'],
    ['-o without a name', 'gpusort f -o; echo $?'],
  ])('fails like GNU sort: %s', async (_, text) => asGnu(text));

  it('uses the name it was started by in messages', async () => {
    const cwd = await directory();
    symlinkSync(BIN, join(cwd, 'sort'));
    const text = './sort missing; echo $?; ./sort -c f; echo $?';
    const { stdout, stderr } = await run('bash', ['-c', text], { cwd });
    expect({ stdout: stdout.toString(), stderr }).toEqual({
      stdout: '2\n1\n',
      stderr: 'sort: cannot read: missing: No such file or directory\nsort: f:2: disorder: a\n',
    });
  });
});
