/**
 * Sorts records with equal packed symbols on the host (the third stage of Drozd and Matsuoka). The device finds the tie
 * groups and gathers their records, which are read back. Host threads sort each group by multikey quicksort. The device
 * puts the result into the groups' places. Records that are not tied stay where they are.
 */
import type { Ordering } from '../../../job.js';
import { bind } from '../../device/binding.js';
import type { Gpu } from '../../device/device.js';
import { dispatch, readBack, submitPass } from '../../device/dispatch.js';
import { bytesOf, readInto, sendFrom } from '../../device/host-copies.js';
import type { Scratch } from '../../device/pool.js';
import { gather, loadGather } from '../../records/gather.js';
import { buffersOf, recordBytes } from '../../records/records.js';
import type { Entries, KeyRule, SortKernels } from '../entries.js';
import { loadEntryTies, markAndPut, type Placement, selectUnresolved } from '../ties/entry-ties.js';
import { dropGroups, type TieContext } from '../ties/tie-groups.js';
import { type HostThreads, sortOnThreads, type TaskSizes } from './host-threads.js';

const NONE = {};
const WORKGROUP = 256;

/** Compiles what settleOnHost needs. */
export function loadHostRemainder(gpu: Gpu, ordering: Ordering, kernels: SortKernels): Promise<unknown> {
  return Promise.all([
    loadEntryTies(gpu, kernels),
    loadGather(gpu, ordering),
    gpu.pipelines.load('strings/msd-radix/members'),
  ]);
}

/**
 * Settles the tie groups of sorted `entries`, which share `depth` ordered bytes, and fills `placement`. Waits for the
 * device and for the threads. Returns the number of records in groups.
 */
export async function settleOnHost(
  gpu: Gpu,
  scratch: Scratch,
  threads: HostThreads,
  kernels: SortKernels,
  rule: KeyRule,
  ordering: Ordering,
  entries: Entries,
  placement: Placement,
  depth: number,
  sizes?: TaskSizes,
): Promise<number> {
  const { records } = rule;
  const { count } = records;
  const states = await scratch.take(count * 4, 'tie states');
  const counter = await scratch.take(16, 'tie count');
  const keep = placement.keep ?? (await scratch.take(16, 'no keep flags'));
  markAndPut(gpu, kernels, rule, entries, count, states, counter, null, placement, keep);
  const joined = new Uint32Array((await readBack(gpu, counter, 0, 4)).buffer)[0];
  if (joined === 0) return 0;
  const context: TieContext = { gpu, scratch, records, constants: kernels.records };
  const groups = await selectUnresolved(context, rule, entries, count, states, null, Math.min(count, 2 * joined));
  for (const buffer of [states, counter]) scratch.drop(buffer);
  if (groups === null) return 0;
  const { items, count: n } = groups;

  const numbers = await scratch.take(n * 4, 'tied records');
  const tied = await scratch.take(n * 4, 'tie states');
  submitPass(gpu, 'sort', 'tied records', (pass) => {
    dispatch(
      gpu,
      pass,
      'strings/msd-radix/members',
      NONE,
      { items: bind(items, n * 16), numbers: bind(numbers, n * 4), states: bind(tied, n * 4) },
      { n },
      Math.ceil(n / WORKGROUP),
    );
  });
  const held: SharedArrayBuffer[] = [];
  const words = (length: number): Uint32Array => {
    held.push(threads.memory.take(4 * length));
    return new Uint32Array(held[held.length - 1], 0, length);
  };
  const host = { numbers: words(n), states: words(n), starts: words(n + 1), order: words(n) };
  await readInto(gpu, numbers, 0, bytesOf(host.numbers));
  await readInto(gpu, tied, 0, bytesOf(host.states));
  // Overwrites `numbers` on the device.
  const gathered = await gather(gpu, scratch, records, numbers, n, null);
  if (gathered.starts === null) for (let i = 0; i <= n; i++) host.starts[i] = i * recordBytes(gathered);
  else await readInto(gpu, gathered.starts, 0, bytesOf(host.starts));
  held.push(threads.memory.take(gathered.textBytes));
  const text = new Uint8Array(held[held.length - 1], 0, gathered.textBytes);
  await readInto(gpu, gathered.text, 0, text);
  for (const buffer of buffersOf(gathered)) scratch.drop(buffer);

  for (let i = 0; i < n; i++) host.order[i] = i;
  await sortOnThreads(threads, { ordering, text, ...host }, depth, sizes);
  await sendFrom(gpu, numbers, bytesOf(host.order));
  if (placement.keep !== null) await sendFrom(gpu, tied, bytesOf(host.states));
  for (const buffer of held) threads.memory.give(buffer);
  submitPass(gpu, 'sort', 'put tied records', (pass) => {
    dispatch(
      gpu,
      pass,
      'strings/ties/put',
      NONE,
      {
        tags: bind(numbers, n * 4),
        states: bind(tied, n * 4),
        items: bind(items, n * 16),
        order: bind(placement.order, count * 4),
        keep: placement.keep === null ? keep : bind(keep, count * 4),
      },
      { n, by_items: 1, keep_heads: placement.keep === null ? 0 : 1 },
      Math.ceil(n / WORKGROUP),
    );
  });
  for (const buffer of [numbers, tied]) scratch.drop(buffer);
  dropGroups(scratch, groups);
  return n;
}
