/**
 * Constants and bindings of radix-refine's kernels.
 */
import type { Ordering } from '../../../../job/job.js';
import { type Bindings, bind } from '../../device/binding.js';
import type { KernelConstants } from '../../device/compose.js';
import type { FixedKeySpec, KeyArrays } from '../../keys/key-sort.js';
import { recordOverrides } from '../../records/records.js';

export const WORKGROUP = 256;
/** Packed keys with record numbers as values. */
export const PACKED: FixedKeySpec = { type: 'prefix', values: true };

/** Constants for kernels that read records, and for kernels that know only whether the order is reversed. */
export function constantsOf(ordering: Ordering): { records: KernelConstants; reverse: KernelConstants } {
  const overrides = recordOverrides(ordering);
  return { records: { overrides }, reverse: { overrides: { REVERSE: overrides.REVERSE } } };
}

/** `count` packed keys and their record numbers. */
export function packedBindings({ keys, values }: KeyArrays, count: number): Bindings {
  return { keys: bind(keys, count * 8), numbers: bind(values!, count * 4) };
}
