/** --files0-from compared with GNU sort: names from a file or a pipe, and the messages about invalid names. */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readNames } from '../../../src/cli/parse/files0.js';
import { sampled } from '../../support/tier.js';
import { gpusortHere } from '../here.js';
import { asGpusort, gnuSort, gpusort, shell, withDirectory } from '../run.js';

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

it.each([
  ...['--files0-from=list', '--files0-from open -r', '--files=list -m', '--files0-from=empty --files0-from=list'],
  ...['-c --files0-from=one', '--files0-from=empty', '--files0-from=/dev/null', '--files0-from=gap', '--files0-from='],
  ...['--files0-from=nul', "--files0-from=it's", '--files0-from=dash', '--files0-from=gone', '--files0-from=lines'],
  ...['--files0-from=missing', '--files0-from=d', '-c --files0-from=list', '-C --files0-from=list -o x'],
  ...['-c --files0-from=one -o x', '--files0-from=- -'],
])('%s behaves as in GNU sort', (line) =>
  withDirectory(async (cwd) => {
    write(cwd);
    const args = line.split(' ');
    expect(await gpusortHere(args, { cwd })).toEqual(asGpusort(gnuSort(args, { cwd })));
  }),
);

it.each(sampled(['a\0b', '', '\0', '-'], { count: Infinity, seed: 1 }))(
  'reads names from standard input as GNU sort does: %j',
  (input) =>
    withDirectory((cwd) => {
      write(cwd);
      const args = ['--files0-from=-'];
      expect(gpusort(args, { cwd, input })).toEqual(asGpusort(gnuSort(args, { cwd, input })));
    }),
);

it('accepts more names than files can be open at once', () =>
  withDirectory((cwd) => {
    write(cwd);
    const input = 'a\0b\0'.repeat(3000);
    const { stdout, stderr } = shell('ulimit -n 2000; $GPUSORT --files0-from=-', { cwd, input });
    expect({ stdout, stderr }).toEqual({
      stdout: ['apple\n', 'fig\n', 'pear\n'].map((line) => line.repeat(3000)).join(''),
      stderr: '',
    });
  }));

it('accepts names with newlines and bytes that are not UTF-8, and closes the list', () =>
  withDirectory(async (directory) => {
    const list = join(directory, 'list');
    const names = ['caf\xc3\xa9', '\xff\xfe', 'a\nb', ' ', 'x'.repeat(100_000), 'in\xff'];
    writeFileSync(list, names.map((name) => `${name}\0`).join(''), 'latin1');
    const opened = (): number => readdirSync('/proc/self/fd').length;
    const before = opened();
    expect(await readNames(Buffer.from(list))).toEqual(names.map((name) => Buffer.from(name, 'latin1')));
    expect(opened()).toBe(before);
    writeFileSync(Buffer.from(join(directory, 'in\xff'), 'latin1'), 'b\na\n');
    writeFileSync(list, 'in\xff', 'latin1');
    expect(await gpusortHere(['--files0-from=list'], { cwd: directory })).toMatchObject({
      stdout: 'a\nb\n',
      stderr: '',
    });
  }));
