/** bin/gpusort of the archives: links, names, the environment, signals, processes that the program starts. */
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Outcome, shell } from '../cli/run.js';
import { sampled } from '../support/tier.js';
import { install, ROOT, temporaryFolder, UNIX_HOST } from './installation.js';

let directory: string;
/** The unpacked archive. */
let opt: string;

/** Runs a line of bash in the directory, with `bin/gpusort` of the archive as $GPUSORT. */
function run(line: string, env: Record<string, string> = {}): Outcome {
  return shell(line, { cwd: directory, env: { GPUSORT: join(opt, 'bin/gpusort'), ...env } });
}

/** Makes a link in a new folder; returns its path. */
function link(target: string, path: string): string {
  const made = join(directory, path);
  mkdirSync(join(made, '..'), { recursive: true });
  symlinkSync(target, made);
  return made;
}

beforeAll(() => {
  if (UNIX_HOST === undefined) return;
  directory = temporaryFolder();
  opt = join(directory, 'opt/gpusort-1.0');
  install(opt);
  writeFileSync(join(directory, 'input'), 'b\na\nc\n');
});

afterAll(() => {
  if (directory !== undefined) rmSync(directory, { recursive: true, force: true });
});

const SORTED = { status: 0, stdout: 'a\nb\nc\n', stderr: '' };
const BIN = 'opt/gpusort-1.0/bin';

/** Ways to start the program: a line, and links that it needs, by their paths. Each sorts the input. */
const WAYS: readonly (readonly [way: string, line: string, links?: Readonly<Record<string, string>>])[] = [
  ['by an absolute path', '"$GPUSORT" input'],
  ['by a path', `${BIN}/gpusort input`],
  ['by a name on the PATH', `PATH="$PWD/${BIN}:$PATH" gpusort input`],
  ['by a name on a relative PATH', `PATH="${BIN}:$PATH" gpusort input`],
  ['from its own folder', `cd ${BIN} && PATH=":$PATH" gpusort ../../../input`],
  ['as an argument of sh', `cd ${BIN} && sh gpusort ../../../input`],
  ['by a relative link', 'usr/bin/gpusort input', { 'usr/bin/gpusort': `../../${BIN}/gpusort` }],
  ['by a link to a link', 'two/again input', { 'two/gpusort': `../${BIN}/gpusort`, 'two/again': 'gpusort' }],
  ['by a link whose name is an option', 'dash/-x input', { 'dash/-x': `./../${BIN}/gpusort` }],
  [
    'by a link to a name that ends with a newline',
    'to/first input',
    { 'to/second\n': `../${BIN}/gpusort`, 'to/first': 'second\n' },
  ],
  ['by a link with newlines', '"$PWD/a b/"$\'\\n/two\\n\' input', { 'a b/\n/two\n': `../../${BIN}/gpusort` }],
  ['in a linked folder', 'linked/folder/gpusort input', { 'linked/folder': `../${BIN}` }],
  ['in a link that ends with newlines', "ended/$'\\n\\n'/bin/gpusort input", { 'ended/\n\n': '../opt/gpusort-1.0' }],
  ['by .. of a linked folder', 'deep/in/../../bin/gpusort input', { 'deep/in': '../opt/gpusort-1.0/lib/gpusort' }],
  ['by .. and CDPATH', 'CDPATH=/ "$PWD/up/in/../../bin/gpusort" input', { 'up/in': '../opt/gpusort-1.0/lib/gpusort' }],
  [
    'from a linked folder',
    'cd at/in; ../../bin/gpusort ../../../../input',
    { 'at/in': '../opt/gpusort-1.0/lib/gpusort' },
  ],
  [
    'from a folder with spaces, quotes and newlines',
    'to=" a \\"b\\" \\$c\n/\n*"; mkdir -p "$to"; cp -R opt/gpusort-1.0 "$to/gpusort\n"; "$to/gpusort\n/bin/gpusort" input',
  ],
  [
    'below a package.json for ES modules',
    `mkdir es; cp -R opt/gpusort-1.0 es/; echo '{"type":"module"}' > es/package.json; es/gpusort-1.0/bin/gpusort input`,
  ],
];

describe.skipIf(UNIX_HOST === undefined)('the launcher', () => {
  const kindOf = ([way]: (typeof WAYS)[number]): (string | boolean)[] => [
    way.split(' ')[0],
    way.includes('ends with a newline'),
  ];
  const some = sampled(WAYS, { count: WAYS.length, seed: 1, values: kindOf });
  it.each(some.map(([way, line, links]) => ({ way, line, links: links ?? {} })))('runs $way', ({ line, links }) => {
    for (const [path, target] of Object.entries(links)) link(target, path);
    expect(run(line)).toMatchObject(SORTED);
  });

  it('runs from a folder that was removed', () => {
    const line = 'mkdir gone; cd gone; rmdir ../gone; "$GPUSORT" "$P"';
    const { status, stdout } = run(line, { P: join(directory, 'input') });
    expect({ status, stdout }).toEqual({ status: 0, stdout: SORTED.stdout });
  });

  it.skipIf(process.platform !== 'linux')('says that Node cannot run in a path that is not UTF-8', () => {
    const lines = [
      "mkdir -p $'broken\\xff'; cp -R opt/gpusort-1.0 $'broken\\xff/gpusort'",
      "$'broken\\xff/gpusort/bin/gpusort' input",
    ];
    const { status, stdout, stderr } = run(lines.join('\n'));
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(/^gpusort: cannot start: the path is not UTF-8: .*\nUnpack the archive elsewhere\.\n$/);
    expect(run("cd $'broken\\xff/gpusort/bin'; ./gpusort ../../../input")).toMatchObject({ status: 2 });
    expect(run('cd $\'broken\\xff\'; "$GPUSORT" ../input')).toMatchObject(SORTED);
    expect(run('mkdir -p ä; cp -R opt/gpusort-1.0 ä/; ä/gpusort-1.0/bin/gpusort input')).toMatchObject(SORTED);
  });

  it.each(['sort', 'gsort'])('keeps the name of a link: %s', (name) => {
    const path = link('../opt/gpusort-1.0/bin/gpusort', `names/${name}`);
    expect(run('"$P" -k0 input', { P: path }).stderr).toMatch(new RegExp(`^${name}: `));
    expect(run('ulimit -v 4000000; "$P" missing', { P: path })).toMatchObject({
      status: 2,
      stderr: `${name}: cannot read: missing: No such file or directory\n`,
    });
  });

  it('ignores variables that are meant for other Node programs', () => {
    const env = {
      NODE_OPTIONS: '--no-such-option',
      NODE_PATH: directory,
      NODE_DEBUG: 'module,fs',
      NODE_DEBUG_NATIVE: 'REALM',
      NODE_CHANNEL_FD: '0',
      NODE_USE_ENV_PROXY: '1',
      HTTP_PROXY: '://no address',
      OPENSSL_CONF: join(directory, 'input'),
      NODE_ICU_DATA: join(directory, 'missing'),
      NODE_PRESERVE_SYMLINKS: '1',
      NODE_PRESERVE_SYMLINKS_MAIN: '1',
      NODE_V8_COVERAGE: join(directory, 'coverage'),
    };
    const path = link('../opt/gpusort-1.0/bin/gpusort', 'disturbed/gpusort');
    expect(run('"$P" --locale=de input; ls coverage', { P: path, ...env })).toMatchObject({
      stdout: 'a\nb\nc\n',
      stderr: expect.stringMatching(/^ls: /) as string,
    });
  });

  it('leaves arguments, descriptors and exit statuses alone', () => {
    expect(run("cp input $'x\\xff'; \"$GPUSORT\" x* '-t ' -k1,1")).toMatchObject(SORTED);
    expect(run('"$GPUSORT" < input; "$GPUSORT" /dev/fd/5 5< input')).toMatchObject({ stdout: 'a\nb\nc\na\nb\nc\n' });
    expect(run('"$GPUSORT" -c input; echo $?; "$GPUSORT" --none; echo $?')).toMatchObject({ stdout: '1\n2\n' });
  });

  it('is the process of the program, which signals end', () => {
    // Opening the pipe waits for its reader. A program that outlived the launcher would still read.
    const lines = [
      "mkfifo pipe; trap '' PIPE",
      '"$GPUSORT" pipe & exec 9> pipe; echo b >&9',
      'kill -TERM $!; wait $!; echo $?',
      'echo c 2> /dev/null >&9 || echo ended',
    ];
    expect(run(lines.join('\n'))).toMatchObject({ stdout: '143\nended\n' });
  });

  it('starts the processes of a cluster sort', () => {
    const path = link('../opt/gpusort-1.0/bin/gpusort', 'cluster/sort');
    const line = 'seq 20000 | sort -R --random-source=/dev/zero > in; "$P" --cluster=local:2 --tasks=2 -n -o out in';
    expect(run(`${line}; seq 20000 | cmp - out`, { P: path })).toMatchObject({ status: 0, stdout: '', stderr: '' });
  });
});

describe.skipIf(UNIX_HOST === undefined)('an installation that cannot run', () => {
  it('says that a copy of the launcher is not an installation', () => {
    mkdirSync(join(directory, 'copied'));
    const { status, stdout, stderr } = run('cp "$GPUSORT" copied/; copied/gpusort input');
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(/^gpusort: cannot start: cannot run: .*\nUnpack the archive again\. .*make a link.*\n$/);
  });

  it('says that the archive is for another system', () => {
    const foreign = join(directory, 'foreign');
    install(foreign, '/lib/no-such-loader.so.1');
    const { status, stdout, stderr } = run('foreign/bin/gpusort input');
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(/^gpusort: cannot start: this is not .*: \/lib\/no-such-loader\.so\.1 is missing\nInstall /);
  });
});

it('clears the same variables on all systems', () => {
  const [unix, windows] = ['launcher.sh', 'launcher.cmd'].map((file) =>
    readFileSync(join(ROOT, 'tools/release', file), 'utf8'),
  );
  const names = (lists: RegExpMatchArray[]): string[] => lists.flatMap(([, list]) => list!.split(' ')).sort();
  const cleared = names([...unix!.matchAll(/^unset (.*)$/gm)]);
  expect(cleared).toContain('NODE_OPTIONS');
  expect(names([...windows!.matchAll(/^for %%v in \((.*)\) do set "%%v="$/gm)])).toEqual(cleared);
});
