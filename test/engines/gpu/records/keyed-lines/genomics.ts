/** Orders of genomics for tests of keys on the device. */
import type { FormatName, ToolName } from '../../../../../src/job/job.js';
import type { Ordering } from '../../../../../src/job/ordering.js';
import { partsOf } from '../../../../../src/keys/orders.js';
import { withContigs } from '../../../../../src/records/headers.js';
import { orderingOf } from './compared.js';

/** A list of contigs. */
export const listOf = (names: readonly string[]): Buffer =>
  Buffer.from(names.map((name) => `${name}\n`).join(''), 'latin1');

/** `listed`: where the order of contigs comes from. */
export function genomicOrdering(
  format: FormatName,
  by: string,
  as: ToolName | null,
  listed: 'list' | 'natural' | null,
  contigs: readonly string[],
): Ordering {
  const parts = partsOf({ format, by, as, guessed: false, program: null }, listed);
  return withContigs(orderingOf(parts, { lastResort: false }), () => listOf(contigs));
}
