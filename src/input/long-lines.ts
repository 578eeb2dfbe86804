/** Keyed lines of long lines, which take seconds: made in a thread of their own, so that the main one stays free. */
import type { Ordering } from '../job.js';
import { compileKeyKernels } from '../keys/key-maker.js';
import { openKeyWorker, type KeyTask } from '../keys/key-tasks.js';
import { GpusortError } from '../report/errors.js';
import { inOneStep } from '../steps.js';
import { createCrew } from '../threads/crew.js';

/** Lines from this length on are worth a thread, which takes 20 ms to start. */
const LONG_BYTES = 4 << 20;

/** Whether lines of so many bytes are to be made by keyLines. */
export const isLong = (bytes: number): boolean => bytes >= LONG_BYTES;

/** The keyed lines of `text`, whole lines. The thread ends with them, so that its memory is given back. */
export async function keyLines(ordering: Ordering, text: SharedArrayBuffer): Promise<SharedArrayBuffer[]> {
  const data = { ordering, module: compileKeyKernels() };
  const perform = inOneStep((task: KeyTask) => openKeyWorker(data)(task));
  const crew = createCrew({ workers: isLong(text.byteLength) ? 1 : 0, role: { name: 'keys', data }, helps: false, perform, explain: explained });
  try {
    return await crew.perform({ text, from: 0, to: text.byteLength, most: Infinity });
  } finally {
    await crew.close();
  }
}

/** A thread's errors come as messages, without their class. */
function explained(error: unknown): unknown {
  if (error instanceof GpusortError) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  if (code !== 'ERR_WORKER_OUT_OF_MEMORY' && !/memory/.test(message)) return error;
  return new GpusortError('out-of-memory', message.startsWith('memory exhausted') ? message : 'memory exhausted while keys were made',
    { cause: error, hint: 'Keys are made of lines of up to some hundred megabytes.' });
}
