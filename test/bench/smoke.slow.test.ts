/** Every benchmark can start: its modules and what they import exist, its inputs are made, and it runs a small case. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
// @ts-expect-error: plain JavaScript, because the benchmarks run without a build of their own
import { commandOf, missingPrograms } from '../../tools/bench/commands.mjs';
// @ts-expect-error
import { blocksOf, generate, KIND_NAMES } from '../../tools/bench/generate.mjs';
// @ts-expect-error
import { generateGenomics } from '../../tools/bench/genomics-data.mjs';
// @ts-expect-error
import { ROWS } from '../../tools/bench/rows.mjs';
import { freshDirectory } from '../battery/runner.js';
import { describeGpu } from '../setup/gpu.js';
import { sampled } from '../support/tier.js';

const ROOT = join(import.meta.dirname, '../..');
const SECONDS = 1000;
const folder = freshDirectory('bench');
const inFolder = (name: string): string => join(folder, name);
const modules = ['tools/bench', 'test/soak']
  .flatMap((name) =>
    readdirSync(join(ROOT, name), { recursive: true, encoding: 'utf8' }).map((file) => join(ROOT, name, file)),
  )
  .filter((path) => path.endsWith('.mjs'));

/** Runs a script of this project, which must succeed; returns its standard output. */
function run(script: string, ...words: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(ROOT, script), ...words], {
    encoding: 'utf8',
    timeout: 200 * SECONDS,
  });
  expect({ status, stderr: status === 0 ? '' : `${stdout}\n${stderr}` }, `${script} ${words.join(' ')}`).toEqual({
    status: 0,
    stderr: '',
  });
  return stdout;
}

describe('the modules of benchmarks', () => {
  it('import only names that exist', async () => {
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
    for (const path of modules)
      for (const [, names, module] of readFileSync(path, 'utf8').matchAll(
        /const \{([^}]+)\} =\s+await import\('(\.[^']+)'\)/g,
      )) {
        const exported = Object.keys(await import(join(dirname(path), module)));
        for (const name of names.split(',').map((one) => one.split(':')[0].trim()))
          expect(exported, `${path}: ${module}`).toContain(name);
      }
  });

  it('make the inputs of every row, and have a command for each of its programs', () => {
    for (const kind of KIND_NAMES) {
      const [{ block, lines }] = [...blocksOf(kind, { lines: 3 })];
      expect([block.length > 0, lines], kind).toEqual([true, 3]);
    }
    const files = { input: '/input', inputs: ['/input', '/mates'], output: '/output', mateOutput: '/output.mates' };
    const missing = missingPrograms(ROWS);
    for (const row of ROWS) {
      if (row.kind !== undefined) expect([...blocksOf(row.kind, { lines: 3 })], row.kind).toHaveLength(1);
      for (const name of row.programs.filter((one: string) => !missing.has(one)))
        expect(commandOf(name, row, files, { threads: 2, own: [] }).argv, `${row.id} ${name}`).not.toContain(undefined);
    }
  });
});

/** Each benchmark with small work, and what it prints. `needs`: makes files for it. */
const PROGRAMS: readonly { readonly words: readonly string[]; readonly prints: RegExp; readonly needs?: () => void }[] =
  [
    {
      words: [
        'tools/bench/run.mjs',
        '--rows',
        'a,l1,m1,s4,t,p3,p16,p21,p25',
        '--scale',
        '0.0001',
        '--runs',
        '1',
      ].concat(...['--peers', 'gnu,node,cp,pipe', '--dir', folder, '--docs', inFolder('docs/rows')]),
      prints: /\| GNU sort \| .* \| reference \|/,
    },
    {
      words: [
        'tools/bench/run.mjs',
        '--rows',
        'g10',
        '--scale',
        '0.0005',
        '--runs',
        '1',
        '--option=--engine=cpu',
      ].concat(
        ...['--dir', folder, '--docs', inFolder('docs/genomics'), '--reads', `${inFolder('R1')},${inFolder('R2')}`],
        ...['--alignments', inFolder('alignments.sam')],
      ),
      prints: /gpusort/,
      needs: () => {
        generateGenomics('sam', inFolder('alignments.sam'), { records: 1000 });
        generateGenomics('reads', inFolder('R1'), { records: 50 });
        generateGenomics('mates', inFolder('R2'), { records: 50 });
      },
    },
    {
      words: ['tools/bench/cluster-client.mjs', '--tasks', '12', '--input', '1e5', '--run', '6e6', '--dir', folder],
      prints: /\| watch ranges \|[\s\S]*\| peak memory \|/,
    },
    {
      words: ['tools/bench/threads.mjs', inFolder('lines'), '--runs', '1', '--threads', '2'],
      prints: /2 threads, from pipe to pipe/,
      needs: () => generate('random11', inFolder('lines'), { bytes: 3e6 }),
    },
    {
      words: ['tools/bench/validate.mjs', inFolder('sorted'), '--array', 'u32'],
      prints: /^records: 100\n/,
      needs: () => generate('u32-sorted', inFolder('sorted'), { lines: 100 }),
    },
    {
      words: ['tools/bench/recompress.mjs', '1', '2', inFolder('plain'), inFolder('packed')],
      prints: /^/,
      needs: () => {
        writeFileSync(inFolder('plain'), 'some text\n'.repeat(300_000));
      },
    },
    {
      words: ['tools/bench/kernels.mjs', '--tables', join(ROOT, 'docs/plots/h200-kernels.json')],
      prints: /\| strings /,
    },
    { words: ['tools/bench/papers.mjs', '--help'], prints: /^Usage: npm run bench:papers/ },
    { words: ['tools/bench/run.mjs', '--help'], prints: /^Usage: npm run bench/ },
    { words: ['tools/bench/kernels.mjs', '--help'], prints: /^Usage: npm run bench/ },
    { words: ['test/soak/soak.mjs', '0', '1'], prints: /1 cases, seeds 1 to 1/ },
  ];

describe('a benchmark runs to its end', () => {
  it.each(PROGRAMS)('$words', { timeout: 240 * SECONDS }, ({ words: [script = '', ...words], prints, needs }) => {
    needs?.();
    const printed = run(script, ...words);
    expect(printed).toMatch(prints);
    expect(printed).not.toContain('failed');
  });
});

/** Experiments of the papers, in groups that each end in time. */
const PAPERS = [
  '0-rates,0-rivals,0-lengths,0-ties,0-texts',
  '0-merges',
  '1',
  '2-alphabets,2-host',
  '2-threads',
  '3-distributions,3-types',
  '4-merging,4-sizes,4-searches',
  '4-workgroups,4-tiles',
];

describeGpu('on the device', () => {
  it.each([
    [
      ['kernels.mjs', '--sizes', '12', '--cases', 'words', '--only', 'string-merge', '--runs', '3'],
      /words \| 2\^12 \|/,
    ],
    [['kernels.mjs', '--sizes', '12', '--cases', 'uniform', '--only', 'radix-sort', '--runs', '1'], /2\^12/],
    [['stages.mjs', '0.0625', '1'], /ms +\d+ GB\/s/],
    ...sampled(PAPERS, { count: 3, seed: 1 }).map((only): [string[], RegExp] => [
      [...['papers.mjs', '--quick', '--dir', folder, '--docs', inFolder('papers'), '--texts', folder], '--only', only],
      /\| --- \|/,
    ]),
  ])('%j runs to its end', { timeout: 240 * SECONDS }, ([script, ...words], prints) => {
    writeFileSync(inFolder('papers.md'), readFileSync(join(ROOT, 'docs/papers.md')));
    // Real texts of the papers; one is missing.
    for (const name of ['words', 'sentences'])
      writeFileSync(inFolder(`${name}.br`), brotliCompressSync(`some ${name}\nothers\n`.repeat(600)));
    const printed = run(`tools/bench/${script}`, ...words);
    expect(printed).toMatch(prints);
    expect(printed).not.toContain('failed');
  });
});
