/**
 * Starts the whole job once more if it needs settings that count only at the start of Node. In a limited address space
 * (ulimit -v), V8 cannot reserve the 10 GiB that it wants for each WebAssembly memory, unless it has an option (Node 20
 * to 26). Where new memory is slow, larger pages save most of that time (huge-pages.ts).
 */
import { formatBytes } from '../../report/units.js';
import type { AtOnce } from '../../run/at-once.js';
import { GpusortError, internalError, systemText } from '../../system/errors.js';
import { lacksAddresses, limits, TRAP_OPTION as OPTION } from '../../system/limits.js';
import type { JobRequest, TaskRequest } from '../request.js';
import { priceOfPages, wasStartedForPages, withHugePages } from './huge-pages.js';

/** Variables that save address space in the new process: each arena of malloc reserves 64 MiB. */
const FRUGAL = { MALLOC_ARENA_MAX: '2', UV_THREADPOOL_SIZE: '4' };

/**
 * Runs the whole job in a new process if that is necessary or saves time. Resolves to its exit status; null: this
 * process has to do the job.
 */
export async function restartIfNeeded(
  request: JobRequest | TaskRequest,
  { piped }: Exclude<AtOnce, { kind: 'done' }>,
): Promise<number | null> {
  if (lacksAddresses()) return runWithin();
  if (wasStartedForPages() || request.action !== 'sort') return null;
  // What was read from a pipe would be lost.
  const price = piped.length === 0 ? await priceOfPages(request.job) : null;
  return price === null ? null : runWithPages(price);
}

/** Runs the job within the limited address space. */
async function runWithin(): Promise<number> {
  if (!process.allowedNodeEnvironmentFlags.has(OPTION)) {
    throw new GpusortError(
      'out-of-memory',
      `memory exhausted: Node ${process.versions.node} cannot sort in a limited address space`,
      { hint: 'Raise the limit (ulimit -v), or install Node 20.15, 22.2 or later.' },
    );
  }
  const { standIn } = await import('./stand-in.js');
  const ended = await standIn([OPTION], FRUGAL);
  switch (ended.kind) {
    case 'exited':
      return ended.status;
    // V8 could not allocate its own memory.
    case 'crashed':
      throw new GpusortError(
        'out-of-memory',
        `memory exhausted: an address space of ${formatBytes(limits().addresses)} is too small`,
        { hint: 'Raise the limit (ulimit -v), or use a smaller -S.' },
      );
    case 'not started':
      throw new GpusortError('out-of-memory', `cannot restart in a limited address space: ${systemText(ended.error)}`, {
        cause: ended.error,
      });
  }
}

/** Runs the job with huge pages, at this price of a page; null: a new process cannot be started. */
async function runWithPages(price: number): Promise<number | null> {
  const { standIn } = await import('./stand-in.js');
  const ended = await standIn([], withHugePages(price));
  switch (ended.kind) {
    case 'exited':
      return ended.status;
    case 'crashed':
      throw internalError(`the process that sorts ended by ${ended.signal}`);
    case 'not started':
      return null;
  }
}
