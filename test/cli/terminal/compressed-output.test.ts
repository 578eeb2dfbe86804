/** Compressed output goes everywhere but to a terminal, which gzip and zstd refuse too; text goes there as always. */
import { expect, it } from 'vitest';
import { shell } from '../run.js';

/** Runs a command whose standard output is a terminal; what that shows, and the status. */
function onTerminal(command: string): { stdout: string; status: number | null } {
  const { stdout, status } = shell(`script -qec '${command}' /dev/null < /dev/null`);
  return { stdout: stdout.replaceAll('\r\n', '\n'), status };
}

const REFUSAL =
  'gpusort: compressed output is not written to a terminal\nWrite it to a pipe, or name a file with -o.\n';
const hasScript = shell('command -v script').status === 0;

it.runIf(hasScript)('is refused on a terminal, before anything is read', () => {
  expect(onTerminal('$GPUSORT --color=never --output-format gzip /dev/zero')).toEqual({ stdout: REFUSAL, status: 2 });
});

it.runIf(hasScript)('is written there if -o names the terminal', () => {
  const { stdout, status } = onTerminal('$GPUSORT --output-format gzip -o /dev/stdout /dev/null');
  expect({ status, begin: stdout.slice(0, 2) }).toEqual({ status: 0, begin: '\x1f\x8b' });
});

it.runIf(hasScript)('does not concern text', () => {
  expect(onTerminal('printf "b\\na\\n" | $GPUSORT')).toEqual({ stdout: 'a\nb\n', status: 0 });
});

it('goes to pipes and files', () => {
  expect(shell('printf "b\\na\\n" | $GPUSORT --output-format gzip | gzip -dc')).toMatchObject({ stdout: 'a\nb\n' });
});
