/**
 * tools/build/publish.mjs puts a build in place while programs that use the last one start and run. Here a build is a
 * copy of the program whose bundles refuse those of another build.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeEach, expect, it } from 'vitest';
// @ts-expect-error: plain JavaScript, because the build runs it
import * as untyped from '../../tools/build/publish.mjs';
import { ROOT } from './packed.js';

const { isCurrent, publish } = untyped as {
  isCurrent(dist: string, sources: string): boolean;
  publish(built: string, dist: string, sources: string | null): void;
};
/** Lines of two bytes: enough for threads. */
const LARGE_LINES = 9 << 20;
const PUBLISH = pathToFileURL(join(ROOT, 'tools/build/publish.mjs')).href;

const directory = mkdtempSync(join(process.env.GPUSORT_TEST_TMP ?? tmpdir(), 'gpusort-build-'));
const input = join(directory, 'input');
const env = { PATH: process.env.PATH, HOME: directory, NODE_DISABLE_COMPILE_CACHE: '1' };
let clone: string;
let dist: string;

writeFileSync(input, '10\n9\n');
afterAll(() => rmSync(directory, { recursive: true, force: true }));
beforeEach(() => {
  clone = mkdtempSync(join(directory, 'clone-'));
  dist = join(clone, 'dist');
  for (const part of ['bin', 'package.json']) cpSync(join(ROOT, part), join(clone, part), { recursive: true });
});

/** A finished build: the program, with this statement at the beginning of its bundles, and a few other files. */
function build(statement: string, others: Readonly<Record<string, string>> = {}): string {
  mkdirSync(dist, { recursive: true });
  const built = join(mkdtempSync(join(dist, 'build-')), 'dist');
  for (const part of ['bundle', 'wasm'])
    cpSync(join(ROOT, 'dist', part), join(built, part), { recursive: true, filter: (path) => !path.endsWith('.code') });
  for (const name of bundles(built)) writeFileSync(name, `${statement};${readFileSync(name, 'latin1')}`, 'latin1');
  for (const [path, text] of Object.entries(others)) {
    mkdirSync(dirname(join(built, path)), { recursive: true });
    writeFileSync(join(built, path), text);
  }
  return built;
}

const bundles = (built: string) =>
  readdirSync(join(built, 'bundle'))
    .filter((name) => name.endsWith('.cjs'))
    .map((name) => join(built, 'bundle', name));

/** A statement of the bundles of one build, which fails in a process that has loaded one of another build. */
const agrees = (name: string) =>
  `if((globalThis.build??='${name}')!=='${name}')throw new Error('bundles of two builds in one process')`;

/** A short sort: the program, then its arguments. */
const sort = () => [join(clone, 'bin/gpusort.cjs'), '-n', input];
const start = () => spawnSync(process.execPath, sort(), { env, encoding: 'utf8' });
const SORTED = { status: 0, stdout: '9\n10\n', stderr: '' };
const filesOf = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(folder, name)).isFile())
    .sort();

it('a program starts before and after each change that a build makes', () => {
  publish(build(agrees('old')), dist, 'old');
  const built = build(agrees('new'));
  const script = `
    import { spawnSync } from 'node:child_process';
    import fs from 'node:fs';
    import { syncBuiltinESMExports } from 'node:module';
    const outcomes = new Map();
    const start = () => {
      const { status, stdout, stderr } = spawnSync(process.execPath, ${JSON.stringify(sort())}, { encoding: 'utf8' });
      const outcome = JSON.stringify({ status, stdout, stderr });
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    };
    for (const name of ['renameSync', 'rmSync', 'rmdirSync']) {
      const call = fs[name];
      fs[name] = (...args) => {
        call(...args);
        start();
      };
    }
    syncBuiltinESMExports();
    const { publish } = await import('${PUBLISH}');
    start();
    publish(${JSON.stringify(built)}, ${JSON.stringify(dist)}, 'new');
    console.log(JSON.stringify([...outcomes]));`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    env,
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  const [[outcome, starts], ...others] = JSON.parse(stdout) as [string, number][];
  expect([JSON.parse(outcome), others]).toEqual([SORTED, []]);
  expect(starts).toBeGreaterThan(bundles(dist).length);
  expect(readFileSync(join(dist, 'bundle/core.cjs'), 'latin1')).toContain(agrees('new'));
});

it('a program that runs during a build goes on with its own bundles, kernels and threads', async () => {
  publish(build(agrees('old')), dist, 'old');
  const large = join(directory, 'large');
  writeFileSync(large, 'b\na\n'.repeat(LARGE_LINES / 2));
  // It has started, and loaded nothing.
  const words = ['--engine=cpu', '--parallel=2', '-n', '--verify', '-o', join(directory, 'sorted'), large];
  const script = `
    const load = require(${JSON.stringify(join(clone, 'bin/load.cjs'))});
    process.send('started');
    process.once('message', () => {
      process.argv = [process.execPath, 'gpusort', ...${JSON.stringify(words)}];
      load.load().main().then(() => process.exit());
    });`;
  const child = spawn(process.execPath, ['-e', script], { env, stdio: ['ignore', 'inherit', 'pipe', 'ipc'] });
  await new Promise((resolve) => child.once('message', resolve));
  const built = build("throw new Error('a bundle of the new build')");
  for (const name of readdirSync(join(built, 'wasm'))) truncateSync(join(built, 'wasm', name), 100);
  publish(built, dist, 'new');
  child.send('go on');
  expect(await outcomeOf(child)).toEqual({ status: 0, stderr: '' });
  const lines = ['a\n', 'b\n'].map((line) => line.repeat(LARGE_LINES / 2));
  expect(readFileSync(join(directory, 'sorted'), 'latin1') === lines.join('')).toBe(true);
  expect(start()).toMatchObject({ status: 2, stderr: 'gpusort: cannot start: a bundle of the new build\n' });
});

it('a program whose build has been removed says which file it cannot read', () => {
  publish(build(agrees('old')), dist, 'old');
  rmSync(join(dist, 'builds', readFileSync(join(dist, 'current'), 'latin1'), 'bundle/keys.cjs'));
  const { status, stderr } = start();
  const [message, hint] = stderr.split('\n');
  expect(message).toMatch(/^gpusort: cannot read a file of gpusort itself: .*keys\.cjs: No such file or directory$/);
  expect(hint).toMatch(/^Install gpusort again\./);
  expect(status).toBe(2);
});

it('a build replaces what has changed, removes what is not made any more, and keeps the rest', () => {
  publish(build(agrees('old'), { 'same.js': 'same', 'old.js': 'old', 'old/old.js': 'old' }), dist, 'old');
  for (const path of ['release/archive', 'api/page', 'release-Ab/part']) {
    mkdirSync(dirname(join(dist, path)), { recursive: true });
    writeFileSync(join(dist, path), '');
  }
  const { ino } = statSync(join(dist, 'same.js'));
  const built = build(agrees('new'), { 'same.js': 'same', 'new/new.js': 'new' });
  const expected = filesOf(built);
  publish(built, dist, 'new');
  rmSync(dirname(built), { recursive: true });
  const others = new Set(['current', 'built-from', 'api/page', 'release/archive', 'release-Ab/part']);
  const files = filesOf(dist).map((name) => name.replaceAll('\\', '/'));
  expect(files.filter((name) => !others.has(name) && !/^build[s-]/.test(name))).toEqual(expected);
  expect(files).toEqual(expect.arrayContaining([...others]));
  expect(existsSync(join(dist, 'old'))).toBe(false);
  expect(statSync(join(dist, 'same.js')).ino).toBe(ino);
});

it('the last three builds of the program stay', () => {
  const ids = ['one', 'two', 'three', 'four'].map((name, i) => {
    publish(build(agrees(name)), dist, name);
    const id = readFileSync(join(dist, 'current'), 'latin1');
    utimesSync(join(dist, 'builds', id), i, i);
    return id;
  });
  expect(readdirSync(join(dist, 'builds')).sort()).toEqual(ids.slice(1).sort());
  // An equal program has the same name, and counts as new again.
  publish(build(agrees('two')), dist, 'two again');
  expect(readFileSync(join(dist, 'current'), 'latin1')).toBe(ids[1]);
  publish(build(agrees('five')), dist, 'five');
  expect(readdirSync(join(dist, 'builds'))).toEqual(expect.arrayContaining([ids[1]!, ids[3]!]));
});

it('a build is current if all of its files are there', () => {
  publish(build(agrees('old'), { 'some.js': 'some' }), dist, 'old');
  expect([isCurrent(dist, 'old'), isCurrent(dist, 'new'), isCurrent(join(dist, 'api'), 'old')]).toEqual([
    true,
    false,
    false,
  ]);
  writeFileSync(join(dist, 'some.js'), '');
  expect(isCurrent(dist, 'old')).toBe(false);
  rmSync(join(dist, 'some.js'));
  expect(isCurrent(dist, 'old')).toBe(false);
  publish(build(agrees('old')), dist, null);
  expect(isCurrent(dist, 'old')).toBe(false);
});

it('of two builds at the same time, each is put in place as a whole', async () => {
  publish(build(agrees('old')), dist, 'old');
  // A process that was ended while it put a build in place.
  writeFileSync(join(dist, 'build-lock'), '');
  utimesSync(join(dist, 'build-lock'), 0, 0);
  const publishers = ['one', 'two'].map((name) => {
    const args = [build(agrees(name)), dist, name].map((word) => JSON.stringify(word));
    const script = `import('${PUBLISH}').then(({ publish }) => publish(${args.join()}))`;
    return outcomeOf(spawn(process.execPath, ['-e', script], { env, stdio: ['ignore', 'inherit', 'pipe'] }));
  });
  for (const outcome of await Promise.all(publishers)) expect(outcome).toEqual({ status: 0, stderr: '' });
  const last = isCurrent(dist, 'one') ? 'one' : 'two';
  expect(isCurrent(dist, last)).toBe(true);
  for (const name of bundles(dist)) expect(readFileSync(name, 'latin1')).toContain(agrees(last));
  expect(start()).toMatchObject(SORTED);
  expect(existsSync(join(dist, 'build-lock'))).toBe(false);
});

async function outcomeOf(child: ChildProcess): Promise<{ status: number | null; stderr: string }> {
  let stderr = '';
  child.stderr!.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const status = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { status, stderr };
}
