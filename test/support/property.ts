/**
 * Properties, which hold for all inputs that fast-check draws. The draws follow from a seed, so they are the same on
 * every machine. A failure is shrunk, and says how to repeat it.
 */
import { setImmediate } from 'node:timers/promises';
import { type Arbitrary, asyncProperty, check, type RunDetails } from 'fast-check';
import { it } from 'vitest';
import { tier } from './tier.js';

/** `SEED` or `SEED:PATH`, as a failure prints it: draws these cases in every property that runs. */
const REPEAT = process.env.GPUSORT_TEST_REPEAT;
const SEED = 1;
/** `npm run test:mutation` wants to know only that a property fails. */
const SHRINKS = process.env.GPUSORT_TEST_SHRINK !== '0';
/** Milliseconds for shrinking, well within the limit of a test. The smallest case found by then is reported. */
const SHRINK_MS = 20_000;
/** After so many cases, Node frees what it frees only between events: the handles of zlib, for example. */
const CASES_PER_STEP = 500;
/** How many times the runs of `npm run test:all` a tier makes. */
const SHARE = { quick: 1 / 8, all: 1, nightly: 20 };

export interface Runs {
  /** Cases in `npm run test:all`. The quick tier makes an eighth, the nightly one twenty times as many. */
  readonly runs: number;
  /** The seed of this property: each property draws other cases. */
  readonly seed?: number;
  /** Milliseconds for all runs. */
  readonly timeoutMs?: number;
}

/**
 * Registers a test: `holds` must return for each drawn case, without throwing.
 * @param name the property as a sentence, for example "gives the order of Array.sort"
 * @param draws an arbitrary for each argument
 */
export function property<T extends [unknown, ...unknown[]]>(
  name: string,
  draws: { readonly [K in keyof T]: Arbitrary<T[K]> },
  holds: (...drawn: T) => void | Promise<void>,
  { runs, seed = SEED, timeoutMs }: Runs,
): void {
  it(
    name,
    async () => {
      const numRuns = Math.max(1, Math.round(runs * SHARE[tier()]));
      await holdsForAll(draws, holds, { numRuns, seed });
    },
    timeoutMs,
  );
}

/** The same within a test. Throws an error that shows the smallest case found, and how to repeat it. */
export async function holdsForAll<T extends [unknown, ...unknown[]]>(
  draws: { readonly [K in keyof T]: Arbitrary<T[K]> },
  holds: (...drawn: T) => void | Promise<void>,
  { numRuns, seed = SEED }: { readonly numRuns: number; readonly seed?: number },
): Promise<void> {
  let failedAt = Number.POSITIVE_INFINITY;
  let cases = 0;
  const tested = asyncProperty(...(draws as unknown as [Arbitrary<T[0]>]), async (...drawn) => {
    if (++cases % CASES_PER_STEP === 0) await setImmediate();
    if (performance.now() - failedAt > SHRINK_MS) return;
    try {
      await holds(...(drawn as unknown as T));
    } catch (error) {
      failedAt = Math.min(failedAt, performance.now());
      throw error;
    }
  });
  const details = await check(tested, { numRuns, seed, endOnFailure: !SHRINKS, ...repeated() });
  if (details.failed) throw failureOf(details as RunDetails<unknown>);
}

/** Seed and path of the cases to repeat. */
function repeated(): { seed?: number; path?: string; endOnFailure?: boolean } {
  if (REPEAT === undefined) return {};
  const [seed, ...path] = REPEAT.split(':');
  return { seed: Number(seed), ...(path.length > 0 && { path: path.join(':'), endOnFailure: true }) };
}

function failureOf({
  counterexample,
  seed,
  counterexamplePath,
  numShrinks,
  errorInstance,
}: RunDetails<unknown>): Error {
  const cause = errorInstance instanceof Error ? errorInstance : new Error(String(errorInstance));
  const repeat = `GPUSORT_TEST_REPEAT=${seed}:${counterexamplePath}`;
  const drawn = (counterexample as unknown[]).map(shown).join(', ');
  const error = new Error(`fails for ${drawn} (shrunk ${numShrinks} times)\n${repeat} repeats it\n${cause.message}`);
  error.stack = `${error.message}\n${cause.stack?.split('\n').slice(1).join('\n') ?? ''}`;
  return error;
}

/** A drawn value, at most a few lines of it. */
function shown(value: unknown): string {
  const text =
    value instanceof Uint8Array
      ? `bytes ${JSON.stringify(Buffer.from(value).toString('latin1'))}`
      : JSON.stringify(value, (_, inner) => (typeof inner === 'bigint' ? `${inner}n` : inner));
  return text.length > 2000 ? `${text.slice(0, 2000)}... (${text.length} characters)` : text;
}
