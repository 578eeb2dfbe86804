/**
 * The program as on macOS and on Windows (pretend.cjs): the same command lines leave the same files, output, messages
 * and status as on Linux, whose outputs the battery compares with those of GNU sort.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BINARY } from '../cli/run.js';
import { random } from '../support/random.js';
import { environmentOf, type Result, runOn, type System } from './systems.js';

const LINES = 6000;
const SEED = 19;

let directory: string;
/** The same lines in each test; some end with CR. */
const text = ((): string => {
  const next = random(SEED);
  return Array.from({ length: LINES }, () => {
    const number = Math.floor(next() * 1000);
    return `${number.toString(36)} ${number % 7},${Math.floor(next() * 99)}${next() < 0.3 ? '\r' : ''}\n`;
  }).join('');
})();

function fill(): void {
  rmSync(directory, { recursive: true, force: true });
  for (const name of ['', 'tmp', 'sub']) mkdirSync(join(directory, name));
  const half = text.indexOf('\n', text.length / 2) + 1;
  const files = {
    in: text,
    'sub/x y': text.slice(0, half),
    first: text
      .slice(0, half)
      .split(/(?<=\n)/)
      .sort()
      .join(''),
    second: text
      .slice(half)
      .split(/(?<=\n)/)
      .sort()
      .join(''),
    names: 'in\0sub/x y\0',
    table: 'name,n\r\n"b\nc",2\r\na,10\r\n',
    seed: '0123456789abcdef',
    empty: '',
  };
  for (const [name, content] of Object.entries(files)) writeFileSync(join(directory, name), content, 'latin1');
}

beforeEach(() => {
  directory = mkdtempSync(join(process.env.GPUSORT_TEST_TMP ?? tmpdir(), 'gpusort-platform-'));
  fill();
});
afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
});

function runIn(system: System, line: string, env: Record<string, string> = {}): Result {
  fill();
  return runOn(system, line, directory, env);
}

/** Tiny chunks and little memory: runs go to temporary files. */
const SPILL = '-S 64K --chunk-size 4K -T tmp';

const LINES_OF_BASH: readonly string[] = [
  '$GPUSORT in',
  '$GPUSORT -k2,2n -s in "sub/x y" -o new',
  '$GPUSORT -r -o in in',
  '$GPUSORT --sync -o new in && $GPUSORT --sync -u -o new in',
  `$GPUSORT ${SPILL} in -o new`,
  `$GPUSORT ${SPILL} --verify -u -o in in first`,
  `cat in in | $GPUSORT ${SPILL} -t, -k2n`,
  `$GPUSORT ${SPILL} < in`,
  '(head -n 0; $GPUSORT -f) < in',
  `$GPUSORT ${SPILL} --compress-program gzip in`,
  '$GPUSORT -m first second -o first',
  `$GPUSORT -m --batch-size 2 -T tmp first second first second`,
  'cat first | $GPUSORT -m - second',
  '$GPUSORT -c first',
  '$GPUSORT -c in',
  '$GPUSORT -C in',
  'cat first | $GPUSORT -c',
  '$GPUSORT --files0-from names',
  'cat names | $GPUSORT --files0-from - --top 5',
  '$GPUSORT --csv -k n:n table',
  '$GPUSORT --count -k1,1 in',
  '$GPUSORT -R --random-source seed in',
  '$GPUSORT -z names',
  '$GPUSORT --record-size 3 --key 1:2 first',
  '$GPUSORT --header 1 in --bottom 3',
  '$GPUSORT empty < /dev/null',
  '$GPUSORT --locale de in',
  '$GPUSORT --parallel 2 --chunk-size 16K in',
  'gzip -nk first; $GPUSORT --decompress first.gz -o new; gzip -n < first | $GPUSORT -z',
  'ln -s in link; $GPUSORT -o link in',
  'ln in hard; $GPUSORT -o hard in',
  '$GPUSORT in -o /dev/stdout > new',
  '$GPUSORT -T tmp in -o /dev/stdout | cat',
  '$GPUSORT missing',
  '$GPUSORT -o no/such in',
  '$GPUSORT -o sub in',
  '$GPUSORT sub',
  '$GPUSORT -T tmp/none -S 64K --chunk-size 4K in',
  '$GPUSORT --explain in > /dev/null',
  '$GPUSORT --stats=json in -o new 2> /dev/null',
  '$GPUSORT --version > /dev/null; $GPUSORT --help | head -n 1',
  '(trap "" PIPE; $GPUSORT --no-such-option)',
];

it.each(LINES_OF_BASH)('%s: the same everywhere', (line) => {
  const expected = runIn('linux', line);
  for (const system of ['darwin', 'win32'] as const)
    expect({ system, ...runIn(system, line) }).toEqual({ system, ...expected });
});

describe.each(['darwin', 'win32'] as const)('on %s', (system) => {
  it('has the status of a closed pipe, and says nothing', () => {
    const { stdout, stderr } = runIn(
      system,
      'cat in in in in in in in in in in in in > big; $GPUSORT big | head -n 1; echo ${PIPESTATUS[0]}',
    );
    expect(stderr).toBe('');
    expect(stdout.split('\n')[1]).toBe('141');
  });

  it('reads standard input from its offset on', () => {
    const { stdout } = runIn(system, '(read first; read second; $GPUSORT -s -k1,1n) < in');
    expect(stdout.length).toBe(text.split('\n').slice(2).join('\n').length);
  });

  it('keeps CR as a byte of the record, the last one of the key', () => {
    writeFileSync(join(directory, 'crlf'), 'b\r\na\r\nb\na\n10\r\n9\r\n');
    expect(runOn(system, '$GPUSORT crlf', directory).stdout).toBe('10\r\n9\r\na\na\r\nb\nb\r\n');
    expect(runOn(system, '$GPUSORT -u -k1,1 crlf', directory).stdout).toBe('10\r\n9\r\na\na\r\nb\nb\r\n');
    expect(runOn(system, '$GPUSORT -n crlf', directory).stdout).toBe('a\na\r\nb\nb\r\n9\r\n10\r\n');
  });
});

describe('on Windows', () => {
  it('takes paths with drives and backslashes everywhere', () => {
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
  ])('shows %s as %s', (name, shown) => {
    const { stderr } = runIn('win32', `$GPUSORT '${name}'`);
    expect(Buffer.from(stderr, 'latin1').toString()).toBe(
      `gpusort: cannot read: ${shown}: No such file or directory\n`,
    );
  });

  it('writes to NUL without making a file', () => {
    const { status, files } = runIn('win32', '$GPUSORT -o NUL in && $GPUSORT -o nul in');
    expect(status).toBe(0);
    expect(Object.keys(files)).toEqual(Object.keys(runIn('linux', 'true').files));
  });

  it('reads pipes of which the system says nothing, up to the error that ends them', () => {
    const blind = { GPUSORT_TEST_PIPES: 'blind' };
    expect(runIn('win32', `cat in | $GPUSORT ${SPILL}`, blind)).toEqual(runIn('linux', '$GPUSORT in'));
  });

  it('puts temporary files in TEMP, unless TMPDIR is set', () => {
    const spilling = '$GPUSORT -S 64K --chunk-size 4K in';
    const message = (directory: string): string =>
      `gpusort: cannot create temporary file in '${directory}': No such file or directory\n`;
    expect(runIn('win32', spilling, { TEMP: 'T:\\gone' }).stderr).toContain(message('T:\\gone'));
    expect(runIn('win32', spilling, { TEMP: 'T:\\gone', TMPDIR: 'T:\\none' }).stderr).toContain(message('T:\\none'));
  });

  it('refuses clusters in one sentence', () => {
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
] as const)('removes its files on %s at %s', async (system, signal, status) => {
  const child = spawn(process.execPath, [BINARY, '-o', 'new', '-S', '64K', '--chunk-size', '4K', '-T', 'tmp'], {
    cwd: directory,
    env: environmentOf(system, directory),
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  child.stdin.write(text);
  const isTemporary = (name: string): boolean => name.includes('.gpusort-');
  for (let left = 500; left > 0 && !readdirSync(directory).some(isTemporary); left--)
    await new Promise((resolve) => setTimeout(resolve, 20));
  expect(readdirSync(directory).some(isTemporary)).toBe(true);
  child.kill(signal);
  expect(await once(child, 'exit')).toEqual(status === null ? [null, signal] : [status, null]);
  expect((readdirSync(directory, { recursive: true }) as string[]).filter(isTemporary)).toEqual([]);
  expect(readdirSync(directory)).not.toContain('new');
});
