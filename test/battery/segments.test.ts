/** --segment-by and --segments through the program, on each engine, from files and pipes, with -c. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hasGpu } from '../setup/gpu.js';
import { randomBelow } from '../support/random.js';
import { LINES } from '../support/records.js';
import { expected, text } from '../support/segments.js';
import { withDirectory } from '../cli/run.js';
import { gpusort, type Outcome } from './runner.js';

const below = randomBelow(15);
/** Three files in one order; the second one ends without a newline, and its last segment goes on in the third. */
const log = Array.from({ length: 4000 }, (_, i) => `host${Math.floor(i / 90) % 7},${below(1000)},${below(3)}`);
const files = [log.slice(0, 1500).join('\n') + '\n', log.slice(1500, 1510).join('\n'), log.slice(1510).join('\n') + '\n'];
const paragraphs = Array.from({ length: 3000 }, () => (below(12) === 0 ? ['', '  ', '\r'][below(3)]! : `word${below(200)}`));
const byHost = (line: string): string => line.split(',')[0]!;
const byBlank = (line: string): string | null => (/^[ \t\r]*$/.test(line) ? null : '');

function expectOutput({ status, stderr, stdout }: Outcome, output: Buffer): void {
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout.toString()).toBe(output.toString());
}

describe.each(hasGpu() ? ['cpu', 'gpu'] : ['cpu'])('segments with --engine %s', (engine) => {
  // By day a GPU in software, which takes seconds to start, meets the small chunks.
  it.each(engine === 'cpu' || process.env.GPUSORT_NIGHTLY === '1' ? ['4K', '1M'] : ['4K'])('chunks of %s', (chunkSize) => withDirectory(async (cwd) => {
    files.forEach((content, i) => writeFileSync(join(cwd, `log${i}`), content));
    const options = ['--engine', engine, '--chunk-size', chunkSize];
    const bySegments = await gpusort([...options, '-t,', '--segment-by', '1,1', '-r', 'log0', 'log1', 'log2'], { cwd });
    expectOutput(bySegments, expected(text(log), byHost, { ...LINES, reverse: true }));
    const unique = await gpusort([...options, '--segments', 'blank', '-u'], { stdin: Buffer.from(paragraphs.join('\n')) });
    expectOutput(unique, expected(text(paragraphs), byBlank, { ...LINES, unique: true, lastResort: false }));
  }));
});

const given = (args: readonly string[], input: string): Promise<Outcome> => gpusort(args, { stdin: Buffer.from(input) });

it('-c finds disorder inside segments only', async () => {
  expect(await given(['-c', '--segments', 'blank'], 'b\nc\n\na\n')).toMatchObject({ status: 0, stderr: '' });
  expect(await given(['-c', '--segments', 'blank'], 'b\n\nc\na\n')).toMatchObject({ status: 1, stderr: 'gpusort: -:4: disorder: a\n' });
  expect(await given(['-c', '-u', '--segment-by', '1,1'], 'b 1\na 1\na 2\nb 1\n')).toMatchObject({ status: 0 });
});

it('--explain says how segments are sorted', async () => {
  expect((await given(['--explain', '--segments', 'blank'], 'b\n')).stdout.toString()).toContain('segments are written as they are sorted');
});
