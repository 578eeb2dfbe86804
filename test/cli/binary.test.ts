/** The real binary compared with GNU sort: exit statuses, file names, descriptors, messages. */
import { copyFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BINARY, gnuSort, gpusort, shell, withDirectory } from './run.js';

/** Writes the files a (unsorted), b (sorted), c (sorted, two equal lines) and k (fields and numbers). */
function writeInputs(directory: string): void {
  writeFileSync(join(directory, 'a'), 'pear\napple\n\nfig');
  writeFileSync(join(directory, 'b'), 'ant\nbee\n');
  writeFileSync(join(directory, 'c'), 'x\nx\n');
  writeFileSync(join(directory, 'k'), 'B  10 c\nb 9,5 C\na 10,x\n-3\nb 9 D\n\t10 c\n-3\n');
}

const SAME: string[][] = [
  ['a'],
  ['-r', 'a'],
  ['a', 'b', '-r'],
  ['-u', 'a', 'c'],
  ['-', 'a'],
  [],
  ['-m', 'b', 'c'],
  ['-mu', 'c', 'c'],
  ['--', 'a'],
  ['-S50M', 'a'],
  ['--rev', 'a'],
  ['-z', 'a'],
  ['-s', 'a'],
  ['-c', 'a'],
  ['-c', 'b'],
  ['-C', 'a'],
  ['-cu', 'c'],
  ['-Cu', 'c'],
  ['-cr', 'b'],
  ['-c'],
  ['--check=quiet', 'a'],
  ['missing'],
  ['a', 'missing'],
  ['-m', 'missing'],
  ['-c', 'missing'],
  ['a b'],
  ["it's"],
  [''],
  ['x:y'],
  ['.'],
  ['-c', '.'],
  ['-o', '/nonexistent/x', 'a'],
  ['-o', '.', 'a'],
  ['-k2', 'k'],
  ['-k2,2', 'k'],
  ['-k', '2b,2', '-s', 'k'],
  ['-k2.2,2.3', 'k'],
  ['-k2n', '-k1r', 'k'],
  ['-k2,2n', '-u', 'k'],
  ['-nr', 'k'],
  ['-n', '-k2b,2', '-r', 'k'],
  ['-b', 'k'],
  ['-t,', '-k2', 'k'],
  ['-t', ' ', '-k3,3', '-k2,2', 'k'],
  ['-k1', 'k'],
  ['-k3', '-k1', '-k2', '-s', 'k'],
  ['-f', '-k3', 'k'],
  ['-d', '-k2,2r', 'k'],
  ['-i', 'k'],
  ['+1', 'k'],
  ['+1', '-2', '+0f', 'k'],
  ['-zk2', 'k'],
  ['-y', '2', '-n', 'k'],
  ['-c', '-n', 'k'],
  ['-C', '-k2', 'k'],
  ['-cu', '-k1,1', 'c'],
  ['-m', '-k1,1', 'b', 'c'],
  ['-m', '--batch-size=2', 'a', 'b', 'c', 'c', 'b'],
  ['-c', '-k1,1r', 'b'],
  ['--random-source=missing', 'a'],
  ['--debug', 'a'],
  ['--debug', '-sk1.2,1.3', 'a', 'b'],
  ['--debug', '-m', '-k1n', 'b', 'c'],
  ['--debug', '-k2b', 'missing'],
  ['--debug', '-o', 'x', 'a'],
  ['--debug', '-c', 'a'],
];

describe('output, messages and exit status are those of GNU sort', () => {
  it.each(SAME.map((args) => [args]))('for %j', (args) =>
    withDirectory((directory) => {
      writeInputs(directory);
      const how = { cwd: directory, input: 'zebra\nyak\n' };
      const ours = gpusort(args, how);
      expect({ ...ours, stderr: ours.stderr.replace(/^gpusort:/gm, 'sort:') }).toEqual(gnuSort(args, how));
    }),
  );
});

it.each<[Record<string, string>, string[]]>([
  [{ POSIXLY_CORRECT: '1' }, ['k', '-n']],
  [{ POSIXLY_CORRECT: '1' }, ['+1', 'k', '-o', '/dev/stdout']],
  [{ POSIXLY_CORRECT: '1' }, ['-c', 'b', '-o', 'x']],
  [{ POSIXLY_CORRECT: '', _POSIX2_VERSION: '200112' }, ['k', '-o', '/dev/stdout']],
  [{ _POSIX2_VERSION: '200112' }, ['+1', 'k']],
  [{ _POSIX2_VERSION: '200112' }, ['+1', '-2', 'k']],
  [{ _POSIX2_VERSION: '199209' }, ['+1', 'k']],
  [{ _POSIX2_VERSION: '200112x' }, ['+1', 'k']],
])('under %j, %j behaves as in GNU sort', (env, args) =>
  withDirectory((directory) => {
    writeInputs(directory);
    const how = { cwd: directory, env };
    const ours = gpusort(args, how);
    expect({ ...ours, stderr: ours.stderr.replace(/^gpusort:/gm, 'sort:') }).toEqual(gnuSort(args, how));
  }),
);

describe('the name', () => {
  it('of a file need not be UTF-8', () =>
    withDirectory((directory) => {
      writeFileSync(Buffer.concat([Buffer.from(`${directory}/in`), Buffer.from([0xff])]), 'b\na\n');
      const { status, stderr } = shell("$GPUSORT $'in\\xff' -o $'out\\xfe' && cat $'out\\xfe' && $GPUSORT $'no\\xff'", {
        cwd: directory,
      });
      expect(
        readdirSync(directory, 'buffer')
          .map((name) => name.toString('latin1'))
          .sort(),
      ).toEqual(['in\xff', 'out\xfe']);
      expect({ status, stderr }).toEqual({
        status: 2,
        stderr: "gpusort: cannot read: 'no'$'\\377': No such file or directory\n",
      });
    }));

  it('of an unknown option is shown byte for byte', () => {
    expect(shell("$GPUSORT $'--caf\\xc3\\xa9\\xff'").stderr).toBe(
      "gpusort: unrecognized option '--caf\xc3\xa9\xff'\nTry 'gpusort --help' for more information.\n",
    );
  });

  it('of the program in messages is the one it was called by', () =>
    withDirectory((directory) => {
      symlinkSync(BINARY, join(directory, 'sort'));
      const { stderr } = shell('PATH=.:$PATH; sort missing; ./sort --foo', { cwd: directory });
      expect(stderr).toBe(
        "sort: cannot read: missing: No such file or directory\nsort: unrecognized option '--foo'\nTry 'sort --help' for more information.\n",
      );
    }));

  it('of a temporary directory need not be UTF-8', () =>
    withDirectory((directory) => {
      writeInputs(directory);
      expect(shell("mkdir $'t\\xff'; TMPDIR=$PWD/$'t\\xff' $GPUSORT b", { cwd: directory }).stdout).toBe('ant\nbee\n');
    }));
});

describe('standard input or output that is /dev/null or closed', () => {
  // Python's DEVNULL and Node's 'ignore' open /dev/null for reading and writing. At its start, Node also does so for
  // each of the descriptors 0 to 2 that is closed.
  it.each([
    ['$GPUSORT b 1<>/dev/null', 0, /^$/],
    ['$GPUSORT --help 1<>/dev/null', 0, /^$/],
    ['$GPUSORT --explain -o out b 1<>/dev/null', 0, /^$/],
    ['$GPUSORT 0<>/dev/null', 0, /^$/],
    ['$GPUSORT -c 0<>/dev/null 1<>/dev/null', 0, /^$/],
    ['$GPUSORT -m - b 0<>/dev/null 1<>/dev/null', 0, /^$/],
    ['$GPUSORT b >&-', 0, /^$/],
    ['$GPUSORT <&-', 0, /^$/],
    ['$GPUSORT b <&-', 0, /^$/],
    ['$GPUSORT -c b >&-', 0, /^$/],
    ['$GPUSORT -o out b >&-', 0, /^$/],
    ['$GPUSORT b >/dev/null', 0, /^$/],
    ['$GPUSORT </dev/null', 0, /^$/],
    ['$GPUSORT missing 2>&-', 2, /^$/],
    ['$GPUSORT missing 2>/dev/full', 2, /^$/],
  ])('%s', (line, status, stderr) =>
    withDirectory((directory) => {
      writeInputs(directory);
      const outcome = shell(line, { cwd: directory });
      expect(outcome.stderr).toMatch(stderr);
      expect(outcome.status).toBe(status);
    }),
  );

  it('--help reports a full device', () => {
    expect(shell('$GPUSORT --help >/dev/full')).toMatchObject({
      status: 2,
      stderr: 'gpusort: write error: No space left on device\n',
    });
  });
});

describe('reports', () => {
  it('--stats=json prints one object to standard error', () =>
    withDirectory((directory) => {
      writeInputs(directory);
      const { status, stdout, stderr } = gpusort(['--stats=json', 'a'], { cwd: directory });
      expect({ status, stdout }).toEqual({ status: 0, stdout: '\napple\nfig\npear\n' });
      expect(JSON.parse(stderr)).toMatchObject({
        schemaVersion: 1,
        exitStatus: 0,
        stages: expect.any(Array),
        notes: expect.any(Array),
      });
    }));

  it('--stats ends with the total time and memory', () =>
    withDirectory((directory) => {
      writeInputs(directory);
      expect(gpusort(['--stats', 'a'], { cwd: directory }).stderr).toMatch(
        /^stage .* when\n[\s\S]*^total [\d.]+ m?s, peak memory/m,
      );
    }));

  it('--explain prints the plan and does not sort', () =>
    withDirectory((directory) => {
      writeInputs(directory);
      const text = gpusort(['--explain', 'a', '-o', 'out'], { cwd: directory });
      expect(text).toMatchObject({ status: 0, stderr: '' });
      expect(text.stdout).not.toBe('');
      expect(JSON.parse(gpusort(['--explain=json', 'a'], { cwd: directory }).stdout)).toMatchObject({
        schemaVersion: 1,
        mode: 'sort',
        engine: 'cpu',
      });
      expect(readdirSync(directory).sort()).toEqual(['a', 'b', 'c', 'k']);
    }));
});

it('an installation without its built files ends with one line and exit status 2', () =>
  withDirectory((directory) => {
    copyFileSync(BINARY, join(directory, 'gpusort.cjs'));
    const { status, stderr } = shell('./gpusort.cjs a', { cwd: directory });
    expect(stderr).toMatch(/^gpusort: cannot start: Cannot find module .*\n$/);
    expect(status).toBe(2);
  }));
