/** Behavior that only macOS and Windows have (pretend.cjs): names, pipes, temporary files, signals. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BINARY } from '../../cli/run.js';
import { directory, environmentOf, runIn, runOn, SPILL, TEXT, useInputs } from './systems.js';

useInputs();

describe.each(['darwin', 'win32'] as const)('on %s', (system) => {
  it(`exits quietly with the status of a closed pipe on ${system}`, () => {
    const { stdout, stderr } = runIn(
      system,
      'cat in in in in in in in in in in in in > big; $GPUSORT big | head -n 1; echo ${PIPESTATUS[0]}',
    );
    expect(stderr).toBe('');
    expect(stdout.split('\n')[1]).toBe('141');
  });

  it(`reads standard input from its current offset on ${system}`, () => {
    const { stdout } = runIn(system, '(read first; read second; $GPUSORT -s -k1,1n) < in');
    expect(stdout.length).toBe(TEXT.split('\n').slice(2).join('\n').length);
  });

  it(`keeps CR as the last byte of the record and of the key on ${system}`, () => {
    writeFileSync(join(directory, 'crlf'), 'b\r\na\r\nb\na\n10\r\n9\r\n');
    expect(runOn(system, '$GPUSORT crlf', directory).stdout).toBe('10\r\n9\r\na\na\r\nb\nb\r\n');
    expect(runOn(system, '$GPUSORT -u -k1,1 crlf', directory).stdout).toBe('10\r\n9\r\na\na\r\nb\nb\r\n');
    expect(runOn(system, '$GPUSORT -n crlf', directory).stdout).toBe('a\na\r\nb\nb\r\n9\r\n10\r\n');
  });
});

describe('on Windows', () => {
  it('accepts paths with drives and backslashes in all options on Windows', () => {
    const line = `$GPUSORT 'T:\\sub\\x y' 'T:/in' -o 'T:\\sub\\new' -S 64K --chunk-size 4K -T 'T:\\tmp'`;
    const expected = runIn('linux', `$GPUSORT 'sub/x y' in -o sub/new ${SPILL}`);
    expect(runIn('win32', line)).toEqual(expected);
    expect(runIn('win32', `printf 'T:\\\\in\\0' > names; $GPUSORT --files0-from 'T:\\names'`).stdout).toBe(
      runIn('linux', '$GPUSORT in').stdout,
    );
  });

  it.each([
    ['missing', 'missing'],
    ['T:\\no\\such', 'T:\\no\\such'],
    ['T:\\a b', "'T:\\a b'"],
    ['T:\\Größe', 'T:\\Größe'],
  ])('shows the file name %s as %s on Windows', (name, shown) => {
    const { stderr } = runIn('win32', `$GPUSORT '${name}'`);
    expect(Buffer.from(stderr, 'latin1').toString()).toBe(
      `gpusort: cannot read: ${shown}: No such file or directory\n`,
    );
  });

  it('writes to NUL on Windows without creating a file', () => {
    const { status, files } = runIn('win32', '$GPUSORT -o NUL in && $GPUSORT -o nul in');
    expect(status).toBe(0);
    expect(Object.keys(files)).toEqual(Object.keys(runIn('linux', 'true').files));
  });

  it('reads pipes that Windows cannot stat, up to the error that ends them', () => {
    const blind = { GPUSORT_TEST_PIPES: 'blind' };
    expect(runIn('win32', `cat in | $GPUSORT ${SPILL}`, blind)).toEqual(runIn('linux', '$GPUSORT in'));
  });

  it('puts temporary files in TEMP on Windows, unless TMPDIR is set', () => {
    const spilling = '$GPUSORT -S 64K --chunk-size 4K in';
    const message = (place: string): string =>
      `gpusort: cannot create temporary file in '${place}': No such file or directory\n`;
    expect(runIn('win32', spilling, { TEMP: 'T:\\gone' }).stderr).toContain(message('T:\\gone'));
    expect(runIn('win32', spilling, { TEMP: 'T:\\gone', TMPDIR: 'T:\\none' }).stderr).toContain(message('T:\\none'));
  });

  it('refuses --cluster on Windows in one sentence', () => {
    const { status, stderr } = runIn('win32', '$GPUSORT --cluster local:2 in -o new');
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: 'gpusort: --cluster cannot be used on Windows\nSort in one process, or use Linux or macOS.\n',
    });
    expect(runIn('win32', '$GPUSORT --cluster-task job/share-0000').stderr).toMatch(
      /^gpusort: --cluster-task cannot be used on Windows\n/,
    );
  });
});

it('sorts on a cluster of processes on macOS', () => {
  const line = '$GPUSORT --cluster local:2 --tasks 3 in -o new 2> /dev/null; ls -A | grep gpusort';
  expect(runIn('darwin', line)).toEqual(runIn('linux', line));
});

it.each([
  ['darwin', 'SIGTERM', null],
  ['win32', 'SIGTERM', 143],
  ['win32', 'SIGINT', 130],
] as const)('removes temporary files on %s after %s', async (system, signal, status) => {
  const child = spawn(process.execPath, [BINARY, '-o', 'new', '-S', '64K', '--chunk-size', '4K', '-T', 'tmp'], {
    cwd: directory,
    env: environmentOf(system, directory),
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  child.stdin.write(TEXT);
  const isTemporary = (name: string): boolean => name.includes('.gpusort-');
  for (let left = 500; left > 0 && !readdirSync(directory).some(isTemporary); left--)
    await new Promise((resolve) => setTimeout(resolve, 20));
  expect(readdirSync(directory).some(isTemporary)).toBe(true);
  child.kill(signal);
  expect(await once(child, 'exit')).toEqual(status === null ? [null, signal] : [status, null]);
  expect((readdirSync(directory, { recursive: true }) as string[]).filter(isTemporary)).toEqual([]);
  expect(readdirSync(directory)).not.toContain('new');
});
