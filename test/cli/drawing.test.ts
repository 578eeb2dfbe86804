/** The file of --stats=FILE.svg: when it is opened, and what it holds. */
import { execFileSync } from 'node:child_process';
import { existsSync, linkSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openDrawing } from '../../src/cli/drawing.js';
import { runCleanups } from '../../src/report/cleanup.js';
import { gpusort } from './run.js';

let directory = '';
const file = (name: string): string => join(directory, name);
const opened = (name: string, ...outputs: string[]) =>
  openDrawing(
    Buffer.from(file(name)),
    outputs.map((output) => Buffer.from(file(output))),
  );
const contents = (name: string): string => readFileSync(file(name), 'latin1');
beforeEach(() => {
  directory = mkdtempSync(join(process.env.GPUSORT_TEST_TMP ?? tmpdir(), 'drawing-'));
});
afterEach(() => {
  rmSync(directory, { recursive: true });
});

it('refuses a drawing that cannot be opened before it reads anything', () => {
  expect(gpusort(['--stats=none/x.svg', 'missing'], { cwd: directory })).toMatchObject({
    status: 2,
    stderr: 'gpusort: open failed: none/x.svg: No such file or directory\n',
  });
});

it('reports the error of the sort rather than that of the drawing', () => {
  execFileSync('ln', ['-s', '/dev/full', file('full.svg')]);
  expect(gpusort(['--stats=full.svg', 'missing'], { cwd: directory }).stderr).toBe(
    'gpusort: cannot read: missing: No such file or directory\n',
  );
  expect(gpusort(['--stats=full.svg'], { cwd: directory }).stderr).toBe(
    'gpusort: write failed: full.svg: No space left on device\n',
  );
});

it('keeps the old contents of the file until it draws', async () => {
  writeFileSync(file('a'), 'old contents');
  const drawing = opened('a');
  expect(contents('a')).toBe('old contents');
  await drawing.write('new');
  expect(contents('a')).toBe('new');
});

it('removes a new file at exit if nothing was drawn', async () => {
  const drawing = opened('a');
  const other = opened('b');
  await other.write('b');
  runCleanups();
  expect([existsSync(file('a')), contents('b')]).toEqual([false, 'b']);
  await drawing.write('');
});

it('refuses a drawing that is the same file as an output', () => {
  writeFileSync(file('a'), 'old');
  linkSync(file('a'), file('b'));
  expect(() => opened('a', 'c', 'b')).toThrow(`${file('b')} and ${file('a')} are the same output`);
  expect(() => opened('new', 'new')).toThrow('are the same output');
  runCleanups();
  expect(existsSync(file('new'))).toBe(false);
  expect(contents('a')).toBe('old');
});

it('does not wait for the reader of a FIFO before it draws', async () => {
  execFileSync('mkfifo', [file('a')]);
  const drawing = opened('a');
  const read = readFile(file('a'), 'latin1');
  await drawing.write('new');
  expect(await read).toBe('new');
});
