/**
 * Ways of input and output in shells: several files, pipes, -o on an input, -m and -c. GNU sort runs the same script.
 * features.ts has kinds of contents.
 */
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'vitest';
import { hasGpu } from '../setup/gpu.js';
import { sampled } from '../support/tier.js';
import { INPUTS } from './inputs.js';
import { freshDirectory, gnuScript, inputFile, sameAsGnu, script } from './runner.js';

/** The files of each test's directory: name, and the input that it contains. */
const FILES: Readonly<Record<string, string>> = {
  a: 'random lines (small)',
  b: 'URLs (small)',
  c: 'no last newline',
  d: 'empty',
  e: 'NULs (small)',
  f: 'Zipf words (small)',
  g: 'one huge line (small)',
};

async function directoryOfFiles(): Promise<string> {
  const directory = freshDirectory('files');
  for (const [name, inputName] of Object.entries(FILES))
    copyFileSync(await inputFile(INPUTS.find((input) => input.name === inputName)!), join(directory, name));
  return directory;
}

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

/** Scripts that do not depend on the engine: the command line, -c, -m, and the output file. */
const NO_ENGINE =
  /^(-c|-m|-- ends|options after|long names|abbreviated|clusters|appended|two sorts|-o (a new file|keeps|that names an input by))/;

interface Run {
  readonly name: string;
  readonly text: string;
  readonly engine: 'cpu' | 'gpu';
  /** With chunks so small that there are several runs. Those of the GPU engine spill. */
  readonly way: 'one chunk' | 'chunks';
}
const OPTIONS = {
  cpu: { 'one chunk': '', chunks: '--chunk-size 16K' },
  gpu: { 'one chunk': '', chunks: '--chunk-size 16K -S 64K' },
} as const;

/** The subject of a script: -m, -c, -o, or a word for the rest. */
function kindOf(name: string): string {
  const [option] = /^-[mco]\b/.exec(name) ?? [];
  return option ?? (/pipe|standard input/.test(name) ? 'input' : NO_ENGINE.test(name) ? 'words' : 'files');
}

const runs: readonly Run[] = SCRIPTS.flatMap(([name, text]) =>
  (hasGpu() ? (['cpu', 'gpu'] as const) : (['cpu'] as const)).flatMap((engine) =>
    (['one chunk', 'chunks'] as const).map((way) => ({ name, text, engine, way })),
  ),
);
/** By day, only some of the scripts that depend on the engine also run in chunks; on a software GPU, two do. */
const DRAW = {
  count: 60,
  seed: 4,
  values: ({ name, engine, way }: Run) => [`${engine} ${engine === 'cpu' ? kindOf(name) : ''}`, `${engine} ${way}`],
  always: ({ name, engine, way }: Run) =>
    engine === 'cpu' ? way === 'one chunk' : way === 'chunks' && /slow pipe|partly read/.test(name),
};

describe.each(sampled(runs, DRAW))('with --engine $engine, $way', ({ name, text, engine, way }) => {
  it(`runs like GNU sort: ${name}`, async () => {
    const E = `--engine ${engine} ${OPTIONS[engine][way]}`;
    const ours = await script(text, { cwd: await directoryOfFiles(), env: { E } });
    sameAsGnu(ours, await gnuScript(text, { cwd: await directoryOfFiles(), env: { E: '' } }));
  });
});

it('sorts megabytes from a pipe, spills runs of it, and removes them', async () => {
  const cwd = await directoryOfFiles();
  const text = 'mkdir t; for i in {1..60}; do cat b f; done | gpusort $E | md5sum; ls t';
  const E = '--engine cpu -S 1M --chunk-size 512K -T t';
  sameAsGnu(
    await script(text, { cwd, env: { E } }),
    await gnuScript(text, { cwd: await directoryOfFiles(), env: { E: '' } }),
  );
});
