/** A line of a stored run that is too long for any merge. It is copied. */
import type { KeptRun, RecordForm, Slice, Sorted, StoredText } from '../engines/contract.js';
import type { Ordering } from '../job/job.js';
import { HEADER_BYTES, isKeyed, keyLength } from '../keys/keyed.js';
import { internalError } from '../system/errors.js';
import { emitStored } from './emit-stored.js';

/** Whether the slice is one line too long for a merge. Only stored runs hold such lines. */
export function isLongLine({ from, to }: Slice<KeptRun>, mergeBytes: number): boolean {
  return to.byte - from.byte > mergeBytes;
}

/** Such a line, written straight from its run, as output has it or as the run holds it. It cannot be kept again. */
export async function longLine(
  { run, from, to }: Slice<KeptRun>,
  ordering: Ordering,
  form: RecordForm = 'output',
): Promise<Sorted> {
  const stored = run as KeptRun & StoredText;
  const { outputDelimiter } = ordering;
  const endsAnew = form === 'output' && outputDelimiter !== undefined;
  let begin = from.byte;
  if (form === 'output' && isKeyed(ordering)) {
    const header = new Uint8Array(HEADER_BYTES);
    await stored.readAt(begin, header);
    begin += HEADER_BYTES + keyLength(ordering, header);
    // Not >=: a header that is not a number gives NaN, which must not pass.
    if (!(begin < to.byte))
      throw internalError(
        `a keyed line of ${to.byte - from.byte} bytes has a key that ends at byte ${begin - from.byte}`,
      );
  }
  return {
    bytes: to.byte - begin,
    records: 1,
    borrowed: true,
    emit: async (write) => {
      await emitStored(stored, begin, to.byte - Number(endsAnew), write);
      if (endsAnew) await write(Uint8Array.of(outputDelimiter));
    },
    keep: () => Promise.resolve(null),
    release: () => {},
  };
}
