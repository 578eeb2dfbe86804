/**
 * Estimates the cost of sorting a chunk of fixed records by keys of at most 128 bits on a GPU. Pure. The costs of a
 * unit are those of the kernels' benchmark on an H200 (docs/plots/h200-kernels.json): 2^27 keys of one and two words,
 * with values and without.
 */

import type { KeyForm } from '../engines/gpu/engine/fixed-keys/form.js';
import { keyWords } from '../engines/gpu/keys/key-sort.js';
import { SEGMENT_TILE } from '../engines/gpu/thresholds.js';
import type { GpuAlgorithm } from '../job/algorithm-table.js';
import type { Estimate, Workload } from './costs.js';
import { mergedPasses } from './displacement.js';

/** Milliseconds for a million records and a unit of work: for each record, each word of its key, and its value. */
interface UnitCost {
  readonly record: number;
  readonly word: number;
  readonly value: number;
}

/** The unit is a byte of the key for `radix`, one level of merges for `locality`, else a bit of the record count. */
const COSTS = {
  merge: { record: 0.0011, word: 0.002, value: 0.0018 },
  radix: { record: 0.0055, word: 0.0043, value: 0.0018 },
  quicksort: { record: 0.0009, word: 0.0044, value: 0.0055 },
  locality: { record: 0, word: 0.0065, value: 0.009 },
} as const satisfies { readonly [algorithm in GpuAlgorithm]?: UnitCost };

/** Locality sort: units of work besides merges, to sort tiles; and milliseconds for each level that it submits. */
const TILE_UNITS = 2;
const LEVEL_MS = 0.088;
const MILLION = 1e6;

/** Estimates for all sorts of fixed keys, in ascending order. */
export function fixedKeyEstimates({ sample, records, total = records }: Workload, form: KeyForm): Estimate[] {
  const words = keyWords(form.spec);
  const levels = Math.max(0, Math.ceil(Math.log2(records / SEGMENT_TILE)));
  const merged = mergedPasses(sample.displaced, records, total, SEGMENT_TILE);
  const bits = Math.log2(Math.max(2, records));
  const units = {
    merge: bits,
    radix: Math.max(1, form.keyBytes - Math.min(sample.commonPrefix, form.keyBytes - 1)),
    quicksort: bits,
    locality: TILE_UNITS + merged,
  } as const;
  return Object.entries(COSTS)
    .map(([name, { record, word, value }]) => {
      const algorithm = name as keyof typeof COSTS;
      const unit = record + words * word + (form.spec.values ? value : 0);
      const submitted = algorithm === 'locality' && merged > 0 ? levels * LEVEL_MS : 0;
      return { algorithm, milliseconds: (records / MILLION) * unit * units[algorithm] + submitted };
    })
    .sort((a, b) => a.milliseconds - b.milliseconds);
}
