/** The property that gpusort agrees with GNU sort, for ways of running the cases of cases.ts. */
import type { Arbitrary } from 'fast-check';
import { afterAll } from 'vitest';
import { pick } from '../support/draws.js';
import { property, type Runs } from '../support/property.js';
import { type Case, commands } from './case.js';
import { cases } from './cases.js';
import { endShell, gnu, inProcess, type Outcome, type Runner, type Way, withFiles } from './programs.js';

/** Chunk sizes in bytes of text. The keyed lines of most cases exceed the smallest. */
export const TINY_CHUNKS = [64, 200, 1000];
/** Long enough for the cases of a night. */
export const TIMEOUT_MS = 3_600_000;

/** The first difference between the outcomes of a case; null: none. gpusort may add hints to a message of GNU sort. */
export function difference(wanted: Outcome, ours: Outcome): 'exit status' | 'output' | 'messages' | null {
  if (wanted.status !== ours.status) return 'exit status';
  if (!wanted.output.equals(ours.output)) return 'output';
  const same = wanted.messages === '' ? ours.messages === '' : ours.messages.startsWith(wanted.messages);
  return same ? null : 'messages';
}

/** Throws if a runner and GNU sort differ, with shell commands that show it. `program`: what they run. */
export async function expectAgreement(of: Case, runner: Runner, program: string): Promise<void> {
  const [wanted, ours] = await withFiles(of, async (directory) => [
    await gnu(of, directory),
    await runner(of, directory),
  ]);
  const kind = difference(wanted, ours);
  if (kind === null) return;
  const shown = ({ status, output, messages }: Outcome): string =>
    `${status} ${JSON.stringify(output.toString('latin1'))} ${JSON.stringify(messages)}`;
  const lines = [...commands(of, program), `GNU sort  ${shown(wanted)}`, `gpusort   ${shown(ours)}`];
  throw new Error(`the ${kind} differs:\n${lines.map((line) => `  ${line}\n`).join('')}`);
}

const commandOf = ({ engine, algorithm, chunkBytes }: Way): string =>
  `gpusort --engine ${engine}${algorithm === 'auto' ? '' : ` --algorithm ${algorithm}`}${chunkBytes === null ? '' : ` --chunk-size ${chunkBytes}`}`;

/** Registers the property for ways of running in this process, one of which is drawn for each case. */
export function agrees(name: string, ways: readonly Way[], runs: Runs, of: Arbitrary<Case> = cases): void {
  afterAll(endShell);
  property(name, [of, pick(ways)], (drawn, way) => expectAgreement(drawn, inProcess(way), commandOf(way)), {
    timeoutMs: TIMEOUT_MS,
    ...runs,
  });
}
