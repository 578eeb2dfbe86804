/**
 * Warnings of a run whose output is right all the same, for example a temporary file that cannot be removed. The layers below warn by a
 * call; the program says once where the sentences go.
 */

let show: (sentence: string) => void = () => {};
const shown = new Set<string>();

/** Says where warnings go from now on; before, nowhere. */
export function showWarnings(to: (sentence: string) => void): void {
  show = to;
  shown.clear();
}

/** Reports `sentence` at once, since it may be the last thing the process does; of those with one `topic` only the first. */
export function warn(sentence: string, topic: string = sentence): void {
  if (shown.has(topic)) return;
  shown.add(topic);
  show(sentence);
}
