/**
 * Sorts by tiles report merged and copied tiles to a recorder that keeps statistics (Baxter's tables), for the
 * algorithms that users name.
 */
import { expect, it } from 'vitest';
import type { GpuAlgorithm } from '../../../src/algorithm-table.js';
import { SORT_STAGES } from '../../../src/gpu/engine/algorithms.js';
import { assembleGpuEngine } from '../../../src/gpu/engine/engine-core.js';
import { tileOf } from '../../../src/gpu/keys/segmented-sort/tile-merges.js';
import { PACKED } from '../../../src/gpu/strings/radix-refine/constants.js';
import type { Ordering } from '../../../src/job.js';
import type { MergeStatistics } from '../../../src/report/merges.js';
import { createRecorder } from '../../../src/report/recorder.js';
import { describeGpu } from '../../setup/gpu.js';
import { sortChunk } from '../../support/jobs.js';
import { join, LINES } from '../../support/records.js';
import { useGpu } from '../helpers.js';

describeGpu('statistics of merges', () => {
  const gpu = useGpu();

  async function merges(
    algorithm: GpuAlgorithm,
    lines: readonly string[],
    keeps = true,
    ordering: Ordering = LINES,
  ): Promise<MergeStatistics | null> {
    const recorder = createRecorder(keeps, () => {});
    const text = join(lines.map((line) => Buffer.from(line)));
    const engine = assembleGpuEngine(
      gpu(),
      {
        ordering,
        chunkBytes: text.length,
        pieceBytes: text.length + 256,
        rangeBytes: text.length,
        mostRecords: null,
        residentBytes: null,
        recorder,
      },
      SORT_STAGES[algorithm],
    );
    const chunk = await engine.openChunk(text.length);
    const piece = await chunk.openPiece(0);
    piece.bytes.set(text);
    piece.commit(text.length);
    for (const sorted of await sortChunk(engine, chunk, text.length)) sorted.release();
    await engine.close();
    return recorder.mergeStatistics;
  }

  const tiles = 4;
  const lines = (): string[] =>
    Array.from({ length: tiles * tileOf(gpu(), PACKED, {}) }, (_, i) => String(i).padStart(6, '0'));
  const none = { merged: 0, inPlace: 0 };

  it('says that lines in order are not merged, and what a late line costs', async () => {
    const sorted = lines();
    expect(await merges('locality', sorted)).toEqual({ tiles, levels: [none, none], copied: 0 });
    const border = sorted.length / 2;
    [sorted[border - 1], sorted[border]] = [sorted[border]!, sorted[border - 1]!];
    expect(await merges('locality', sorted)).toEqual({ tiles, levels: [{ merged: 0, inPlace: 1 }, none], copied: 0 });
  });

  it('says that lines in reverse are merged at each level', async () => {
    const { levels, copied } = (await merges('locality', lines().reverse()))!;
    expect(levels.map(({ merged }) => merged)).toEqual([tiles, tiles]);
    // All tiles changed sides twice.
    expect(copied).toBe(0);
  });

  it('says it of segments, whose borders stop merges', async () => {
    const all = lines().reverse();
    const ordering: Ordering = { ...LINES, segments: { kind: 'blank' } };
    // One segment: as without segments.
    expect(await merges('segmented', all, true, ordering)).toEqual(await merges('segmented', all));
    // A blank line every 100 lines: only segments over a border of tiles are merged, in place.
    const blank = all.map((line, i) => (i % 100 === 99 ? '' : line));
    const { levels, copied } = (await merges('segmented', blank, true, ordering))!;
    expect(levels.reduce((sum, { merged }) => sum + merged, 0) + copied).toBe(0);
    expect(levels.reduce((sum, { inPlace }) => sum + inPlace, 0)).toBeLessThan(tiles);
  });

  it('counts nothing without statistics, nor for sorts without tiles', async () => {
    expect(await merges('locality', lines(), false)).toBeNull();
    expect(await merges('msd-radix', lines())).toBeNull();
  });
});
