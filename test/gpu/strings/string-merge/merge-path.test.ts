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
import { DISTRIBUTIONS } from '../strings.js';

const TILE = 64;
const GUARD = 0xdeadbeef;
const GUARDS = 8;

/** (high, low, tag) */
type Triple = [number, number, number];

const useTestGpu = useGpu();

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

/** A rule that never reads text. */
function keysOnly(gpu: Gpu): KeyRule {
  return { records: uploadRecords(gpu, []), depth: 0, keyBytes: 8, tieBytes: 8, depths: null };
}

describeGpu('merge path', () => {
  for (const reverse of [false, true]) {
    it(`makes entries${reverse ? ', reversed' : ''}`, async () => {
      const gpu = useTestGpu();
      const kernels = sortKernels({ ...LINES, reverse }, TILE);
      await loadStringMergeSort(gpu, kernels);
      for (const depth of [0, 3]) {
        const records = DISTRIBUTIONS['random strings'](300, random(2)).map((r) =>
          Buffer.concat([Buffer.alloc(depth, 'x'), r]),
        );
        const to = uploadEntries(
          gpu,
          records.map((): Triple => [1, 1, 1]),
        );
        prefixEntries(
          gpu,
          kernels,
          { records: uploadRecords(gpu, records), depth, keyBytes: 8, tieBytes: 8, depths: null },
          to,
        );
        expect(await downloadEntries(gpu, to, 300)).toEqual(records.map((r, i) => entryOf(r, i, depth, reverse)));
      }
    });
  }

  it('sorts entries', async () => {
    const gpu = useTestGpu();
    const kernels = sortKernels(LINES, TILE);
    await loadStringMergeSort(gpu, kernels);
    const rule = keysOnly(gpu);
    for (const n of [1, 7, 8, 9, 63, 64, 65, 127, 128, 129, 1000, 4096]) {
      const triples = randomEntries(n, n);
      const result = sortEntries(
        gpu,
        kernels,
        rule,
        uploadEntries(gpu, triples),
        uploadEntries(gpu, triples),
        n,
        partitions(gpu, partitionBytes(n, 0, TILE)),
      );
      expect(await downloadEntries(gpu, result, n)).toEqual([...triples].sort(byTriple));
    }
  });

  it('merges tiles that are sorted already', async () => {
    const gpu = useTestGpu();
    const kernels = sortKernels(LINES, TILE);
    await loadMergePath(gpu, kernels);
    for (const n of [64, 65, 200, 1024, 1025]) {
      const triples = randomEntries(n, n);
      const tiles: Triple[] = [];
      for (let i = 0; i < n; i += TILE) tiles.push(...triples.slice(i, i + TILE).sort(byTriple));
      const result = mergeTiles(
        gpu,
        kernels,
        keysOnly(gpu),
        uploadEntries(gpu, tiles),
        uploadEntries(gpu, tiles),
        n,
        partitions(gpu, partitionBytes(n, 0, TILE)),
      );
      expect(await downloadEntries(gpu, result, n)).toEqual([...triples].sort(byTriple));
    }
  });

  it('merges runs of any lengths', async () => {
    const gpu = useTestGpu();
    const kernels = sortKernels(LINES, TILE);
    await loadMergePath(gpu, kernels);
    for (const lengths of [
      [5],
      [0, 0],
      [1, 1],
      [100, 0, 3],
      [64, 64, 64],
      [0, 1, 700, 2, 0, 65, 63, 0],
      Array.from({ length: 33 }, (_, i) => (i * 37) % 50),
    ]) {
      const n = lengths.reduce((a, b) => a + b, 0);
      if (n === 0) continue;
      const bounds = boundsOf(lengths);
      const triples = randomEntries(n, n);
      const runs = lengths.flatMap((_, s) => triples.slice(bounds[s], bounds[s + 1]).sort(byTriple));
      const passes = planSlices(bounds, TILE);
      const table = partitions(gpu, 16 * Math.max(1, ...passes.map((p) => p.tiles)));
      const result = mergeSlices(
        gpu,
        kernels,
        keysOnly(gpu),
        uploadEntries(gpu, runs),
        uploadEntries(gpu, runs),
        n,
        table,
        passes,
      );
      expect(await downloadEntries(gpu, result, n)).toEqual([...triples].sort(byTriple));
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
