/**
 * Registers one test for each batch of case numbers. If cases differ from GNU sort, a test shrinks the first one and
 * prints it as shell commands. GPUSORT_DIFFERENTIAL_SEED=N runs other cases, GPUSORT_DIFFERENTIAL_CASES=N so many.
 * GPUSORT_DIFFERENTIAL_SHRINK=0 turns shrinking off.
 */
import { expect, it } from 'vitest';
import { NIGHTLY } from '../support/tier.js';
import { type Case, commands } from './case.js';
import { type Difference, difference, explained } from './compare.js';
import { caseOf } from './generate.js';
import { inProcess, type Way } from './in-process.js';
import { gnu, type Outcome, type Runner, withFiles } from './programs.js';
import { shrink } from './shrink.js';

export const SEED = Number(process.env.GPUSORT_DIFFERENTIAL_SEED ?? 1);
const SHRINKS = process.env.GPUSORT_DIFFERENTIAL_SHRINK !== '0';
const CASES = Number(process.env.GPUSORT_DIFFERENTIAL_CASES) || (NIGHTLY ? 20_000 : 700);
const BATCH = 50;
/** Chunk sizes in bytes of text, which batches use in turn. The keyed lines of most cases exceed the smallest. */
const TINY_CHUNKS = [64, 200, 1000];

interface Finding {
  readonly number: number;
  readonly kind: Difference;
  readonly gnu: Outcome;
  readonly ours: Outcome;
}

/** The cases in which `runner` differs from GNU sort. `numbers`: the number of each case. */
async function findings(cases: readonly Case[], numbers: readonly number[], runner: Runner): Promise<Finding[]> {
  return withFiles(cases, async (directories) => {
    const wanted = await wantedOf(cases, directories);
    const got = await runner(cases, directories);
    return numbers.flatMap((number, i) => {
      const kind = difference(wanted[i], got[i]);
      return kind === null ? [] : [{ number, kind, gnu: wanted[i], ours: got[i] }];
    });
  });
}

/** GNU sort's outcomes so far. Most cases run in several ways, but GNU sort runs each only once. */
const known = new Map<string, Outcome>();

async function wantedOf(cases: readonly Case[], directories: readonly string[]): Promise<Outcome[]> {
  const ids = cases.map((of) => JSON.stringify(of));
  const fresh = [...cases.keys()].filter((i) => !known.has(ids[i]));
  const outcomes =
    fresh.length === 0
      ? []
      : await gnu(
          fresh.map((i) => cases[i]),
          fresh.map((i) => directories[i]),
        );
  fresh.forEach((i, at) => known.set(ids[i], outcomes[at]));
  return ids.map((id) => known.get(id)!);
}

/** Fails with the first case that differs, shrunk. `program`: the command to print in place of sort. */
async function expectSame(numbers: readonly number[], runner: Runner, program: string): Promise<void> {
  const found = await findings(
    numbers.map((number) => caseOf(SEED, number)),
    numbers,
    runner,
  );
  if (found.length === 0) return;
  const first = found[0];
  const look = async (of: Case): Promise<Finding | undefined> => (await findings([of], [first.number], runner))[0];
  const original = caseOf(SEED, first.number);
  const small = SHRINKS ? await shrink(original, async (of) => (await look(of))?.kind === first.kind) : original;
  // If the case does not differ again, show the first outcome.
  const { gnu: wanted, ours } = (SHRINKS ? await look(small) : undefined) ?? first;
  expect.fail(
    `${found.length} of ${numbers.length} cases differ: ${found.map(({ number, kind }) => `${number} (${kind})`).join(', ')}\n` +
      `case ${first.number} of seed ${SEED}:\n${commands(small, program)
        .map((line) => `  ${line}\n`)
        .join('')}${explained(wanted, ours)}`,
  );
}

/** Registers a test for each batch of the numbers. */
export function batches(
  numbers: readonly number[],
  runnerOf: (batch: number) => Runner,
  programOf: (batch: number) => string,
): void {
  for (let at = 0; at < numbers.length; at += BATCH) {
    const batch = at / BATCH;
    const some = numbers.slice(at, at + BATCH);
    it(`agrees with GNU sort on ${some.length} cases from number ${some[0]}`, () =>
      expectSame(some, runnerOf(batch), programOf(batch)));
  }
}

/** The numbers of this run's cases. */
export const ALL = Array.from({ length: CASES }, (_, number) => number);
export const every = (step: number): number[] => ALL.filter((number) => number % step === 0);
/** The chunk size of a batch, in bytes. */
export const tiny = (batch: number): number => TINY_CHUNKS[batch % TINY_CHUNKS.length];
const program = ({ engine, algorithm, chunkBytes }: Way): string =>
  `gpusort --engine ${engine}${algorithm === 'auto' ? '' : ` --algorithm ${algorithm}`}${chunkBytes === null ? '' : ` --chunk-size ${chunkBytes}`}`;

/** Registers a test for each batch; its cases run in this process. */
export function ways(numbers: readonly number[], wayOf: (batch: number) => Way): void {
  batches(
    numbers,
    (batch) => inProcess(wayOf(batch)),
    (batch) => program(wayOf(batch)),
  );
}
