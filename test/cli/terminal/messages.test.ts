/** Messages: their colors, and what happens if the other end is slow, closed, or a terminal that receives data. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { requestedColor } from '../../../src/cli/presets.js';
import { isColored, printError, printOutput, reportError } from '../../../src/cli/terminal/messages.js';
import type { When } from '../../../src/job/job.js';
import { GpusortError } from '../../../src/system/errors.js';
import { fileSystem } from '../../../src/system/file-system.js';
import { sampled } from '../../support/tier.js';
import { SURROUNDINGS } from '../arguments.js';
import { gpusort, shell, withDirectory } from '../run.js';

const escaped = (text: string): string => text.replace(/[[\\]/g, '\\$&');

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

it.each<[When, Record<string, string>, boolean, boolean]>([
  ['auto', {}, true, true],
  ['auto', {}, false, false],
  ['auto', { TERM: 'dumb' }, true, false],
  ['auto', { NO_COLOR: '1' }, true, false],
  ['auto', { NO_COLOR: '' }, true, true],
  ['auto', { NO_COLOR: '1', FORCE_COLOR: '1' }, true, false],
  ['auto', { FORCE_COLOR: '1' }, false, true],
  ['auto', { FORCE_COLOR: '0' }, true, false],
  ['auto', { CLICOLOR_FORCE: '1', TERM: 'dumb' }, false, true],
  ['auto', { CLICOLOR_FORCE: '0' }, false, false],
  ['always', { NO_COLOR: '1' }, false, true],
  ['never', { FORCE_COLOR: '1' }, true, false],
])('--color=%s with %j, on a terminal: %s, colors: %s', (when, environment, isTerminal, colored) => {
  expect(isColored(when, environment, isTerminal)).toBe(colored);
});

it('the name of the program is colored with --color=always', () => {
  expect(gpusort(['--color=always', '/missing']).stderr).toBe(
    '\x1b[31m\x1b[1mgpusort:\x1b[22m\x1b[39m cannot read: /missing: No such file or directory\n',
  );
});

const RED = '\x1b[31m\x1b[1mgpusort:\x1b[22m\x1b[39m ';
const YELLOW = '\x1b[33m\x1b[1mgpusort:\x1b[22m\x1b[39m ';

const MISTAKES: readonly [words: string, presets: string, begin: string][] = [
  ['--color=always --nope', '', `${RED}unrecognized option '--nope'`],
  ['--nope --col always', '', `${RED}unrecognized option '--nope'`],
  ['-k0 --color=never --color=al', '', `${RED}field number is zero`],
  ['--color=never --nope', '--color=always', "gpusort: unrecognized option '--nope'"],
  ['--nope', '--color=always', `${RED}unrecognized option '--nope'`],
  ['--nope -- --color=always', '', "gpusort: unrecognized option '--nope'"],
  ['--nope', "'--color=always", "gpusort: unrecognized option '--nope'"],
  ['--color=always --color=x', '', `${RED}invalid argument 'x' for '--color'`],
  ['--color=a --nope', '', "gpusort: ambiguous argument 'a' for '--color'"],
  ['--color=always --debug /dev/null', '', `${YELLOW}text ordering performed`],
];
it.each(sampled(MISTAKES, { count: MISTAKES.length, seed: 2 }))(
  'an error in %s with the presets %j begins with %j',
  (words, presets, begin) => {
    const { stderr } = gpusort(words.split(' '), { env: { GPUSORT_OPTIONS: presets } });
    expect(stderr.slice(0, begin.length)).toBe(begin);
  },
);

it('a warning is colored with --color=always, and not with --color=never', () => {
  const input = 'price\n3\n';
  const words = ['--csv', '-r', '-k', 'price:n'];
  expect(gpusort([...words, '--color=always'], { input }).stderr.split('\n')[0]).toMatch(
    new RegExp(`^${escaped(YELLOW)}warning: `),
  );
  expect(gpusort([...words, '--color=never'], { input, env: { FORCE_COLOR: '1' } }).stderr).toMatch(
    /^gpusort: warning: /,
  );
});

it('under the name sort an error in the command line has no color', () => {
  expect(requestedColor(['--color=always'], { ...SURROUNDINGS, programName: 'sort', presets: '--color=always' })).toBe(
    'auto',
  );
});

describe('a message', () => {
  /** Collects what is written, 3 bytes at a time. Each second call fails with `code`. */
  function written(code: string): { readonly text: () => string } {
    let [text, calls] = ['', 0];
    vi.spyOn(fileSystem, 'writeSync').mockImplementation(((_: number, bytes: Uint8Array) => {
      if (calls++ % 2 === 1) throw Object.assign(new Error(`${code}: write`), { code });
      text += Buffer.from(bytes.subarray(0, 3)).toString('latin1');
      return Math.min(3, bytes.length);
    }) as never);
    return { text: () => text };
  }

  it('is written in full to a pipe that fills up', () => {
    const { text } = written('EAGAIN');
    printError('a message\n');
    printOutput('output\n');
    expect(text()).toBe('a message\noutput\n');
  });

  it('to a closed pipe ends the program', () => {
    const { text } = written('EPIPE');
    expect(() => printOutput('output\n')).toThrow(expect.objectContaining({ code: 'broken-pipe' }) as Error);
    expect(text()).toBe('out');
  });

  it.each<[unknown, string, string]>([
    [new GpusortError('usage', 'no', { hint: 'Try.' }), '', 'p: no\nTry.\n'],
    [new GpusortError('usage', 'no'), '', 'p: no\n'],
    [new GpusortError('disorder', 'x:2: disorder: a', { end: '\0' }), '', 'p: x:2: disorder: a\0'],
    [new RangeError('Array buffer allocation failed'), '', 'p: memory exhausted\nUse a smaller -S or --parallel.\n'],
    [
      new TypeError('x is not a function'),
      '',
      'p: internal error: x is not a function\n' +
        'Please report this, with the command and what it prints if GPUSORT_DEBUG=1 is set.\n',
    ],
  ])('about %s has a remedy', (error, debug, expected) => {
    vi.stubEnv('GPUSORT_DEBUG', debug);
    let text = '';
    vi.spyOn(fileSystem, 'writeSync').mockImplementation(((_: number, bytes: Uint8Array) => {
      text += Buffer.from(bytes).toString('latin1');
      return bytes.length;
    }) as never);
    reportError(error, 'p', 'never');
    expect(text).toBe(expected);
    vi.stubEnv('GPUSORT_DEBUG', '1');
    reportError(error, 'p', 'never');
    expect(text).toMatch(/\n {4}at /);
  });
});

const hasScript = shell('command -v script').status === 0;

describe.runIf(hasScript)('a terminal', () => {
  /** Runs a command whose standard output is a terminal; returns what the terminal shows, and the status. */
  function onTerminal(command: string): { stdout: string; status: number | null } {
    const { stdout, status } = shell(`script -qec '${command}' /dev/null < /dev/null`, { env: { TERM: 'xterm' } });
    return { stdout: stdout.replaceAll('\r\n', '\n'), status };
  }

  // gzip and zstd refuse it too.
  it('gets no compressed output: the sort is refused before it reads anything', () => {
    expect(onTerminal('$GPUSORT --color=never --output-format gzip /dev/zero')).toEqual({
      stdout: 'gpusort: compressed output is not written to a terminal\nWrite it to a pipe, or name a file with -o.\n',
      status: 2,
    });
    const { stdout, status } = onTerminal('$GPUSORT --output-format gzip -o /dev/stdout /dev/null');
    expect({ status, begin: stdout.slice(0, 2) }).toEqual({ status: 0, begin: '\x1f\x8b' });
  });

  it('shows text without a progress line in it', () => {
    expect(onTerminal('(echo b; sleep 1.2; echo a) | $GPUSORT')).toEqual({ stdout: 'a\nb\n', status: 0 });
  });
});

it('writes compressed output to pipes', () => {
  expect(shell('printf "b\\na\\n" | $GPUSORT --output-format gzip | gzip -dc')).toMatchObject({ stdout: 'a\nb\n' });
});

it.skipIf(!existsSync('/dev/full')).each(['--debug in', '-c in', '/missing', '-k1,0 in', 'in'])(
  'has the exit status of GNU sort if standard error cannot be written: %s',
  (words) =>
    withDirectory((cwd) => {
      writeFileSync(join(cwd, 'in'), 'b\na\n');
      const statuses = ['$GPUSORT', 'sort'].map((sort) => shell(`${sort} ${words} 2> /dev/full`, { cwd }).status);
      expect(statuses[0]).toBe(statuses[1]);
    }),
);
