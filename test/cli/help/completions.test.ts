/** The scripts of --completions in the real shells. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { completionScript } from '../../../src/cli/help/completions.js';
import { OPTIONS } from '../../../src/cli/options/table.js';
import { HELP_TOPICS, SHELLS } from '../../../src/cli/parse/option-values.js';
import { ALGORITHMS, tuningsOf } from '../../../src/job/algorithm-table.js';
import { FORMAT_NAMES, PROGRAM_FORMS, THREAD_FORMS } from '../../../src/job/job.js';
import { gpusort } from '../run.js';
import { candidates, isInstalled } from './shells.js';

const FILES = ['a b.txt', 'data.csv', 'words.txt'];
const DIRECTORIES = ['bin', 'my dir', 'sub'];
/** The candidates at the place of a file name. Tests write two more files into the directory. */
const PATHS = [...FILES, ...DIRECTORIES, 'script', 'inner'];
const NAMES = OPTIONS.map(({ long }) => `--${long}`);
const [TEXTS, WHEN] = [
  ['text', 'json'],
  ['auto', 'always', 'never'],
];
const ORDERS = [
  ...['name', 'id', 'natural', 'seq', 'length', 'similar', 'quality'],
  ...['coordinate', 'queryname', 'queryname-ascii', 'template-coordinate', 'minimiser', 'position'],
  ...['contig', 'start', 'end', 'strand', 'flag', 'mapq', 'template-length', 'score', 'type'],
];
const after = (prefix: string, words: readonly string[]): string[] => words.map((word) => prefix + word);

const TUNED = ALGORITHMS.flatMap((name) => tuningsOf(name).map((tuning) => `${name}:${tuning}`));

/** All candidates for completing the line. */
const CASES: readonly [line: string, words: readonly string[]][] = [
  ['gpusort --so', ['--sort']],
  ['gpusort --rec', ['--record-size']],
  ['gpusort --nonsense', []],
  ['gpusort --', NAMES],
  // Words.
  ['gpusort --sort=', after('--sort=', ['general-numeric', 'human-numeric', 'month', 'numeric', 'random', 'version'])],
  ['gpusort --sort=nu', ['--sort=numeric']],
  ['gpusort --sort nu', ['numeric']],
  ['gpusort --engine ', ['auto', 'cpu', 'gpu']],
  ['gpusort --algorithm=', after('--algorithm=', [...ALGORITHMS, ...TUNED])],
  ['gpusort --algorithm=string-merge:p', ['--algorithm=string-merge:prefix-4']],
  ['gpusort --array i', ['i8', 'i16', 'i32', 'i64']],
  ['gpusort --color ', WHEN],
  ['gpusort --progress=', after('--progress=', WHEN)],
  ['gpusort --segments ', ['blank']],
  ['gpusort --format ', FORMAT_NAMES],
  ['gpusort --by=', after('--by=', ORDERS)],
  ['gpusort --by na', ['name', 'natural']],
  ['gpusort --as s', ['samtools', 'sort-bed']],
  ['gpusort --contigs ', ['natural', ...PATHS]],
  [
    'gpusort --output-format=',
    after('--output-format=', ['plain', ...THREAD_FORMS, 'sam', 'sam.gz', 'bam', ...PROGRAM_FORMS]),
  ],
  ['gpusort --mate w', ['words.txt']],
  ['gpusort --mate-out=d', ['--mate-out=data.csv']],
  ['gpusort --level ', []],
  ['gpusort --cluster=', after('--cluster=', ['slurm', 'local:2', 'prepare'])],
  ['gpusort --cluster lo', ['local:2']],
  ['gpusort --work-dir ', DIRECTORIES],
  ['gpusort --cluster-task=w', ['--cluster-task=words.txt']],
  ['gpusort --tasks w', []],
  ['gpusort --completions=', after('--completions=', SHELLS)],
  // An argument that may be missing is never the next word.
  ['gpusort --help=', after('--help=', HELP_TOPICS)],
  ['gpusort --check=', after('--check=', ['diagnose-first', 'explain', 'orders', 'quiet', 'silent'])],
  ['gpusort --explain=', after('--explain=', TEXTS)],
  ['gpusort --stats=t', ['--stats=text']],
  ['gpusort --stats=d', ['--stats=data.csv']],
  ['gpusort --check w', ['words.txt']],
  ['gpusort --explain ', PATHS],
  // Files, directories and programs.
  ['gpusort ', PATHS],
  ['gpusort w', ['words.txt']],
  ['gpusort data.csv -u w', ['words.txt']],
  ['gpusort -o ', PATHS],
  ['gpusort -ro w', ['words.txt']],
  ['gpusort --output d', ['data.csv']],
  ['gpusort --output=d', ['--output=data.csv']],
  ['gpusort --files0-from w', ['words.txt']],
  ['gpusort --random-source=w', ['--random-source=words.txt']],
  ['gpusort -T ', DIRECTORIES],
  ['gpusort --temporary-directory s', ['sub']],
  ['gpusort --temporary-directory=s', ['--temporary-directory=sub']],
  ['gpusort --compress-program squeez', ['squeezer']],
  ['gpusort -- w', ['words.txt']],
  ['gpusort -- --so', []],
  // Numbers, sizes and keys.
  ['gpusort -k ', []],
  ['gpusort -S ', []],
  ['gpusort --top w', []],
];

const directory = mkdtempSync(join(tmpdir(), 'gpusort-completions-'));

beforeAll(() => {
  for (const name of DIRECTORIES) mkdirSync(join(directory, name));
  for (const name of [...FILES, 'script', 'inner', 'bin/squeezer']) writeFileSync(join(directory, name), '');
  chmodSync(join(directory, 'bin/squeezer'), 0o755);
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

describe.each(SHELLS)('%s', (shell) => {
  it('completes options, their values and file names', { timeout: 120_000 }, ({ skip }) => {
    if (!isInstalled(shell)) skip(`${shell} is not installed`);
    const lines = CASES.map(([line]) => line);
    const answers = candidates(shell, lines, directory);
    expect(lines.map((line, i) => [line, answers[i]])).toEqual(CASES.map(([line, words]) => [line, [...words].sort()]));
  });

  it('completes letters', { timeout: 60_000 }, ({ skip }) => {
    if (!isInstalled(shell)) skip(`${shell} is not installed`);
    const [words] = candidates(shell, ['gpusort -'], directory);
    for (const { short, alias } of OPTIONS) {
      if (short !== undefined) expect(words).toContain(`-${short}`);
      if (alias !== undefined) expect(words).toContain(`-${alias.short}`);
    }
  });

  it('has a script that names the command that printed it', () => {
    expect(completionScript(shell)).toContain(`printed by: gpusort --completions=${shell}\n`);
  });
});

it('bash completes --option=VALUE if the equals sign is not in COMP_WORDBREAKS', () => {
  const lines = ['gpusort --sort=nu', 'gpusort --output=w', 'gpusort -T sub --check=e'];
  expect(candidates('bash', lines, directory, false)).toEqual([
    ['--sort=numeric'],
    ['--output=words.txt'],
    ['--check=explain'],
  ]);
});

it('zsh and fish show descriptions of options, and the program prints their scripts', () => {
  const summary = 'write only the first of records with equal keys';
  expect(completionScript('zsh')).toContain(`'*--unique[${summary}]'`);
  expect(completionScript('fish')).toContain(`complete -c gpusort -s u -l unique -d '${summary}'\n`);
  expect(gpusort(['--completions=zsh', '--nonsense'])).toMatchObject({
    status: 0,
    stdout: completionScript('zsh'),
    stderr: '',
  });
});
