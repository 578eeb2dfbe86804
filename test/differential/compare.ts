/** Whether two outcomes of a case are the same, and how they differ. */
import type { Outcome } from './programs.js';

/** What differs first; a case is shrunk as long as it is the same. */
export type Difference = 'exit status' | 'output' | 'messages';

/**
 * null where gpusort did as GNU sort did. Its messages may go on with hints of its own, on further lines; hints of GNU's ("Try ... --help") are wanted, too.
 */
export function difference(gnu: Outcome, ours: Outcome): Difference | null {
  if (gnu.status !== ours.status) return 'exit status';
  if (!gnu.output.equals(ours.output)) return 'output';
  const same = gnu.messages === '' ? ours.messages === '' : ours.messages.startsWith(gnu.messages);
  return same ? null : 'messages';
}

/** The two outcomes for a reader. */
export function explained(gnu: Outcome, ours: Outcome): string {
  const line = ({ status, output, messages }: Outcome): string => `${status} ${JSON.stringify(output.toString('latin1'))} ${JSON.stringify(messages)}`;
  return `  GNU sort  ${line(gnu)}\n  gpusort   ${line(ours)}`;
}
