/**
 * The refinement loop of all string sorts: until no ties are left, each group finds what its members share (in parallel
 * over bytes), takes the bytes after that as keys, is sorted by them and put back into its places. A group always
 * splits or ends. Knows no form of key and no sort. Deshpande and Narayanan: Can GPUs Sort Strings Efficiently?, 2013.
 */

import type { KernelConstants } from '../../device/compose.js';
import type { Gpu } from '../../device/device.js';
import { bind, Kernel, submitPass } from '../../device/dispatch.js';
import { vectorBindings } from '../../records/records.js';
import { dropGroups, loadTieGroups, type Tagging, type TieContext, type TieGroups } from './tie-groups.js';

const WORKGROUP = 256;
/** Enough workgroups to keep a large GPU busy; each takes batches of 256 units in turn. */
const MOST_WORKGROUPS = 2048;

/** One round for given groups, in the form of keys of one sort. */
interface RefiningRound {
  /** Encodes the creation of the items' keys, from the bytes after those that their groups share. */
  encodeKeys(pass: GPUComputePassEncoder): void;
  /** Sorts the items in their groups, puts them into their places and lists those still tied; null: none. */
  sortAndSelect(): Promise<TieGroups | null>;
}

const prefix = (gpu: Gpu, constants: KernelConstants): Kernel => new Kernel(gpu, 'strings/ties/prefix', constants);

/** Compiles what `selectTied` and `refineTies` need. */
export function loadRefineTies(gpu: Gpu, constants: KernelConstants, items: Tagging): Promise<unknown> {
  return Promise.all([loadTieGroups(gpu, constants, items), prefix(gpu, constants).load()]);
}

/** Settles all ties; returns the number of rounds. `startRound` gets the groups, and the round's number from 1 on. */
export async function refineTies(
  context: TieContext,
  first: TieGroups | null,
  startRound: (groups: TieGroups, number: number) => RefiningRound,
): Promise<number> {
  let rounds = 0;
  for (let groups = first; groups !== null; ) {
    const current = groups;
    const round = startRound(current, ++rounds);
    submitPass(context.gpu, 'sort', 'tie keys', (pass) => {
      comparePairs(context, pass, current);
      round.encodeKeys(pass);
    });
    groups = await round.sortAndSelect();
    dropGroups(context.scratch, current);
  }
  return rounds;
}

/** Encodes the comparison of all neighbors in groups, which gives the depth of each group. */
function comparePairs(
  { gpu, records, constants }: TieContext,
  pass: GPUComputePassEncoder,
  { items, count, units, unitCount, depths }: TieGroups,
): void {
  const workgroups = Math.min(MOST_WORKGROUPS, Math.ceil(unitCount / WORKGROUP));
  prefix(gpu, constants).dispatch(
    pass,
    {
      ...vectorBindings(records),
      items: bind(items, count * 16),
      units: bind(units, (count + 1) * 4),
      depths: bind(depths, count * 4),
    },
    { n: count, workgroups },
    workgroups,
  );
}
