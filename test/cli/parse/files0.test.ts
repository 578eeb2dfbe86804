/** --files0-from compared with GNU sort: names from a file or a pipe, and the messages about invalid names. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readNames } from '../../../src/cli/parse/files0.js';
import { gnuSort, gpusort, shell, withDirectory } from '../run.js';

/** Creates files a and b, lists of names, and a directory d. */
function write(directory: string): void {
  const files = {
    a: 'pear\napple\n',
    b: 'fig\n',
    list: 'a\0b\0',
    open: 'b\0a',
    one: 'b\0',
    empty: '',
    gap: 'a\0\0b\0',
    nul: '\0',
    dash: 'a\0-\0',
    gone: 'a\0no such\0',
    lines: 'a\nb\n',
    "it's": '\0',
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
  mkdirSync(join(directory, 'd'));
}

const SAME: readonly (readonly [args: string[], input?: string])[] = [
  [['--files0-from=list']],
  [['--files0-from', 'open', '-r']],
  [['--files=list', '-m']],
  [['--files0-from=empty', '--files0-from=list']],
  [['-c', '--files0-from=one']],
  [['--files0-from=-'], 'a\0b'],
  [['--files0-from=-'], ''],
  [['--files0-from=-'], '\0'],
  [['--files0-from=-'], '-'],
  [['--files0-from=-', '-']],
  [['--files0-from=empty']],
  [['--files0-from=/dev/null']],
  [['--files0-from=gap']],
  [['--files0-from=nul']],
  [["--files0-from=it's"]],
  [['--files0-from=dash']],
  [['--files0-from=gone']],
  [['--files0-from=lines']],
  [['--files0-from=missing']],
  [['--files0-from=']],
  [['--files0-from=d']],
  [['-c', '--files0-from=list']],
  [['-C', '--files0-from=list', '-o', 'x']],
  [['-c', '--files0-from=one', '-o', 'x']],
];

it.each(SAME.map(([args, input = '']) => [args, input] as const))(
  '%j behaves as in GNU sort',
  (args, input) =>
    withDirectory((directory) => {
      write(directory);
      const how = { cwd: directory, input };
      const ours = gpusort(args, how);
      expect({
        ...ours,
        stderr: ours.stderr.replace(/^gpusort:|(?<=')gpusort(?= --help)/gm, (name) => name.replace('gpusort', 'sort')),
      }).toEqual(gnuSort(args, how));
    }),
  20_000,
);

it('a list may name more files than can be open at once', () =>
  withDirectory((directory) => {
    write(directory);
    const { stdout, stderr } = shell('ulimit -n 2000; $GPUSORT --files0-from=-', {
      cwd: directory,
      input: 'a\0b\0'.repeat(3000),
    });
    expect({ stdout, stderr }).toEqual({
      stdout: ['apple\n', 'fig\n', 'pear\n'].map((line) => line.repeat(3000)).join(''),
      stderr: '',
    });
  }));

it('names may hold newlines and bytes that are not UTF-8', () =>
  withDirectory(async (directory) => {
    const list = join(directory, 'list');
    const names = ['caf\xc3\xa9', '\xff\xfe', 'a\nb', ' ', 'x'.repeat(100_000)];
    writeFileSync(list, names.map((name) => `${name}\0`).join(''), 'latin1');
    expect(await readNames(Buffer.from(list))).toEqual(names.map((name) => Buffer.from(name, 'latin1')));
    const { stdout, stderr } = shell("printf 'b\\na\\n' > $'in\\xff'; printf 'in\\377' | $GPUSORT --files0-from=-", {
      cwd: directory,
    });
    expect({ stdout, stderr }).toEqual({ stdout: 'a\nb\n', stderr: '' });
  }));
