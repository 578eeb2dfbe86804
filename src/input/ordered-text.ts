/** Inputs of -m as text that is read sequentially, into the caller's memory. */
import type { RecordFormat } from '../job/ordering.js';
import { recordFinder } from '../records/record-finder.js';
import type { OrderedText } from '../runs/front.js';
import { systemError } from '../system/errors.js';
import { readFilling } from '../system/transfer.js';
import { warnIfCompressed } from './decompress.js';
import { closeInput, endsInside, type FileExtent, type InputFile, openInput } from './files.js';
import type { InputWatch } from './keyed-bytes.js';
import type { LabeledSource } from './record-cursor.js';

/** The text of a regular file, from the start of `extent` to the end of file at that time, or to the end of a part. */
export async function fileText(
  input: InputFile,
  { begin, end }: FileExtent,
  format: RecordFormat,
  watch?: InputWatch,
): Promise<OrderedText> {
  const fd = await openInput(input);
  let position = begin;
  const isPart = endsInside(input);
  const read = async (target: Uint8Array): Promise<number> => {
    const wanted = isPart ? target.subarray(0, end - position) : target;
    const count = await readFilling(fd, wanted, position).catch((error: unknown) => {
      throw systemError('read-failed', 'read failed', input.label, error);
    });
    if (position === begin) warnIfCompressed(input, target.subarray(0, count));
    position += count;
    watch?.add(target.subarray(0, count));
    if (count < target.length) watch?.end();
    return count;
  };
  return wholeRecords(read, () => closeInput(input, fd), input.label, format);
}

/** The text of a source. */
export function sourceText(source: LabeledSource, format: RecordFormat): OrderedText {
  let rest: Uint8Array | null = new Uint8Array(0);
  const read = async (target: Uint8Array): Promise<number> => {
    let done = 0;
    while (done < target.length) {
      if (rest?.length === 0) rest = await source.read();
      if (rest === null) break;
      const part = rest.subarray(0, target.length - done);
      target.set(part, done);
      rest = rest.subarray(part.length);
      done += part.length;
    }
    return done;
  };
  return wholeRecords(read, () => source.close(), source.label, format);
}

/** The text that `read` returns, with a delimiter added to a last record that lacks one. */
function wholeRecords(
  read: (target: Uint8Array) => Promise<number>,
  close: () => void,
  label: string,
  format: RecordFormat,
): OrderedText {
  const finder = recordFinder(format);
  let total = 0;
  let last: number | null = null;
  let ended = false;
  let closed = false;
  return {
    close() {
      if (!closed) close();
      closed = true;
    },
    async read(target) {
      if (ended || target.length === 0) return 0;
      const count = await read(target);
      total += count;
      if (count > 0) last = target[count - 1];
      // A full target may be the end of the text; the next read will show it.
      if (count === target.length) return count;
      ended = true;
      finder.checkWhole(label, total);
      if (total === 0 || finder.delimiter === null || last === finder.delimiter) return count;
      target[count] = finder.delimiter;
      return count + 1;
    },
  };
}
