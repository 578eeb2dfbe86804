/** Long work in steps of a few milliseconds, so that a thread can do other work between them. */

/** Yields between steps; returns the result of the work. */
export type Resumable<T> = Generator<void, T, void>;

/** Does all steps without a pause. */
export function finish<T>(steps: Resumable<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** Does steps until they are done or `milliseconds` have passed; null: steps are left. */
export function advance<T>(steps: Resumable<T>, milliseconds: number): { readonly outcome: T } | null {
  const end = performance.now() + milliseconds;
  do {
    const { done, value } = steps.next();
    if (done) return { outcome: value };
  } while (performance.now() < end);
  return null;
}

/** Makes indivisible work a single step. */
export function inOneStep<Task, T>(perform: (task: Task) => T): (task: Task) => Resumable<T> {
  // biome-ignore lint/correctness/useYield: it has one step.
  return function* (task) {
    return perform(task);
  };
}
