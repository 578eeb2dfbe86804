/**
 * Failures outside the program: files, disks, permissions, signals, pipes that close early, missing drivers. If gpusort
 * must behave like GNU sort, the same script runs with both. Otherwise the test states the expected outcome.
 * faults.slow.test.ts has those that take long to provoke; test/system/platform/ sends the other signals.
 */
import { spawnSync } from 'node:child_process';
import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DEADLY } from '../support/signals.js';
import { contentOf, spilledFiles } from '../support/spilled.js';
import { sampled } from '../support/tier.js';
import { commandLine, isPlain } from './here.js';
import { BIN, expectSameBytes, freshDirectory, gnuScript, gpusort, PROGRAM, run, sameAsGnu, script } from './runner.js';
import { directory, SMALL, spillingSort } from './spilling.js';

const isRoot = process.getuid?.() === 0;
/** Root ignores permissions, so tests of them run as nobody (65534) if possible. */
const dropsRoot =
  isRoot && spawnSync('setpriv', ['--reuid', '65534', '--regid', '65534', '--clear-groups', 'true']).status === 0;
const USER = dropsRoot ? 'setpriv --reuid 65534 --regid 65534 --clear-groups' : '';
const canDeny =
  !isRoot || (dropsRoot && spawnSync('setpriv', ['--reuid', '65534', ...PROGRAM, '--version']).status === 0);

/** Scripts with GNU sort's outcome, by subject. The quick tier takes a plain line and a script of each. */
const SCRIPTS: Readonly<Record<string, readonly (readonly [name: string, text: string])[]>> = {
  'inputs that cannot be read': [
    ['a missing file', 'gpusort missing'],
    ['a missing file after a good one, which writes nothing', 'gpusort f missing'],
    ['a missing file, which leaves -o as it was', 'echo kept > out; gpusort f missing -o out; echo $?; cat out'],
    ['a missing file and -o an input', 'gpusort f missing -o f; echo $?; cat f'],
    ['a directory', 'gpusort .'],
    ['a directory after a good file', 'gpusort f . -o out'],
    ['a directory with -c', 'gpusort -c .'],
    ['-m with a missing file', 'gpusort -m f missing'],
    ['a path through a file', 'gpusort f/x'],
    ['an empty name', 'gpusort ""; echo $?'],
    ['a name that is not UTF-8', 'cp f "$(printf "x\\377y")"; gpusort x*; gpusort "$(printf "x\\376")"; echo $?'],
  ],
  permissions: [
    ['a file without read permission', `chmod 000 f; ${USER} "\${P[@]}" f; echo $?; ${USER} "\${P[@]}" -c f; echo $?`],
    [
      'a read-only file, and a directory without permission',
      `chmod 444 f; ${USER} "\${P[@]}" small -o f; echo $?; cat f;
       mkdir d; chmod 555 d; ${USER} "\${P[@]}" small -o d/x; echo $?; ls -A d`,
    ],
  ],
  outputs: [
    ['/dev/null', 'gpusort f > /dev/null; echo $?'],
    ['a missing directory', 'gpusort f -o nodir/x'],
    ['a directory as the output', 'gpusort f -o .'],
    ['a closed standard output if nothing is written', ': | gpusort -c >&-; echo $?'],
  ],
  'temporary directories': [
    ['a missing -T that is not needed', 'gpusort -T /nodir f'],
    ['a missing -T that is needed', 'gpusort -S 1M -T /nodir large; echo $?'],
    ['a missing TMPDIR that is needed', 'TMPDIR=/nodir gpusort -S 1M large; echo $?'],
  ],
  'closed pipes': [
    ['the reader ends', 'gpusort large | head -1; echo ${PIPESTATUS[0]}'],
    ['the reader ends under -m', 'sort large > s; gpusort -m s s | head -1; echo ${PIPESTATUS[0]}'],
    ['two endless pipes', 'gpusort -m <(yes a) <(yes b) | head -3; echo ${PIPESTATUS[0]}'],
    ['an endless pipe and one that ends', 'gpusort -m <(yes m) <(seq 3) | head -5; echo ${PIPESTATUS[0]}'],
    ['an endless standard input and a file', 'yes | gpusort -m - f | head -4; echo ${PIPESTATUS[1]}'],
  ],
  'special files': [
    ['/proc as standard input, and -c of /dev/null', 'gpusort < /proc/filesystems; gpusort -c /dev/null; echo $?'],
    ['/dev/null as an empty file', 'gpusort /dev/null f /dev/null'],
    ['from the middle of standard input into the same file', '(read -r x; gpusort -o small) < small; cat small'],
    ['one descriptor given twice', 'gpusort - - < small'],
  ],
  'usage errors': [
    ['an unknown option', 'gpusort --nope f'],
    ['two outputs', 'gpusort -o a -o b f'],
    ['-c with two files', 'gpusort -c f f'],
    ['-c with -C', 'gpusort -cC f'],
    ['-c with -o', 'gpusort -c -o x f'],
    ['a bad -S', 'gpusort -S 1x f'],
    ['--parallel=0', 'gpusort --parallel=0 f'],
    ['an unknown letter', 'gpusort -rQ f'],
    ['-o without a name', 'gpusort f -o'],
  ],
};
const ROWS = Object.entries(SCRIPTS)
  .filter(([kind]) => canDeny || kind !== 'permissions')
  .flatMap(([kind, rows]) => rows.map(([name, text]) => ({ kind, name, text })));

it.each(sampled(ROWS, { count: ROWS.length, seed: 3, values: ({ kind, text }) => [`${kind} ${isPlain(text)}`] }))(
  'behaves like GNU sort: $kind: $name',
  async ({ text }) => {
    // Chunks make gpusort spill where -S alone makes GNU sort.
    const ours = await commandLine(text.replace('-S 1M', SMALL), await directory());
    sameAsGnu(ours, await gnuScript(text, { cwd: await directory() }));
  },
);

// Unlike GNU sort, which has created an empty output file by then.
it('leaves no output file if an input cannot be read', async () => {
  const cwd = await directory();
  for (const args of ['f . -o out', 'missing -o out', '-m f . -o out']) await commandLine(`gpusort ${args}`, cwd);
  expect(readdirSync(cwd).sort()).toEqual(['f', 'large', 'small']);
});

// GNU sort's messages name C functions (fflush, fclose). Ours must be one clear line with the reason, and status 2.
const FULL = [
  ['a full disk', 'gpusort f > /dev/full', 'No space left on device'],
  ['a full disk, more than a buffer', 'gpusort large > /dev/full', 'No space left on device'],
  ['a full disk under -o', 'gpusort f -o /dev/full', 'No space left on device'],
  ['a full disk under -m', 'gpusort -m f > /dev/full', 'No space left on device'],
  ['an output open for reading', 'gpusort f 1< small', 'Bad file descriptor'],
] as const;
it.each(sampled(FULL, { count: FULL.length, seed: 1, values: ([, , reason]) => [reason] }))(
  'fails with status 2 and the reason: %s',
  async (_, text, reason) => {
    const { status, stdout, stderr } = await commandLine(text, await directory());
    expect({ status, bytes: stdout.length }).toEqual({ status: 2, bytes: 0 });
    expect(stderr).toMatch(new RegExp(`^gpusort: .*${reason}\\n`));
  },
);

describe('temporary files', () => {
  /** Without a signal the sort ends by itself; its directory comes from TMPDIR. */
  const ENDINGS = [...sampled(DEADLY, { count: 4, seed: 6 }), 'SIGKILL' as const, null];
  it.each(sampled(ENDINGS, { count: ENDINGS.length, seed: 1, values: (signal) => [signal === null] }))(
    'are private to the user, and gone after %s',
    async (signal) => {
      const temporary = freshDirectory('signal');
      const { child, ended } =
        signal === null
          ? await spillingSort([], { TMPDIR: temporary }, temporary)
          : await spillingSort(['-T', temporary], {}, temporary);
      expect(spilledFiles(temporary, child.pid!)).toMatchObject([{ mode: 0o600 }]);
      expect(readdirSync(temporary)).toEqual([]);
      if (signal === null) {
        child.stdout.resume();
        child.stdin.end();
      } else child.kill(signal);
      expect(await ended).toEqual({ code: signal === null ? 0 : null, signal });
      expect(readdirSync(temporary)).toEqual([]);
    },
  );

  /** Bytes of a checksummed block in runs of this size. */
  const BLOCK = 16 << 10;
  const DAMAGED = /the block at byte \d+ is damaged/;
  const CUT = /the block at byte \d+ is damaged|it ends at byte \d+, before the data written last/;
  const spaces = (content: Buffer): Buffer => content.map((byte) => (byte === 10 ? 32 : byte)) as Buffer;
  const flipped = (content: Buffer): Buffer => {
    content[content.length >> 1] ^= 32;
    return content;
  };
  const swapped = (content: Buffer): Buffer =>
    Buffer.concat([content.subarray(BLOCK, 2 * BLOCK), content.subarray(0, BLOCK), content.subarray(2 * BLOCK)]);
  const DAMAGE: readonly (readonly [string, (content: Buffer) => Buffer, RegExp])[] = [
    ['with a flipped bit', flipped, DAMAGED],
    ['without newlines', spaces, DAMAGED],
    ['with two blocks swapped', swapped, DAMAGED],
    ['that are truncated', (content) => content.subarray(0, content.length >> 1), CUT],
    ['that are empty', (content) => content.subarray(0, 0), CUT],
  ];
  it.each(sampled(DAMAGE, { count: DAMAGE.length, seed: 1 }))(
    '%s end a sort with one error line',
    async (_, spoil, what) => {
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
    },
  );

  it('are removed after the reader closes the pipe', async () => {
    const cwd = await directory();
    mkdirSync(join(cwd, 't'));
    const text = `gpusort ${SMALL} -T t large | head -1 | wc -l; echo \${PIPESTATUS[0]}`;
    const { stdout, stderr } = await script(text, { cwd });
    expect({ out: stdout.toString().trim().split(/\s+/), stderr }).toEqual({ out: ['1', '141'], stderr: '' });
    expect(readdirSync(join(cwd, 't'))).toEqual([]);
  });
});

it('stops -c at the first disorder in an endless pipe', async () => {
  const text = '(echo b; while echo a; do :; done) 2>/dev/null | timeout 20 "${P[@]}" -c; echo ${PIPESTATUS[1]}';
  const { stdout, stderr } = await script(text);
  expect({ status: stdout.toString(), stderr }).toEqual({ status: '1\n', stderr: 'gpusort: -:2: disorder: a\n' });
});

describe('binary records', () => {
  it('rejects an input that ends within a record, and reports the remainder', async () => {
    const cwd = await directory();
    writeFileSync(join(cwd, 'r'), Buffer.alloc(1037));
    const { status, stdout, stderr } = await commandLine('gpusort --record-size 100 r', cwd);
    expect({ status, bytes: stdout.length }).toEqual({ status: 2, bytes: 0 });
    expect(stderr).toMatch(/^gpusort: .*\br\b.*\b37\b/);
  });

  it.each([
    '--record-size 0',
    '--record-size 10 --key 8:3',
    '--key 0:4',
    '--record-size x',
    '--record-size 10 --key 4',
  ])('rejects %s', async (options) => {
    const { status, stdout, stderr } = await commandLine(`gpusort ${options} f`, await directory());
    expect({ status, bytes: stdout.length }).toEqual({ status: 2, bytes: 0 });
    expect(stderr).toMatch(/^gpusort: /);
  });
});

describe('without a GPU', () => {
  const env = {
    VK_DRIVER_FILES: '/nonexistent/icd.json',
    VK_ICD_FILENAMES: '/nonexistent/icd.json',
    LD_LIBRARY_PATH: '/nonexistent',
  };

  it('reports what to install under --engine gpu', async () => {
    const { status, stdout, stderr } = await gpusort(['--engine', 'gpu', 'f'], { cwd: await directory(), env });
    expect({ status, bytes: stdout.length }).toEqual({ status: 2, bytes: 0 });
    expect(stderr).toMatch(
      /^gpusort: no GPU can be used: (the Vulkan loader, libvulkan\.so\.1, is not|no Vulkan driver is) installed$/m,
    );
    expect(stderr).toMatch(/vulkan/i);
  });

  it('prints nothing to standard error if --engine auto finds no GPU for a large file', async () => {
    const cwd = await directory();
    // A sparse file: large enough for the planner to choose a GPU, but --explain reads only a sample of it.
    truncateSync(join(cwd, 'f'), 4e9);
    expect(await gpusort(['--explain', 'f'], { cwd, env })).toMatchObject({ status: 0, stderr: '' });
  });

  it.each(sampled(['f', 'large'], { count: 2, seed: 1 }))('sorts %s on the CPU under --engine auto', async (file) => {
    const cwd = await directory();
    const { status, stdout, stderr } = await gpusort([file], { cwd, env });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expectSameBytes(stdout, (await run('sort', [file], { cwd })).stdout);
  });
});

it('uses the name it was started by in messages', async () => {
  const cwd = await directory();
  symlinkSync(BIN, join(cwd, 'sort'));
  const { stdout, stderr } = await run('bash', ['-c', './sort missing; echo $?; ./sort -c f; echo $?'], { cwd });
  expect({ stdout: stdout.toString(), stderr }).toEqual({
    stdout: '2\n1\n',
    stderr: 'sort: cannot read: missing: No such file or directory\nsort: f:2: disorder: a\n',
  });
});
