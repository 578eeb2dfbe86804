/** Slices that do not overlap are concatenated, without a merge. */
import { describe, expect, it } from 'vitest';
import type { Slice } from '../../src/contract/engine.js';
import type { Ordering } from '../../src/job/ordering.js';
import { lineUp } from '../../src/runs/combine.js';
import { wholeRun } from '../../src/runs/partition.js';
import { runOf, smallEngine } from '../support/jobs.js';
import { byFixed, byLines } from '../support/orderings.js';

describe('slices', () => {
  const linesUp = async (texts: readonly string[], ordering: Ordering = byLines()): Promise<number[] | null> => {
    const engine = await smallEngine(ordering, 100);
    const slices: Slice[] = [];
    for (const text of texts) slices.push(wholeRun(await runOf(engine, Buffer.from(text))));
    const line = lineUp(slices, ordering);
    const merged = await engine.merge(slices, 0);
    expect(merged.every(({ borrowed }) => borrowed)).toBe(line !== null);
    if (line !== null) {
      // One result, so that all blocks can be written at once.
      const [{ atOnce, bytes, emit }, ...others] = merged;
      const blocks: Buffer[] = [];
      await emit(async (block) => void blocks.push(Buffer.from(block)));
      const inLine = line.map((slice) => texts[slices.indexOf(slice)]).join('');
      expect([atOnce, bytes, Buffer.concat(blocks).toString(), others]).toEqual([true, inLine.length, inLine, []]);
    }
    await engine.close();
    return line === null ? null : line.map((slice) => slices.indexOf(slice));
  };

  it('concatenates slices if none overlaps another', async () => {
    expect(await linesUp(['a\nb\n', 'b\nc\n', 'd\n'])).toEqual([0, 1, 2]);
    expect(await linesUp(['e\nf\n', 'c\nd\n', 'a\n', 'g\n'])).toEqual([2, 1, 0, 3]);
    expect(await linesUp(['a\na\n', 'a\n', 'a\n'])).toEqual([0, 1, 2]);
    expect(await linesUp(['b\na\n', 'd\nc\n'], byLines({ reverse: true }))).toEqual([1, 0]);
  });
  it('merges slices if they overlap', async () => {
    expect(await linesUp(['a\nc\n', 'b\n'])).toBeNull();
    expect(await linesUp(['a\nz\n', 'c\n', 'd\n'])).toBeNull();
    expect(await linesUp(['b\nc\n', 'a\nb\n'])).toBeNull();
    expect(await linesUp(['a\nb\n', 'b\nc\n'], byLines({ unique: true, lastResort: false }))).toBeNull();
  });
  it('keeps slices with equal keys in input order', async () => {
    const stable = byFixed(2, [0, 1], { lastResort: false });
    expect(await linesUp(['a1a2', 'a3b1'], stable)).toEqual([0, 1]);
    expect(await linesUp(['b1c1', 'a1b2'], stable)).toBeNull();
  });
});
