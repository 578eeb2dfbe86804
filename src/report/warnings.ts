/**
 * Warnings of a run whose output is still correct, for example a temporary file that cannot be removed. Lower layers
 * call `warn`; the program sets the destination once.
 */

let show: (sentence: string) => void = () => {};
const shown = new Set<string>();

/** Sets the destination of warnings; before the first call they are dropped. */
export function showWarnings(to: (sentence: string) => void): void {
  show = to;
  shown.clear();
}

/**
 * Reports `sentence` at once, because the process may end next. Of several with the same `topic`,
 * only the first is shown.
 */
export function warn(sentence: string, topic: string = sentence): void {
  if (shown.has(topic)) return;
  shown.add(topic);
  show(sentence);
}
