/** One buffer with all that a sorter of gpusort/kernels reads and writes, and what it must hold afterwards. */
import { SORTERS, type SortRow } from '../../engines/gpu/keys/sorts.js';
import { type KeySpec, type Problem, type Solution, wordsOf } from '../../support/fixed-keys.js';

export type ArenaLayout = 'in place' | 'elsewhere';

/** Words from the beginning of a part to the next multiple of WebGPU's alignment. */
const STEP = 64;

export interface Arena {
  readonly words: Uint32Array;
  /** The request for a sorter, on the buffer with `words`. */
  readonly request: (buffer: GPUBuffer) => object;
  /** The words after the sort. */
  readonly expected: Uint32Array;
}

/** Lays out a problem: guard words, keys, values, their output and the segments, each at the next possible offset. */
export function arenaOf(row: SortRow, layout: ArenaLayout, { spec }: Problem, solution: Solution): Arena {
  const { input, bounds, sorted, order } = solution;
  const count = order.length;
  let end = STEP;
  const place = (words: number): number => {
    const at = end;
    end = Math.ceil((end + words) / STEP + 1) * STEP;
    return at;
  };
  const flags = new Uint32Array(Math.ceil(count / 32));
  for (const bound of bounds.slice(1, -1)) flags[bound >> 5] |= 1 << (bound & 31);
  const begins = Uint32Array.from(bounds.slice(0, -1));
  const segments = row.segmentsAs === 'flags' ? flags : row.segmentsAs === 'begins' ? begins : new Uint32Array(0);
  const at = {
    keys: place(input.length),
    values: place(count),
    outputKeys: place(input.length),
    outputValues: place(count),
    segments: place(segments.length),
  };
  const words = new Uint32Array(end).fill(0xa5a5a5a5);
  words.set(input, at.keys);
  if (spec.values) words.set(order.slice().sort(), at.values);
  words.set(segments, at.segments);
  const expected = words.slice();
  expected.set(sorted, layout === 'in place' ? at.keys : at.outputKeys);
  if (spec.values) expected.set(order, layout === 'in place' ? at.values : at.outputValues);
  const request = (buffer: GPUBuffer): object => {
    const part = (offset: number, length: number) => ({ buffer, offset: 4 * offset, size: 4 * length });
    const arrays = (keys: number, values: number) => ({
      keys: part(keys, count * wordsOf(spec)),
      ...(spec.values && { values: part(values, count) }),
    });
    return {
      ...arrays(at.keys, at.values),
      ...(layout === 'elsewhere' && { output: arrays(at.outputKeys, at.outputValues) }),
      ...(row.parts === 'merged' && { bounds }),
      ...(row.segmentsAs && { [row.segmentsAs]: part(at.segments, segments.length) }),
    };
  };
  return { words, request, expected };
}

interface AnySorter {
  readonly run: (request: object) => Promise<void>;
  readonly destroy: () => void;
}

/** The sorter of a row, for any requests. */
export async function makeSorter(device: GPUDevice, { sorter }: SortRow, spec: KeySpec): Promise<AnySorter> {
  const { type, ...options } = spec;
  const make = SORTERS[sorter.name] as (device: GPUDevice, options: object) => Promise<object>;
  const made = (await make(device, { key: type, ...options, ...(sorter.tuning && { tuning: sorter.tuning }) })) as {
    readonly sort?: AnySorter['run'];
    readonly merge?: AnySorter['run'];
    readonly destroy: () => void;
  };
  return { run: (made.sort ?? made.merge)!, destroy: made.destroy };
}
