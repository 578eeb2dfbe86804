/** BAM that the library sorts as it is: the output, the result and the progress of BAM that is sorted as lines. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type SortProgress, type SortSettings, sort } from '../../src/index.js';
import { freshDirectory } from '../battery/runner.js';
import { bgzf, encodeBam } from '../support/genomics-bam.js';
import { alignments, sam } from '../support/genomics-data.js';

const directory = freshDirectory('library-bam');
const input = join(directory, 'in.bam');
const some = encodeBam(sam(alignments(4, 1500)));
const header = some.subarray(0, encodeBam(sam([])).length);
writeFileSync(
  input,
  bgzf(Buffer.concat([header, ...Array.from({ length: 12 }, () => some.subarray(header.length))]), 0),
);

const BAM: SortSettings = { engine: 'cpu', format: 'bam', by: 'coordinate', level: 1, statistics: true };

const lines = join(directory, 'in.sam');
writeFileSync(lines, sam([]) + `${alignments(4, 1500).join('\n')}\n`.repeat(45));

it.each([
  ['BAM', input, {}, 'BAM is sorted as it is', 12],
  ['SAM', lines, { format: 'sam', outputFormat: 'bam' } as const, 'SAM becomes BAM before', 45],
])('has the same records and the same result, from %s', async (_, from, form, why, times) => {
  const outcomes = [];
  for (const [name, settings] of [
    ['as it is', {}],
    ['as lines', { chunkSize: '1M' }],
  ] as const) {
    const progress: SortProgress[] = [];
    const output = join(directory, `${name}.bam`);
    const onProgress = (one: SortProgress): void => void progress.push(one);
    const result = await sort(from, output, { ...BAM, ...form, ...settings, onProgress });
    const written = progress.filter(({ phase }) => phase === 'writing').at(-1);
    expect(JSON.stringify(result.statistics).includes(why)).toBe(name === 'as it is');
    if (name === 'as it is') expect(written?.totalBytes).toBe(written?.bytes);
    outcomes.push({
      records: result.records,
      bytes: result.bytes,
      written: written?.bytes,
      file: readFileSync(output),
    });
  }
  expect(outcomes[0]).toEqual(outcomes[1]);
  expect(outcomes[0].records).toBe(times * 1500);
});

it('ends soon if it is aborted, and leaves the output as it was', async () => {
  const output = join(directory, 'aborted.bam');
  for (const phase of ['reading', 'writing']) {
    writeFileSync(output, 'as it was');
    const controller = new AbortController();
    const onProgress = (one: SortProgress): void => {
      if (one.phase === phase && one.bytes > 0) controller.abort(new Error('for the test'));
    };
    await expect(sort(input, output, { ...BAM, onProgress, signal: controller.signal })).rejects.toThrow(
      'for the test',
    );
    expect(readFileSync(output, 'latin1')).toBe('as it was');
  }
});
