/**
 * The battery's product: inputs x ways of running x options (x sorts of the GPU), for one engine, each against an independent reference. It decides
 * which part of the product runs every day and which at night only.
 *
 * Nightly (`npm run test:nightly`, GPUSORT_NIGHTLY=1): the full product, thousands of runs. Daily on the CPU: every input in every
 * way of running it, each with the options of its turn, and whole with no options as well; chunks of 4 KiB with tiny and small
 * inputs only. Daily on the GPU, which is a software one: tiny and small inputs in the way of their turn, of large ones every fourth
 * whole; those that LARGE_ON_GPU names in chunks and spilled, too. There the sorts of --algorithm take turns.
 */
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { GPU_ALGORITHMS } from '../../src/job.js';
import { INPUTS, RECORD_INPUTS, type Input, type RecordInput } from './inputs.js';
import { expectSameBytes, expectSameFiles, freshDirectory, gnuReference, gpusort, inputFile } from './runner.js';

const nightly = process.env.GPUSORT_NIGHTLY === '1';

/** A way of running the same sort. `spills` ones get -T and must leave nothing in it. */
interface Way {
  readonly name: string;
  readonly spills: boolean;
  readonly args: (input: Input) => readonly string[];
}

const WAYS: readonly Way[] = [
  { name: 'whole', spills: false, args: () => [] },
  { name: 'chunks of 64K', spills: false, args: () => ['--chunk-size', '64K'] },
  { name: 'chunks of 4K', spills: false, args: () => ['--chunk-size', '4K'] },
  {
    name: 'spilled', spills: true,
    args: (input) => (input.size === 'large' ? ['-S', '1M', '--chunk-size', '256K'] : ['-S', '64K', '--chunk-size', '16K']),
  },
];

const LINE_OPTIONS: readonly (readonly string[])[] = [[], ['-r'], ['-u'], ['-ru'], ['-s'], ['-z']];
const RECORD_OPTIONS: readonly (readonly string[])[] = [
  ['--key', '0:10'], ['--key', '0:10', '-r'], ['--key', '0:10', '-u'], ['--key', '0:10', '-s'], [],
  ['--key', '0:10', '-ru'], ['--key', '0:10', '-rs'], ['--key', '3:5'], ['-u'], ['-r'],
];

/** Large inputs that a software GPU sorts whole and in many chunks every day; the others take it up to a minute each. */
const LARGE_ON_GPU = ['Zipf words', 'huge lines sharing a prefix'];

/** Which options an input is run with, in one way, today. */
function optionsToday<T>(engine: string, input: Input, inputIndex: number, wayIndex: number, all: readonly T[]): readonly T[] {
  if (nightly) return all;
  const way = WAYS[wayIndex];
  const turn = all[(inputIndex + wayIndex) % all.length];
  if (engine === 'gpu') {
    // A software GPU compiles its kernels at each start, for some seconds: every second input takes turns with the ways too.
    if (input.size !== 'large') return inputIndex % 2 === 0 && wayIndex === (inputIndex >> 1) % WAYS.length ? [turn] : [];
    const today = LARGE_ON_GPU.includes(input.name) ? way.name !== 'chunks of 4K' : way.name === 'whole' && inputIndex % 8 === 0;
    return today ? [turn] : [];
  }
  if (way.name === 'whole') return turn === all[0] ? [turn] : [all[0], turn];
  return input.size === 'large' && way.name === 'chunks of 4K' ? [] : [turn];
}

/**
 * Which sorts a run is repeated with today: on the CPU at night the one it chooses and sample sort, by day one of them; on the GPU at night all, by day one in turn. Large inputs meet whatever the
 * program chooses every second time, else the sort that takes a GPU in software the least time. Options take turns by another rule, so that each
 * sort meets most of them.
 */
function algorithmsToday(engine: string, input: Input, inputIndex: number, wayIndex: number): readonly (readonly string[])[] {
  if (engine !== 'gpu') {
    const sorts = [[], ['--algorithm', 'sample-sort']];
    return nightly ? sorts : [sorts[(inputIndex + wayIndex) % sorts.length]];
  }
  const all = GPU_ALGORITHMS.map((name) => ['--algorithm', name]);
  if (nightly) return all;
  if (input.size === 'large') return [inputIndex % 8 === 0 ? [] : all[0]];
  return [all[((inputIndex >> 1) + wayIndex) % all.length]];
}

/** One run, its output in a file; checks status, silence and what is left behind. Returns the output's path. */
async function sortOnce(engine: string, way: Way, input: Input, options: readonly string[]): Promise<string> {
  const directory = freshDirectory('battery');
  const output = join(directory, 'out');
  const temporary = way.spills ? ['-T', freshDirectory('spill')] : [];
  const args = ['--engine', engine, ...way.args(input), ...temporary, ...options, await inputFile(input)];
  const { status, stderr } = await gpusort(args, { stdoutFile: output });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  if (way.spills) expect(readdirSync(temporary[1])).toEqual([]);
  return output;
}

/** An independent sort of fixed records in a few lines: Buffer.compare over slices, and the stability of Array.sort. */
export function sortRecords(data: Buffer, size: number, options: readonly string[]): Buffer {
  const keyOption = options.indexOf('--key');
  const [offset, length] = keyOption < 0 ? [0, size] : options[keyOption + 1].split(':').map(Number);
  const flags = options.filter((option) => /^-[a-z]/.test(option)).join('');
  const records = Array.from({ length: data.length / size }, (_, i) => data.subarray(i * size, (i + 1) * size));
  const byKey = (a: Buffer, b: Buffer): number => a.compare(b, offset, offset + length, offset, offset + length);
  const sign = flags.includes('r') ? -1 : 1;
  const lastResort = !flags.includes('u') && !flags.includes('s');
  records.sort((a, b) => sign * (byKey(a, b) || (lastResort ? a.compare(b) : 0)));
  return Buffer.concat(flags.includes('u') ? records.filter((record, i) => i === 0 || byKey(records[i - 1], record) !== 0) : records);
}

/** Registers a test for each run of an input today; `run` is given the way and the options, those of the sort among them. */
function eachRun<T extends Input>(engine: string, inputs: readonly T[], allOptions: readonly (readonly string[])[],
  run: (input: T, way: Way, options: readonly string[], algorithm: readonly string[]) => Promise<void>): void {
  inputs.forEach((input, inputIndex) => WAYS.forEach((way, wayIndex) => {
    for (const options of optionsToday(engine, input, inputIndex, wayIndex, allOptions)) {
      for (const algorithm of algorithmsToday(engine, input, inputIndex, wayIndex)) {
        it(`${input.name}, ${[way.name, ...options, ...algorithm].join(' ')}`, () => run(input, way, options, algorithm));
      }
    }
  }));
}

function lineTests(engine: string): void {
  eachRun(engine, INPUTS, LINE_OPTIONS, async (input, way, options, algorithm) => {
    const reference = await gnuReference(input, options);
    const output = await sortOnce(engine, way, input, [...algorithm, ...options]);
    expectSameFiles(output, reference);
    rmSync(output);
  });
}

function recordTests(engine: string): void {
  eachRun(engine, RECORD_INPUTS, RECORD_OPTIONS, async (input: RecordInput, way, options, algorithm) => {
    const output = await sortOnce(engine, way, input, ['--record-size', String(input.recordSize), ...algorithm, ...options]);
    expectSameBytes(readFileSync(output), sortRecords(input.make(), input.recordSize, options));
    rmSync(output);
  });
}

/** Registers the battery for one engine. */
export function battery(engine: 'cpu' | 'gpu'): void {
  describe('lines', () => lineTests(engine));
  describe('binary records', () => recordTests(engine));
}
