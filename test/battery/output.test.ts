/**
 * -o FILE: modes, links and special files, changes by others during the sort. If the result must be GNU sort's, the
 * same script runs with both programs and prints the resulting state: bytes, mode, owner, links, names.
 * output.slow.test.ts has the cases that need root, mounts or attributes.
 */
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
import { describe, expect, it } from 'vitest';
import { sampled } from '../support/tier.js';
import { asGnu, directory, temporaryFiles, until, waiting } from './outputs.js';
import { script } from './runner.js';

type Row = readonly [name: string, text: string];
const EXISTING: readonly Row[] = [
  ['keeps its mode', 'chmod 640 old; gpusort f -o old; state old'],
  [
    'keeps its mode without permissions for its owner',
    'chmod 200 old; gpusort f -o old; stat -c %a old; chmod 600 old; cat old',
  ],
  ['with two links keeps both names and its mode', 'ln old second; chmod 644 old; gpusort f -o old; state old second'],
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
  ['may be a dangling link', 'ln -s x link; gpusort f -o link < /dev/null; state x'],
];
const NEW: readonly Row[] = [
  ['gets its mode from the umask', 'umask 027; gpusort f -o new; state new'],
  ['gets its mode from the umask, if nobody may read it', 'umask 777; gpusort f -o new; stat -c "%a %s" new'],
  ...[245, 250, 255].map(
    (length): Row => [
      `may have a name of ${length} bytes`,
      `n=$(printf '%${length}s' '' | tr ' ' n); gpusort f -o "$n"; echo $?; cat "$n"; gpusort -r f -o "$n"; cat "$n"`,
    ],
  ),
];
const SPECIAL: readonly Row[] = [
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
];
const ROWS = Object.entries({ existing: EXISTING, new: NEW, special: SPECIAL }).flatMap(([kind, rows]) =>
  rows.map(([name, text]) => ({ kind, name, text })),
);

// The quick tier takes a file that is replaced, one that is written in place, a new one and a special one.
const values = ({ kind, text }: (typeof ROWS)[number]): readonly string[] => [`${kind} ${/\bln old/.test(text)}`];
it.each(sampled(ROWS, { count: ROWS.length, seed: 2, values }))(
  'writes a FILE like GNU sort does: $kind: $name',
  ({ text }) => asGnu(text),
);

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
    `gpusort: write failed: d/new: No such file or directory\nThe complete sorted output is in ${join(cwd, kept!)}.\n`,
  );
  expect(readFileSync(join(cwd, kept!), 'latin1')).toBe('c\n');
});

it('leaves the old contents to programs that have FILE open', async () => {
  const { stdout } = await script('exec 3< old; gpusort f -o old; cat <&3; cat old', { cwd: directory() });
  expect(stdout.toString()).toBe('one\ntwo\nthree\na\nb\n');
});

it('keeps the inode of a file written through /dev/stdout', async () => {
  const cwd = directory();
  const before = statSync(join(cwd, 'old')).ino;
  await script('gpusort f -o /dev/stdout 1<> old', { cwd });
  expect(statSync(join(cwd, 'old')).ino).toBe(before);
  expect(readFileSync(join(cwd, 'old'), 'latin1')).toBe('a\nb\n');
});

describe('a FILE that another program changes during the sort', () => {
  type Change = (path: (name: string) => string) => void;
  const SWAPS: readonly (readonly [name: string, before: Change, swap: Change])[] = [
    [
      'becomes a symbolic link to another file',
      (path) => linkSync(path('old'), path('second')),
      (path) => {
        unlinkSync(path('old'));
        symlinkSync('victim', path('old'));
      },
    ],
    ['is replaced by another file', () => {}, (path) => renameSync(path('victim'), path('old'))],
    ['is removed', () => {}, (path) => unlinkSync(path('old'))],
    ['appears', (path) => unlinkSync(path('old')), (path) => writeFileSync(path('old'), 'victim\n')],
    ['becomes a dangling link', (path) => unlinkSync(path('old')), (path) => symlinkSync('nowhere', path('old'))],
  ];
  const MOVED: Readonly<Record<string, string>> = {
    'is removed': 'no file has this name any more',
    'becomes a dangling link': 'this name now leads elsewhere',
  };
  it.each(sampled(SWAPS, { count: SWAPS.length, seed: 1 }))(
    '%s: fails, touches no file and keeps the sorted text',
    async (what, before, swap) => {
      const cwd = directory();
      writeFileSync(join(cwd, 'victim'), 'victim\n');
      const path = (name: string): string => join(cwd, name);
      before(path);
      const { child, ended } = await waiting(['-', 'f', '-o', 'old'], cwd, { cwd });
      swap(path);
      child.stdin.end('c\n');
      const { code, stderr } = await ended;
      expect(code).toBe(2);
      const kept =
        /^gpusort: write failed: old: .+\n(?:.+; t|T)he complete sorted output is in (\S*gpusort-sorted-\w+)\.\n$/.exec(
          stderr,
        );
      expect(stderr).toContain(`old: ${MOVED[what] ?? 'another file has taken this name since the sort began'}\n`);
      expect(readFileSync(resolve(cwd, kept![1]), 'latin1')).toBe('a\nb\nc\n');
      for (const name of ['old', 'victim'])
        if (existsSync(join(cwd, name))) expect(readFileSync(join(cwd, name), 'latin1')).toBe('victim\n');
      expect(temporaryFiles(cwd)).toHaveLength(1);
      expect(existsSync(join(cwd, 'nowhere'))).toBe(false);
    },
  );

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
});

it.each(
  sampled(
    [
      ['a new file', 'gpusort --sync f -o new; cat new'],
      ['an old file', 'gpusort --sync f -o old; cat old'],
      ['a file written in place', 'ln old second; gpusort --sync f -o old; cat second'],
      ['standard output', 'gpusort --sync f > new; cat new; gpusort --sync f | cat'],
      ['a device', 'gpusort --sync f -o /dev/null'],
    ],
    { count: 5, seed: 1 },
  ),
)('--sync syncs %s without an error', async (_, text) => {
  const cwd = directory();
  expect(await script(`set -e; ${text}`, { cwd })).toMatchObject({ status: 0, stderr: '' });
  expect(temporaryFiles(cwd)).toEqual([]);
});
