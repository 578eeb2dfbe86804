/** Words of other tools, typed as people type them: the message names the words of gpusort. */
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { splitWords } from '../../src/cli/parse/shell-words.js';
import { GpusortError } from '../../src/system/errors.js';
import { parsed } from '../support/in-process.js';
import { gpusort, shell } from './run.js';

let directory = '';
beforeAll(() => {
  directory = mkdtempSync(join(process.env.GPUSORT_TEST_TMP ?? tmpdir(), 'words-'));
  const write = (name: string, text: string): void => writeFileSync(join(directory, name), text);
  write('x.csv', 'id,price\n1,3\n2,2\n');
  write('semi.csv', 'id;price\n1;3\n');
  write('tab.csv', 'id\tprice\n1\t3\n');
  write('bar.csv', '\ufeffprice|id\n1|3\n');
  write('x.json', '{"user":{"id":3}}\n');
  write('log.jsonl', '{"a":1}\n');
  write('short', 'ab');
  write('x.bin', '12345678');
  copyFileSync(fileURLToPath(new URL('../../fixtures/alignments.bam', import.meta.url)), join(directory, 'x.bam'));
});
afterAll(() => {
  rmSync(directory, { recursive: true });
});

/** A command line in the syntax of a shell, and the line after the first one of its message. */
const TYPED: readonly (readonly [typed: string, remedy: string])[] = [
  ['--no-header x.csv', 'Use --header 0 instead of --no-header: only --csv and --tsv expect a header.'],
  ['--no-headers x.csv', 'Use --header 0 instead of --no-headers: only --csv and --tsv expect a header.'],
  ['--keep-header x.csv', 'Use --header 1 instead of --keep-header: --csv and --tsv keep the header by themselves.'],
  ['--has-header x.csv', 'Use --header 1 instead of --has-header: --csv and --tsv keep the header by themselves.'],
  ['--skip-header x.csv', 'Use --header 1 instead of --skip-header: --csv and --tsv keep the header by themselves.'],
  ['--header-lines 1 x.csv', 'Use --header N instead of --header-lines N.'],
  ["--csv=';' semi.csv", "Use --csv -t ';' instead of '--csv=;'."],
  ['--csv=, x.csv', 'Use --csv -t , instead of --csv=,.'],
  ['--csv -k price semi.csv', "Fields seem to be separated by ';': add -t ';'."],
  ['--csv -k price tab.csv', 'Fields seem to be separated by tabs: use --tsv.'],
  ['--csv -k price bar.csv', "Fields seem to be separated by '|': add -t '|'."],
  ["--csv -t ';' -k price x.csv", "Fields seem to be separated by ',': use -t ','."],
  ['--tsv -k price x.csv', "Fields seem to be separated by ',': use --csv instead of --tsv."],
  ['--tsv -k price semi.csv', "Fields seem to be separated by ';': use --csv -t ';' instead of --tsv."],
  ['--csv -k cost semi.csv', "Use a name from the header: 'id;price'."],
  ['-k price:desc x.csv', 'Use --csv -k price:r instead of -k price:desc: write :nr for numbers.'],
  ['--csv -k price:desc x.csv', 'Use --csv -k price:r instead of -k price:desc: write :nr for numbers.'],
  [
    "--csv --key='unit price:desc' x.csv",
    "Use --csv -k 'unit price':r instead of '--key=unit price:desc': write :nr for numbers.",
  ],
  ['-k price:asc x.csv', 'Use --csv -k price instead of -k price:asc: ascending is the default.'],
  ['--csv -k price:asc x.csv', 'Use --csv -k price instead of -k price:asc: ascending is the default.'],
  ['-k price:numeric x.csv', 'Use --csv -k price:n instead of -k price:numeric.'],
  ['--csv -kcost:numeric x.csv', 'Use --csv -k cost:n instead of -kcost:numeric.'],
  ['--json user.id:desc x.json', 'Use --json user.id:r instead of --json user.id:desc: write :nr for numbers.'],
  [
    '-k price:x x.csv',
    'Use --csv -k price:n instead of -k price:x: the letters are those of options; write \\: for a colon in a name.',
  ],
  [
    '--csv -k price:x x.csv',
    'Use --csv -k price:n instead of -k price:x: the letters are those of options; write \\: for a colon in a name.',
  ],
  ['-k 1:n x.csv', 'Use -k 1,1n instead of -k 1:n.'],
  ['-k 2:n x.csv', 'Use -k 2,2n instead of -k 2:n.'],
  ['--csv -k 2:nr x.csv', 'Use -k 2,2nr instead of -k 2:nr.'],
  ['-k 1-3 x.csv', 'Use -k 1,3 instead of -k 1-3.'],
  ['--csv -k 2-4 x.csv', 'Use -k 2,4 instead of -k 2-4.'],
  ['-k -price x.csv', 'Use --csv -k price:r instead of -k -price: write :nr for numbers.'],
  ['--csv -k -price x.csv', 'Use --csv -k price:r instead of -k -price: write :nr for numbers.'],
  ['-k price,desc x.csv', 'Use --csv -k price:r instead of -k price,desc: write :nr for numbers.'],
  ['--csv -k price,desc x.csv', 'Use --csv -k price:r instead of -k price,desc: write :nr for numbers.'],
  ["-k 'price desc' x.csv", "Use --csv -k price:r instead of -k 'price desc': write :nr for numbers."],
  ["--csv -k 'price desc' x.csv", "Use --csv -k price:r instead of -k 'price desc': write :nr for numbers."],
  ['--csv -k price,asc x.csv', 'Use --csv -k price instead of -k price,asc: ascending is the default.'],
  ['-c price x.csv', 'Use --csv -k price instead of -c price: -c checks that one FILE is sorted.'],
  ['-c price', 'Use --csv -k price instead of -c price: -c checks that one FILE is sorted.'],
  ['-s price x.csv', 'Use --csv -k price instead of -s price: -s means --stable.'],
  ['--csv -s price x.csv', 'Use --csv -k price instead of -s price: -s means --stable.'],
  ['-nr price x.csv', 'Use --csv -k price:nr instead of -nr price.'],
  ['--by price x.csv', 'Use --csv -k price instead of --by price: --by is for genomics data.'],
  ['--sort-by price x.csv', 'Use --csv -k NAME instead of --sort-by NAME.'],
  ['--select price x.csv', 'Use --csv -k NAME instead of --select.'],
  ['--column price x.csv', 'Use --csv -k NAME instead of --column.'],
  ['--columns price x.csv', 'Use --csv -k NAME instead of --columns.'],
  ['--order desc x.csv', 'Use -r instead of --order desc.'],
  ['--order-by price x.csv', 'Use --csv -k NAME instead of --order-by.'],
  ["'order by price desc' x.csv", "Use --csv -k price:r instead of 'order by price desc': write :nr for numbers."],
  ["x.csv 'ORDER BY price'", "Use --csv -k price instead of 'ORDER BY price'."],
  ['--sort price x.csv', 'Use --csv -k price instead of --sort price.'],
  ['--sort=desc x.csv', 'Use -r instead of --sort=desc.'],
  ['--format csv x.csv', 'Use --csv instead of --format csv.'],
  ['--format json x.json', 'Use --json PATH instead of --format json.'],
  [
    '--format parquet x.csv',
    'Use duckdb -csv -c "FROM \'FILE\'" | gpusort --csv instead of --format parquet: gpusort reads text.',
  ],
  ['-d , x.csv', 'Use -t , instead of -d ,: -d means --dictionary-order.'],
  ["-d '|' x.csv", "Use -t '|' instead of -d '|': -d means --dictionary-order."],
  ["-d';' x.csv", "Use -t ';' instead of '-d;': -d means --dictionary-order."],
  ["-d '\\t' x.csv", "Use -t $'\\t' instead of -d '\\t': -d means --dictionary-order; --tsv reads tables with tabs."],
  ['-F , x.csv', 'Use -t SEP instead of -F.'],
  ['-F, x.csv', 'Use -t SEP instead of -F.'],
  ['--sep , x.csv', 'Use -t SEP instead of --sep.'],
  ['--delimiter=, x.csv', 'Use -t SEP instead of --delimiter SEP.'],
  ['-j 4 x.csv', 'Use --parallel N instead of -j.'],
  ['-j4 x.csv', 'Use --parallel N instead of -j.'],
  ['-@ 4 x.csv', 'Use --parallel N instead of -@.'],
  ['--threads 4 x.csv', 'Use --parallel N instead of --threads N.'],
  ['-m 4G x.csv', 'Use -S 4G instead of -m 4G: -m means --merge.'],
  ['--memory 4G x.csv', 'Use -S SIZE instead of --memory SIZE.'],
  ['-S 4GB x.csv', 'Use -S 4G instead of -S 4GB: units are powers of 1024.'],
  ['-S16GiB x.csv', 'Use -S 16G instead of -S16GiB: units are powers of 1024.'],
  ['--chunk-size=64MB x.csv', 'Use --chunk-size 64M instead of --chunk-size=64MB: units are powers of 1024.'],
  ['-S max x.csv', 'Use -S 90% instead of -S max.'],
  ['-S 1.5G x.csv', 'Use -S SIZE instead of -S 1.5G: SIZE is a whole number, for example 1536M.'],
  ['--gpu x.csv', 'Use --engine gpu x.csv instead of --gpu x.csv: --gpu abbreviates --gpu-memory.'],
  ['x.csv --gpu', 'Use --engine gpu instead of --gpu: --gpu abbreviates --gpu-memory.'],
  ['--cpu x.csv', 'Use --engine cpu instead of --cpu.'],
  ['--cuda x.csv', 'Use --engine gpu instead of --cuda.'],
  [
    '--device 0 x.csv',
    'Use --engine gpu instead of --device: the system chooses the GPU, and --adapters lists those that it has.',
  ],
  ['--list-gpus', 'Use --adapters instead of --list-gpus.'],
  ['--in-place x.csv', 'Use -o FILE FILE instead of --in-place.'],
  ['--inplace x.csv', 'Use -o FILE FILE instead of --inplace.'],
  ['--overwrite x.csv', 'Leave out --overwrite: -o replaces FILE once the output is complete.'],
  ['--force x.csv', 'Leave out --force: -o replaces FILE once the output is complete.'],
  ['--random x.csv', 'Use --shuffle instead of --random: -R keeps equal keys together.'],
  ['--shuffle --random-state 3 x.csv', 'Use --seed N instead of --random-state N.'],
  [
    '-R --random-source short x.csv',
    'Use --random-source FILE instead of --random-source short: FILE needs at least 16 bytes.',
  ],
  ['--first 3 x.csv', 'Use --top N instead of --first.'],
  ['--last 3 x.csv', 'Use --bottom N instead of --last.'],
  ['--head 3 x.csv', 'Use --top N instead of --head.'],
  ['--tail 3 x.csv', 'Use --bottom N instead of --tail N.'],
  ['--limit 3 x.csv', 'Use --top N instead of --limit N.'],
  ['-N 3 x.csv', 'Use --top N instead of -N.'],
  ['-n 3 x.csv', 'Use --top 3 instead of -n 3: -n means --numeric-sort.'],
  ['--group price x.csv', 'Use --per NAME --top N instead of --group: --count counts records with equal keys.'],
  [
    '--group-by price x.csv',
    'Use --per NAME --top N instead of --group-by NAME: --count counts records with equal keys.',
  ],
  ['--keep last x.csv', 'Use --unique=last instead of --keep last: it keeps the last of records with equal keys.'],
  ['--unique last x.csv', 'Use --unique=last instead of --unique last.'],
  ['-u first x.csv', 'Use --unique=first instead of -u first.'],
  ['--keep first x.csv', 'Use -u instead of --keep: it keeps the first of records with equal keys.'],
  ['--distinct x.csv', 'Use -u instead of --distinct: it keeps the first of records with equal keys.'],
  ['--dry-run x.csv', 'Use --explain instead of --dry-run.'],
  ['--plan x.csv', 'Use --explain instead of --plan.'],
  ['--verbose x.csv', 'Use --stats instead of --verbose: --version prints the version.'],
  ['--time x.csv', 'Use --stats instead of --time.'],
  ['-q x.csv', 'Use --progress never instead of -q: warnings and errors stay.'],
  ['--quiet x.csv', 'Use --progress never instead of --quiet: warnings and errors stay.'],
  ['--no-progress x.csv', 'Use --progress never instead of --no-progress: warnings and errors stay.'],
  ['--is-sorted x.csv', 'Use -c instead of --is-sorted.'],
  ['--case-insensitive x.csv', 'Use -f instead of --case-insensitive.'],
  ['--nocase x.csv', 'Use -f instead of --nocase.'],
  ['-0 x.csv', 'Use -z instead of -0.'],
  ['--null x.csv', 'Use -z instead of --null.'],
  ['--print0 x.csv', 'Use -z instead of --print0.'],
  ['--gzip x.csv', 'Use --output-format gzip instead of --gzip.'],
  ['--zstd x.csv', 'Use --output-format zstd instead of --zstd.'],
  ['--recursive .', 'Use find DIR -type f -print0 | gpusort --files0-from=- instead of --recursive.'],
  ['--tmp /tmp x.csv', 'Use -T DIR instead of --tmp DIR.'],
  ['--config f x.csv', 'Use GPUSORT_OPTIONS instead of --config: an environment variable, see --help=environment.'],
  ['--unstable x.csv', 'Leave out --unstable: ties are broken by comparing whole lines, unless -s is given.'],
  ['--asc x.csv', 'Leave out --asc: ascending is the default.'],
  ['--desc x.csv', 'Use -r instead of --desc.'],
  ['--date x.csv', 'Leave out --date: ISO dates such as 2026-01-31 sort right as text; -M is for names of months.'],
  ['--header yes x.csv', 'Use --header 1 instead of --header yes: the argument is a number of lines.'],
  ['--header=none x.csv', 'Use --header 0 instead of --header=none: the argument is a number of lines.'],
  ['--top 10% x.csv', 'Use --top N instead of --top 10%: N is a number of records.'],
  [
    '--locale=english x.csv',
    'Use --locale TAG instead of --locale=english: TAG is a language tag such as en, de or sv.',
  ],
  ['--array float64 x.bin', 'Use --array f64 instead of --array float64.'],
  ['--array=double x.bin', 'Use --array f64 instead of --array=double.'],
  ['--array int32 x.bin', 'Use --array i32 instead of --array int32.'],
  ['-n x.bam', 'Use --by queryname x.bam instead of -n x.bam: --by coordinate is for positions.'],
  ["--json '$.user.id' x.json", "Use --json user.id instead of --json '$.user.id'."],
  ['--json .user.id x.json', 'Use --json user.id instead of --json .user.id.'],
  ['-help', 'Use --help instead of -help.'],
  ['-version', 'Use --version instead of -version.'],
];

/** The messages and the status of a command line: of this process if its words are refused, otherwise of a run. */
function outcomeOf(typed: string): { stderr: string; status: number | null } {
  try {
    parsed(splitWords(typed, 'test'), 'gpusort');
  } catch (error) {
    if (!(error instanceof GpusortError)) throw error;
    return { stderr: `${error.message}\n${error.hint}`, status: error.exitCode };
  }
  return shell(`"$GPUSORT" ${typed} < /dev/null > /dev/null`, { cwd: directory });
}

it.each(TYPED)('%s: %s', (typed, remedy) => {
  const { stderr, status } = outcomeOf(typed);
  expect(stderr.split('\n')[1]).toBe(remedy);
  expect(stderr).not.toContain('Did you mean');
  const isInvalidSort = /^--sort[ =]/.test(typed);
  expect(status).toBe(stderr.startsWith('gpusort: warning: ') ? 0 : isInvalidSort ? 1 : 2);
});

it('notes that the input was given as a key', () => {
  const note = (file: string, option: string): string =>
    `gpusort: warning: reading standard input: ${file} is the key, not the input; use ${option} KEY ${file}\n`;
  const run = (...args: string[]) => gpusort(args, { cwd: directory, input: 'x\n' });
  expect(run('--json', 'log.jsonl')).toMatchObject({
    status: 0,
    stderr: expect.stringContaining(note('log.jsonl', '--json')),
  });
  expect(run('--csv', '--header=1', '-k', 'x.csv')).toMatchObject({
    stderr: expect.stringContaining(note('x.csv', '-k')),
  });
  // No file of that name, or a name that is not like one of a file.
  for (const path of ['none.jsonl', 'short', 'a'])
    expect(run('--json', path).stderr).not.toContain('reading standard input');
  expect(run('--json', 'log.jsonl', 'x.json').stderr).not.toContain('reading standard input');
});

it('takes the topic of --help also as the next word', () => {
  const help = (...args: string[]): string => gpusort(args).stdout;
  expect(help('--help', 'keys')).toBe(help('--help=keys'));
  expect(help('--he', 'tools')).toBe(help('--help=tools'));
  for (const args of [
    ['--help', 'other'],
    ['keys', '--help'],
    ['--help', '--', 'keys'],
    ['keys', '--help=common'],
  ])
    expect(help(...args), args.join(' ')).toBe(help('--help'));
});
