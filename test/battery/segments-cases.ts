/** --segment-by and --segments on an engine, from files and standard input. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { withDirectory } from '../cli/run.js';
import { randomBelow } from '../support/random.js';
import { LINES } from '../support/records.js';
import { expected, text } from '../support/segments.js';
import { NIGHTLY } from '../support/tier.js';
import { sortOn } from './here.js';
import type { Outcome } from './runner.js';

const below = randomBelow(15);
/** One log in three files. The second lacks its last newline; its last segment continues in the third. */
const log = Array.from({ length: 4000 }, (_, i) => `host${Math.floor(i / 90) % 7},${below(1000)},${below(3)}`);
const files = [
  `${log.slice(0, 1500).join('\n')}\n`,
  log.slice(1500, 1510).join('\n'),
  `${log.slice(1510).join('\n')}\n`,
];
const paragraphs = Array.from({ length: 3000 }, () =>
  below(12) === 0 ? ['', '  ', '\r'][below(3)] : `word${below(200)}`,
);
const byHost = (line: string): string => line.split(',')[0];
const byBlank = (line: string): string | null => (/^[ \t\r]*$/.test(line) ? null : '');

function expectOutput({ status, stderr, stdout }: Outcome, output: Buffer): void {
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout.toString()).toBe(output.toString());
}

/** Registers the tests of an engine. */
export function segments(engine: 'cpu' | 'gpu'): void {
  const sort = sortOn(engine);
  // By day, a software GPU runs only the small chunks: it takes seconds to start.
  it.each(engine === 'cpu' || NIGHTLY ? ['4K', '1M'] : ['4K'])(
    'sorts each segment by itself in chunks of %s',
    (chunkSize) =>
      withDirectory(async (cwd) => {
        files.forEach((content, i) => writeFileSync(join(cwd, `log${i}`), content));
        const options = ['--chunk-size', chunkSize];
        const bySegments = await sort([...options, '-t,', '--segment-by', '1,1', '-r', 'log0', 'log1', 'log2'], {
          cwd,
        });
        expectOutput(bySegments, expected(text(log), byHost, { ...LINES, reverse: true }));
        const unique = await sort([...options, '--segments', 'blank', '-u'], {
          stdin: Buffer.from(paragraphs.join('\n')),
        });
        expectOutput(unique, expected(text(paragraphs), byBlank, { ...LINES, unique: true, lastResort: false }));
      }),
  );
}
