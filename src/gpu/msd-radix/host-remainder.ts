/**
 * What is equal in its packed symbols, sorted on the host: groups of records are found on the device, their texts are read back and each
 * group is sorted by multikey quicksort (the third stage of Drozd and Matsuoka).
 */
import type { Ordering } from '../../job.js';
import type { Gpu } from '../device.js';
import { dispatch, readBack, submitPass } from '../dispatch.js';
import { entryBindings, ruleBindings, ruleWords, type Entries, type KeyRule, type SortKernels } from '../merge-path.js';
import { part } from '../part.js';
import type { Scratch } from '../pool.js';
import type { Placement } from '../refine.js';
import { compareFrom, hostRecords, multikeyQuicksort, type HostRecords } from './multikey-quicksort.js';

/** States of kernels/tie-mark.wgsl. */
const SAME = 1;
const JOINED = 2;

/**
 * Sorts each group of `states` (JOINED: equal in the first `depth` ordered bytes to the one before it, and both go on) in `order`, and in
 * `states` leaves SAME where a record is equal to the one before it. Returns how many records were in groups.
 */
export function sortGroups(records: HostRecords, order: Uint32Array, states: Uint32Array, depth: number): number {
  let members = 0;
  for (let i = 1; i < order.length; i++) {
    if (states[i] !== JOINED) continue;
    const begin = i - 1;
    while (i < order.length && states[i] === JOINED) i++;
    multikeyQuicksort(records, order, begin, i, depth);
    for (let j = begin + 1; j < i; j++) states[j] = compareFrom(records, order[j - 1]!, order[j]!, depth) === 0 ? SAME : 0;
    members += i - begin;
  }
  return members;
}

/** Settles the remainder of sorted `entries` and fills `placement`; waits for the device, and blocks while the host sorts. */
export async function settleOnHost(gpu: Gpu, scratch: Scratch, kernels: SortKernels, rule: KeyRule, ordering: Ordering, entries: Entries,
  placement: Placement, depth: number): Promise<void> {
  const { records } = rule;
  const { count } = records;
  const states = await scratch.take(count * 4, 'tie states');
  const counter = await scratch.take(16, 'tie count');
  submitPass(gpu, 'sort', 'tie mark', (pass) => {
    dispatch(gpu, pass, 'tie-mark', kernels.records, [...ruleBindings(rule), ...entryBindings(entries, count), part(states, count * 4), part(counter, 4)],
      [...ruleWords(rule), count], Math.ceil(count / 256));
  }, (encoder) => { encoder.clearBuffer(counter, 0, 4); });
  const words = async (buffer: GPUBuffer, n: number): Promise<Uint32Array<ArrayBuffer>> => new Uint32Array((await readBack(gpu, buffer, 0, n * 4)).buffer as ArrayBuffer);
  const [order, state, starts] = [await words(placement.order, count), await words(states, count), await words(records.starts, count + 1)];
  const text = await readBack(gpu, records.text, 0, records.textBytes);
  sortGroups(hostRecords(text, starts, ordering), order, state, depth);
  gpu.device.queue.writeBuffer(placement.order, 0, order);
  if (placement.keep !== null) gpu.device.queue.writeBuffer(placement.keep, 0, state.map((s) => (s === SAME ? 0 : 1)));
  scratch.drop(states);
  scratch.drop(counter);
}
