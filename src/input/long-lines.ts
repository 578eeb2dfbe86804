/** Keys of long lines, which take seconds: made in a thread of their own, so that the main one stays free. */
import type { Ordering } from '../job.js';
import { compileKeyKernels } from '../keys/key-maker.js';
import { openLongKeyWorker, type LongKeyTask } from '../keys/long-key.js';
import { GpusortError } from '../report/errors.js';
import { KeyReader, type WriteKey } from '../runs/keyed-large.js';
import { inOneStep } from '../steps.js';
import { createCrew } from '../threads/crew.js';

/** Lines from this length on are worth a thread, which takes 20 ms to start. */
const LONG_BYTES = 4 << 20;

/** Whether lines of so many bytes are to be keyed by longLineKeys. */
export const isLong = (bytes: number): boolean => bytes >= LONG_BYTES;

/** Makes keys of one line after another. The thread of a long line ends with it, so that its memory is given back. */
export function longLineKeys(ordering: Ordering): WriteKey {
  const data = { ordering, module: compileKeyKernels() };
  /** For lines that are worth no thread. */
  let own: KeyReader | undefined;
  return async (record, write) => {
    if (!isLong(record.bytes)) return (own ??= new KeyReader(openLongKeyWorker(data))).write(record, write);
    let perform: ((task: LongKeyTask) => number) | undefined;
    const crew = createCrew({
      workers: 1, role: { name: 'long-key', data }, helps: false, explain: explained,
      perform: inOneStep((task: LongKeyTask) => (perform ??= openLongKeyWorker(data))(task)),
    });
    try {
      await new KeyReader((task) => crew.perform(task)).write(record, write);
    } finally {
      await crew.close();
    }
  };
}

/** A thread's errors come as messages, without their class. */
function explained(error: unknown): unknown {
  if (error instanceof GpusortError) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  if (code !== 'ERR_WORKER_OUT_OF_MEMORY' && !/memory/.test(message)) return error;
  const text = message.startsWith('memory exhausted') ? message : 'memory exhausted while making keys';
  return new GpusortError('out-of-memory', text,
    { cause: error, hint: 'Shorten the longest lines: keys are limited to lines of some hundred megabytes.' });
}
