/**
 * Warnings of a run whose output is still correct, for example a temporary file that cannot be removed. Lower layers
 * call `warn`. The program sets one destination; in the library each run has its own.
 */

/** The destination of warnings. */
export class Warnings {
  private readonly show: (sentence: string) => void;
  private readonly shown = new Set<string>();

  constructor(show: (sentence: string) => void) {
    this.show = show;
  }

  add(sentence: string, topic: string): void {
    if (this.shown.has(topic)) return;
    this.shown.add(topic);
    this.show(sentence);
  }
}

let current: () => Warnings | undefined = () => undefined;

/**
 * Sets the function that returns the destination of warnings. Warnings are dropped before the first call, and if the
 * function returns none.
 */
export function findWarnings(by: () => Warnings | undefined): void {
  current = by;
}

/** Sets the only destination of warnings. */
export function showWarnings(to: (sentence: string) => void): void {
  const warnings = new Warnings(to);
  findWarnings(() => warnings);
}

/**
 * Reports `sentence` at once, because the process may end next. Only the first warning of each `topic` is shown.
 */
export function warn(sentence: string, topic: string = sentence): void {
  current()?.add(sentence, topic);
}
