/**
 * The stages of the string merge sort one by one: entries, tiles, merges of equal and unequal runs; with guard words
 * after each buffer.
 */
import { expect, it } from 'vitest';
import type { Gpu } from '../../../../src/gpu/device/device.js';
import { planSlices } from '../../../../src/gpu/keys/merge-path/slice-passes.js';
import { type Entries, type KeyRule, sortKernels } from '../../../../src/gpu/strings/entries.js';
import {
  loadMergePath,
  mergeSlices,
  mergeTiles,
  partitionBytes,
} from '../../../../src/gpu/strings/string-merge/merges.js';
import {
  loadStringMergeSort,
  prefixEntries,
  sortEntries,
} from '../../../../src/gpu/strings/string-merge/string-merge-sort.js';
import { describeGpu } from '../../../setup/gpu.js';
import { random } from '../../../support/random.js';
import { LINES } from '../../../support/records.js';
import { boundsOf, readWords, upload, uploadRecords, useGpu } from '../../helpers.js';
import { linesOf } from '../strings.js';

const TILE = 64;
const GUARD = 0xdeadbeef;
const GUARDS = 8;

/** (high, low, tag) */
type Triple = [number, number, number];

/** The entry that kernels/wgsl/strings/string-merge/prefix.wgsl makes, written independently. */
function entryOf(record: Uint8Array, number: number, depth: number, reverse: boolean): Triple {
  const word = (at: number): number => {
    let w = 0;
    for (let i = at; i < at + 4; i++) w = w * 256 + (record[i] ?? 0);
    return reverse ? 0xffffffff - w : w;
  };
  const code = Math.min(record.length - depth, 9);
  return [word(depth), word(depth + 4), (reverse ? 15 - code : code) * 2 ** 28 + number];
}

const byTriple = (a: Triple, b: Triple): number => a[0] - b[0] || a[1] - b[1] || a[2] - b[2];

/** Buffers for `triples`, with guard words after them. */
function uploadEntries(gpu: Gpu, triples: readonly Triple[]): Entries {
  const keys = new Uint32Array(triples.length * 2 + GUARDS).fill(GUARD);
  const tags = new Uint32Array(triples.length + GUARDS).fill(GUARD);
  triples.forEach(([high, low, tag], i) => {
    keys[2 * i] = high;
    keys[2 * i + 1] = low;
    tags[i] = tag;
  });
  return { keys: upload(gpu, keys), tags: upload(gpu, tags) };
}

async function downloadEntries(gpu: Gpu, entries: Entries, n: number): Promise<Triple[]> {
  const keys = await readWords(gpu, entries.keys, 2 * n + GUARDS);
  const tags = await readWords(gpu, entries.tags, n + GUARDS);
  expect([...keys.subarray(2 * n), ...tags.subarray(n)].every((w) => w === GUARD)).toBe(true);
  return Array.from({ length: n }, (_, i): Triple => [keys[2 * i], keys[2 * i + 1], tags[i]]);
}

/** Entries that need no text: random keys of few values, and short codes. */
function randomEntries(n: number, seed: number): Triple[] {
  const next = random(seed);
  return Array.from(
    { length: n },
    (_, i): Triple => [
      Math.floor(next() * 8),
      Math.floor(next() * 8) * 0x20000000,
      Math.floor(next() * 8) * 2 ** 28 + i,
    ],
  );
}

const partitions = (gpu: Gpu, bytes: number): GPUBuffer => upload(gpu, new Uint32Array(0), bytes);

/** Submits a stage of `n` entries in runs of these lengths; returns whichever of the two arrays has the result. */
type Stage = (from: Entries, other: Entries, n: number, lengths: readonly number[]) => Entries;

/** A rule that never reads text. */
function keysOnly(gpu: Gpu): KeyRule {
  return { records: uploadRecords(gpu, []), depth: 0, keyBytes: 8, tieBytes: 8, depths: null };
}

const KERNELS = sortKernels(LINES, TILE);

describeGpu('a stage of the string merge sort', () => {
  const gpu = useGpu();

  it.each([false, true])('makes entries (reversed: %s)', async (reverse) => {
    const kernels = sortKernels({ ...LINES, reverse }, TILE);
    await loadStringMergeSort(gpu(), kernels);
    for (const depth of [0, 3]) {
      const records = linesOf('random strings', 300, 2).map((r) => Buffer.concat([Buffer.alloc(depth, 'x'), r]));
      const to = uploadEntries(
        gpu(),
        records.map((): Triple => [1, 1, 1]),
      );
      const rule = { records: uploadRecords(gpu(), records), depth, keyBytes: 8, tieBytes: 8, depths: null };
      prefixEntries(gpu(), kernels, rule, to);
      expect(await downloadEntries(gpu(), to, 300)).toEqual(records.map((r, i) => entryOf(r, i, depth, reverse)));
    }
  });

  /** Lists of lengths of runs that are in order before the stage; and the stage. */
  const STAGES: readonly (readonly [string, readonly (readonly number[])[], Stage])[] = [
    [
      'sorts entries',
      [1, 7, 8, 9, 63, 64, 65, 127, 128, 129, 1000, 4096].map((n) => Array<number>(n).fill(1)),
      (from, other, n) =>
        sortEntries(gpu(), KERNELS, keysOnly(gpu()), from, other, n, partitions(gpu(), partitionBytes(n, 0, TILE))),
    ],
    [
      'merges tiles that are sorted already',
      [64, 65, 200, 1024, 1025].map((n) =>
        Array.from({ length: Math.ceil(n / TILE) }, (_, i) => Math.min(TILE, n - i * TILE)),
      ),
      (from, other, n) =>
        mergeTiles(gpu(), KERNELS, keysOnly(gpu()), from, other, n, partitions(gpu(), partitionBytes(n, 0, TILE))),
    ],
    [
      'merges runs of any lengths',
      [
        [5],
        [1, 1],
        [100, 0, 3],
        [64, 64, 64],
        [0, 1, 700, 2, 0, 65, 63, 0],
        Array.from({ length: 33 }, (_, i) => (i * 37) % 50),
      ],
      (from, other, n, lengths) => {
        const passes = planSlices(boundsOf(lengths), TILE);
        const table = partitions(gpu(), 16 * Math.max(1, ...passes.map((p) => p.tiles)));
        return mergeSlices(gpu(), KERNELS, keysOnly(gpu()), from, other, n, table, passes);
      },
    ],
  ];
  it.each(STAGES)('%s', async (_, lists, stage) => {
    await Promise.all([loadStringMergeSort(gpu(), KERNELS), loadMergePath(gpu(), KERNELS)]);
    for (const lengths of lists) {
      const bounds = boundsOf(lengths);
      const n = bounds.at(-1)!;
      const triples = randomEntries(n, n);
      const runs = lengths.flatMap((_length, i) => triples.slice(bounds[i], bounds[i + 1]).sort(byTriple));
      const result = stage(uploadEntries(gpu(), runs), uploadEntries(gpu(), runs), n, lengths);
      expect(await downloadEntries(gpu(), result, n), `${n} entries`).toEqual([...triples].sort(byTriple));
    }
  });
});

it('plans merges of neighbouring slices', () => {
  expect(planSlices([0], 64)).toEqual([]);
  expect(planSlices([0, 10], 64)).toEqual([]);
  expect(planSlices([0, 0, 10, 10], 64)).toEqual([]);
  expect(planSlices([0, 100, 130, 400], 64)).toEqual([
    {
      pairs: [
        [0, 0, 100, 130],
        [3, 130, 400, 400],
      ],
      tiles: 8,
    },
    { pairs: [[0, 0, 130, 400]], tiles: 7 },
  ]);
});
