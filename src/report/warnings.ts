/**
 * Warnings of a run whose output is right all the same, for example a temporary file that cannot be removed. The layers below warn by a
 * call; the program says once where the sentences go.
 */

let show: (sentence: string) => void = () => {};

/** Says where warnings go from now on; before, nowhere. */
export function showWarnings(to: (sentence: string) => void): void { show = to; }

/** Reports `sentence`, as in `gpusort: warning: <sentence>`, at once: it may be the last thing the process does. */
export function warn(sentence: string): void { show(sentence); }
