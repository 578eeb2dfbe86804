/**
 * The program as on macOS and on Windows (pretend.cjs): the same command lines leave the same files, output, messages
 * and status as on Linux, whose outputs the battery compares with those of GNU sort.
 */
import { expect, it } from 'vitest';
import { sampled } from '../../support/tier.js';
import { runIn, SPILL, useInputs } from './systems.js';

useInputs();
const SPILLING = `$GPUSORT ${SPILL}`;

/** Lines of bash, by subject. */
const LINES_OF_BASH: Readonly<Record<string, readonly string[]>> = {
  output: [
    '$GPUSORT in',
    '$GPUSORT -k2,2n -s in "sub/x y" -o new',
    '$GPUSORT -r -o in in',
    '$GPUSORT --sync -o new in && $GPUSORT --sync -u -o new in',
    'ln -s in link; $GPUSORT -o link in',
    'ln in hard; $GPUSORT -o hard in',
    '$GPUSORT in -o /dev/stdout > new',
    '$GPUSORT -T tmp in -o /dev/stdout | cat',
  ],
  spilling: [
    `${SPILLING} --verify -u -o in in first`,
    `${SPILLING} in -o new`,
    `cat in in | ${SPILLING} -t, -k2n`,
    `${SPILLING} < in`,
    `${SPILLING} --compress-program gzip in`,
    '$GPUSORT --parallel 2 --chunk-size 16K in',
  ],
  merging: [
    '$GPUSORT -m first second -o first',
    '$GPUSORT -m --batch-size 2 -T tmp first second first second',
    'cat first | $GPUSORT -m - second',
    '$GPUSORT -c first',
    '$GPUSORT -c in',
    '$GPUSORT -C in',
    'cat first | $GPUSORT -c',
  ],
  input: [
    'cat names | $GPUSORT --files0-from - --top 5',
    '(head -n 0; $GPUSORT -f) < in',
    '$GPUSORT --files0-from names',
    '$GPUSORT --csv -k n:n table',
    '$GPUSORT --count -k1,1 in',
    '$GPUSORT -R --random-source seed in',
    '$GPUSORT -z names',
    '$GPUSORT --record-size 3 --key 1:2 first',
    '$GPUSORT --header 1 in --bottom 3',
    '$GPUSORT empty < /dev/null',
    '$GPUSORT --locale de in',
    'gzip -nk first; $GPUSORT --decompress first.gz -o new; gzip -n < first | $GPUSORT -z',
  ],
  errors: [
    '$GPUSORT missing',
    '$GPUSORT -o no/such in',
    '$GPUSORT -o sub in',
    '$GPUSORT sub',
    '$GPUSORT -T tmp/none -S 64K --chunk-size 4K in',
    '(trap "" PIPE; $GPUSORT --no-such-option)',
  ],
  reports: [
    '$GPUSORT --explain in > /dev/null',
    '$GPUSORT --stats=json in -o new 2> /dev/null',
    '$GPUSORT --version > /dev/null; $GPUSORT --help | head -n 1',
  ],
};
const LINES_ON_SYSTEMS = Object.entries(LINES_OF_BASH).flatMap(([topic, lines]) =>
  lines.flatMap((line) => (['darwin', 'win32'] as const).map((system) => ({ topic, line, system }))),
);

it.each(
  sampled(LINES_ON_SYSTEMS, {
    count: Infinity,
    seed: 6,
    values: ({ topic, system }) => [system, /output|spilling/.test(topic) && `${topic} ${system}`],
  }),
)('behaves on $system as on Linux: $line', ({ system, line }) => {
  expect(runIn(system, line)).toEqual(runIn('linux', line));
});
