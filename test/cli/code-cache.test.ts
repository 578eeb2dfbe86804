/**
 * The compiled code that a sort leaves in the user's cache: when it is kept, and when it is trusted.
 */
import { spawn } from 'node:child_process';
import * as fs from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { sampled } from '../support/tier.js';
import { BINARY, environment, exitOf, NODE_VERSION, type Outcome, shell } from './run.js';

const PACKAGE = dirname(dirname(fs.realpathSync(BINARY)));
/** Whether the Node that runs the binary also built it. */
const BUILT = join(PACKAGE, 'dist/bundle/core.code');
const isBuilder = fs.existsSync(BUILT) && fs.readFileSync(BUILT).includes(`${NODE_VERSION} `);

interface Cache {
  readonly code: Buffer | undefined;
  keep(make: () => Buffer): void;
}

const { openCache } = createRequire(import.meta.url)('../../bin/code-cache.cjs') as {
  openCache(runtime: string, program: string): Cache | null;
};

let directory: string;
/** A copy of gpusort that was built by another version of Node. */
let copy: string;
let home: string;

beforeAll(() => {
  directory = fs.mkdtempSync(join(process.env.GPUSORT_TEST_TMP ?? tmpdir(), 'gpusort-code-'));
  copy = join(directory, 'gpusort');
  for (const path of ['bin', 'dist/bundle', 'dist/wasm', 'package.json'])
    fs.cpSync(join(PACKAGE, path), join(copy, path), { recursive: true });
  if (fs.existsSync(BUILT))
    fs.writeFileSync(
      join(copy, 'dist/bundle/core.code'),
      Buffer.concat([Buffer.from('19.0.0 '), fs.readFileSync(BUILT).subarray(7)]),
    );
  fs.writeFileSync(join(directory, 'input'), 'b\na\nc\n');
});

beforeEach(() => {
  home = fs.mkdtempSync(join(directory, 'home-'));
});

afterAll(() => {
  fs.rmSync(directory, { recursive: true, force: true });
});

function run(
  line: string,
  env: Record<string, string> = { HOME: home },
  binary = join(copy, 'bin/gpusort.cjs'),
): Outcome {
  return shell(line, { cwd: directory, env: { ...env, GPUSORT: binary } });
}

const cache = (): string => join(home, '.cache/gpusort');
const kept = (): string[] => (fs.existsSync(cache()) ? fs.readdirSync(cache()) : []);
const SORTED = { status: 0, stdout: 'a\nb\nc\n', stderr: '' };

describe('a sort', () => {
  it('keeps its code once, for this user alone', () => {
    expect(run('"$GPUSORT" input')).toMatchObject(SORTED);
    const [file, ...others] = kept();
    expect(file).toMatch(new RegExp(`^${NODE_VERSION}-[0-9a-f]+\\.code$`));
    expect(others).toEqual([]);
    const before = fs.statSync(join(cache(), file!), { bigint: true });
    expect([before.mode & 0o777n, BigInt(fs.statSync(cache()).mode & 0o777)]).toEqual([0o600n, 0o700n]);
    expect(run('"$GPUSORT" input')).toMatchObject(SORTED);
    expect(kept()).toEqual([file]);
    expect(fs.statSync(join(cache(), file!), { bigint: true })).toMatchObject({
      ino: before.ino,
      mtimeNs: before.mtimeNs,
    });
  });

  it('keeps it in XDG_CACHE_HOME, one for each set of options of Node', () => {
    for (const options of ['', '--max-old-space-size=500']) {
      const env = { HOME: home, XDG_CACHE_HOME: join(home, 'elsewhere'), NODE_OPTIONS: options };
      expect(run('"$GPUSORT" input', env)).toMatchObject(SORTED);
    }
    // Both for the core; with the option, also for the CPU engine, whose built code serves the other.
    expect(fs.readdirSync(join(home, 'elsewhere/gpusort'))).toHaveLength(3);
    expect(kept()).toEqual([]);
  });

  it('keeps one file if several run at once', async () => {
    const processes = Array.from({ length: 4 }, () =>
      spawn(join(copy, 'bin/gpusort.cjs'), ['input'], { cwd: directory, env: environment({ HOME: home }) }),
    );
    for (const { status } of await Promise.all(processes.map(exitOf))) expect(status).toBe(0);
    expect(kept()).toEqual([expect.stringMatching(/\.code$/)]);
    expect(run('"$GPUSORT" input')).toMatchObject(SORTED);
  });
});

it('code of a program that has been replaced since is not used', () => {
  const replaced = join(directory, 'replaced');
  fs.cpSync(copy, replaced, { recursive: true });
  const sorted = (): Outcome => run('"$GPUSORT" input', { HOME: home }, join(replaced, 'bin/gpusort.cjs'));
  expect(sorted()).toMatchObject(SORTED);
  // V8 accepts the code of another program of the same length.
  const bundle = join(replaced, 'dist/bundle/core.cjs');
  const program = fs.readFileSync(bundle, 'latin1');
  const other = program.replace('return reverse?sorted.reverse():sorted', 'return reverse?sorted:sorted.reverse()');
  expect(other.length).toBe(program.length);
  fs.writeFileSync(bundle, other, 'latin1');
  expect(sorted().stdout).toBe('c\nb\na\n');
});

it('code that V8 rejects is replaced', () => {
  expect(run('"$GPUSORT" input')).toMatchObject(SORTED);
  const file = join(cache(), kept()[0]);
  const bytes = fs.readFileSync(file);
  const at = bytes.indexOf('\n') + 1;
  const code = Buffer.from(bytes.subarray(at, (at + bytes.length) / 2));
  // The words after the magic number are the version of V8 and its options.
  code.fill(0xff, 4, 16);
  fs.writeFileSync(file, Buffer.concat([bytes.subarray(0, at), code, code]));
  expect(run('"$GPUSORT" input')).toMatchObject(SORTED);
  const replaced = fs.readFileSync(file);
  expect(replaced.subarray(at + 4, at + 16)).toEqual(bytes.subarray(at + 4, at + 16));
});

const COMMANDS: readonly (readonly [args: string, status: number])[] = [
  ['-m input', 0],
  ['-c input', 1],
  ['--help', 0],
  ['--explain input', 0],
  ['missing', 2],
  // V8 has other options then.
  ['-S 40M input', 0],
];
const HOMES: readonly (readonly [what: string, env: Record<string, string>])[] = [
  ['HOME is missing', {}],
  ['HOME is empty', { HOME: '' }],
  ['HOME is relative', { HOME: '.' }],
  ['HOME does not exist', { HOME: '/nonexistent/home' }],
  ['HOME cannot be written', { HOME: '/proc' }],
  ['HOME is a file', { HOME: '/etc/passwd' }],
];

describe('nothing is kept', () => {
  it.each(sampled(COMMANDS, { count: Infinity, seed: 1, values: ([args]) => [args === '-m input'] }))(
    'by gpusort %s',
    (args, status) => {
      expect(run(`"$GPUSORT" ${args} > /dev/null 2>&1`).status).toBe(status);
      expect(fs.readdirSync(home)).toEqual([]);
    },
  );

  it.skipIf(!isBuilder)('by the Node that built gpusort', () => {
    expect(run('"$GPUSORT" input', { HOME: home }, BINARY)).toMatchObject(SORTED);
    expect(fs.readdirSync(home)).toEqual([]);
  });

  it.each(sampled(HOMES, { count: Infinity, seed: 2 }))('if %s, and no message is printed', (_, env) => {
    expect(run('"$GPUSORT" input', env)).toMatchObject(SORTED);
    expect(fs.readdirSync(directory)).not.toContain('.cache');
  });

  it("under a file-size limit, or if Node's own compile cache is disabled", () => {
    expect(run('ulimit -f 8; "$GPUSORT" input')).toMatchObject(SORTED);
    expect(kept()).toEqual([]);
    expect(run('"$GPUSORT" input', { HOME: home, NODE_DISABLE_COMPILE_CACHE: '1' })).toMatchObject(SORTED);
    expect(kept()).toEqual([]);
  });

  it.skipIf(process.getuid?.() !== 0)('by root in the home of another user', () => {
    fs.chownSync(home, 12345, 12345);
    expect(run('"$GPUSORT" input')).toMatchObject(SORTED);
    expect(fs.readdirSync(home)).toEqual([]);
    fs.mkdirSync(join(home, '.cache'));
    expect(run('"$GPUSORT" input')).toMatchObject(SORTED);
    expect(fs.readdirSync(join(home, '.cache'))).toEqual([]);
  });
});

describe('kept code', () => {
  const PROGRAM = 'program';
  const CODE = Buffer.from('code\nwith lines');
  const code = (runtime = 'v1', program = PROGRAM): Buffer | undefined => openCache(runtime, program)!.code;
  let file: string;

  beforeEach(() => {
    vi.stubEnv('HOME', home);
    for (const name of ['XDG_CACHE_HOME', 'NODE_DISABLE_COMPILE_CACHE']) vi.stubEnv(name, undefined);
    openCache('v1', PROGRAM)!.keep(() => CODE);
    file = join(cache(), kept()[0]!);
  });

  afterEach(() => {
    vi.unstubAllEnvs();
  });

  it('is used by the same program on the same Node only', () => {
    expect(code()).toEqual(CODE);
    expect(code('v2')).toBeUndefined();
    expect(code('v1', 'Program')).toBeUndefined();
  });

  it.each<[string, () => void]>([
    ['another user can read or write the file', () => fs.chmodSync(file, 0o620)],
    ['another user can write the directory', () => fs.chmodSync(cache(), 0o770)],
    ['a bit has changed', () => fs.writeFileSync(file, fs.readFileSync(file, 'latin1').replace('with', 'witj'))],
    ['the end is missing', () => fs.writeFileSync(file, fs.readFileSync(file).subarray(0, -1))],
    [
      'a bit of its second copy has changed',
      () => fs.writeFileSync(file, `${fs.readFileSync(file, 'latin1').slice(0, -1)}z`),
    ],
    ['it is empty', () => fs.writeFileSync(file, '')],
    [
      'the file is a link',
      () => {
        fs.renameSync(file, `${file}.other`);
        fs.symlinkSync(`${file}.other`, file);
      },
    ],
    [
      'the directory is a link',
      () => {
        fs.renameSync(cache(), join(home, 'other'));
        fs.symlinkSync(join(home, 'other'), cache());
      },
    ],
    ...(process.getuid?.() === 0
      ? ([
          ['another user owns the file', () => fs.chownSync(file, 12345, 0)],
          ['another user owns the directory', () => fs.chownSync(cache(), 12345, 0)],
          ['another user owns the cache', () => fs.chownSync(dirname(cache()), 12345, 0)],
          ['another user owns HOME', () => fs.chownSync(home, 12345, 0)],
        ] as [string, () => void][])
      : []),
  ])('is not used if %s', (_, change) => {
    change();
    expect(code()).toBeUndefined();
  });

  it('is bounded: old files and those of dead processes are removed', () => {
    const old = new Date(Date.now() - 7_200_000);
    const names = [...Array.from({ length: 30 }, (_, i) => `${i}.0.0-0.code`), '1.0.0-0.code.1.new'];
    for (const name of names) {
      fs.writeFileSync(join(cache(), name), '');
      fs.utimesSync(join(cache(), name), old, old);
    }
    fs.writeFileSync(join(cache(), '1.0.0-0.code.2.new'), '');
    openCache('v2', PROGRAM)!.keep(() => CODE);
    expect(kept().filter((name) => name.endsWith('.code'))).toHaveLength(24);
    expect(kept().filter((name) => name.endsWith('.new'))).toEqual(['1.0.0-0.code.2.new']);
    expect([code(), code('v2')]).toEqual([CODE, CODE]);
  });
});
