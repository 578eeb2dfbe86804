/**
 * Merges sorted runs of a buffer.
 */
import { runMerge } from '../engines/gpu/keys/merge-path/merge.js';
import { compile, type ResultArray } from './compiled.js';
import { checkCount, checkedMergeTuning, requestError, specOf } from './requests.js';
import type { MergeOptions, MergeRequest, Merger } from './types.js';

/** Green, McColl, Bader: GPU Merge Path, 2012: two runs, or any number pass by pass. */
export async function mergePath(device: GPUDevice, options: MergeOptions = {}): Promise<Merger> {
  const { load, merge } = runMerge(checkedMergeTuning(options.tuning));
  const { run, ...compiled } = await compile<MergeRequest>(device, specOf(options), {
    name: 'merger',
    load,
    // Without types a program may forget them.
    count: (_, { bounds = [] }) => bounds[bounds.length - 1] ?? 0,
    check: (_, { bounds = [] }) => {
      checkBounds(bounds);
      return [];
    },
    resultArray: resultArrayOf,
    sort: ({ scratch, spec, from, spare }, { bounds }) => merge(scratch, spec, from, spare, bounds),
  });
  return { ...compiled, merge: run };
}

function checkBounds(bounds: readonly number[]): void {
  for (const bound of bounds) checkCount(bound, 'a bound');
  if (bounds[0] !== 0 || bounds.some((bound, i) => i > 0 && bound < bounds[i - 1]))
    throw requestError('bounds do not ascend from 0');
}

/** Each pass merges pairs of runs, and writes the other array. */
function resultArrayOf({ bounds }: MergeRequest): ResultArray {
  const runs = new Set(bounds).size - 1;
  const passes = Math.ceil(Math.log2(Math.max(runs, 1)));
  return passes === 1 ? 'one-pass' : passes % 2 === 1 ? 'spare' : 'from';
}
