/** Whole distributed sorts by the command line, on any scheduler: each case of tools/bench/cluster/cases.mjs. */
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
// @ts-expect-error: plain JavaScript, because the benchmarks run without a build of their own
import { CASES } from '../../tools/bench/cluster/cases.mjs';
// @ts-expect-error
import * as run from '../../tools/bench/cluster/run-case.mjs';

/** A sort of tools/bench/cluster/cases.mjs. */
export interface Case {
  readonly name: string;
  readonly options: readonly string[];
  readonly isLarge?: true;
  readonly named?: true;
}

export interface Prepared extends Case {
  readonly directory: string;
  readonly inputs: readonly string[];
  /** The words that sort it, but for `-o` and `--cluster`. */
  readonly words: readonly string[];
}

export interface Outcome {
  /** The exit status, or the name of the signal. */
  readonly status: number | string;
  readonly stdout: string;
  readonly stderr: string;
  readonly seconds: number;
}

interface Started {
  readonly child: import('node:child_process').ChildProcess;
  readonly ended: Promise<Outcome>;
}

type Environment = { readonly env?: Readonly<Record<string, string>>; readonly uid?: number; readonly gid?: number };

export const cases = CASES as readonly Case[];
export const startGpusort: (words: readonly string[], options?: Environment) => Started = run.startGpusort;
export const prepareCase: (one: Case, directory: string, bytes: number) => Prepared = run.prepareCase;
export const sortHere: (prepared: Prepared) => Promise<Outcome & { sha256: string }> = run.sortHere;
export const outputOf: (prepared: Prepared) => string = run.outputOf;
export const takeOutput: (prepared: Prepared) => Promise<string> = run.takeOutput;
const sortDistributed: (
  prepared: Prepared,
  cluster: readonly string[],
  options?: Environment,
) => Promise<Outcome & { sha256: string | null }> = run.sortDistributed;

/** A test of each case: the words `cluster` distribute it, and its inputs have `bytesOf` bytes. */
export function testCases(
  list: readonly Case[],
  root: string,
  cluster: readonly string[],
  bytesOf: (one: Case) => number,
  options: () => Environment = () => ({}),
): void {
  for (const [i, one] of list.entries())
    it(one.name, async () => {
      const directory = join(root, `case-${i}`);
      mkdirSync(directory);
      const prepared = prepareCase(one, directory, bytesOf(one));
      const expected = await sortHere(prepared);
      const found = await sortDistributed(prepared, ['--engine=cpu', ...cluster], options());
      expect(found).toMatchObject({ stderr: '', stdout: '', status: 0, sha256: expected.sha256 });
      expectOnlyInputs(directory);
      rmSync(directory, { recursive: true });
    });
}

/** A sort leaves only its output, which was removed. */
export function expectOnlyInputs(directory: string): void {
  expect(readdirSync(directory).filter((name) => !name.startsWith('input-'))).toEqual([]);
}
