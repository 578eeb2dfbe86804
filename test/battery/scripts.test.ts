/**
 * Ways of input and output on both engines: several files, pipes, -o on an input, -m and -c. The reference is GNU sort,
 * run by the same script. matrix.ts tests kinds of contents. By day all scripts run once, and a sample of those that
 * depend on the engine again in chunks; two on the GPU.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { describeGpu } from '../setup/gpu.js';
import { NIGHTLY, sampled } from '../support/tier.js';
import { INPUTS } from './inputs.js';
import {
  expectSameBytes,
  freshDirectory,
  gnuScript,
  gpusort,
  inputFile,
  type Outcome,
  run,
  sameAsGnu,
  script,
} from './runner.js';
import { directoryOfFiles } from './several-files.js';

/** Scripts whose status, standard output and messages must equal GNU sort's. $E holds the options of engine and way. */
const SCRIPTS: readonly (readonly [name: string, text: string])[] = [
  ['several files', 'gpusort $E a b c d e'],
  ['several files, -u', 'gpusort $E -u c a f c f'],
  ['several files, -r -s', 'gpusort $E -r -s a c f'],
  ['several files that lack the last newline', 'gpusort $E c c c'],
  ['the same file twice', 'gpusort $E b b'],
  ['standard input from a file', 'gpusort $E < b'],
  ['standard input from a pipe', 'cat a b | gpusort $E'],
  ['standard input named -', 'cat a | gpusort $E c - f'],
  ['a slow pipe', '(head -c 10 b; sleep 0.2; tail -c +11 b | head -c 5000; sleep 0.2; tail -c +5011 b) | gpusort $E'],
  ['an empty pipe', ': | gpusort $E'],
  ['a pipe under -z', 'cat e a | gpusort $E -z'],
  ['a named pipe', 'mkfifo p; cat a > p & gpusort $E p c; wait'],
  ['a process substitution', 'gpusort $E <(cat a) <(cat f)'],
  ['options after operands', 'gpusort $E a -r b -u'],
  ['-- ends the options', 'cp a ./-r; gpusort $E -- -r'],
  ['-o a new file', 'gpusort $E a b -o out && cat out'],
  ['-o that names an input', 'gpusort $E -o a a b && cat a'],
  ['-o that names an input by a link', 'ln -s a l; gpusort $E a b -o l && test -L l && cat a'],
  ['-o keeps the mode', 'chmod 640 a; gpusort $E -o a a && stat -c %a a'],
  ['-o keeps hard links', 'ln a h; gpusort $E -o a a && stat -c %h a && cat h'],
  ['-o over a longer file', 'cat a b e > long; gpusort $E c -o long && cat long'],
  ['-o over the file of standard input', 'gpusort $E -o a < a && cat a'],
  ['-o over a file, after a pipe', 'cat b | gpusort $E -o b - && cat b'],
  ['appended with >>', 'echo first > out; gpusort $E c >> out; gpusort $E a >> out; cat out'],
  ['two sorts share one output', '(gpusort $E c; echo between; gpusort $E a) > out; cat out'],
  ['standard input that was partly read', '(read -r x; echo "$x"; gpusort $E) < b'],
  ['-m', 'for x in a b e; do sort $x > s$x; done; gpusort $E -m sa sb se'],
  ['-m -u', 'sort -u a > sa; sort -u f > sf; gpusort $E -m -u sa sf sa'],
  ['-m -r', 'sort -r a > sa; sort -r f > sf; gpusort $E -m -r sa sf'],
  ['-m -z', 'sort -z a > sa; sort -z e > se; gpusort $E -mz sa se'],
  [
    '-m of one file, of standard input, of empty files',
    'sort a > sa; gpusort $E -m sa; gpusort $E -m < sa; gpusort $E -m d d',
  ],
  ['-m with a file that lacks the last newline', 'printf "a\\nb" > x; printf "a\\nc" > y; gpusort $E -m x y'],
  ['-m -o that names an input', 'sort a > sa; sort f > sf; gpusort $E -m sa sf -o sa && cat sa'],
  [
    '-m of more files than are open at once',
    'for i in $(seq 40); do seq -f "%05g" $i 40 3000 > m$i; done; gpusort $E -m m*',
  ],
  ['-m of pipes', 'gpusort $E -m <(sort a) <(sort b) <(sort f)'],
  ['-c of a sorted file', 'sort b > sb; gpusort $E -c sb; echo $?; gpusort $E -C sb; echo $?'],
  ['-c of disorder', 'gpusort $E -c a; echo $?; gpusort $E -C a; echo $?'],
  ['-c of disorder in the last line', '(sort b; echo; ) > x; gpusort $E -c x; echo $?'],
  ['-c of a pipe', 'cat b | gpusort $E -c; echo $?; sort b | gpusort $E -c -; echo $?'],
  ['-c -u', 'sort f > sf; gpusort $E -cu sf; echo $?; sort -u f > uf; gpusort $E -cu uf; echo $?'],
  ['-c -r', 'gpusort $E -cr a; echo $?; sort -r a > ra; gpusort $E -c -r ra; echo $?'],
  ['-c -z', 'printf "b\\0a\\0" > z; gpusort $E -cz z; echo $?; printf "a\\0b" > y; gpusort $E -cz y; echo $?'],
  [
    '-c of NULs and bytes above 127',
    'printf "a\\0b\\na\\0a\\n" | gpusort $E -c; echo $?; printf "\\377\\n\\376\\n" | gpusort $E -c; echo $?',
  ],
  [
    '-c of an empty file and of one line',
    'gpusort $E -c d; echo $?; gpusort $E -c c; echo $?; printf x | gpusort $E -c; echo $?',
  ],
  [
    'long names',
    'gpusort $E --reverse --unique a; sort a > sa; gpusort $E --merge sa; gpusort $E --check a; gpusort $E --check=quiet a; gpusort $E --check=silent a; echo $?; ' +
      'gpusort $E --check=diagnose-first a; gpusort $E --zero-terminated e; gpusort $E --stable a --output=o; cat o',
  ],
  ['abbreviated long names', 'gpusort $E --rev --uni a; gpusort $E --zero e; gpusort $E --out=o a; cat o'],
  ['clusters with values', 'gpusort $E -ruoout a; cat out; gpusort $E -uT. -S1M a'],
];

/** Scripts that do not depend on the engine: the command line, -c, -m, and the output file. By day they run once. */
const NO_ENGINE =
  /^(-c|-m|-- ends|options after|long names|abbreviated|clusters|appended|two sorts|-o (a new file|keeps|that names an input by))/;

/**
 * The scripts that a software GPU runs by day, as each process takes it seconds: a pipe, and a file from its middle.
 * Other inputs are files for the engine (several-files.ts), or pipes.
 */
const GPU_BY_DAY = ['a slow pipe', 'standard input that was partly read'];

/** In one chunk, and in chunks so small that there are several runs. Runs of the GPU engine spill then. */
const WAYS = [[], ['--chunk-size', '16K']] as const;
const SPILL = ['-S', '64K'];

/** By day, the scripts that run in chunks on the CPU: -m, -c and the command line do not depend on chunks. */
const IN_CHUNKS = sampled(
  SCRIPTS.map(([name]) => name).filter((name) => !NO_ENGINE.test(name)),
  { count: 10, seed: 4 },
);

function today(engine: string, way: (typeof WAYS)[number], name: string): boolean {
  if (NIGHTLY) return true;
  return engine === 'gpu' ? way.length > 0 && GPU_BY_DAY.includes(name) : way.length === 0 || IN_CHUNKS.includes(name);
}

/** GNU sort's outcome of each script, which it runs only once. */
const ofGnu = new Map<string, Promise<Outcome>>();
function gnuOutcome(text: string): Promise<Outcome> {
  let outcome = ofGnu.get(text);
  if (outcome === undefined) {
    outcome = directoryOfFiles().then((cwd) => gnuScript(text, { cwd, env: { E: '' } }));
    ofGnu.set(text, outcome);
  }
  return outcome;
}

function scripts(engine: string): void {
  for (const way of WAYS) {
    const chosen = SCRIPTS.filter(([name]) => today(engine, way, name));
    if (chosen.length === 0) continue;
    const options = ['--engine', engine, ...way, ...(engine === 'gpu' && way.length > 0 ? SPILL : [])];
    describe(way.length === 0 ? 'in one chunk' : 'in chunks', () => {
      it.each(chosen)('runs like GNU sort: %s', async (_, text) => {
        sameAsGnu(
          await script(text, { cwd: await directoryOfFiles(), env: { E: options.join(' ') } }),
          await gnuOutcome(text),
        );
      });
    });
  }

  it.runIf(engine === 'cpu' || NIGHTLY)('sorts standard input from a socket', async () => {
    const data = readFileSync(
      await inputFile(INPUTS.find((input) => input.name === (engine === 'gpu' ? 'URLs (small)' : 'URLs'))!),
    );
    const ours = await gpusort(['--engine', engine], { stdin: data });
    const gnu = await run('sort', [], { stdin: data });
    expect(ours.stderr).toBe('');
    expectSameBytes(ours.stdout, gnu.stdout);
  });

  // By day on the GPU, runs of the slow pipe spill.
  it.runIf(engine === 'cpu' || NIGHTLY)('spills runs of a pipe, and removes them', async () => {
    const [name, memory, chunk] =
      engine === 'gpu' ? ['Gaussian lengths (small)', '64K', '16K'] : ['Gaussian lengths', '1M', '512K'];
    const data = readFileSync(await inputFile(INPUTS.find((input) => input.name === name)!));
    const directory = freshDirectory('spill');
    const ours = await gpusort(['--engine', engine, '-S', memory, '--chunk-size', chunk, '-T', directory], {
      stdin: data,
    });
    const gnu = await run('sort', [], { stdin: data });
    expect(ours.stderr).toBe('');
    expectSameBytes(ours.stdout, gnu.stdout);
    expect(readdirSync(directory)).toEqual([]);
  });
}

describe('with --engine cpu', () => scripts('cpu'));
describeGpu('with --engine gpu', () => scripts('gpu'));
