/** The scripts of --completions in the real shells. */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { completionScript } from '../../../src/cli/help/completions.js';
import { OPTIONS } from '../../../src/cli/options/table.js';
import { HELP_TOPICS, SHELLS } from '../../../src/cli/parse/option-values.js';
import { ALGORITHMS, tuningsOf } from '../../../src/job/algorithm-table.js';
import { FORMAT_NAMES, PROGRAM_FORMS, THREAD_FORMS } from '../../../src/job/job.js';
import { BINARY, gpusort } from '../run.js';
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

describe('bash completes the names of CSV columns', () => {
  const HEADER = '\xef\xbb\xbf"unit price",item,a:b,"x,y",2024,na\xc3\xafve,"q""t",$(touch no),it\'s!,\x01,,a\\b\r';
  const ALL = [
    ...['unit\\ price', 'item', 'a\\\\:b', 'x\\,y', '\\\\2024', 'na\xc3\xafve', 'q\\"t', '\\$\\(touch\\ no\\)'],
    ...["it\\'s\\!", 'a\\\\\\\\b'],
  ];
  beforeAll(() => {
    for (const [name, text] of [
      ['columns.csv', `${HEADER}\n${','.repeat(11)}\n`],
      ['my columns.csv', 'one,two'],
      ['columns.tsv', 'a,b\tc\n'],
      ['long.csv', `${'x'.repeat(8000)},${'y'.repeat(400)}\n`],
      ['open.csv', 'a,"b\n'],
      ['blank.csv', ''],
      ['nul.csv', '\0\0,a\n'],
    ])
      writeFileSync(join(directory, name), text, 'latin1');
    spawnSync('mkfifo', [join(directory, 'pipe.csv')]);
  });
  afterAll(() => {
    for (const name of readdirSync(directory).filter((one) => /\.[ct]sv$/.test(one) && !FILES.includes(one)))
      rmSync(join(directory, name));
  });

  /** The answers for the last of the words of each line, which are words of bash as they were typed. */
  function answers(lines: readonly (readonly string[])[]): string[][] {
    const script = lines.map((words) => {
      const typed = words.map((word) => `'${word.replaceAll("'", "'\\''")}'`);
      return `COMP_WORDS=(gpusort ${typed.join(' ')}); COMP_CWORD=${words.length}; _gpusort; printf '%s\\n' "\${COMPREPLY[@]}" ---`;
    });
    writeFileSync(join(directory, 'script'), completionScript('bash'));
    const command = ['set -u; source ./script', ...script].join('\n');
    const { stdout, stderr } = spawnSync('bash', ['--norc', '-c', command], {
      cwd: directory,
      env: { PATH: process.env.PATH, LC_ALL: 'C.UTF-8', HOME: directory },
    });
    expect(stderr.toString()).toBe('');
    const all = stdout.toString('latin1').split('---\n').slice(0, -1);
    return all.map((answer) => answer.split('\n').filter((word) => word !== ''));
  }

  const LINES: readonly (readonly [words: readonly string[], expected: readonly string[]])[] = [
    [['--csv', 'columns.csv', '-k', ''], ALL],
    [['--csv', 'columns.csv', '-k', 'u'], ['unit\\ price']],
    [['--csv', 'columns.csv', '-k', 'unit\\ p'], ['unit\\ price']],
    [['--csv', 'columns.csv', '-k', "'unit p"], ['unit price']],
    [['--csv', 'columns.csv', '-k', "'it'"], []],
    [['--csv', 'columns.csv', '-k', "'i"], ['item']],
    [['--csv', 'columns.csv', '-k', '"i'], ['item']],
    [['--csv', 'columns.csv', '-k', '"\\$'], ['\\$(touch no)']],
    [
      ['--csv', 'columns.csv', '-rki'],
      ['-rkitem', "-rkit\\'s\\!"],
    ],
    [['--csv', 'columns.csv', '--key', 'ite'], ['item']],
    [['--csv', 'columns.csv', '--key', '=', 'ite'], ['item']],
    [['--csv', 'columns.csv', '--key', '='], ALL],
    [['--csv', 'columns.csv', '--key=ite'], ['--key=item']],
    [['--csv', 'columns.csv', '-k', 'item,un'], ['item,unit\\ price']],
    // bash splits words at colons.
    [['--csv', 'columns.csv', '-k', 'item', ':', 'nr,un'], ['nr,unit\\ price']],
    [['--csv', 'columns.csv', '--key', '=', 'item', ':', 'nr,un'], ['nr,unit\\ price']],
    [['--csv', 'my\\ columns.csv', '-k', 't'], ['two']],
    [['--csv', "'my columns.csv'", '-k', 't'], ['two']],
    [['--csv', '~/columns.csv', '-k', 'ite'], ['item']],
    [
      ['--tsv', 'columns.tsv', '-k', ''],
      ['a\\,b', 'c'],
    ],
    [['--csv', '-t', "'b'", 'columns.tsv', '-k', ''], ['a\\,']],
    [['--csv', '--field-separator', '=', "','", 'my\\ columns.csv', '-k', 'o'], ['one']],
    // Only whole names, of readable files that are inputs, and only with --csv.
    [['--csv', 'long.csv', '-k', ''], ['x'.repeat(8000)]],
    [
      ['--csv', 'open.csv', '-k', ''],
      ['a', 'b'],
    ],
    [['--csv', 'blank.csv', '-k', ''], []],
    [['--csv', 'pipe.csv', '-k', ''], []],
    [['--csv', 'none.csv', 'sub', '-k', ''], []],
    [['--csv', '-o', 'columns.csv', '-k', 'i'], []],
    [['--csv', '--stats', '=', 'columns.csv', '-k', 'i'], []],
    [['columns.csv', '-k', 'i'], []],
  ];

  it('as words that bash does not expand', ({ skip }) => {
    if (!isInstalled('bash')) skip('bash is not installed');
    const found = answers(LINES.map(([words]) => words));
    expect(LINES.map(([words], i) => [words, found[i]])).toEqual(LINES.map(([words, expected]) => [words, expected]));
    expect(readdirSync(directory)).not.toContain('no');
  });

  it('that the program understands', ({ skip }) => {
    if (!isInstalled('bash')) skip('bash is not installed');
    const [names] = answers([['--csv', 'columns.csv', '-k', '']]);
    const sorts = names.map((name) => `"$0" --csv columns.csv -k ${name} > out && cmp out columns.csv`).join(' && ');
    const { status, stderr } = spawnSync('bash', ['-c', Buffer.from(sorts, 'latin1').toString(), BINARY], {
      cwd: directory,
    });
    expect([status, stderr.toString()]).toEqual([0, '']);
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
