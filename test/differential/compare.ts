/** Compares two outcomes of a case. */
import type { Outcome } from './programs.js';

/** The first difference. Shrinking keeps it the same. */
export type Difference = 'exit status' | 'output' | 'messages';

/**
 * null: gpusort did the same as GNU sort. Its messages must start with GNU's, which include GNU's hints ("Try ...
 * --help"). It may add hints of its own, if GNU sort prints a message at all.
 */
export function difference(gnu: Outcome, ours: Outcome): Difference | null {
  if (gnu.status !== ours.status) return 'exit status';
  if (!gnu.output.equals(ours.output)) return 'output';
  const same = gnu.messages === '' ? ours.messages === '' : ours.messages.startsWith(gnu.messages);
  return same ? null : 'messages';
}

/** The two outcomes as text. */
export function explained(gnu: Outcome, ours: Outcome): string {
  const line = ({ status, output, messages }: Outcome): string =>
    `${status} ${JSON.stringify(output.toString('latin1'))} ${JSON.stringify(messages)}`;
  return `  GNU sort  ${line(gnu)}\n  gpusort   ${line(ours)}`;
}
