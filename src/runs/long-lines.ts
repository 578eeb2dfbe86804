/**
 * Lines that are too long for a merge. Shares of a cluster, runs of collated lines and inputs of -m can hold them. The
 * engine never gets such lines: they are written directly from their run.
 */
import { decorated } from '../contract/decorated.js';
import type { Engine, KeptRun, RecordForm, Run, Slice, Sorted } from '../contract/engine.js';
import type { Ordering } from '../job/ordering.js';
import { compareRecords } from '../keys/compare.js';
import { isKeyed, KEY_HEADER_BYTES, keyLength } from '../keys/keyed.js';
import type { RandomAccess } from '../system/byte-source.js';
import { internalError } from '../system/errors.js';
import { areSorted } from './buckets.js';
import { emitLine } from './large.js';

/** `engine`, which then need not merge lines that are longer than its mergeBytes. */
export function withLongLines(engine: Engine, ordering: Ordering): Engine {
  const isLong = ({ from, to }: Slice<KeptRun>): boolean => to.byte - from.byte > engine.mergeBytes;
  return decorated(engine, {
    merge: async (slices, commonPrefix, form = 'plain', overlap = 'possible') =>
      slices.some(isLong) && areSorted(slices) && (await areOneLine(slices, ordering))
        ? [await longLine(slices[0]!, ordering, form)]
        : engine.merge(slices, commonPrefix, form, overlap),
  });
}

/**
 * Whether a merge of the slices is one line: there is no other, or each is a line and all have one key under `unique`.
 */
async function areOneLine(slices: readonly Slice[], ordering: Ordering): Promise<boolean> {
  if (slices.length > 1 && !ordering.unique) return false;
  for (const slice of slices) if (!(await isOneRecord(slice))) return false;
  if (slices.length === 1) return true;
  const [first, ...others] = await Promise.all(slices.map(({ run, from }) => run.record(from)));
  return others.every((record) => compareRecords(ordering, first!, record) === 0);
}

async function isOneRecord({ run, from, to }: Slice): Promise<boolean> {
  const [sample] = await run.sample(from, to, 1);
  return sample?.at.byte === from.byte;
}

/** A line, written directly from its run, which the host can read. It cannot be kept again. */
export async function longLine({ run, from, to }: Slice, ordering: Ordering, form: RecordForm): Promise<Sorted> {
  const text = run as Run & RandomAccess;
  let begin = from.byte;
  if (form !== 'run' && isKeyed(ordering)) {
    const header = new Uint8Array(KEY_HEADER_BYTES);
    await text.readAt(begin, header);
    begin += KEY_HEADER_BYTES + keyLength(ordering, header);
    // Not >=: a header that is not a number gives NaN, which must not pass.
    if (!(begin < to.byte))
      throw internalError(
        `a keyed line of ${to.byte - from.byte} bytes has a key that ends at byte ${begin - from.byte}`,
      );
  }
  return {
    bytes: to.byte - begin,
    borrowed: true,
    emit: (write) => emitLine(text, { from: begin, to: to.byte - 1 }, ordering, form, write),
    keep: () => Promise.resolve(null),
    release: () => {},
  };
}
