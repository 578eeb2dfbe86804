/**
 * The battery: each feature (features.ts) in ways to run it, on one engine. Ways are sizes of chunks and of memory,
 * where the input comes from, and algorithms.
 */
import { execFileSync, spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { algorithmsOn } from '../../src/job/algorithm-table.js';
import { sampled, tier } from '../support/tier.js';
import { type Feature, joined } from './features.js';
import { SEPARATE, sortHere } from './here.js';
import { expectSameBytes, freshDirectory, gpusort, inputFile, type Outcome } from './runner.js';

export { sortRecords } from './models.js';

type Engine = 'cpu' | 'gpu';

interface Way {
  readonly name: string;
  readonly options: readonly string[];
  /** The same for megabytes, which tiny chunks would sort in minutes. */
  readonly large: readonly string[] | null;
}

const WAYS: readonly Way[] = [
  { name: 'one chunk', options: [], large: [] },
  { name: 'chunks', options: ['--chunk-size', '64K'], large: ['--chunk-size', '64K'] },
  { name: 'tiny chunks', options: ['--chunk-size', '4K'], large: null },
  {
    name: 'spilled',
    options: ['-S', '64K', '--chunk-size', '16K'],
    large: ['-S', '1M', '--chunk-size', '256K'],
  },
  { name: 'two threads', options: ['--chunk-size', '8K', '--parallel', '2'], large: ['--parallel', '2'] },
];

/** Sources of the input and destinations of the output. Each returns the operands, and the text for standard input. */
interface Source {
  readonly name: string;
  readonly operands: (files: readonly string[], cwd: string) => readonly string[];
  readonly stdin?: (files: readonly string[]) => Buffer;
  /** The output, if it is not standard output. */
  readonly output?: string;
}

const SOURCES: readonly Source[] = [
  { name: 'files', operands: (files) => files },
  {
    name: 'an empty file between files',
    operands: ([first, ...rest], cwd) => {
      writeFileSync(join(cwd, 'empty'), '');
      return [first, 'empty', ...rest];
    },
  },
  {
    name: 'standard input',
    operands: (files) => ['-', ...files.slice(1)],
    stdin: ([first]) => readFileSync(first),
  },
  {
    name: 'a pipe',
    operands: ([first, ...rest], cwd) => {
      execFileSync('mkfifo', [join(cwd, 'pipe')]);
      spawn('sh', ['-c', 'exec cat "$0" > pipe', first], { cwd, stdio: 'ignore' });
      return ['pipe', ...rest];
    },
  },
  {
    name: 'into one of the inputs',
    operands: ([first, ...rest], cwd) => {
      copyFileSync(first, join(cwd, 'mine'));
      return ['-o', 'mine', 'mine', ...rest];
    },
    output: 'mine',
  },
];

interface Run {
  readonly feature: Feature;
  readonly way: Way;
  readonly source: Source;
  readonly algorithm: string | null;
}

/**
 * The runs to draw from: whole lines and binary records in all ways by all algorithms. For other features the
 * algorithms take turns, on the GPU the ways too. Sources always take turns.
 */
function runsOf(engine: Engine, features: readonly Feature[]): Run[] {
  return features.flatMap((feature, i) => {
    const isWhole = feature.group === 'lines' || feature.group === 'binary records';
    const ways = isWhole || engine === 'cpu' ? WAYS : [WAYS[i % WAYS.length]];
    const algorithms = algorithmsFor(engine, feature);
    return ways
      .filter(({ large }) => large !== null || !isLarge(feature))
      .flatMap((way, j) =>
        (isWhole ? algorithms : [algorithms[(i + j) % algorithms.length]]).map((algorithm, k) => ({
          feature,
          way,
          source: SOURCES[(i + j + k) % SOURCES.length],
          algorithm,
        })),
      );
  });
}

const isLarge = ({ inputs }: Feature): boolean => inputs.some(({ size }) => size === 'large');

/** Names for --algorithm; null: the planner chooses. */
function algorithmsFor(engine: Engine, { kind, arguments: options }: Feature): readonly (string | null)[] {
  const names = algorithmsOn(engine, kind);
  if (engine === 'gpu' && kind !== 'segments') return names;
  const isLimited = options.some((word) => ['--top', '--bottom', '--sample'].includes(word));
  return [null, ...names.filter((name) => name !== 'sample-sort' || !isLimited)];
}

/** Runs a job. Expects no messages and no temporary files. Returns the output. */
async function outputOf(engine: Engine, { feature, way, source, algorithm }: Run, files: readonly string[]) {
  const cwd = freshDirectory('battery');
  mkdirSync(join(cwd, 't'));
  const args = [
    ...['--engine', engine, '-T', 't'],
    ...(isLarge(feature) ? way.large! : way.options),
    ...(algorithm === null ? [] : ['--algorithm', algorithm]),
    ...feature.arguments,
    ...source.operands(files, cwd),
  ];
  const run = SEPARATE ? gpusort : sortHere;
  const outcome: Outcome = await run(args, { cwd, ...(source.stdin && { stdin: source.stdin(files) }) });
  const { status, stderr, stdout } = outcome;
  expect({ args, status, stderr }).toEqual({ args, status: 0, stderr: '' });
  expect(readdirSync(join(cwd, 't'))).toEqual([]);
  const output = source.output === undefined ? stdout : readFileSync(join(cwd, source.output));
  return feature.second === undefined ? output : joined(output, readFileSync(join(cwd, feature.second)));
}

/** Registers the tests. `count`: of `npm run test:all`. */
export function battery(engine: Engine, features: readonly Feature[], count: number): void {
  const values = ({ feature, way, source, algorithm }: Run): readonly string[] => {
    const { group, kind, covers } = feature;
    // A software GPU needs seconds for most runs: it compiles kernels for each algorithm, kind and way. In the quick
    // tier only the CPU engine has all groups.
    return engine === 'gpu'
      ? [way.name, source.name, `${algorithm}`, kind, ...(tier() === 'quick' ? [] : [group])]
      : [way.name, source.name, `${kind} ${algorithm}`, group, ...covers.map((value) => `${group} ${value}`)];
  };
  it.each(sampled(runsOf(engine, features), { count, seed: 4, values }).map((run) => [nameOf(run), run] as const))(
    'sorts %s',
    async (_, run) => {
      const files = await Promise.all(run.feature.inputs.map(inputFile));
      expectSameBytes(await outputOf(engine, run, files), await run.feature.expected(files));
    },
  );
}

function nameOf({ feature, way, source, algorithm }: Run): string {
  const { group, shape, arguments: options } = feature;
  const name = [group, ...(shape === undefined ? [] : [shape]), ...options].join(' ').replaceAll('\n', ' ');
  return `${name}: ${way.name}, ${source.name}${algorithm === null ? '' : `, ${algorithm}`}`;
}
