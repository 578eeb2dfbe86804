/** Command lines compared with GNU sort: exit statuses, file names, descriptors, messages; and reports. */
import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sampled } from '../support/tier.js';
import { gpusortHere } from './here.js';
import { asGpusort, BINARY, gnuSort, gpusort, type Outcome, shell, withDirectory } from './run.js';

/** Writes the files a (unsorted), b (sorted), c (sorted, two equal lines) and k (fields and numbers). */
function writeInputs(directory: string): void {
  writeFileSync(join(directory, 'a'), 'pear\napple\n\nfig');
  writeFileSync(join(directory, 'b'), 'ant\nbee\n');
  writeFileSync(join(directory, 'c'), 'x\nx\n');
  writeFileSync(join(directory, 'k'), 'B  10 c\nb 9,5 C\na 10,x\n-3\nb 9 D\n\t10 c\n-3\n');
}

interface Row {
  readonly topic: string;
  readonly args: readonly string[];
  readonly env?: Record<string, string>;
}
const rows = (topic: string, lines: readonly string[], env?: Record<string, string>): Row[] =>
  lines.map((line) => ({ topic, args: line === '' ? [] : line.split(' '), ...(env && { env }) }));

/** Command lines on these files. */
const FILES: readonly Row[] = [
  ...rows('sorting', ['a', '-r a', 'a b -r', '-u a c', '-- a', '-S50M a', '--rev a', '-z a', '-s a', '-r -o out a']),
  ...rows('merging', ['-m b c', '-mu c c', '-m missing', '-m -k1,1 b c', '-m --batch-size=2 a b c c b']),
  ...rows('checking', ['-c a', '-c b', '-C a', '-cu c', '-Cu c', '-cr b', '--check=quiet a', '-c missing', '-c .']),
  ...rows('checking', ['-c -n k', '-C -k2 k', '-cu -k1,1 c', '-c -k1,1r b']),
  ...rows('names', ['missing', 'a missing', "it's", 'x:y', '.', '-o /nonexistent/x a', '-o . a']),
  ...rows('names', ['--random-source=missing a']),
  ...[
    { topic: 'names', args: ['a b'] },
    { topic: 'names', args: [''] },
    { topic: 'keys', args: ['-t', ' ', '-k3,3', '-k2,2', 'k'] },
  ],
  ...rows('keys', ['-k2 k', '-k2,2 k', '-k 2b,2 -s k', '-k2.2,2.3 k', '-k2n -k1r k', '-k2,2n -u k', '-nr k']),
  ...rows('keys', ['-n -k2b,2 -r k', '-b k', '-t, -k2 k', '-k1 k', '-k3 -k1 -k2 -s k', '-f -k3 k', '-d -k2,2r k']),
  ...rows('keys', ['-i k', '+1 k', '+1 -2 +0f k', '-zk2 k', '-y 2 -n k']),
  ...rows('--debug', ['--debug a', '--debug -sk1.2,1.3 a b', '--debug -m -k1n b c', '--debug -k2b missing']),
  ...rows('--debug', ['--debug -o x a', '--debug -c a']),
  ...rows('POSIX', ['k -n', '+1 k -o out', '-c b -o x'], { POSIXLY_CORRECT: '1' }),
  ...rows('POSIX', ['k -o out'], { POSIXLY_CORRECT: '', _POSIX2_VERSION: '200112' }),
  ...rows('POSIX', ['+1 k', '+1 -2 k'], { _POSIX2_VERSION: '200112' }),
  ...['199209', '200112x', '200808', '200809'].flatMap((version) =>
    rows('POSIX', ['+1 k'], { _POSIX2_VERSION: version }),
  ),
];
/** Command lines that read standard input. */
const STREAMS = rows('standard input', ['', '- a', '-c']);
const INPUT = 'zebra\nyak\n';

type Run = (args: readonly string[], how: { cwd: string; env?: Record<string, string>; input?: string }) => unknown;

/** The output of a run, and the file `out` after it. */
async function outcomeOf(run: Run, { args, env }: Row, cwd: string): Promise<{ outcome: Outcome; out: string | null }> {
  const outcome = (await run(args, { cwd, input: INPUT, ...(env && { env }) })) as Outcome;
  const file = join(cwd, 'out');
  const out = existsSync(file) ? readFileSync(file, 'latin1') : null;
  rmSync(file, { force: true });
  return { outcome, out };
}

const asGnu = (run: Run) => (row: Row) =>
  withDirectory(async (cwd) => {
    writeInputs(cwd);
    const { outcome, out } = await outcomeOf(gnuSort, row, cwd);
    expect(await outcomeOf(run, row, cwd)).toEqual({ outcome: asGpusort(outcome), out });
  });

describe('output, messages and exit status are those of GNU sort', () => {
  it.each(FILES)('for $args $env, in this process', asGnu(gpusortHere));

  it.each(
    sampled([...FILES, ...STREAMS], {
      count: 75,
      seed: 3,
      values: ({ topic }) => [/sorting|check|input|names/.test(topic) && topic],
    }),
  )('for $args $env, as a program', asGnu(gpusort));
});

describe('names', () => {
  it('of files, temporary directories and options need not be UTF-8', () =>
    withDirectory((cwd) => {
      writeFileSync(Buffer.concat([Buffer.from(`${cwd}/in`), Buffer.from([0xff])]), 'b\na\n');
      const { status, stderr } = shell("$GPUSORT $'in\\xff' -o $'out\\xfe' && cat $'out\\xfe' && $GPUSORT $'no\\xff'", {
        cwd,
      });
      const files = readdirSync(cwd, 'buffer').map((name) => name.toString('latin1'));
      expect(files.sort()).toEqual(['in\xff', 'out\xfe']);
      expect({ status, stderr }).toEqual({
        status: 2,
        stderr: "gpusort: cannot read: 'no'$'\\377': No such file or directory\n",
      });
      // So little memory that the sort needs the directory, which is missing.
      const spilling = "TMPDIR=$PWD/$'t\\xff' $GPUSORT --engine=cpu -S1M --chunk-size=64K -o /dev/null";
      expect(shell(`seq 300000 | ${spilling}`, { cwd })).toMatchObject({
        status: 2,
        stderr: expect.stringContaining(`file in ''${cwd}/t'$'\\377'': No such file or directory\n`) as string,
      });
      expect(shell("$GPUSORT $'--caf\\xc3\\xa9\\xff'").stderr).toBe(
        "gpusort: unrecognized option '--caf\xc3\xa9\xff'\nTry 'gpusort --help' for more information.\n",
      );
    }));

  it('of the program in messages are those it was called by', () =>
    withDirectory((cwd) => {
      symlinkSync(BINARY, join(cwd, 'sort'));
      expect(shell('PATH=.:$PATH; sort missing; ./sort --foo', { cwd }).stderr).toBe(
        'sort: cannot read: missing: No such file or directory\n' +
          "sort: unrecognized option '--foo'\nTry 'sort --help' for more information.\n",
      );
    }));
});

// Python's DEVNULL and Node's 'ignore' open /dev/null for reading and writing. At its start, Node also does so for each
// of the descriptors 0 to 2 that is closed.
const DESCRIPTORS: readonly (readonly [kind: string, line: string, status: number])[] = [
  ['output', '$GPUSORT b 1<>/dev/null', 0],
  ['output', '$GPUSORT --help 1<>/dev/null', 0],
  ['output', '$GPUSORT --explain -o out b 1<>/dev/null', 0],
  ['input', '$GPUSORT 0<>/dev/null', 0],
  ['input', '$GPUSORT -c 0<>/dev/null 1<>/dev/null', 0],
  ['input', '$GPUSORT -m - b 0<>/dev/null 1<>/dev/null', 0],
  ['closed output', '$GPUSORT b >&-', 0],
  ['closed input', '$GPUSORT <&-', 0],
  ['closed input', '$GPUSORT b <&-', 0],
  ['closed output', '$GPUSORT -c b >&-', 0],
  ['closed output', '$GPUSORT -o out b >&-', 0],
  ['output', '$GPUSORT b >/dev/null', 0],
  ['input', '$GPUSORT </dev/null', 0],
  ['closed messages', '$GPUSORT missing 2>&-', 2],
  ['closed messages', '$GPUSORT missing 2>/dev/full', 2],
];

it.each(sampled(DESCRIPTORS, { count: Infinity, seed: 1, values: ([kind]) => [kind] }))(
  'accepts /dev/null and closed descriptors: %s, %s',
  (_, line, status) =>
    withDirectory((cwd) => {
      writeInputs(cwd);
      expect(shell(line, { cwd })).toMatchObject({ status, stderr: '' });
    }),
);

describe('reports', () => {
  it('--stats describes the sort as a table or as one object, --explain the plan without sorting', () =>
    withDirectory((cwd) => {
      writeInputs(cwd);
      const { status, stdout, stderr } = gpusort(['--stats=json', 'a'], { cwd });
      expect({ status, stdout }).toEqual({ status: 0, stdout: '\napple\nfig\npear\n' });
      const stats = { schemaVersion: 1, exitStatus: 0, stages: expect.any(Array), notes: expect.any(Array) };
      expect(JSON.parse(stderr)).toMatchObject(stats);
      expect(gpusort(['--stats', 'a'], { cwd }).stderr).toMatch(
        /^stage .* when\n[\s\S]*^total [\d.]+ m?s, peak memory/m,
      );
      const text = gpusort(['--explain', 'a', '-o', 'out'], { cwd, env: { GPUSORT_OPTIONS: '--engine=cpu' } });
      expect(text).toMatchObject({ status: 0, stderr: '' });
      expect(text.stdout).toContain('--engine=cpu: preset by GPUSORT_OPTIONS\n');
      const plan = { schemaVersion: 1, mode: 'sort', engine: 'cpu' };
      expect(JSON.parse(gpusort(['--explain=json', 'a'], { cwd }).stdout)).toMatchObject(plan);
      expect(readdirSync(cwd).sort()).toEqual(['a', 'b', 'c', 'k']);
    }));

  it('--help reports a full device', () => {
    expect(shell('$GPUSORT --help >/dev/full')).toMatchObject({
      status: 2,
      stderr: 'gpusort: write error: No space left on device\n',
    });
  });
});

it('an installation without its built files is reported in one line, with exit status 2', () =>
  withDirectory((cwd) => {
    copyFileSync(BINARY, join(cwd, 'gpusort.cjs'));
    const { status, stderr } = shell('./gpusort.cjs a', { cwd });
    expect(stderr).toMatch(/^gpusort: cannot start: Cannot find module .*\n$/);
    expect(status).toBe(2);
  }));
