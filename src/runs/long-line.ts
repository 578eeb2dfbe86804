/** A line in a stored run for which no merge has room: it is passed through. */
import type { Slice, Sorted, StoredRun } from '../engine.js';
import type { Ordering } from '../job.js';
import { HEADER_BYTES, isKeyed, keyLength } from '../keys/keyed.js';
import { internalError } from '../report/errors.js';
import { emitStored } from './emit-stored.js';

/** Whether a slice of sorted runs to be written without keys is one line for which no merge has room; such are in stored runs only. */
export function isLongLine({ from, to }: Slice, mergeBytes: number): boolean {
  return to.byte - from.byte > mergeBytes;
}

/** Such a line, without its key or as the run has it, written from where it lies. It cannot be kept once more. */
export async function longLine({ run, from, to }: Slice, ordering: Ordering, form: 'output' | 'run' = 'output'): Promise<Sorted> {
  const stored = run as StoredRun;
  let begin = from.byte;
  if (form === 'output' && isKeyed(ordering)) {
    const header = new Uint8Array(HEADER_BYTES);
    await stored.readAt(begin, header);
    begin += HEADER_BYTES + keyLength(ordering, header);
    // Not >=: a header that is no number must not pass.
    if (!(begin < to.byte)) throw internalError(`a keyed line of ${to.byte - from.byte} bytes has a key that ends at byte ${begin - from.byte}`);
  }
  return {
    bytes: to.byte - begin,
    records: 1,
    borrowed: true,
    emit: (write) => emitStored(stored, begin, to.byte, write),
    keep: () => Promise.resolve(null),
    release: () => {},
  };
}
