/** Every benchmark can start: its modules and what they import exist, its inputs are made, its commands run. No GPU. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, it } from 'vitest';
// @ts-expect-error: plain JavaScript, because the benchmarks run without a build of their own
import { commandOf, engineOf, missingPrograms } from './commands.mjs';
// @ts-expect-error
import { blocksOf, generate, KIND_NAMES } from './generate.mjs';
// @ts-expect-error
import { HELD_OUT_KINDS, heldOutText } from './held-out.mjs';
// @ts-expect-error
import { NEAR_SORTED_HELD_OUT_KINDS, NEAR_SORTED_KINDS, nearSortedText } from './near-sorted.mjs';
// @ts-expect-error
import { ROWS } from './rows.mjs';

const root = join(import.meta.dirname, '../..');
const modules = ['test/bench', 'test/soak']
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(root, folder, name)),
  )
  .filter((path) => path.endsWith('.mjs'));

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(process.env.GPUSORT_TEST_TMP ?? '/tmp', 'bench-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs a script of this project; returns its standard output. Its exit status must be 0. */
function run(script: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, script), ...args], {
    encoding: 'utf8',
    timeout: 60_000,
  });
  expect([status, status === 0 || stderr], `${script} ${args.join(' ')}`).toEqual([0, true]);
  return stdout;
}

it('finds every module that a benchmark imports, with the imported names', async () => {
  expect(modules.map((path) => relative(root, path))).toEqual(
    expect.arrayContaining(['test/bench/run.mjs', 'test/bench/kernels/child.mjs', 'test/soak/soak.mjs']),
  );
  // The bundler reads all imports and runs nothing.
  const { warnings } = await build({
    entryPoints: modules,
    bundle: true,
    write: false,
    outdir: folder,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    logLevel: 'silent',
  });
  expect(warnings).toEqual([]);
});

it('finds the names that modules take from dynamic imports', async () => {
  for (const path of modules) {
    const imports = readFileSync(path, 'utf8').matchAll(/const \{([^}]+)\} =\s+await import\('(\.[^']+)'\)/g);
    for (const [, names, module] of imports) {
      const exported = Object.keys(await import(join(dirname(path), module!)));
      for (const name of names!.split(',').map((one) => one.split(':')[0]!.trim()))
        expect(exported, `${path}: ${module}`).toContain(name);
    }
  }
});

it('makes the inputs of every row and of calibrate', () => {
  // Those of genomics-rows.mjs have inputs of their own.
  const kinds = ROWS.map((row: { kind?: string }) => row.kind).filter((kind: string | undefined) => kind !== undefined);
  for (const kind of new Set(kinds)) expect([...blocksOf(kind, { lines: 3 })], `${kind}`).toHaveLength(1);
  for (const kind of KIND_NAMES) {
    const [{ block, lines }] = [...blocksOf(kind, { lines: 3 })];
    expect([block.length > 0, lines], kind).toEqual([true, 3]);
  }
  for (const kind of HELD_OUT_KINDS) expect(heldOutText(kind, 100, 1).length, kind).toBeGreaterThan(99);
  for (const kind of [...NEAR_SORTED_KINDS, ...NEAR_SORTED_HELD_OUT_KINDS])
    expect(nearSortedText(kind, 100, 1).length, kind).toBeGreaterThan(99);
});

it('edits the text of rows', () => {
  for (const { id, kind, edit } of ROWS.filter((row: { edit?: string }) => row.edit !== undefined)) {
    const path = join(folder, id);
    generate(kind, path, { lines: 10 });
    const edited = execFileSync('bash', ['-o', 'pipefail', '-c', `(${edit}) < "$1"`, 'bash', path]);
    expect(edited.length, id).toBeGreaterThan(0);
    expect(edited.equals(readFileSync(path)), id).toBe(false);
  }
});

it('has a command for every program of every row', () => {
  const files = { input: '/input', inputs: ['/input', '/mates'], output: '/output', mateOutput: '/output.mates' };
  const missing = missingPrograms(ROWS);
  for (const row of ROWS)
    for (const name of row.programs.filter((one: string) => !missing.has(one))) {
      const { argv } = commandOf(name, row, files, { threads: 2, own: [] });
      expect(
        argv.every((word: unknown) => typeof word === 'string'),
        `${row.id} ${name}`,
      ).toBe(true);
    }
  expect(() => commandOf('nothing', ROWS[0], files, { threads: 2, own: [] })).toThrow("unknown program 'nothing'");
  for (const [name, reason] of missing) console.log(`bench: not tried: ${name}: ${reason}`);
});

it('knows the engine of a row', () => {
  const path = join(folder, 'few');
  generate('integers', path, { lines: 10 });
  const engine = (own: string[], order: string[]) => engineOf({ own, order }, [path], []);
  expect([engine([], []), engine(['--engine', 'cpu'], ['-n']), engine(['--no-such-option'], [])]).toEqual([
    'cpu',
    'cpu',
    null,
  ]);
});

it('runs rows from end to end, and keeps the figures of earlier rows', () => {
  const docs = join(folder, 'docs/try');
  const options = ['--scale', '0.0001', '--runs', '1', '--peers', 'gnu,node,cp,pipe', '--dir', folder, '--docs', docs];
  expect(run('test/bench/run.mjs', '--rows', 'a', ...options)).toMatch(/\| GNU sort \| .* \| reference \|/);
  const printed = run('test/bench/run.mjs', '--rows', 'l1,m1,t1,p3,p16,p21,p25', ...options);
  expect(printed).not.toContain('failed');
  const { rows } = JSON.parse(readFileSync(`${docs}.json`, 'utf8'));
  expect(rows.map(({ id }: { id: string }) => id)).toEqual(['a', 'l1', 'm1', 't1', 'p3', 'p16', 'p21', 'p25']);
  expect(rows[0]).toMatchObject({
    engine: 'cpu',
    lines: 500,
    commands: [{ name: 'gnu', error: null }, { name: 'gpusort', output: 'same' }, { name: 'cp' }],
  });
  expect(readFileSync(`${docs}.svg`, 'utf8')).toContain('gpusort (CPU) from pipe to pipe');
  expect(existsSync(`${docs}-growth.svg`)).toBe(false);
}, 120_000);

it('prints the options of every benchmark', () => {
  for (const name of ['run', 'kernels'])
    expect(run(`test/bench/${name}.mjs`, '--help')).toMatch(/^Usage: npm run bench/);
});

it('times the stages of a CPU sort, and runs a case of the soak test', () => {
  const input = join(folder, 'lines');
  generate('random11', input, { bytes: 3e6 });
  expect(run('test/bench/threads.mjs', input, '--runs', '1', '--threads', '2')).toContain(
    '2 threads, from pipe to pipe',
  );
  expect(run('test/soak/soak.mjs', '0', '1')).toContain('1 cases, seeds 1 to 1');
});

it('shows in docs/kernels.md rows of the committed figures', () => {
  const printed = run('test/bench/kernels.mjs', '--tables', 'docs/plots/h200-kernels.json').split('\n');
  const shown = readFileSync(join(root, 'docs/kernels.md'), 'utf8')
    .split('\n')
    .filter((line) => /^\| (u32|u64|strings) /.test(line) && line.split('|').length > 9);
  expect(shown.length).toBeGreaterThan(100);
  for (const line of shown) expect(printed).toContain(line);
});
