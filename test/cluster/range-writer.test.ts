/** Ranges at their places in one file: tasks write whole blocks only, and with the edges the file is complete. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { edgesOf, placeWriter, readEdges } from '../../src/cluster/range-writer.js';
import { freshDirectory } from '../battery/runner.js';
import { dice } from '../differential/dice.js';
import { silent } from '../support/jobs.js';

const EDGE = 16;
const UNWRITTEN = 0xee;

it('tasks write whole blocks, and leave the rest to the client', async () => {
  for (let seed = 0; seed < 40; seed++) {
    const d = dice(seed);
    const total = d.below(300);
    const whole = Buffer.from(Uint8Array.from({ length: total }, () => d.below(UNWRITTEN)));
    const cuts = [0, ...d.several(0, 8, () => d.below(total + 1)), total].sort((a, b) => a - b);
    const directory = freshDirectory('ranges');
    const output = join(directory, 'output');
    writeFileSync(output, Buffer.alloc(total, UNWRITTEN));
    for (const [i, begin] of cuts.slice(0, -1).entries()) {
      const end = cuts[i + 1];
      const edges = Buffer.from(join(directory, `edges-${i}`));
      const writer = await placeWriter(Buffer.from(output), edges, begin, end, silent, EDGE);
      for (let at = begin; at < end; ) {
        const next = Math.min(end, at + 1 + d.below(40));
        await writer.write(whole.subarray(at, next));
        at = next;
      }
      expect(await writer.finish()).toBe(end - begin);
    }
    const written = readFileSync(output);
    expect(written).toHaveLength(total);
    const completed = Buffer.from(written);
    for (const [i, begin] of cuts.slice(0, -1).entries()) {
      const end = cuts[i + 1];
      const { head, tail } = edgesOf(begin, end, EDGE);
      const edges = await readEdges(Buffer.from(join(directory, `edges-${i}`)), head + tail);
      // No task has touched a block that is not all its own.
      for (let at = begin; at < end; at++) {
        const block = at - (at % EDGE);
        const isOwn = begin <= block && block + EDGE <= end;
        expect(written[at] !== UNWRITTEN).toBe(isOwn);
      }
      completed.set(edges.subarray(0, head), begin);
      completed.set(edges.subarray(head), end - tail);
    }
    expect(completed).toEqual(whole);
  }
});

it('refuses more than a range has', async () => {
  const directory = freshDirectory('ranges');
  const output = Buffer.from(join(directory, 'output'));
  writeFileSync(output, '');
  const writer = await placeWriter(output, Buffer.from(join(directory, 'edges')), 5, 9, silent, EDGE);
  await writer.write(Buffer.from('abc'));
  await expect(writer.write(Buffer.from('de'))).rejects.toThrow('a range has more than 4 bytes');
  writer.abort();
});
