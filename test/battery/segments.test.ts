/** --segment-by and --segments through the program, also with -c. battery.gpu.test.ts runs the GPU engine's cases. */
import { describe, expect, it } from 'vitest';
import { gpusort, type Outcome } from './runner.js';
import { segments } from './segments-cases.js';

describe('segments with --engine cpu', () => segments('cpu'));

const sortText = (args: readonly string[], input: string): Promise<Outcome> =>
  gpusort(args, { stdin: Buffer.from(input) });

it('reports disorder with -c only inside segments', async () => {
  expect(await sortText(['-c', '--segments', 'blank'], 'b\nc\n\na\n')).toMatchObject({ status: 0, stderr: '' });
  expect(await sortText(['-c', '--segments', 'blank'], 'b\n\nc\na\n')).toMatchObject({
    status: 1,
    stderr: 'gpusort: -:4: disorder: a\n',
  });
  expect(await sortText(['-c', '-u', '--segment-by', '1,1'], 'b 1\na 1\na 2\nb 1\n')).toMatchObject({ status: 0 });
});

it('explains how segments are sorted', async () => {
  expect((await sortText(['--explain', '--segments', 'blank'], 'b\n')).stdout.toString()).toContain(
    'segments are written as soon as they are sorted',
  );
});
