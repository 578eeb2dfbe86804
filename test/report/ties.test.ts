/** Tie statistics added up over several sorts, and the sentences of --stats about them. */
import { expect, it } from 'vitest';
import { statsJson, statsText } from '../../src/report/print-stats.js';
import { createRecorder } from '../../src/report/recorder.js';
import { addTies, type TieStatistics, tieSentences } from '../../src/report/ties.js';

const shared = (...counts: [number, number][]): number[] =>
  counts.reduce((list, [at, count]) => list.with(at, count), Array<number>(129).fill(0));
const FIRST: TieStatistics = {
  records: 100_000_000,
  keyBytes: 8,
  tied: 12_300_000,
  rounds: 3,
  blockReads: 400_000,
  mergeReads: [600_000, 1_200_000],
  runs: [80e6, 5e6, 2e6],
  longestRun: 7,
  sharedBytes: shared([9, 60e6], [128, 40e6 - 1]),
};
const SECOND: TieStatistics = {
  ...FIRST,
  records: 50,
  tied: 2,
  rounds: 1,
  blockReads: 5,
  mergeReads: [7],
  runs: [48, 1],
  longestRun: 2,
  sharedBytes: shared([0, 49]),
};
const TOTALS = { version: '1', wall: 10, peakMemoryBytes: 0, exitCode: 0 };

it('adds pass by pass, and takes the most of rounds and lengths', () => {
  expect(addTies(FIRST, SECOND)).toEqual({
    records: 100_000_050,
    keyBytes: 8,
    tied: 12_300_002,
    rounds: 3,
    blockReads: 400_005,
    mergeReads: [600_007, 1_200_000],
    runs: [80e6 + 48, 5e6 + 1, 2e6],
    longestRun: 7,
    sharedBytes: shared([0, 49], [9, 60e6], [128, 40e6 - 1]),
  });
  expect(addTies({ ...FIRST, blockReads: null }, { ...SECOND, blockReads: null }).blockReads).toBeNull();
});

it('says what was tied, what that cost and how alike neighbours are', () => {
  expect(tieSentences(FIRST)).toEqual([
    'ties: 12.3 M of 100 M records beyond a key of 8 bytes; 3 rounds of refinement; comparisons that read text: 400 k in block sorts, 600 k, 1.20 M in merge passes',
    'ties: 7.00 M runs of equal keys, the longest of 7; a record shares 9 bytes with the one before it (median)',
  ]);
  expect(tieSentences({ ...SECOND, mergeReads: [] })[0]).toBe(
    'ties: 2 of 50 records beyond a key of 8 bytes; 1 round of refinement; comparisons that read text: 5 in block sorts',
  );
  expect(tieSentences({ ...SECOND, blockReads: 0, mergeReads: [0, 0], sharedBytes: shared([128, 49]) })).toEqual([
    'ties: 2 of 50 records beyond a key of 8 bytes; 1 round of refinement; comparisons that read text: none',
    'ties: 1 run of equal keys, the longest of 2; a record shares 128 bytes or more with the one before it (median)',
  ]);
});

it('appears in the statistics if a sort reported it', () => {
  const recorder = createRecorder(true, () => undefined);
  expect(JSON.parse(statsJson(recorder, TOTALS))).not.toHaveProperty('ties');
  recorder.ties(FIRST);
  recorder.ties(SECOND);
  expect(statsText(recorder, TOTALS)).toContain('\n- ties: 12.3 M of 100 M records');
  expect(JSON.parse(statsJson(recorder, TOTALS)).ties).toMatchObject({
    records: 100_000_050,
    keyBytes: 8,
    tied: 12_300_002,
    refinementRounds: 3,
    blockSortTextReads: 400_005,
    mergeTextReads: [600_007, 1_200_000],
    runsByLog2Length: [80e6 + 48, 5e6 + 1, 2e6],
    longestRun: 7,
  });
  const silent = createRecorder(false, () => undefined);
  silent.ties(FIRST);
  expect(silent.tieStatistics).toBeNull();
});
