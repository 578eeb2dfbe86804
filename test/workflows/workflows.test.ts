/**
 * The workflows of GitHub cannot run here. Each step is a script of the repository, and each job has the least it
 * needs: pinned actions, named permissions, a limit of time. lint.slow.test.ts lints them.
 */
import { spawnSync } from 'node:child_process';
import {
  accessSync,
  constants,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const WORKFLOWS = readdirSync(`${ROOT}.github/workflows`);
const SCRIPTS = readdirSync(`${ROOT}.github/scripts`).filter((name) => name.endsWith('.sh'));
const { scripts } = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8')) as { scripts: Record<string, string> };

/** The values of all lines `KEY: VALUE` of a workflow. */
const values = (workflow: string, key: string): string[] =>
  [...readFileSync(`${ROOT}.github/workflows/${workflow}`, 'utf8').matchAll(RegExp(`^[ -]*${key}:(.*)$`, 'gm'))].map(
    (match) => match[1]!.trim(),
  );

/** Whether a step is `npm ci`, a script of package.json, or a script of .github/scripts. */
function isScript(step: string): boolean {
  const [, name] = /^npm (?:run )?([\w:]+)(?: -- .*)?$/.exec(step) ?? [];
  if (name !== undefined) return name === 'ci' || name in scripts;
  const [, file] = /^(?:bash|node) (\.github\/scripts\/[\w-]+\.(?:sh|mjs))(?: .*)?$/.exec(step) ?? [];
  return file !== undefined && readdirSync(`${ROOT}.github/scripts`).includes(file.split('/').at(-1)!);
}

describe.each(WORKFLOWS)('%s', (workflow) => {
  it('has only scripts of the repository as steps', () => {
    // A job's `defaults:` has a key `run` too, without a value.
    expect(values(workflow, 'run').filter((step) => step !== '' && !isScript(step))).toEqual([]);
  });

  it('pins actions by commit, and says which version that is', () => {
    for (const action of values(workflow, 'uses'))
      expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });

  it('may only read, unless a job says otherwise, and keeps no credentials', () => {
    const text = readFileSync(`${ROOT}.github/workflows/${workflow}`, 'utf8');
    expect(text).toMatch(/^permissions:\n {2}contents: read\n(?! )/m);
    const checkouts = values(workflow, 'uses').filter((action) => action.startsWith('actions/checkout@'));
    expect(values(workflow, 'persist-credentials')).toEqual(checkouts.map(() => 'false'));
  });

  it('has a limit of time for each job, and no two runs at once', () => {
    expect(values(workflow, 'timeout-minutes')).toHaveLength(values(workflow, 'runs-on').length);
    expect(values(workflow, 'concurrency')).toHaveLength(1);
  });
});

describe.each(SCRIPTS)('%s', (script) => {
  it('is executable, and bash can parse it', () => {
    accessSync(`${ROOT}.github/scripts/${script}`, constants.X_OK);
    const { status, stderr } = spawnSync('bash', ['-n', script], { cwd: `${ROOT}.github/scripts`, encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });
});

it('files have newlines on Windows too, where git would write CR LF and bash would not run the scripts', () => {
  const { stdout } = spawnSync('git', ['check-attr', 'eol', '--', '.github/scripts/test.sh', 'tools/build/main.mjs'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  expect(stdout.match(/eol: lf/g)).toHaveLength(2);
});

it('the tests of other systems need no GNU sort and nothing of Linux', () => {
  const { stdout, stderr } = spawnSync(process.execPath, ['.github/scripts/portable-tests.mjs'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  const files = stdout.trimEnd().split('\n');
  expect(files).toEqual(expect.arrayContaining(['test/engines/gpu/records/scan.test.ts', 'test/plan/plan.test.ts']));
  // By a module in between, by itself, and by a path of Linux.
  for (const file of ['test/keys/csv.test.ts', 'test/keys/fields.test.ts', 'test/library/process.test.ts'])
    expect(files).not.toContain(file);
  for (const file of files) expect(readFileSync(join(ROOT, file), 'utf8')).not.toMatch(/gnuSort|\bshell\(|mkfifo/);
});

it('a draft of a release has the files of the folder, and nothing that gh cannot upload', () => {
  const folder = realpathSync(mkdtempSync(join(process.env.GPUSORT_TEST_TMP ?? tmpdir(), 'gpusort-draft-')));
  const names = ['SHA256SUMS', 'a.tar.xz', 'a.cdx.json'];
  mkdirSync(join(folder, 'release/recipes'), { recursive: true });
  for (const name of names) writeFileSync(join(folder, 'release', name), '');
  writeFileSync(join(folder, 'gh'), '#!/bin/sh\nprintf "%s\\n" "$@"\n', { mode: 0o755 });
  try {
    const { status, stdout, stderr } = spawnSync(
      'bash',
      ['.github/scripts/draft-release.sh', join(folder, 'release')],
      {
        cwd: ROOT,
        env: { ...process.env, PATH: `${folder}:${process.env.PATH}` },
        encoding: 'utf8',
      },
    );
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const words = stdout.trimEnd().split('\n');
    expect(words.slice(0, 4)).toEqual(['release', 'create', expect.stringMatching(/^v\d/) as string, '--draft']);
    expect(words.filter((word) => word.startsWith(folder)).sort()).toEqual(
      names.map((name) => join(folder, 'release', name)).sort(),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
