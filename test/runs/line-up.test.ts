/** Slices that do not overlap are concatenated, without a merge. */
import { describe, expect, it } from 'vitest';
import type { Overlap, Slice } from '../../src/contract/engine.js';
import type { Ordering } from '../../src/job/ordering.js';
import { lineUp, steps } from '../../src/runs/combine.js';
import { wholeRun } from '../../src/runs/partition.js';
import { runOf, smallEngine } from '../support/jobs.js';
import { byFixed, byLines } from '../support/orderings.js';

describe('slices', () => {
  const linesUp = async (texts: readonly string[], ordering: Ordering = byLines()): Promise<number[] | null> => {
    const engine = await smallEngine(ordering, 100);
    const slices: Slice[] = [];
    for (const text of texts) slices.push(wholeRun(await runOf(engine, Buffer.from(text))));
    const line = lineUp(slices, ordering);
    const merged = await engine.merge(line ?? slices, 0, 'plain', line === null ? 'possible' : 'none');
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

describe('ranges', () => {
  const NUMBERS = Array.from({ length: 60 }, (_, i) => `${10 + i}`);
  // The first two runs overlap, and the third one follows them.
  const RUNS = [
    [...NUMBERS.slice(0, 19), NUMBERS[21]],
    [...NUMBERS.slice(19, 21), ...NUMBERS.slice(22, 40)],
    NUMBERS.slice(40),
  ];
  const rangesOf = async (keepsRepeats: boolean): Promise<{ overlap: Overlap | undefined; line: boolean }[]> => {
    const ordering = byLines();
    const engine = await smallEngine(ordering, 60);
    const slices: Slice[] = [];
    for (const run of RUNS) slices.push(wholeRun(await runOf(engine, Buffer.from(`${run.join('\n')}\n`))));
    const ranges: { overlap: Overlap | undefined; line: boolean }[] = [];
    for await (const step of steps(engine, slices, [], ordering, { keepsRepeats })) {
      if (step.kind === 'large' || step.range.slices.length === 1) continue;
      const range = step.range.slices as Slice[];
      ranges.push({ overlap: step.range.overlap, line: lineUp(range, ordering) !== null });
    }
    await engine.close();
    return ranges;
  };

  it('say whether their slices overlap', async () => {
    const ranges = await rangesOf(false);
    expect(new Set(ranges.map(({ line }) => line))).toEqual(new Set([true, false]));
    for (const { overlap, line } of ranges) expect(overlap).toBe(line ? 'none' : undefined);
  });
  it('do not say it of texts that may be out of order', async () => {
    const ranges = await rangesOf(true);
    expect(ranges.some(({ line }) => line)).toBe(true);
    for (const { overlap } of ranges) expect(overlap).toBeUndefined();
  });
});
