/**
 * Makes each file call of whole jobs fail in turn: plain sorts, spilled runs, -m, mates, compressed outputs, indexes.
 * Afterwards the inputs must be intact, the outputs as promised (docs/reliability.md), no file open, and one clear line
 * must say what happened. Temporary files may remain only if they could not be removed. In `npm run test:all` each call
 * fails with one error, and the errors take turns; at night with every error.
 */
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, expect, it } from 'vitest';
import { showWarnings } from '../../src/report/warnings.js';
import { runJob } from '../../src/run/run-job.js';
import { GpusortError } from '../../src/system/errors.js';
import { canFail, ERRORS, type Failure, failing } from '../support/faults.js';
import { parsed } from '../support/in-process.js';
import { changed, silent } from '../support/jobs.js';
import { randomBelow } from '../support/random.js';
import { sampled } from '../support/tier.js';

const home = process.cwd();
/** Another test of this thread may have changed the directory. */
const fixture = (name: string): URL => new URL(`../../fixtures/${name}`, import.meta.url);
const root = mkdtempSync(join(process.env.GPUSORT_TEST_TMP ?? tmpdir(), 'every-call-'));
afterAll(() => {
  rmSync(root, { recursive: true });
});
afterEach(() => {
  process.chdir(home);
  showWarnings(() => {});
});

interface Scene {
  readonly name: string;
  readonly inputs: Readonly<Record<string, Buffer>>;
  readonly words: string;
  readonly outputs: readonly string[];
  /** The contents of the outputs before the job; null: they do not exist. */
  readonly before: string | null;
  /** The outputs have second links, so they are written in place. */
  readonly linked?: boolean;
  /** The expected output, from the lines of `a` and `b` in order. Without it, that of a job without a fault. */
  readonly expected?: ((sorted: readonly string[]) => readonly string[]) | undefined;
}

const OLD = 'old contents\n';
const below = randomBelow(7);
const lines = (count: number): string[] => Array.from({ length: count }, () => `${below(1e9)}\n`);
const [A, B] = [lines(700), lines(500)];
const text = (all: readonly string[]): Buffer => Buffer.from(all.join(''));
const PLAIN = {
  inputs: { a: text(A), b: text(B) },
  words: '-S 1M -o out a b',
  outputs: ['out'],
  before: OLD,
  expected: (sorted: readonly string[]) => sorted,
};
const SPILLED = '-S 1b --chunk-size 2048 -o out a b';

/** Lines of which a third are there twice, split into the first ones and the others. */
const TWICE = {
  inputs: { a: text(A), b: text([...B, ...A.slice(0, 400)]) },
  words: '-S 1M --dupes-output others -o out a b',
  outputs: ['out', 'others'],
};

/** Reads with random names, and mates of the same names. */
const names = Array.from({ length: 60 }, () => `r${below(1e6)}`);
const reads = (mate: number): Buffer =>
  Buffer.from(names.map((name) => `@${name}/${mate}\nACGT${mate}\n+\nIIIII\n`).join(''));
const PAIRS = {
  inputs: { 'a.fq': reads(1), 'b.fq': reads(2) },
  words: '--format=fastq --by=name --mate=b.fq --mate-out=s2 -o s1 a.fq',
  outputs: ['s1', 's2'],
};
const ALIGNMENTS = {
  inputs: { 'a.bam': readFileSync(fixture('alignments.bam')) },
  words: '--format=bam --index -o s.bam a.bam',
  outputs: ['s.bam', 's.bam.bai'],
};
const INTERVALS = {
  inputs: { 'a.bed': readFileSync(fixture('regions.bed')) },
  words: '--format=bed --output-format=bgzf --index --sync -o s.gz a.bed',
  outputs: ['s.gz', 's.gz.tbi'],
};

const SCENES: readonly Scene[] = [
  { name: 'a new file', ...PLAIN, before: null },
  { name: 'a file that is replaced', ...PLAIN },
  { name: 'a file that is synced', ...PLAIN, words: `--sync ${PLAIN.words}` },
  { name: 'a file written in place', ...PLAIN, words: `--sync ${PLAIN.words}`, linked: true },
  { name: 'a longer file written in place', ...PLAIN, before: OLD.repeat(4000), linked: true },
  { name: 'spilled runs', ...PLAIN, words: SPILLED },
  {
    name: 'spilled runs, compressed',
    ...PLAIN,
    words: '-S 1b --chunk-size 8192 --compress-program=gzip -o out a b',
  },
  {
    name: 'spilled runs in two directories, the last records',
    ...PLAIN,
    words: `-T . --bottom 900 ${SPILLED}`,
    expected: (sorted) => sorted.slice(-900),
  },
  {
    name: '-m through temporary files',
    ...PLAIN,
    inputs: { a: text(A.toSorted()), b: text(B.toSorted()) },
    words: '-m --batch-size=2 -o out a b a b a',
    expected: (sorted) => [...sorted, ...sorted, ...A].sort(),
  },
  {
    name: '-m in ranges, of inputs out of order',
    ...PLAIN,
    inputs: { a: text([...A.toSorted(), '0\n']), b: text(B.toSorted()) },
    words: '-m --chunk-size 300 -o out a b',
    expected: undefined,
  },
  { name: 'the last records, held back', ...PLAIN, words: `--bottom 10000 ${PLAIN.words}`, before: null },
  { name: 'new files of mates', ...PAIRS, before: null },
  { name: 'files of mates that are replaced', ...PAIRS, before: OLD },
  {
    name: 'compressed files of mates written in place',
    ...PAIRS,
    words: `--output-format=gzip ${PAIRS.words}`,
    before: OLD,
    linked: true,
  },
  { name: 'new files of first lines and duplicates', ...TWICE, before: null },
  {
    name: 'files of first lines and duplicates that are replaced',
    ...TWICE,
    words: `--sync ${TWICE.words}`,
    before: OLD,
  },
  {
    name: 'compressed files of first lines and duplicates written in place',
    ...TWICE,
    words: `--output-format=gzip ${TWICE.words}`,
    before: OLD,
    linked: true,
  },
  { name: 'alignments and their index', ...ALIGNMENTS, before: null },
  { name: 'alignments and an index that are replaced', ...ALIGNMENTS, before: OLD },
  { name: 'intervals and their index, synced', ...INTERVALS, before: OLD },
];

/** The open files below a directory, once all that is being closed is closed. */
async function openFiles(directory: string): Promise<string[]> {
  for (let tries = 100; ; tries--) {
    const files = readdirSync('/proc/self/fd').map((fd) => {
      try {
        return readlinkSync(`/proc/self/fd/${fd}`);
      } catch {
        return '';
      }
    });
    const inside = files.filter((name) => name.startsWith(`${directory}/`));
    if (inside.length === 0 || tries === 0) return inside;
    await sleep(5);
  }
}

/** Runs a scene in a new directory. `at`: the number of the call that fails; -1: none. */
async function play(scene: Scene, at: number, failure: Failure) {
  const directory = mkdtempSync(join(root, 's-'));
  mkdirSync(join(directory, 't'));
  process.chdir(directory);
  for (const [name, bytes] of Object.entries(scene.inputs)) writeFileSync(name, bytes);
  for (const name of scene.before === null ? [] : scene.outputs) {
    writeFileSync(name, scene.before!);
    if (scene.linked) linkSync(name, `${name}.second`);
  }
  const warnings: string[] = [];
  showWarnings((sentence) => {
    warnings.push(sentence);
  });
  const request = parsed(['--engine=cpu', '--parallel=1', '-T', 't', ...scene.words.split(' ')], 'gpusort');
  if (request.action !== 'sort') throw new Error(`the arguments request ${request.action}`);
  const calls = failing(at, failure);
  let error: unknown = null;
  try {
    await runJob(changed(request.job, { progress: 'never' }), silent);
  } catch (thrown) {
    error = thrown;
  } finally {
    calls.restore();
  }
  return { directory, error, warnings, calls: calls.made, left: await openFiles(directory) };
}
type Outcome = Awaited<ReturnType<typeof play>>;

/** The contents of a file; null: it does not exist. */
const contents = (name: string): string | null => (existsSync(name) ? readFileSync(name, 'latin1') : null);

/** Checks what every scene promises, whichever call failed, and removes its directory. */
function check(scene: Scene, { directory, error, warnings, left }: Outcome, expected: readonly string[]): void {
  expect(left).toEqual([]);
  for (const [name, bytes] of Object.entries(scene.inputs)) expect(readFileSync(name).equals(bytes)).toBe(true);
  const found = scene.outputs.map((name) => contents(name));
  let said = warnings.join('\n');
  if (error === null) expect(found.every((output, i) => output === expected[i])).toBe(true);
  else {
    if (!(error instanceof GpusortError)) throw error;
    const { exitCode, message, hint = '' } = error;
    expect(exitCode).toBe(2);
    expect(message).not.toMatch(/\n|unexpected|undefined|internal error/);
    said += `${message}\n${hint}`;
    for (const [i, name] of scene.outputs.entries()) {
      if (found[i] === scene.before) continue;
      // A file with new contents is complete, or is partly written and the message says so.
      expect(hint).toContain(`${name} ${found[i] === expected[i] ? 'is complete' : 'is partly written'}`);
    }
    // If one output is in place, the others are in place or kept as temporary files.
    if (found.some((output, i) => output === expected[i]))
      for (const [i, name] of scene.outputs.entries())
        if (found[i] !== expected[i]) expect(said).toMatch(new RegExp(`${name}\\b[^]* in \\S*gpusort-`));
  }
  expect(said).not.toMatch(/(?:^|[ :(])E[A-Z]{3,}\b/);
  for (const name of [...readdirSync('.'), ...readdirSync('t').map((inside) => `t/${inside}`)]) {
    if (!name.includes('gpusort')) continue;
    // Messages name every file that is left: complete sorted text, or a file that could not be removed.
    expect(said).toContain(name);
    if (name.includes('gpusort-sorted')) expect(expected).toContain(contents(name));
    else expect(warnings.filter((warning) => warning.startsWith('cannot remove temporary file'))).toHaveLength(1);
  }
  process.chdir(home);
  rmSync(directory, { recursive: true });
}

const FAILURES: readonly Failure[] = [...ERRORS, 'short'];
const values = ({ words, before, linked = false }: Scene): readonly (string | boolean)[] => [
  /--bottom|-m --\w+|--chunk|--format=\w+/.exec(words)?.[0] ?? '',
  `${before === null} ${linked}`,
];

it.each(sampled(SCENES, { count: SCENES.length, seed: 1, values }))(
  'keeps the promises whichever file call fails: $name',
  { timeout: 300_000 },
  async (scene) => {
    const clean = await play(scene, -1, 'EIO');
    expect(clean.error).toBe(null);
    const expected = scene.outputs.map((name) => contents(name)!);
    if (scene.expected !== undefined)
      expect(expected).toEqual([
        scene
          .expected([...A, ...B].sort())
          .toSorted()
          .join(''),
      ]);
    check(scene, clean, expected);
    const number = SCENES.indexOf(scene);
    const faults = clean.calls.flatMap((name, at) => {
      const able = FAILURES.filter((failure) => canFail(name, failure));
      return able.map((failure, i) => ({ name, at, failure, isTurn: i === (at + number) % able.length }));
    });
    // The quick tier makes each kind of call fail once.
    const drawn = sampled(faults, {
      count: 1,
      seed: number,
      values: ({ name }) => [name],
      always: ({ isTurn }) => isTurn,
    });
    for (const { name, at, failure } of drawn) {
      const outcome = await play(scene, at, failure);
      try {
        check(scene, outcome, expected);
        // The program continues a short read or write.
        if (failure === 'short') expect(outcome.error).toBe(null);
      } catch (cause) {
        const { error, warnings } = outcome;
        const hint = error instanceof GpusortError ? error.hint : '';
        throw new Error(`${failure} at call ${at}, ${name}: ${error} ${hint}; ${warnings.join('; ')}`, { cause });
      }
    }
  },
);
