/** Ranges at their places in one file: tasks write whole blocks only, and with the edges the file is complete. */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { array, nat, uint8Array } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { edgesOf, placeWriter, type RangeWriter, readEdges } from '../../src/cluster/range-writer.js';
import { freshDirectory } from '../battery/runner.js';
import { partSizes, partsOf } from '../support/cuts.js';
import { silent } from '../support/jobs.js';
import { property } from '../support/property.js';

const EDGE = 16;
const UNWRITTEN = 0xee;

const total = 300;
property(
  'writes whole blocks, and leaves the rest to the client',
  [
    uint8Array({ maxLength: total, max: UNWRITTEN - 1, size: 'max' }),
    array(nat(total), { maxLength: 8 }),
    partSizes(40),
  ],
  async (drawn, places, sizes) => {
    const whole = Buffer.from(drawn);
    const cuts = [0, ...places.map((place) => place % (whole.length + 1)), whole.length].sort((a, b) => a - b);
    const ranges = cuts.slice(1).map((end, i) => ({ begin: cuts[i], end }));
    const directory = freshDirectory('ranges');
    const output = join(directory, 'output');
    const edgesFile = (range: number): Buffer => Buffer.from(join(directory, `edges-${range}`));
    writeFileSync(output, Buffer.alloc(whole.length, UNWRITTEN));
    for (const [i, { begin, end }] of ranges.entries()) {
      const writer = await placeWriter({ output: Buffer.from(output), edges: edgesFile(i), begin, end }, silent, EDGE);
      for (const part of partsOf(whole.subarray(begin, end), sizes)) await writer.write(part);
      expect(await writer.finish()).toBe(end - begin);
    }
    const written = readFileSync(output);
    expect(written).toHaveLength(whole.length);
    const completed = Buffer.from(written);
    for (const [i, { begin, end }] of ranges.entries()) {
      const { head, tail } = edgesOf(begin, end, EDGE);
      const edges = await readEdges(edgesFile(i), head + tail);
      // No task has written a block that it shares with another.
      for (let at = begin; at < end; at++) {
        const block = at - (at % EDGE);
        const isOwn = begin <= block && block + EDGE <= end;
        expect(written[at] !== UNWRITTEN).toBe(isOwn);
      }
      completed.set(edges.subarray(0, head), begin);
      completed.set(edges.subarray(head), end - tail);
    }
    expect(completed).toEqual(whole);
  },
  { runs: 40 },
);

describe('a range at its place', () => {
  /** A writer of bytes 5 to 9. */
  async function opened(): Promise<{ writer: RangeWriter; output: string; edges: string }> {
    const directory = freshDirectory('ranges');
    const [output, edges] = [join(directory, 'output'), join(directory, 'edges')];
    writeFileSync(output, '');
    const writer = await placeWriter(
      { output: Buffer.from(output), edges: Buffer.from(edges), begin: 5, end: 9 },
      silent,
      EDGE,
    );
    await writer.write(Buffer.from('abc'));
    return { writer, output, edges };
  }

  it('refuses more bytes than its range has', async () => {
    const { writer } = await opened();
    await expect(writer.write(Buffer.from('de'))).rejects.toThrow('a range has more than 4 bytes');
    writer.abort();
  });

  it.each(['write', 'finish'] as const)('is not written to the file of another sort: %s', async (step) => {
    const { writer, output, edges } = await opened();
    if (step === 'finish') await writer.write(Buffer.from('d'));
    writeFileSync(`${output}.new`, '');
    renameSync(`${output}.new`, output);
    const failed = step === 'write' ? writer.write(Buffer.from('d')) : writer.finish();
    await expect(failed).rejects.toThrow('output no longer belongs to this sort');
    writer.abort();
    expect(existsSync(edges)).toBe(false);
  });
});
