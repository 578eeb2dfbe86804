/**
 * gpusort against the machine's GNU sort: options and inputs made by chance (generate.ts), the same cases each day. Each is run on the CPU engine,
 * whole and in tiny chunks, some on the GPU engine, and some by the program itself; at night twenty times as many. A case that
 * differs is made small and printed as commands for a shell.
 *
 * GPUSORT_DIFFERENTIAL_SEED=N runs other cases; GPUSORT_DIFFERENTIAL_SHRINK=0 names those that differ as they are.
 */
import { afterAll, describe, expect, it, vi } from 'vitest';
import { GPU_ALGORITHMS } from '../../src/job.js';
import { keysOnDevice } from '../../src/keys/device-keys.js';
import { PROGRAM } from '../battery/runner.js';
import { describeGpu } from '../setup/gpu.js';
import { closeGpu, withOneGpu } from '../support/one-gpu.js';
import { commands, type Case } from './case.js';
import { difference, explained, type Difference } from './compare.js';
import { caseOf } from './generate.js';
import { inProcess, jobOf, type Way } from './in-process.js';
import { gnu, processes, withFiles, type Outcome, type Runner } from './programs.js';
import { shrink } from './shrink.js';

const nightly = process.env.GPUSORT_NIGHTLY === '1';
const SEED = Number(process.env.GPUSORT_DIFFERENTIAL_SEED ?? 1);
const SHRINKS = process.env.GPUSORT_DIFFERENTIAL_SHRINK !== '0';
const CASES = nightly ? 20_000 : 1000;
const BATCH = 50;
/** Of the cases one in so many is run in chunks, which takes longer; */
const EVERY_IN_CHUNKS = nightly ? 1 : 3;
/** by a process of its own; */
const EVERY_PROCESS = 25;
/** and so many are run by each sort of the GPU, a software one that compiles kernels for a second now and then, whole and in chunks. */
const GPU_CASES = nightly ? 200 : 3;
/** Bytes of chunks of text, in turns. Keyed lines of most cases do not fit into the smallest. */
const TINY_CHUNKS = [64, 200, 1000];

vi.mock(import('../../src/gpu/device/device.js'), async (original) => withOneGpu(await original()));

interface Finding { readonly number: number; readonly kind: Difference; readonly gnu: Outcome; readonly ours: Outcome }

/** The cases of `numbers` in which `runner` differs from GNU sort. */
async function findings(cases: readonly Case[], numbers: readonly number[], runner: Runner): Promise<Finding[]> {
  return withFiles(cases, async (directories) => {
    const wanted = await gnu(cases, directories);
    const got = await runner(cases, directories);
    return numbers.flatMap((number, i) => {
      const kind = difference(wanted[i]!, got[i]!);
      return kind === null ? [] : [{ number, kind, gnu: wanted[i]!, ours: got[i]! }];
    });
  });
}

/** Fails with the first of the cases that differ, made small. `program`: what is run, for a shell. */
async function expectSame(numbers: readonly number[], runner: Runner, program: string): Promise<void> {
  const found = await findings(numbers.map((number) => caseOf(SEED, number)), numbers, runner);
  if (found.length === 0) return;
  const first = found[0]!;
  const look = async (of: Case): Promise<Finding | undefined> => (await findings([of], [first.number], runner))[0];
  const original = caseOf(SEED, first.number);
  const small = SHRINKS ? await shrink(original, async (of) => (await look(of))?.kind === first.kind) : original;
  // What does not differ a second time is shown as it did.
  const { gnu: wanted, ours } = (SHRINKS ? await look(small) : undefined) ?? first;
  expect.fail(`${found.length} of ${numbers.length} cases differ: ${found.map(({ number, kind }) => `${number} (${kind})`).join(', ')}\n`
    + `case ${first.number} of seed ${SEED}:\n${commands(small, program).map((line) => `  ${line}\n`).join('')}${explained(wanted, ours)}`);
}

/** A test for each batch of the numbers. */
function batches(numbers: readonly number[], runnerOf: (batch: number) => Runner, programOf: (batch: number) => string): void {
  for (let at = 0; at < numbers.length; at += BATCH) {
    const batch = at / BATCH;
    const some = numbers.slice(at, at + BATCH);
    it(`${some.length} cases from ${some[0]} on`, () => expectSame(some, runnerOf(batch), programOf(batch)));
  }
}

const ALL = Array.from({ length: CASES }, (_, number) => number);
const every = (step: number): number[] => ALL.filter((number) => number % step === 0);
const tiny = (batch: number): number => TINY_CHUNKS[batch % TINY_CHUNKS.length]!;
const program = ({ engine, algorithm, chunkBytes }: Way): string => (
  `gpusort --engine ${engine}${algorithm === 'auto' ? '' : ` --algorithm ${algorithm}`}${chunkBytes === null ? '' : ` --chunk-size ${chunkBytes}`}`);

function ways(numbers: readonly number[], wayOf: (batch: number) => Way): void {
  batches(numbers, (batch) => inProcess(wayOf(batch)), (batch) => program(wayOf(batch)));
}

/** How the GPU engine comes to the keys of a case; null where it has nothing to do: with -c and -m, without keys, or where next to nothing is to be sorted. */
function keyMaker(of: Case): (typeof KEY_MAKERS)[number] | null {
  const job = jobOf(of);
  if (job === null || job.mode !== 'sort' || job.ordering.key.kind !== 'normalised' || of.files.join('').length < 20) return null;
  if (!keysOnDevice(job.ordering.key)) return 'host';
  return job.ordering.key.parts.some(({ order }) => order === 'numeric') ? 'device, numbers' : 'device, bytes';
}
const KEY_MAKERS = ['device, numbers', 'device, bytes', 'host'] as const;

/** The first `count` cases for the GPU, each of the three kinds in turn. */
function gpuCases(count: number): number[] {
  const kinds = KEY_MAKERS.map((): number[] => []);
  const chosen: number[] = [];
  for (const number of ALL) {
    const maker = keyMaker(caseOf(SEED, number));
    if (maker !== null) kinds[KEY_MAKERS.indexOf(maker)]!.push(number);
    for (let list = kinds[chosen.length % kinds.length]!; list.length > 0 && chosen.length < count; list = kinds[chosen.length % kinds.length]!) chosen.push(list.shift()!);
    if (chosen.length === count) break;
  }
  return chosen;
}

describe('cpu, whole', () => ways(ALL, () => ({ engine: 'cpu', algorithm: 'auto', chunkBytes: null })));
describe('cpu, in chunks', () => ways(every(EVERY_IN_CHUNKS), (batch) => ({ engine: 'cpu', algorithm: 'auto', chunkBytes: tiny(batch) })));
describe('cpu, in buckets', () => ways(every(EVERY_IN_CHUNKS), (batch) => ({ engine: 'cpu', algorithm: 'sample-sort', chunkBytes: tiny(batch + 1) })));
describe('processes', () => batches(every(EVERY_PROCESS), () => processes(PROGRAM, 'gpusort'), () => 'gpusort'));

describeGpu('gpu', () => {
  afterAll(closeGpu);
  const some = gpuCases(2 * GPU_ALGORITHMS.length * GPU_CASES);
  const next = (): number[] => some.splice(0, GPU_CASES);
  GPU_ALGORITHMS.forEach((algorithm, i) => describe(algorithm, () => {
    describe('whole', () => ways(next(), () => ({ engine: 'gpu', algorithm, chunkBytes: null })));
    describe('in chunks', () => ways(next(), (batch) => ({ engine: 'gpu', algorithm, chunkBytes: tiny(batch + i) })));
  }));
});
