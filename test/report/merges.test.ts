/** Statistics of merges: sums, the sentence for people, and the fields of the JSON. */
import { expect, it } from 'vitest';
import { addMerges, type MergeStatistics, mergeSentence } from '../../src/report/merges.js';
import { statsJson, statsText } from '../../src/report/print-stats.js';
import { createRecorder } from '../../src/report/recorder.js';

const FIRST: MergeStatistics = {
  tiles: 39_063,
  levels: [
    { merged: 12, inPlace: 950 },
    { merged: 6, inPlace: 0 },
  ],
  copied: 8,
};
const SECOND: MergeStatistics = { tiles: 1, levels: [], copied: 0 };
const SUM: MergeStatistics = { ...FIRST, tiles: 39_064 };
const TOTALS = { version: '1.2.3', wall: 1, peakMemoryBytes: 1, exitCode: 0 };

it('adds sorts with different numbers of levels', () => {
  expect(addMerges(FIRST, SECOND)).toEqual(SUM);
  expect(addMerges(SECOND, FIRST)).toEqual(SUM);
  expect(addMerges(FIRST, FIRST).levels).toEqual([
    { merged: 24, inPlace: 1900 },
    { merged: 12, inPlace: 0 },
  ]);
});

it('says them in a sentence', () => {
  expect(mergeSentence(FIRST)).toBe(
    'tiles: 39.1 k sorted; by merge level 12, 6 merged, 950, 0 borders settled in place; 8 copied',
  );
  expect(mergeSentence(SECOND)).toBe('tiles: 1 sorted; 0 copied');
});

it('appears in the statistics if a sort reported it', () => {
  const recorder = createRecorder(true, () => undefined);
  expect(JSON.parse(statsJson(recorder, TOTALS))).not.toHaveProperty('tiles');
  recorder.merges(FIRST);
  recorder.merges(SECOND);
  expect(statsText(recorder, TOTALS)).toContain('\n- tiles: 39.1 k sorted; by merge level 12, 6 merged');
  expect(JSON.parse(statsJson(recorder, TOTALS)).tiles).toEqual({
    sorted: 39_064,
    mergedByLevel: [12, 6],
    settledInPlaceByLevel: [950, 0],
    copied: 8,
  });
  const silent = createRecorder(false, () => undefined);
  silent.merges(FIRST);
  expect(silent.mergeStatistics).toBeNull();
});
