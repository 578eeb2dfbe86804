/**
 * -o FILE with root's rights, mounts, extended attributes, and signals in the middle of a large write: the resulting
 * files, as in output.test.ts.
 */
import { spawn, spawnSync } from 'node:child_process';
import { linkSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { asGnu, directory, STATE, temporaryFiles, until } from './outputs.js';
import { BIN, freshDirectory, PROGRAM, script, withoutDawn } from './runner.js';

const works = (command: string): boolean => spawnSync('bash', ['-c', command]).status === 0;
const isRoot = process.getuid?.() === 0;
const AS_USER = 'setpriv --reuid 65534 --regid 65534 --clear-groups';
/** Whether tests can use files of other users and run the program as a user other than root. */
const hasUsers = isRoot && works(`${AS_USER} ${PROGRAM.map((word) => `'${word}'`).join(' ')} --version`);
const canMount = isRoot && works('unshare -m true');
const hasAppendOnly = isRoot && works('f=$(mktemp); chattr +a "$f" && chattr -a "$f"; s=$?; rm -f "$f"; exit $s');
/** Whether extended attributes work. Python sets them, and access control lists, without further packages. */
const hasAttributes = works(
  `cd "${freshDirectory('probe')}" && touch f && python3 -c 'import os; os.setxattr("f", "user.a", b"1")'`,
);

const COPY = 'mkdir d; cp old d/f;';
it.skipIf(!hasUsers).each([
  [
    'in a directory without write permission',
    'mkdir t; chmod 666 d/f; chmod 755 d; chmod 777 t;',
    '-T t d/f -o d/f',
    'd/f',
  ],
  [
    'with a hard link, in a directory without write permission',
    'mkdir t; ln d/f d/g; chmod 666 d/f; chmod 755 d; chmod 777 t;',
    '-T t d/f -o d/f',
    'd/f d/g',
  ],
  ['in a sticky directory', 'chmod 666 d/f; chmod 1777 d;', 'd/f -o d/f', 'd/f'],
  ['of a foreign group', 'chown 65534:7 d/f; chmod 660 d/f; chmod 777 d;', 'd/f -o d/f', 'd/f'],
  ["in the user's own directory", 'chown 65534 d; chmod 666 d/f;', 'd/f -o d/f', 'd/f'],
  ['without write permission', 'chmod 444 d/f; chmod 777 d;', 'd/f -o d/f', 'd/f'],
  ['with a set-group-ID bit', 'chown 65534:65534 d/f; chmod 2775 d/f; chmod 777 d;', 'd/f -o d/f', 'd/f'],
  ['that is new, in a directory without write permission', 'rm d/f; chmod 755 d;', 'f -o d/new', 'd/*'],
  [
    "in the user's own directory, under a umask that allows nothing",
    'chown -R 65534 d; umask 777;',
    'd/f -o d/f',
    'd/f',
  ],
  ['that is new, which its owner cannot read', 'chmod 777 d; umask 777;', 'f -o d/new', '; stat -c "%a %s %u" d/new'],
])('writes or rejects a FILE of another user like GNU sort does: %s', (_, before, args, files) =>
  asGnu(`${COPY} ${before} ${AS_USER} "\${P[@]}" ${args}; echo $?; state ${files}`),
);

it.skipIf(!hasUsers)('keeps its owner if root sorts', () =>
  asGnu('chown 65534:65534 old; chmod 600 old; gpusort f -o old; state old'),
);

it.skipIf(!hasUsers)('keeps the sorted text from later runs if its directory becomes read-only', async () => {
  const { stdout, stderr } = await script(
    `mkdir d; chmod 777 d; mkfifo p; chmod 666 p; ${AS_USER} "\${P[@]}" -o d/new p & exec 3> p
    for i in {1..300}; do ls -A d | grep -q gpusort && break; sleep 0.02; done; chmod 555 d; echo a >&3; exec 3>&-; wait $!; echo $?
    chmod 777 d; ${AS_USER} "\${P[@]}" f -o d/other; ls -A d | grep gpusort | wc -l; cat d/.gpusort*`,
    { cwd: directory() },
  );
  expect(stdout.toString()).toBe('2\n1\na\n');
  expect(stderr).toMatch(
    /^gpusort: write failed: d\/new: Permission denied\nThe complete sorted output is in d\/\.gpusort-\S+\.\n$/,
  );
});

/** A script of bash that runs Python code in which `acl` makes an access control list of entries: tag, permissions. */
const python = (code: string): string => `python3 - <<'END'
import os, struct
acl = lambda *list: struct.pack("<I", 2) + b"".join(struct.pack("<HHI", tag, perm, 65534 if tag == 2 else 0xffffffff) for tag, perm in list)
${code}
END
`;
const DEFAULT_ACL = 'os.setxattr("d", "system.posix_acl_default", acl((1, 7), (2, 7), (4, 5), (16, 7), (32, 0)))';
const listed = (name: string): string =>
  `state ${name}; ${python(`print(sorted((n, os.getxattr("${name}", n)) for n in os.listxattr("${name}")))`)}`;
it.skipIf(!hasAttributes).each([
  [
    'keeps extended attributes and access control lists',
    `${python('os.setxattr("old", "user.note", b"kept"); os.setxattr("old", "system.posix_acl_access", acl((1, 6), (2, 6), (4, 4), (16, 6), (32, 0)))')}
     gpusort f -o old; ${listed('old')}`,
  ],
  [
    'does not get the default access control list of its directory',
    `mkdir d; cp old d; ${python(DEFAULT_ACL)} gpusort f -o d/old; ${listed('d/old')}`,
  ],
  [
    'gets the default access control list of its directory if it is new',
    `mkdir d; ${python(DEFAULT_ACL)} gpusort f -o d/new; ${listed('d/new')}`,
  ],
  ...(isRoot
    ? [
        [
          'loses file capabilities, as on any write',
          `${python('os.setxattr("old", "security.capability", struct.pack("<IIIII", 0x02000001, 1 << 10, 0, 0, 0))')}
           gpusort /dev/null -o old; ${listed('old')}`,
        ],
      ]
    : []),
])('%s', (_, text) => asGnu(text));

describe('in another namespace', () => {
  const P = `P=(${PROGRAM.map((word) => `'${word}'`).join(' ')})`;
  const GPUSORT = `${P}; gpusort() { "\${P[@]}" "$@"; }; export LC_ALL=C;`;
  const unshared = (flags: string, text: string, cwd: string) => {
    const words = [...flags.split(' '), 'bash', '-c', text];
    const { status, stdout, stderr } = spawnSync('unshare', words, { cwd, encoding: 'latin1', timeout: 60_000 });
    return { status, stdout, stderr: withoutDawn(stderr) };
  };

  it.skipIf(!canMount)('writes a FILE through a bind mount', () => {
    const text = `${STATE} touch m; mount --bind old m; gpusort f -o m; echo $?; umount m; state old m`;
    const cwd = directory();
    const gnu = unshared('-m', `gpusort() { command sort "$@"; }; ${text}`, directory());
    expect(unshared('-m', `${GPUSORT} ${text}`, cwd)).toEqual({ ...gnu, stderr: '' });
    expect(temporaryFiles(cwd)).toEqual([]);
  });

  it.skipIf(!canMount)('leaves FILE unchanged on a full disk, replaced or in place', () => {
    const text = `mkdir m; mount -t tmpfs -o size=64k none m; seq 10000 > big; echo old > m/f; head -c 40000 big > m/filler
      gpusort big -o m/f; echo $?; cat m/f; ls -A m; gpusort big -o /dev/fd/5 -T . 5<> m/f; echo $?; cat m/f; umount m; sort big | cmp - gpusort-sorted-*`;
    const { stdout, stderr } = unshared('-m', `${GPUSORT} ${text}`, directory());
    expect(stderr.replace(/\S*gpusort-sorted-\w+/, 'KEPT')).toBe(
      'gpusort: write failed: m/f: No space left on device\nFree space in m: the sorted output needs it until it is complete.\n' +
        'gpusort: write failed: /dev/fd/5: No space left on device\n/dev/fd/5 is unchanged; the complete sorted output is in KEPT.\n',
    );
    expect(stdout).toBe('2\nold\nf\nfiller\n2\nold\n');
  });

  it.skipIf(!canMount)('cleans up after a killed sort in a container whose next process has the same PID', () => {
    const cwd = directory();
    const flags = '-pf --mount-proc --kill-child';
    const killed = `${P}; sleep 60 | "\${P[@]}" --engine=cpu - -o old & for i in {1..500}; do ls -A | grep -q '^.gpusort-' && break; sleep 0.02; done; kill -9 $!; exit 0`;
    unshared(flags, killed, cwd);
    expect(temporaryFiles(cwd)).toHaveLength(1);
    const next = unshared(flags, `${P}; sleep 0.1 | "\${P[@]}" --engine=cpu f - -o old`, cwd);
    expect(next).toMatchObject({ status: 0, stderr: '' });
    expect(readFileSync(join(cwd, 'old'), 'latin1')).toBe('a\nb\n');
  });
});

it.skipIf(!hasAppendOnly)('rejects an append-only FILE before any input is read', async () => {
  const { stdout, stderr } = await script(
    'chattr +a old; exec 3< <(exec sleep 30); timeout 20 "${P[@]}" - -o old <&3; echo $?; kill $!; chattr -a old; cat old',
    { cwd: directory() },
  );
  expect(stderr).toBe('gpusort: open failed: old: Operation not permitted\n');
  expect(stdout.toString()).toBe('2\none\ntwo\nthree\n');
});

it('does not delay SIGTERM if FILE is a FIFO without a reader', async () => {
  const { stdout } = await script(
    `mkfifo p; "\${P[@]}" f -o p & sleep 0.7; s=$(date +%s%N); kill -TERM $!; wait $!; echo $?; echo $(( ($(date +%s%N) - s) / 1000000 ))`,
    { cwd: directory() },
  );
  const [status, ms] = stdout.toString().trim().split('\n').map(Number);
  expect(status).toBe(143);
  expect(ms).toBeLessThan(1000);
});

it.each(['SIGTERM', 'SIGKILL'] as const)(
  '%s during a write in place leaves the sorted text in a file',
  async (signal) => {
    const cwd = directory();
    const lines = Array.from({ length: 2_000_000 }, (_, i) => `${1e7 + i}\n`);
    const sorted = lines.join('');
    writeFileSync(join(cwd, 'old'), lines.reverse().join(''));
    linkSync(join(cwd, 'old'), join(cwd, 'second'));
    const slowWrites = fileURLToPath(new URL('../support/slow-writes.cjs', import.meta.url));
    const child = spawn(process.execPath, ['--require', slowWrites, BIN, 'old', '-o', 'old'], {
      cwd,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let stderr = '';
    child.stderr.on('data', (data: Buffer) => {
      stderr += data.toString('latin1');
    });
    const ended = new Promise<string | null>((resolve) => {
      child.on('close', (_, by) => resolve(by));
    });
    await until(child, () => temporaryFiles(cwd).some((name) => name.startsWith('gpusort-sorted-')));
    await sleep(250);
    child.kill(signal);
    expect(await ended).toBe(signal);
    const [kept] = temporaryFiles(cwd);
    expect(readFileSync(join(cwd, kept!), 'latin1') === sorted).toBe(true);
    expect(readFileSync(join(cwd, 'old'), 'latin1') === sorted).toBe(false);
    if (signal === 'SIGTERM')
      expect(stderr.replace('may be', 'is')).toBe(
        `gpusort: warning: old is partly written; the complete sorted output is in ./${kept}\n`,
      );
    await script('gpusort f -o f', { cwd });
    expect(temporaryFiles(cwd)).toEqual([kept]);
  },
);
