/**
 * -o FILE: owners and modes, links and special files, changes by others meanwhile. If the result must be GNU sort's,
 * the same script runs with both programs and prints what is left: bytes, mode, owner, links, names.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { BIN, freshDirectory, gnuScript, PROGRAM, sameAsGnu, script, withoutDawn } from './runner.js';

const isRoot = process.getuid?.() === 0;
const works = (command: string): boolean => spawnSync('bash', ['-c', command]).status === 0;
const AS_USER = 'setpriv --reuid 65534 --regid 65534 --clear-groups';
/** Whether tests can use files of other users and run the program as a user other than root. */
const hasUsers =
  isRoot &&
  spawnSync('setpriv', ['--reuid', '65534', '--regid', '65534', '--clear-groups', ...PROGRAM, '--version']).status ===
    0;
const canMount = isRoot && works('unshare -m true');
const hasAppendOnly = isRoot && works('f=$(mktemp); chattr +a "$f" && chattr -a "$f"; s=$?; rm -f "$f"; exit $s');
/** Whether extended attributes work. Python sets them, and access control lists, without further packages. */
const hasAttributes = works(
  `cd "${freshDirectory('probe')}" && touch f && python3 -c 'import os; os.setxattr("f", "user.a", b"1")'`,
);

/** Creates a directory that everyone may write to, with the file f and a longer file named old. */
function directory(): string {
  const path = freshDirectory('output');
  chmodSync(path, 0o777);
  writeFileSync(join(path, 'f'), 'b\na\n');
  writeFileSync(join(path, 'old'), 'one\ntwo\nthree\n');
  return path;
}

/** Shell function `state FILE...`: prints everything that -o may change, except times and inode numbers. */
const STATE = 'state() { for n; do echo "$n: $(stat -c "%F %a %u:%g %h %s" "$n")"; cat "$n"; done; };';

/** Runs a script with both programs, each in a new directory. Expects the same outcome and no temporary files. */
async function asGnu(text: string): Promise<void> {
  const [cwd, other] = [directory(), directory()];
  sameAsGnu(await script(`${STATE} ${text}`, { cwd }), await gnuScript(`${STATE} ${text}`, { cwd: other }));
  expect(temporaryFiles(cwd)).toEqual([]);
}

function temporaryFiles(cwd: string): string[] {
  return (readdirSync(cwd, { recursive: true }) as string[]).filter((name) => name.includes('gpusort'));
}

/** Starts gpusort with a standard input that stays open, and waits until the output's temporary file exists. */
async function waiting(
  args: readonly string[],
  where: string,
  options: { readonly cwd: string; readonly prefix?: readonly string[] },
) {
  const words = [...(options.prefix ?? []), ...PROGRAM, ...args];
  const child = spawn(words[0], words.slice(1), {
    cwd: options.cwd,
    env: { ...process.env, LC_ALL: 'C' },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let stderr = '';
  child.stderr.on('data', (data: Buffer) => {
    stderr += data.toString('latin1');
  });
  const ended = new Promise<{ code: number | null; signal: string | null; stderr: string }>((resolve) => {
    child.on('close', (code, signal) => {
      resolve({ code, signal, stderr: withoutDawn(stderr) });
    });
  });
  await until(child, () => readdirSync(where).some((name) => name.startsWith('.gpusort-')));
  return { child, ended };
}

async function until(child: ChildProcess, holds: () => boolean): Promise<void> {
  for (let tries = 0; !holds(); tries++) {
    if (tries > 1500) {
      child.kill('SIGKILL');
      throw new Error('nothing happened in 30 s');
    }
    await sleep(20);
  }
}

describe('an existing FILE', () => {
  it.each([
    ['keeps its mode', 'chmod 640 old; gpusort f -o old; state old'],
    [
      'keeps its mode without permissions for its owner',
      'chmod 200 old; gpusort f -o old; stat -c %a old; chmod 600 old; cat old',
    ],
    [
      'with two links keeps both names and its mode',
      'ln old second; chmod 644 old; gpusort f -o old; state old second',
    ],
    ['may be the input', 'gpusort -r old -o old; state old'],
    ['with two links may be the input', 'ln old second; gpusort -r old -o second; state old second'],
    ['is truncated if it is longer and written in place', 'ln old second; gpusort f -o old; state old'],
    ['grows if it is shorter and written in place', 'ln f second; gpusort old f -o f; state f second'],
    ['may be empty', ': > old; gpusort f -o old; state old'],
    ['becomes empty', 'gpusort /dev/null -o old; state old'],
    ['is reached by a symbolic link', 'ln -s old link; gpusort f -o link; state old; readlink link'],
    [
      'is reached by links over directories',
      'mkdir d; ln -s ../old d/link; ln -s d e; gpusort f -o e/link; state old; readlink d/link',
    ],
    ['loses its set-user-ID bit like with GNU sort', 'chmod 4755 old; gpusort f -o old; state old'],
    ['may be named by another path of its directory', 'mkdir d; cp old d; gpusort f -o d/../d/./old; state d/old'],
  ])('%s', (_, text) => asGnu(text));

  it.skipIf(!hasUsers)('may be new with a mode that its owner cannot read', () =>
    asGnu(`(umask 777; ${AS_USER} "\${P[@]}" f -o new; echo $?); stat -c "%a %s %u" new`),
  );

  it.skipIf(!hasUsers)('keeps the sorted text from later runs if its directory becomes read-only', async () => {
    const cwd = directory();
    const { stdout, stderr } = await script(
      `mkdir d; chmod 777 d; mkfifo p; chmod 666 p; ${AS_USER} "\${P[@]}" -o d/new p & exec 3> p
      for i in {1..300}; do ls -A d | grep -q gpusort && break; sleep 0.02; done; chmod 555 d; echo a >&3; exec 3>&-; wait $!; echo $?
      chmod 777 d; ${AS_USER} "\${P[@]}" f -o d/other; ls -A d | grep gpusort | wc -l; cat d/.gpusort*`,
      { cwd },
    );
    expect(stdout.toString()).toBe('2\n1\na\n');
    expect(stderr).toMatch(
      /^gpusort: write failed: d\/new: Permission denied\nthe complete sorted output is in d\/\.gpusort-\S+\.\n$/,
    );
  });

  it('keeps the sorted text if the directory of a new file is renamed', async () => {
    const cwd = directory();
    mkdirSync(join(cwd, 'd'));
    const { child, ended } = await waiting(['-', '-o', 'd/new'], join(cwd, 'd'), { cwd });
    renameSync(join(cwd, 'd'), join(cwd, 'e'));
    child.stdin.end('c\n');
    const { code, stderr } = await ended;
    expect(code).toBe(2);
    const [kept] = temporaryFiles(cwd);
    expect(stderr).toBe(
      `gpusort: write failed: d/new: No such file or directory\nthe complete sorted output is in ${join(cwd, kept!)}.\n`,
    );
    expect(readFileSync(join(cwd, kept!), 'latin1')).toBe('c\n');
  });

  it.each([
    ['a new file', 'umask 027; gpusort f -o new; state new'],
    ['a new file that nobody may read', 'umask 777; gpusort f -o new; stat -c "%a %s" new'],
  ])('gets its mode from the umask: %s', (_, text) => asGnu(text));

  it('stays unchanged for programs that have it open', async () => {
    const cwd = directory();
    const { stdout } = await script('exec 3< old; gpusort f -o old; cat <&3; cat old', { cwd });
    expect(stdout.toString()).toBe('one\ntwo\nthree\na\nb\n');
  });

  it.skipIf(!hasAttributes)('keeps extended attributes and access control lists', () =>
    asGnu(`python3 - <<'END'
import os, struct
os.setxattr("old", "user.note", b"kept")
entry = lambda tag, perm, who: struct.pack("<HHI", tag, perm, who)
nobody = 0xffffffff
os.setxattr("old", "system.posix_acl_access", struct.pack("<I", 2) + entry(1, 6, nobody) + entry(2, 6, 65534) + entry(4, 4, nobody) + entry(16, 6, nobody) + entry(32, 0, nobody))
END
gpusort f -o old; state old
python3 -c 'import os; print(sorted((n, os.getxattr("old", n)) for n in os.listxattr("old")))'`),
  );

  it.skipIf(!hasAttributes || !isRoot)('loses file capabilities, as on any write', () =>
    asGnu(`python3 - <<'END'
import os, struct
os.setxattr("old", "security.capability", struct.pack("<IIIII", 0x02000001, 1 << 10, 0, 0, 0))
END
gpusort /dev/null -o old; python3 -c 'import os; print(os.listxattr("old"))'`),
  );

  it.skipIf(!hasAttributes)('does not get the default access control list of its directory', () =>
    asGnu(`mkdir d; cp old d; python3 - <<'END'
import os, struct
entry = lambda tag, perm, who: struct.pack("<HHI", tag, perm, who)
nobody = 0xffffffff
os.setxattr("d", "system.posix_acl_default", struct.pack("<I", 2) + entry(1, 7, nobody) + entry(2, 7, 65534) + entry(4, 5, nobody) + entry(16, 7, nobody) + entry(32, 0, nobody))
END
gpusort f -o d/old; state d/old
python3 -c 'import os; print(sorted((n, os.getxattr("d/old", n)) for n in os.listxattr("d/old")))'`),
  );

  it.skipIf(!hasAttributes)('gets the default access control list of its directory if it is new', () =>
    asGnu(`mkdir d; python3 - <<'END'
import os, struct
entry = lambda tag, perm, who: struct.pack("<HHI", tag, perm, who)
nobody = 0xffffffff
os.setxattr("d", "system.posix_acl_default", struct.pack("<I", 2) + entry(1, 7, nobody) + entry(2, 7, 65534) + entry(4, 5, nobody) + entry(16, 7, nobody) + entry(32, 0, nobody))
END
gpusort f -o d/new; state d/new
python3 -c 'import os; print(sorted((n, os.getxattr("d/new", n)) for n in os.listxattr("d/new")))'`),
  );
});

describe('special files and links', () => {
  it.each([
    [
      'a dangling symbolic link, whose target is created',
      'ln -s target link; gpusort f -o link; echo $?; state target; readlink link',
    ],
    ['a chain of dangling links', 'ln -s b a; ln -s c b; gpusort f -o a; state c; readlink a b'],
    ['a link into a missing directory', 'ln -s nodir/x link; gpusort f -o link; echo $?; readlink link; ls'],
    ['a link to itself', 'ln -s link link; gpusort f -o link; echo $?'],
    ['an empty name', "gpusort f -o ''; echo $?"],
    ['a name that can only be a directory', 'gpusort f -o new/; echo $?; gpusort f -o f/; echo $?'],
    ['/dev/stdout on a regular file', 'gpusort f -o /dev/stdout 1<> old'],
    [
      '/dev/fd/5 on a regular file',
      'i=$(stat -c %i old); gpusort f -o /dev/fd/5 5<> old; echo $?; [ "$i" = "$(stat -c %i old)" ] && echo same; cat old',
    ],
    [
      'a link to /dev/fd/5',
      'ln -s /dev/fd/5 l; i=$(stat -c %i old); gpusort f -o l 5<> old; [ "$i" = "$(stat -c %i old)" ] && echo same; cat old',
    ],
    ['/dev/fd/5 on a file without a name', 'exec 5<> old; rm old; gpusort f -o /dev/fd/5; echo $?; cat /dev/fd/5; ls'],
    ['/dev/stdout on a pipe', 'gpusort f -o /dev/stdout | cat'],
    ['a FIFO', 'mkfifo p; cat p & gpusort f -o p; wait'],
    ['/dev/null', 'gpusort f -o /dev/null; echo $?; [ -c /dev/null ] && echo a device'],
  ])('are written like GNU sort does: %s', (_, text) => asGnu(text));

  it('keep their inode if written through /dev/stdout', async () => {
    const cwd = directory();
    const before = statSync(join(cwd, 'old')).ino;
    await script('gpusort f -o /dev/stdout 1<> old', { cwd });
    expect(statSync(join(cwd, 'old')).ino).toBe(before);
    expect(readFileSync(join(cwd, 'old'), 'latin1')).toBe('a\nb\n');
  });

  it.each([245, 250, 255])('may have a new name of %i bytes', (length) =>
    asGnu(
      `n=$(printf '%${length}s' '' | tr ' ' n); gpusort f -o "$n"; echo $?; cat "$n"; gpusort -r f -o "$n"; cat "$n"`,
    ),
  );

  it('do not delay SIGTERM: a FIFO without a reader', async () => {
    const cwd = directory();
    const { stdout } = await script(
      `mkfifo p; "\${P[@]}" f -o p & sleep 0.7; s=$(date +%s%N); kill -TERM $!; wait $!; echo $?; echo $(( ($(date +%s%N) - s) / 1000000 ))`,
      { cwd },
    );
    const [status, ms] = stdout.toString().trim().split('\n').map(Number);
    expect(status).toBe(143);
    expect(ms).toBeLessThan(1000);
  });

  it('do not block: a dangling link', () => asGnu('ln -s x link; gpusort f -o link < /dev/null; state x'));
});

describe('files with other owners and modes', () => {
  it.skipIf(!hasUsers).each([
    [
      'in a directory without write permission',
      'mkdir d t; cp old d/f; chmod 666 d/f; chmod 755 d; chmod 777 t;',
      '-T t d/f -o d/f',
      'd/f',
    ],
    [
      'with a hard link, in a directory without write permission',
      'mkdir d t; cp old d/f; ln d/f d/g; chmod 666 d/f; chmod 755 d; chmod 777 t;',
      '-T t d/f -o d/f',
      'd/f d/g',
    ],
    ['in a sticky directory', 'mkdir d; cp old d/f; chmod 666 d/f; chmod 1777 d;', 'd/f -o d/f', 'd/f'],
    ['of a foreign group', 'mkdir d; cp old d/f; chown 65534:7 d/f; chmod 660 d/f; chmod 777 d;', 'd/f -o d/f', 'd/f'],
    ["in the user's own directory", 'mkdir d; cp old d/f; chown 65534 d; chmod 666 d/f;', 'd/f -o d/f', 'd/f'],
    ['without write permission', 'mkdir d; cp old d/f; chmod 444 d/f; chmod 777 d;', 'd/f -o d/f', 'd/f'],
    ['that are new, in a directory without write permission', 'mkdir d; chmod 755 d;', 'f -o d/new', ''],
    [
      'with a set-group-ID bit',
      'mkdir d; cp old d/f; chown 65534:65534 d/f; chmod 2775 d/f; chmod 777 d;',
      'd/f -o d/f',
      'd/f',
    ],
  ])('are written or rejected like GNU sort does: %s', (_, before, args, files) =>
    asGnu(`${before} ${AS_USER} "\${P[@]}" ${args}; echo $?; ${files === '' ? 'ls -A d' : `state ${files}`}`),
  );

  it.skipIf(!hasUsers)('keep their owner if root sorts', () =>
    asGnu('chown 65534:65534 old; chmod 600 old; gpusort f -o old; state old'),
  );

  it.skipIf(!canMount)('are written through a bind mount', async () => {
    const text = 'touch m; mount --bind old m; gpusort f -o m; echo $?; umount m; state old m';
    const cwd = directory();
    const words = PROGRAM.map((word) => `'${word}'`).join(' ');
    const ours = spawnSync(
      'unshare',
      ['-m', 'bash', '-c', `P=(${words}); gpusort() { "\${P[@]}" "$@"; }; ${STATE} ${text}`],
      { cwd, encoding: 'latin1' },
    );
    const gnu = spawnSync('unshare', ['-m', 'bash', '-c', `gpusort() { command sort "$@"; }; ${STATE} ${text}`], {
      cwd: directory(),
      encoding: 'latin1',
    });
    expect(ours.stdout).toBe(gnu.stdout);
    expect(ours.stderr).toBe('');
    expect(temporaryFiles(cwd)).toEqual([]);
  });

  it.skipIf(!hasAppendOnly)('are rejected before any input is read if they are append-only', async () => {
    const cwd = directory();
    const { stdout, stderr } = await script(
      'chattr +a old; exec 3< <(exec sleep 30); timeout 20 "${P[@]}" - -o old <&3; echo $?; kill $!; chattr -a old; cat old',
      { cwd },
    );
    expect(stderr).toBe('gpusort: open failed: old: Operation not permitted\n');
    expect(stdout.toString()).toBe('2\none\ntwo\nthree\n');
  });

  it.skipIf(!canMount)('stay unchanged on a full disk, replaced or in place', async () => {
    const cwd = directory();
    const words = PROGRAM.map((word) => `'${word}'`).join(' ');
    const text = `mkdir m; mount -t tmpfs -o size=64k none m; seq 10000 > big; echo old > m/f; head -c 40000 big > m/filler
      gpusort big -o m/f; echo $?; cat m/f; ls -A m; gpusort big -o /dev/fd/5 -T . 5<> m/f; echo $?; cat m/f; umount m; sort big | cmp - gpusort-sorted-*`;
    const { stdout, stderr } = spawnSync(
      'unshare',
      ['-m', 'bash', '-c', `P=(${words}); gpusort() { "\${P[@]}" "$@"; }; export LC_ALL=C; ${text}`],
      { cwd, encoding: 'latin1' },
    );
    expect(stderr.replace(/\S*gpusort-sorted-\w+/, 'KEPT')).toBe(
      'gpusort: write failed: m/f: No space left on device\nFree space in m: the sorted output needs it until it is complete.\n' +
        'gpusort: write failed: /dev/fd/5: No space left on device\n/dev/fd/5 is unchanged; the complete sorted output is in KEPT.\n',
    );
    expect(stdout).toBe('2\nold\nf\nfiller\n2\nold\n');
  });
});

describe('a FILE that another program changes during the sort', () => {
  const swaps: readonly [string, (cwd: string) => void, (cwd: string) => void][] = [
    [
      'becomes a symbolic link to another file',
      (cwd) => {
        linkSync(join(cwd, 'old'), join(cwd, 'second'));
      },
      (cwd) => {
        unlinkSync(join(cwd, 'old'));
        symlinkSync('victim', join(cwd, 'old'));
      },
    ],
    [
      'is replaced by another file',
      () => {},
      (cwd) => {
        renameSync(join(cwd, 'victim'), join(cwd, 'old'));
      },
    ],
    [
      'is removed',
      () => {},
      (cwd) => {
        unlinkSync(join(cwd, 'old'));
      },
    ],
    [
      'appears',
      (cwd) => {
        unlinkSync(join(cwd, 'old'));
      },
      (cwd) => {
        writeFileSync(join(cwd, 'old'), 'victim\n');
      },
    ],
    [
      'becomes a dangling link',
      (cwd) => {
        unlinkSync(join(cwd, 'old'));
      },
      (cwd) => {
        symlinkSync('nowhere', join(cwd, 'old'));
      },
    ],
  ];
  it.each(swaps)('%s: fails, touches no file and keeps the sorted text', async (_, before, swap) => {
    const cwd = directory();
    writeFileSync(join(cwd, 'victim'), 'victim\n');
    before(cwd);
    const { child, ended } = await waiting(['-', 'f', '-o', 'old'], cwd, { cwd });
    swap(cwd);
    child.stdin.end('c\n');
    const { code, stderr } = await ended;
    expect(code).toBe(2);
    const kept =
      /^gpusort: write failed: old: another file has taken this name since the sort began\nThat file is unchanged; the complete sorted output is in (\S*gpusort-sorted-\w+)\.\n$/.exec(
        stderr,
      );
    expect(stderr).toMatch(/gpusort-sorted/);
    expect(readFileSync(resolve(cwd, kept![1]), 'latin1')).toBe('a\nb\nc\n');
    for (const name of ['old', 'victim'])
      if (existsSync(join(cwd, name))) expect(readFileSync(join(cwd, name), 'latin1')).toBe('victim\n');
    expect(temporaryFiles(cwd)).toHaveLength(1);
    expect(existsSync(join(cwd, 'nowhere'))).toBe(false);
  });

  it('keeps a mode that was set during the sort', async () => {
    const cwd = directory();
    const { child, ended } = await waiting(['-', '-o', 'old'], cwd, { cwd });
    chmodSync(join(cwd, 'old'), 0o601);
    child.stdin.end('c\n');
    expect(await ended).toEqual({ code: 0, signal: null, stderr: '' });
    expect((statSync(join(cwd, 'old')).mode & 0o777).toString(8)).toBe('601');
  });

  it('has the new contents under a second name added during the sort', async () => {
    const cwd = directory();
    const { child, ended } = await waiting(['-', '-o', 'old'], cwd, { cwd });
    linkSync(join(cwd, 'old'), join(cwd, 'second'));
    child.stdin.end('c\n');
    expect(await ended).toEqual({ code: 0, signal: null, stderr: '' });
    for (const name of ['old', 'second']) expect(readFileSync(join(cwd, name), 'latin1')).toBe('c\n');
    expect(temporaryFiles(cwd)).toEqual([]);
  });

  it.each([
    ['replaced', false],
    ['written in place', true],
  ])('is complete even if its temporary file is removed: %s', async (_, linked) => {
    const cwd = directory();
    chmodSync(join(cwd, 'old'), 0o644);
    if (linked) linkSync(join(cwd, 'old'), join(cwd, 'second'));
    const { child, ended } = await waiting(['-', '-o', 'old'], cwd, { cwd });
    for (const name of temporaryFiles(cwd)) rmSync(join(cwd, name));
    child.stdin.end('c\n');
    expect(await ended).toEqual({ code: 0, signal: null, stderr: '' });
    expect(readFileSync(join(cwd, 'old'), 'latin1')).toBe('c\n');
    expect((statSync(join(cwd, 'old')).mode & 0o777).toString(8)).toBe('644');
    expect(temporaryFiles(cwd)).toEqual([]);
  });
});

describe('kill -9', () => {
  it('leaves FILE unchanged, and the next run removes its temporary file', async () => {
    const cwd = directory();
    const { child, ended } = await waiting(['-', '-o', 'old'], cwd, { cwd });
    child.kill('SIGKILL');
    await ended;
    expect(readFileSync(join(cwd, 'old'), 'latin1')).toBe('one\ntwo\nthree\n');
    const left = temporaryFiles(cwd);
    expect(left).toHaveLength(1);
    const alive = await waiting(['-', '-o', 'other'], cwd, { cwd });
    await until(alive.child, () => temporaryFiles(cwd).length === 1 && temporaryFiles(cwd)[0] !== left[0]);
    // The temporary file of a running process is not removed.
    await script('gpusort f -o third', { cwd });
    expect(temporaryFiles(cwd)).toHaveLength(1);
    alive.child.stdin.end('c\n');
    expect(await alive.ended).toEqual({ code: 0, signal: null, stderr: '' });
    expect(readFileSync(join(cwd, 'other'), 'latin1')).toBe('c\n');
    expect(temporaryFiles(cwd)).toEqual([]);
  });

  it('leaves a file of sorted text, which no later run removes', async () => {
    const cwd = directory();
    mkdirSync(join(cwd, 'd'));
    writeFileSync(join(cwd, 'd', 'gpusort-sorted-12345678'), 'kept\n');
    await script('gpusort f -o d/new; gpusort f -o d/new', { cwd });
    expect(readdirSync(join(cwd, 'd')).sort()).toEqual(['gpusort-sorted-12345678', 'new']);
  });

  it.skipIf(!canMount)('is cleaned up in containers in which the next process has the same PID', async () => {
    const cwd = directory();
    const words = PROGRAM.map((word) => `'${word}'`).join(' ');
    const text = `P=(${words}); sleep 60 | "\${P[@]}" - -o old & for i in {1..500}; do ls -A | grep -q '^.gpusort-' && break; sleep 0.02; done; kill -9 $!; exit 0`;
    const inContainer = (what: string) =>
      spawnSync('unshare', ['-pf', '--mount-proc', '--kill-child', 'bash', '-c', what], {
        cwd,
        encoding: 'latin1',
        timeout: 30_000,
      });
    inContainer(text);
    expect(temporaryFiles(cwd)).toHaveLength(1);
    const { status, stderr } = inContainer(`P=(${words}); sleep 0.1 | "\${P[@]}" f - -o old`);
    expect({ status, stderr: withoutDawn(stderr) }).toEqual({ status: 0, stderr: '' });
    expect(readFileSync(join(cwd, 'old'), 'latin1')).toBe('a\nb\n');
  });
});

describe('a signal during an in-place write', () => {
  const slowWrites = fileURLToPath(new URL('../support/slow-writes.cjs', import.meta.url));

  it.each(['SIGTERM', 'SIGKILL'] as const)('leaves the complete sorted text in a file: %s', async (signal) => {
    const cwd = directory();
    const lines = Array.from({ length: 2_000_000 }, (_, i) => `${1e7 + i}\n`);
    writeFileSync(join(cwd, 'old'), lines.reverse().join(''));
    linkSync(join(cwd, 'old'), join(cwd, 'second'));
    const child = spawn(process.execPath, ['--require', slowWrites, BIN, 'old', '-o', 'old'], {
      cwd,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let stderr = '';
    child.stderr.on('data', (data: Buffer) => {
      stderr += data.toString('latin1');
    });
    const ended = new Promise<string | null>((resolve) => {
      child.on('close', (_, by) => {
        resolve(by);
      });
    });
    await until(child, () => temporaryFiles(cwd).some((name) => name.startsWith('gpusort-sorted-')));
    await sleep(250);
    child.kill(signal);
    expect(await ended).toBe(signal);
    const [kept] = temporaryFiles(cwd);
    const sorted = lines.reverse().join('');
    expect(readFileSync(join(cwd, kept!), 'latin1') === sorted).toBe(true);
    expect(readFileSync(join(cwd, 'old'), 'latin1') === sorted).toBe(false);
    if (signal === 'SIGTERM')
      expect(stderr).toBe(`gpusort: warning: old is partly written; the complete sorted output is in ./${kept}\n`);
    await script('gpusort f -o f', { cwd });
    expect(temporaryFiles(cwd)).toEqual([kept]);
  });
});

describe('--sync', () => {
  it.each([
    ['a new file', 'gpusort --sync f -o new; cat new'],
    ['an old file', 'gpusort --sync f -o old; cat old'],
    ['a file written in place', 'ln old second; gpusort --sync f -o old; cat second'],
    ['standard output', 'gpusort --sync f > new; cat new; gpusort --sync f | cat'],
    ['a device', 'gpusort --sync f -o /dev/null'],
  ])('syncs without an error: %s', async (_, text) => {
    const cwd = directory();
    const { status, stderr } = await script(`set -e; ${text}`, { cwd });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(temporaryFiles(cwd)).toEqual([]);
  });
});
