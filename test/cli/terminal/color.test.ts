/** The precedence of --color, the environment and the terminal. */
import { expect, it } from 'vitest';
import { isColored } from '../../../src/cli/terminal/color.js';
import type { When } from '../../../src/job.js';
import { gpusort } from '../run.js';

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
])('--color=%s %j terminal %s', (when, environment, isTerminal, colored) => {
  expect(isColored(when, environment, isTerminal)).toBe(colored);
});

it('colours the program name in a message only with --color=always', () => {
  expect(gpusort(['--color=always', '/missing']).stderr).toBe(
    '\x1b[31m\x1b[1mgpusort:\x1b[22m\x1b[39m cannot read: /missing: No such file or directory\n',
  );
  expect(gpusort(['/missing']).stderr).toBe('gpusort: cannot read: /missing: No such file or directory\n');
});
