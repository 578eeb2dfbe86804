/** Keys of long lines take seconds. A separate thread makes them, so that the main thread stays responsive. */
import type { Ordering } from '../job/job.js';
import { compileKeyKernels } from '../keys/key-maker.js';
import { type LongKeyTask, openLongKeyWorker } from '../keys/long-key.js';
import { KeyReader, type WriteKey } from '../runs/keyed-large.js';
import { GpusortError } from '../system/errors.js';
import { inOneStep } from '../system/steps.js';
import { createCrew } from '../system/threads/crew.js';

/** Minimum length of a line that is worth a thread, which takes 20 ms to start. */
const LONG_BYTES = 4 << 20;

/** Whether longLineKeys should make the key of a line of so many bytes. */
export const isLong = (bytes: number): boolean => bytes >= LONG_BYTES;

/** Makes the keys of one line after another. The thread of a long line ends with it, which frees its memory. */
export function longLineKeys(ordering: Ordering): WriteKey {
  const data = { ordering, module: compileKeyKernels() };
  /** For lines not worth a thread. */
  let own: KeyReader | undefined;
  return async (record, write) => {
    if (!isLong(record.bytes)) return (own ??= new KeyReader(openLongKeyWorker(data))).write(record, write);
    let perform: ((task: LongKeyTask) => number) | undefined;
    const crew = createCrew({
      workers: 1,
      role: { name: 'long-key', data },
      helps: false,
      explain: explained,
      perform: inOneStep((task: LongKeyTask) => (perform ??= openLongKeyWorker(data))(task)),
    });
    try {
      await new KeyReader((task) => crew.perform(task)).write(record, write);
    } finally {
      await crew.close();
    }
  };
}

/** Errors of a thread arrive as messages, without their class. */
function explained(error: unknown): unknown {
  if (error instanceof GpusortError) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  if (code !== 'ERR_WORKER_OUT_OF_MEMORY' && !/memory/.test(message)) return error;
  const text = message.startsWith('memory exhausted') ? message : 'memory exhausted while making keys';
  return new GpusortError('out-of-memory', text, {
    cause: error,
    hint: 'Shorten the longest lines: keys are limited to lines of some hundred megabytes.',
  });
}
