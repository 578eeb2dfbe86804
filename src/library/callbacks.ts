/**
 * Calls functions of the caller, and combines the signals that end a sort. A function fails if it throws, or if it
 * returns a promise that rejects. Either ends the sort. A sort does not end before all these promises are settled.
 */
import { onAbort } from '../system/promises.js';

/** An error of a function of the caller, on its way to the caller. */
export class CallerError extends Error {}

export class Callbacks {
  private readonly controller = new AbortController();
  private readonly pending = new Set<PromiseLike<unknown>>();
  /** Stops listening to the caller's signals. */
  readonly close: () => void;

  /** `given`: the caller's own signals. Until they are checked, they may be values of any type. */
  constructor(...given: readonly (AbortSignal | undefined)[]) {
    const signals = given.filter(
      (one) => typeof (one as Partial<AbortSignal> | undefined)?.addEventListener === 'function',
    );
    const forget = signals.map((signal) => onAbort(signal!, () => this.controller.abort(signal!.reason)));
    this.close = () => forget.forEach((one) => one());
  }

  /** Aborted with the reason of one of the caller's signals, or with a CallerError. */
  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Calls a function of the caller. Throws a CallerError if it throws. */
  call(work: () => unknown): void {
    let result: unknown;
    try {
      result = work();
    } catch (error) {
      throw callerError(error);
    }
    if (typeof (result as PromiseLike<unknown> | null | undefined)?.then !== 'function') return;
    const settled: PromiseLike<unknown> = (result as PromiseLike<unknown>).then(
      () => this.pending.delete(settled),
      (error: unknown) => {
        this.pending.delete(settled);
        this.controller.abort(callerError(error));
      },
    );
    this.pending.add(settled);
  }

  /** Resolves when all promises of functions are settled, or the signal is aborted. Throws if a function failed. */
  async settled(): Promise<void> {
    if (this.pending.size > 0 && !this.signal.aborted) await Promise.race([Promise.all(this.pending), this.aborted()]);
    if (this.signal.reason instanceof CallerError) throw this.signal.reason;
  }

  private aborted(): Promise<void> {
    return new Promise((resolve) => {
      this.signal.addEventListener('abort', () => resolve(), { once: true });
    });
  }
}

const callerError = (cause: unknown): CallerError => new CallerError('a callback failed', { cause });
