/** The sums that the recorder keeps, and how --stats shows them: spans, notes, traffic, ties and merges. */
import { describe, expect, it } from 'vitest';
import { atExit, runCleanups } from '../../src/report/cleanup.js';
import { addMerges, type MergeStatistics, mergeSentence } from '../../src/report/merges.js';
import { statsJson, statsText } from '../../src/report/print-stats.js';
import { createRecorder, type Recorder } from '../../src/report/recorder.js';
import { addTies, type TieStatistics, tieSentences } from '../../src/report/ties.js';

const TOTALS = { version: '1.2.3', wall: 10, peakMemoryBytes: 1, exitCode: 0 };
/** [b]: the number of records that share b bytes with the one before them. */
const shared = (...counts: [number, number][]): number[] =>
  counts.reduce((list, [at, count]) => list.with(at, count), Array<number>(129).fill(0));

const MANY_TIES: TieStatistics = {
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
const FEW_TIES: TieStatistics = {
  ...MANY_TIES,
  records: 50,
  tied: 2,
  rounds: 1,
  blockReads: 5,
  mergeReads: [7],
  runs: [48, 1],
  longestRun: 2,
  sharedBytes: shared([0, 49]),
};
const MERGES: MergeStatistics = {
  tiles: 39_063,
  levels: [
    { merged: 12, inPlace: 950 },
    { merged: 6, inPlace: 0 },
  ],
  copied: 8,
};
const ONE_TILE: MergeStatistics = { tiles: 1, levels: [], copied: 0 };

describe('the recorder', () => {
  it('ends a span now, or at a given time', () => {
    const recorder = createRecorder(() => {}, { keepsSpans: true });
    const before = performance.now();
    recorder.span('read', before, 7);
    recorder.span('sort', 1, 8, 3);
    const [read, sort] = recorder.spans;
    expect(read).toMatchObject({ stage: 'read', start: before, bytes: 7 });
    expect(read!.end).toBeGreaterThanOrEqual(before);
    expect(read!.end).toBeLessThanOrEqual(performance.now());
    expect(sort).toEqual({ stage: 'sort', start: 1, end: 3, bytes: 8 });
  });

  it('keeps each note once', () => {
    const recorder = createRecorder(() => {}, { keepsSpans: true });
    for (const note of ['a', 'b', 'a']) recorder.note(note);
    expect(recorder.notes).toEqual(['a', 'b']);
  });

  it('keeps nothing unless requested', () => {
    const recorder = createRecorder(() => {});
    recorder.span('read', 0, 1);
    recorder.note('a');
    recorder.traffic({ sentBytes: 1, readBackBytes: 2 });
    recorder.kernels(['keys/merge-path/merge']);
    recorder.ties(FEW_TIES);
    recorder.merges(MERGES);
    const nothing = { spans: [], notes: [], deviceTraffic: null, tieStatistics: null, mergeStatistics: null };
    expect(recorder).toMatchObject({ keepsSpans: false, ...nothing });
    expect(recorder.deviceKernels.size).toBe(0);
  });

  /** The reports of two sorts, and the display of their sum in --stats, as text and as a field of the JSON. */
  const REPORTS: readonly { field: string; report: (to: Recorder) => void; text: string; json: object }[] = [
    {
      field: 'device',
      report: (to) => {
        to.traffic({ sentBytes: 9 * 2 ** 30, readBackBytes: 10 * 2 ** 30 });
        to.traffic({ sentBytes: 2 ** 30, readBackBytes: 2 ** 28 });
      },
      text: '\n- device: 10 GiB sent, 10.3 GiB read back\n',
      json: { sentBytes: 10 * 2 ** 30, readBackBytes: 10.25 * 2 ** 30 },
    },
    {
      field: 'ties',
      report: (to) => {
        to.ties(MANY_TIES);
        to.ties(FEW_TIES);
      },
      text: '\n- ties: 12.3 M of 100 M records',
      json: {
        records: 100_000_050,
        keyBytes: 8,
        tied: 12_300_002,
        refinementRounds: 3,
        blockSortTextReads: 400_005,
        mergeTextReads: [600_007, 1_200_000],
        runsByLog2Length: [80e6 + 48, 5e6 + 1, 2e6],
        longestRun: 7,
      },
    },
    {
      field: 'tiles',
      report: (to) => {
        to.merges(MERGES);
        to.merges(ONE_TILE);
      },
      text: '\n- tiles: 39.1 k sorted; by merge level 12, 6 merged',
      json: { sorted: 39_064, mergedByLevel: [12, 6], settledInPlaceByLevel: [950, 0], copied: 8 },
    },
  ];
  it.each(REPORTS)('adds up $field, and shows them if a sort reported any', ({ field, report, text, json }) => {
    const recorder = createRecorder(() => {}, { keepsSpans: true });
    expect(statsText(recorder, TOTALS)).not.toContain(`- ${field}:`);
    expect(JSON.parse(statsJson(recorder, TOTALS))).not.toHaveProperty(field);
    report(recorder);
    expect(statsText(recorder, TOTALS)).toContain(text);
    expect(JSON.parse(statsJson(recorder, TOTALS))[field]).toMatchObject(json);
  });

  it('fits 80 columns, except long notes, which are broken between words on a terminal', () => {
    const recorder = createRecorder(() => {}, { keepsSpans: true });
    for (const stage of ['read', 'upload'] as const) recorder.span(stage, 12.345, 123_456_789_012, 99_999.9);
    recorder.note('runs stay in GPU memory up to 30.9 GiB, then in memory up to 8 GiB, and then in temporary files');
    const [head, ...rest] = statsText(recorder, { ...TOTALS, wall: 100_000 }).split('\n');
    expect(head).toMatch(/^stage .* rate {2}when$/);
    expect(rest.slice(0, 2).map((row) => [row.length, row.at(-1)])).toEqual([
      [80, '|'],
      [80, '|'],
    ]);
    expect(statsText(recorder, TOTALS, 80)).toContain(
      '\n- runs stay in GPU memory up to 30.9 GiB, then in memory up to 8 GiB, and then\n  in temporary files\n',
    );
  });

  it('names each kernel once: as text those that sort, as JSON all', () => {
    const recorder = createRecorder(() => {}, { keepsSpans: true });
    recorder.traffic({ sentBytes: 0, readBackBytes: 0 });
    expect(statsText(recorder, TOTALS)).not.toContain('kernels');
    const [block, search] = ['keys/merge-sort/block-sort (sort-eight-stable)', 'keys/merge-path/search-wide'];
    recorder.kernels(['records/gather/tiles', block, search]);
    recorder.kernels([search]);
    expect(statsText(recorder, TOTALS)).toContain(`\n- kernels of the sort: ${search}, ${block}\n`);
    expect(JSON.parse(statsJson(recorder, TOTALS)).device.kernels).toEqual([search, block, 'records/gather/tiles']);
  });
});

describe('statistics of ties', () => {
  it('are added pass by pass, with the maximum of rounds and lengths', () => {
    expect(addTies(MANY_TIES, FEW_TIES)).toEqual({
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
    expect(addTies({ ...MANY_TIES, blockReads: null }, { ...FEW_TIES, blockReads: null }).blockReads).toBeNull();
  });

  it('report ties, their cost and the bytes that neighbors share', () => {
    expect(tieSentences(MANY_TIES)).toEqual([
      'ties: 12.3 M of 100 M records beyond a key of 8 bytes; 3 rounds of refinement; comparisons that read text: 400 k in block sorts, 600 k, 1.20 M in merge passes',
      'ties: 7.00 M runs of equal keys, the longest of 7; a record shares 9 bytes with the one before it (median)',
    ]);
    expect(tieSentences({ ...FEW_TIES, mergeReads: [] })[0]).toBe(
      'ties: 2 of 50 records beyond a key of 8 bytes; 1 round of refinement; comparisons that read text: 5 in block sorts',
    );
    expect(tieSentences({ ...FEW_TIES, blockReads: 0, mergeReads: [0, 0], sharedBytes: shared([128, 49]) })).toEqual([
      'ties: 2 of 50 records beyond a key of 8 bytes; 1 round of refinement; comparisons that read text: none',
      'ties: 1 run of equal keys, the longest of 2; a record shares 128 bytes or more with the one before it (median)',
    ]);
  });
});

describe('statistics of merges', () => {
  it('of sorts with different numbers of levels are added', () => {
    const sum = { ...MERGES, tiles: 39_064 };
    expect([addMerges(MERGES, ONE_TILE), addMerges(ONE_TILE, MERGES)]).toEqual([sum, sum]);
    expect(addMerges(MERGES, MERGES).levels).toEqual([
      { merged: 24, inPlace: 1900 },
      { merged: 12, inPlace: 0 },
    ]);
  });

  it('are formatted as a sentence', () => {
    expect(mergeSentence(MERGES)).toBe(
      'tiles: 39.1 k sorted; by merge level 12, 6 merged, 950, 0 borders settled in place; 8 copied',
    );
    expect(mergeSentence(ONE_TILE)).toBe('tiles: 1 sorted; 0 copied');
  });
});

it('runs each cleanup once at exit, the newest first, even after one that fails', () => {
  const ran: string[] = [];
  atExit(() => ran.push('a'));
  atExit(() => {
    ran.push('b');
    throw new Error('failed');
  });
  const forget = atExit(() => ran.push('forgotten'));
  atExit(() => ran.push('c'));
  forget();
  runCleanups();
  runCleanups();
  expect(ran).toEqual(['c', 'b', 'a']);
});
