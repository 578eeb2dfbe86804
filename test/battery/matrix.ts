/**
 * The battery's test matrix: inputs x ways x options x algorithms for one engine, each run against an independent
 * reference. This file decides which runs are made every day and which only at night (`npm run test:nightly`).
 */
// - Nightly: the full matrix, thousands of runs.
// - Daily, CPU: every tiny and small input in every way, with options that take turns; `one chunk` also without
//   options.
//   Large inputs take every second of these runs, and skip chunks of 4 KiB.
// - Daily, software GPU: every tiny and small input once, so that each algorithm meets each way and nearly all options;
//   and the beginnings of the large inputs of LARGE_ON_GPU, once each.
// By day, most runs of tiny and small inputs are made in the test's own process, on one device (isHere). A separate
// process takes a fifth of a second to start, and on a software GPU seconds for its kernels.
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { algorithmsOn } from '../../src/algorithm-table.js';
import { parsed, runHere } from '../support/in-process.js';
import { NIGHTLY } from '../support/tier.js';
import { INPUTS, type Input, RECORD_INPUTS, type RecordInput } from './inputs.js';
import { expectSameBytes, expectSameFiles, freshDirectory, gnuReference, gpusort, inputFile } from './runner.js';

/** A way to run the same sort. If it spills, it gets a directory by -T, which must be empty afterwards. */
interface Way {
  readonly name: string;
  readonly spills: boolean;
  readonly args: (input: Input) => readonly string[];
}

const WAYS: readonly Way[] = [
  { name: 'one chunk', spills: false, args: () => [] },
  { name: 'chunks of 64K', spills: false, args: () => ['--chunk-size', '64K'] },
  { name: 'chunks of 4K', spills: false, args: () => ['--chunk-size', '4K'] },
  {
    name: 'spilled',
    spills: true,
    args: (input) =>
      input.size === 'large' ? ['-S', '1M', '--chunk-size', '256K'] : ['-S', '64K', '--chunk-size', '16K'],
  },
];

type Options = readonly string[];
const LINE_OPTIONS: readonly Options[] = [[], ['-r'], ['-u'], ['-ru'], ['-s'], ['-z']];
const RECORD_OPTIONS: readonly Options[] = [
  ['--key', '0:10'],
  ['--key', '0:10', '-r'],
  ['--key', '0:10', '-u'],
  ['--key', '0:10', '-s'],
  [],
  ['--key', '0:10', '-ru'],
  ['--key', '0:10', '-rs'],
  ['--key', '3:5'],
  ['-u'],
  ['-r'],
];

/** The lines of a large input that a software GPU sorts by day. 300,000 take it ten seconds. */
const LINES_ON_GPU = 60_000;

/**
 * Large inputs whose first lines a software GPU sorts every day, and how. If `algorithm` is empty, the program chooses.
 */
const LARGE_ON_GPU: Readonly<
  Record<string, { readonly way: string; readonly options: Options; readonly algorithm: Options }>
> = {
  'random lines': { way: 'one chunk', options: ['-u'], algorithm: [] },
  'Zipf words': { way: 'chunks of 64K', options: ['-r'], algorithm: ['--algorithm', 'string-merge'] },
};

interface Choice {
  readonly way: Way;
  readonly options: Options;
  readonly algorithm: Options;
}

/**
 * The runs of an input in this test run. `number`: its index among all inputs; by day on the GPU, its index among the
 * inputs that are not large.
 */
function choices(engine: string, input: Input, number: number, allOptions: readonly Options[]): readonly Choice[] {
  const algorithms =
    engine === 'gpu'
      ? algorithmsOn('gpu', 'lines').map((name) => ['--algorithm', name])
      : [[], ['--algorithm', 'sample-sort']];
  if (NIGHTLY)
    return WAYS.flatMap((way) =>
      allOptions.flatMap((options) => algorithms.map((algorithm) => ({ way, options, algorithm }))),
    );
  if (engine === 'gpu') return gpuChoices(input, number, allOptions, algorithms);
  const runs = WAYS.flatMap((way, wayIndex) => {
    const turn = allOptions[(number + wayIndex) % allOptions.length];
    const algorithm = algorithms[(number + wayIndex) % algorithms.length];
    if (way.name === 'one chunk' && turn !== allOptions[0])
      return [allOptions[0], turn].map((options) => ({ way, options, algorithm }));
    return input.size === 'large' && way.name === 'chunks of 4K' ? [] : [{ way, options: turn, algorithm }];
  });
  // Large inputs have odd and even numbers alike: half of them take the odd runs.
  return input.size === 'large' ? runs.filter((_, i) => i % 2 === (number >> 1) % 2) : runs;
}

function gpuChoices(
  input: Input,
  number: number,
  allOptions: readonly Options[],
  algorithms: readonly Options[],
): readonly Choice[] {
  if (input.size !== 'large') {
    // 20 numbers contain each pair of a way and an algorithm. Every 12 numbers, options shift by one against ways.
    const options = allOptions[(number + Math.floor(number / 12)) % allOptions.length];
    return [{ way: WAYS[number % WAYS.length], options, algorithm: algorithms[number % algorithms.length] }];
  }
  const large = LARGE_ON_GPU[input.name];
  return large === undefined
    ? []
    : [{ way: WAYS.find(({ name }) => name === large.way)!, options: large.options, algorithm: large.algorithm }];
}

/**
 * Whether a run is made in this process. Separate processes are used at night, for another executable, and by day for
 * some runs. On the CPU these are large inputs, whose tiles need threads, and one run in twelve of the others; on the
 * GPU, one run of lines. scripts.test.ts starts more.
 */
function isHere(engine: string, input: Input, number: number): boolean {
  if (NIGHTLY || process.env.GPUSORT_TEST_BIN !== undefined) return false;
  return engine === 'gpu' ? number !== 19 : input.size !== 'large' && number % 12 !== 5;
}

/** Runs one sort and returns the path of its output. Checks the status, no messages, and no temporary files left. */
async function sortOnce(engine: string, way: Way, input: Input, options: Options, here: boolean): Promise<string> {
  const directory = freshDirectory('battery');
  const output = join(directory, 'out');
  const temporary = way.spills ? ['-T', freshDirectory('spill')] : [];
  const args = ['--engine', engine, ...way.args(input), ...temporary, ...options, await inputFile(input)];
  if (here) {
    expect(await runHere(() => parsed(['-o', output, ...args], 'gpusort'), 'gpusort')).toEqual({
      status: 0,
      messages: '',
    });
  } else {
    const { status, stderr } = await gpusort(args, { stdoutFile: output });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  }
  if (way.spills) expect(readdirSync(temporary[1])).toEqual([]);
  return output;
}

/** An independent reference sort of fixed records: compares strings of one character a byte; Array.sort is stable. */
export function sortRecords(data: Buffer, size: number, options: readonly string[]): Buffer {
  const keyOption = options.indexOf('--key');
  const [offset, length] = keyOption < 0 ? [0, size] : options[keyOption + 1].split(':').map(Number);
  const flags = options.filter((option) => /^-[a-z]/.test(option)).join('');
  const records = Array.from({ length: data.length / size }, (_, i) => {
    const all = data.toString('latin1', i * size, (i + 1) * size);
    return { all, key: all.slice(offset, offset + length) };
  });
  const compare = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1);
  const sign = flags.includes('r') ? -1 : 1;
  const lastResort = !flags.includes('u') && !flags.includes('s');
  records.sort((a, b) => sign * (compare(a.key, b.key) || (lastResort ? compare(a.all, b.all) : 0)));
  const kept = flags.includes('u') ? records.filter(({ key }, i) => i === 0 || key !== records[i - 1].key) : records;
  return Buffer.from(kept.map(({ all }) => all).join(''), 'latin1');
}

/** Registers a test for each run of each input. `here`: whether to run in this process. */
function eachRun<T extends Input>(
  engine: string,
  inputs: readonly T[],
  allOptions: readonly Options[],
  run: (input: T, choice: Choice, here: boolean) => Promise<void>,
): void {
  let runs = 0;
  inputs.forEach((input, inputIndex) => {
    const number =
      engine === 'gpu' && !NIGHTLY
        ? inputs.slice(0, inputIndex).filter(({ size }) => size !== 'large').length
        : inputIndex;
    for (const choice of choices(engine, input, number, allOptions)) {
      const { way, options, algorithm } = choice;
      const here = isHere(engine, input, runs++);
      it(`sorts ${input.name}, ${[way.name, ...options, ...algorithm].join(' ')}`, () => run(input, choice, here));
    }
  });
}

function lineTests(engine: string): void {
  eachRun(engine, INPUTS, LINE_OPTIONS, async (whole, { way, options, algorithm }, here) => {
    const isCut = engine === 'gpu' && !NIGHTLY && whole.size === 'large';
    const input = isCut ? beginning(whole, LINES_ON_GPU) : whole;
    const reference = await gnuReference(input, options);
    const output = await sortOnce(engine, way, input, [...algorithm, ...options], here);
    expectSameFiles(output, reference);
    rmSync(output);
  });
}

function recordTests(engine: string): void {
  eachRun(engine, RECORD_INPUTS, RECORD_OPTIONS, async (input: RecordInput, { way, options, algorithm }, here) => {
    const output = await sortOnce(
      engine,
      way,
      input,
      ['--record-size', String(input.recordSize), ...algorithm, ...options],
      here,
    );
    expectSameBytes(readFileSync(output), sortRecords(readFileSync(await inputFile(input)), input.recordSize, options));
    rmSync(output);
  });
}

/** An input without its lines after the first `count`. */
function beginning(input: Input, count: number): Input {
  const make = (): Buffer => {
    const text = input.make();
    let end = 0;
    for (let i = 0; i < count && end < text.length; i++) end = text.indexOf(10, end) + 1 || text.length;
    return text.subarray(0, end);
  };
  return { ...input, name: `${input.name}, ${count} lines`, make };
}

/** Registers the battery's tests of one engine. */
export function battery(engine: 'cpu' | 'gpu'): void {
  describe('lines', () => lineTests(engine));
  describe('binary records', () => recordTests(engine));
}
