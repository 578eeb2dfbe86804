/** `npm run build` in a copy of the repository, while the program of the last build starts there. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from './packed.js';

/** Starts of the program while builds run: a pause lets the builds go on between them. */
const MOST_STARTS = 60;
/** A build takes 20 s of processor time, and machines may be busy. */
const BUILD_LIMIT_MS = 180_000;
const PAUSE_MS = 200;
const COPIED = [
  'bin',
  'dist',
  'kernels',
  'package.json',
  'package-lock.json',
  'src',
  'tools/build',
  'tools/release/bundled.mjs',
  'tsconfig.json',
];

let directory: string;
const at = (path: string) => join(directory, path);

beforeAll(() => {
  directory = mkdtempSync(join(process.env.GPUSORT_TEST_TMP ?? tmpdir(), 'gpusort-builds-'));
  for (const path of COPIED)
    cpSync(join(ROOT, path), at(path), { recursive: true, filter: (from) => !from.startsWith(`${ROOT}dist/release`) });
  symlinkSync(join(ROOT, 'node_modules'), at('node_modules'), 'junction');
  writeFileSync(at('input'), '10\n9\n');
});

afterAll(() => rmSync(directory, { recursive: true, force: true }));

const BUILD = ['tools/build/main.mjs'];
const build = (...options: string[]) =>
  spawnSync(process.execPath, [...BUILD, ...options], { cwd: directory, encoding: 'utf8' });

function start() {
  const env = { PATH: process.env.PATH, NODE_DISABLE_COMPILE_CACHE: '1' };
  const { status, stdout, stderr } = spawnSync(process.execPath, [at('bin/gpusort.cjs'), '-n', at('input')], {
    env,
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

const SORTED = { status: 0, stdout: '9\n10\n', stderr: '' };

/** The paths of all files in dist/, and digests of their contents. */
function contents(): ReadonlyMap<string, string> {
  const files = readdirSync(at('dist'), { recursive: true, encoding: 'utf8' })
    .map((name) => join('dist', name))
    .filter((path) => statSync(at(path)).isFile());
  return new Map(
    files.map((path) => [
      path,
      createHash('sha256')
        .update(readFileSync(at(path)))
        .digest('hex'),
    ]),
  );
}

/** Runs `during` after adding a text to a file. */
function withChange(path: string, text: string, during: () => void): void {
  const before = readFileSync(at(path));
  appendFileSync(at(path), text);
  try {
    during();
  } finally {
    writeFileSync(at(path), before);
  }
}

describe('a build that fails changes nothing', () => {
  it.each([
    ['types', 'src/run/sort.ts', '\nexport const wrong: number = "text";\n', []],
    ['kernels', 'kernels/wasm/alignments/index.ts', '\nexport function wrong(): i32 { return missing; }\n', []],
    ['bundles', 'src/run/sort.ts', '\nimport "./missing.js";\n', ['--only=bundles']],
  ])('in %s', (_, path, text, options) => {
    const before = contents();
    withChange(path, text, () => expect(build(...options).status).not.toBe(0));
    expect(contents()).toEqual(before);
    expect(start()).toEqual(SORTED);
  });
});

it('while two builds run, the program always starts', { timeout: 3 * BUILD_LIMIT_MS }, async () => {
  appendFileSync(at('src/run/sort.ts'), '\nexport const added = 1;\n');
  const builds = [1, 2].map(() =>
    spawn(process.execPath, BUILD, { cwd: directory, stdio: 'ignore', timeout: 2 * BUILD_LIMIT_MS }),
  );
  const ended = Promise.all(builds.map(statusOf));
  const isOver = ended.then(() => true);
  for (let starts = 0; starts < MOST_STARTS; starts++) {
    expect(start()).toEqual(SORTED);
    if (await Promise.race([isOver, pause()])) break;
  }
  expect(await ended).toEqual([0, 0]);
  expect(start()).toEqual(SORTED);
  expect(readFileSync(at('dist/run/sort.js'), 'utf8')).toContain('added');
  expect(readdirSync(at('dist')).filter((name) => name.startsWith('build-'))).toEqual([]);
  // With nothing changed, a build makes nothing.
  const before = statSync(at('dist/built-from')).mtimeMs;
  expect(build()).toMatchObject({ status: 0, stdout: '', stderr: '' });
  expect(statSync(at('dist/built-from')).mtimeMs).toBe(before);
});

const pause = () => new Promise<false>((resolve) => setTimeout(resolve, PAUSE_MS, false));

const statusOf = (child: ChildProcess) =>
  new Promise<number | null>((resolve) => child.once('close', (status) => resolve(status)));
