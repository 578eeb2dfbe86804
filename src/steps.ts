/** Long work in steps of some milliseconds: a thread that has more to do than this lets other work through between them. */

/** Yields between its steps; returns what comes of the work. */
export type Steps<T> = Generator<void, T, void>;

/** Does all steps at once. */
export function finish<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** Does steps until they are over or `milliseconds` have passed; null: there are more. */
export function advance<T>(steps: Steps<T>, milliseconds: number): { readonly outcome: T } | null {
  const end = performance.now() + milliseconds;
  do {
    const { done, value } = steps.next();
    if (done) return { outcome: value };
  } while (performance.now() < end);
  return null;
}

/** Work that cannot be parted, as steps. */
export function inOneStep<Task, T>(perform: (task: Task) => T): (task: Task) => Steps<T> {
  return function* (task) { return perform(task); };
}
