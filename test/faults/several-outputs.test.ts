/**
 * Makes each file call of jobs with several or compressed outputs fail in turn: reads and their mates, and alignments
 * with an index. Afterwards the outputs must be as docs/reliability.md promises, and no file may be open. By day, every
 * third call fails with one error; at night, every call with every error.
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
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { GpusortError } from '../../src/report/errors.js';
import { showWarnings } from '../../src/report/warnings.js';
import { runJob } from '../../src/sort.js';
import { canFail, ERRORS, type Failure, failing } from '../support/faults.js';
import { parsed } from '../support/in-process.js';
import { silent } from '../support/jobs.js';
import { randomBelow } from '../support/random.js';
import { NIGHTLY } from '../support/tier.js';

const home = process.cwd();
const root = mkdtempSync(join(process.env.GPUSORT_TEST_TMP ?? tmpdir(), 'several-outputs-'));
afterAll(() => {
  rmSync(root, { recursive: true });
});
afterEach(() => {
  process.chdir(home);
});

const FAILURES: readonly Failure[] = [...ERRORS, 'short'];
/** By day, one of so many calls fails. */
const BY_DAY = 3;
const OLD = 'old contents\n';

/** Reads with random names, and mates of the same names. */
const below = randomBelow(17);
const names = Array.from({ length: 60 }, () => `r${below(1e6)}`);
const reads = (mate: number): string => names.map((name) => `@${name}/${mate}\nACGT${mate}\n+\nIIIII\n`).join('');

interface Scene {
  readonly name: string;
  readonly inputs: Readonly<Record<string, Buffer>>;
  readonly words: readonly string[];
  readonly outputs: readonly string[];
  /**
   * Whether the outputs exist before the job, and whether they have second links, so that they are written in place.
   */
  readonly before: 'none' | 'old' | 'linked';
}

const PAIRS = {
  inputs: { 'a.fq': Buffer.from(reads(1)), 'b.fq': Buffer.from(reads(2)) },
  words: ['--format=fastq', '--by=name', '--mate=b.fq', '--mate-out=s2', '-o', 's1', 'a.fq'],
  outputs: ['s1', 's2'],
};
const ALIGNMENTS = {
  inputs: { 'a.bam': readFileSync('fixtures/alignments.bam') },
  words: ['--format=bam', '--index', '-o', 's.bam', 'a.bam'],
  outputs: ['s.bam', 's.bam.bai'],
};
const INTERVALS = {
  inputs: { 'a.bed': readFileSync('fixtures/regions.bed') },
  words: ['--format=bed', '--output-format=bgzf', '--index', '--sync', '-o', 's.gz', 'a.bed'],
  outputs: ['s.gz', 's.gz.tbi'],
};
const SCENES: readonly Scene[] = [
  { name: 'new files of mates', ...PAIRS, before: 'none' },
  { name: 'files of mates that are replaced', ...PAIRS, before: 'old' },
  {
    name: 'compressed files of mates written in place',
    ...PAIRS,
    words: ['--output-format=gzip', ...PAIRS.words],
    before: 'linked',
  },
  { name: 'alignments and their index', ...ALIGNMENTS, before: 'none' },
  { name: 'alignments and an index that are replaced', ...ALIGNMENTS, before: 'old' },
  { name: 'intervals and their index, synced', ...INTERVALS, before: 'old' },
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
    const below = files.filter((name) => name.startsWith(`${directory}/`));
    if (below.length === 0 || tries === 0) return below;
    await sleep(5);
  }
}

/** Runs a scene in a new directory. `at`: the number of the call that fails; -1: none. */
async function play(scene: Scene, at: number, failure: Failure) {
  const directory = mkdtempSync(join(root, 's-'));
  mkdirSync(join(directory, 't'));
  process.chdir(directory);
  for (const [name, bytes] of Object.entries(scene.inputs)) writeFileSync(name, bytes);
  if (scene.before !== 'none') for (const name of scene.outputs) writeFileSync(name, OLD);
  if (scene.before === 'linked') for (const name of scene.outputs) linkSync(name, `${name}.second`);
  const warnings: string[] = [];
  showWarnings((sentence) => {
    warnings.push(sentence);
  });
  const request = parsed(['--engine=cpu', '--parallel=1', '-T', 't', ...scene.words], 'gpusort');
  if (request.action !== 'sort') throw new Error(`the arguments request ${request.action}`);
  const calls = failing(at, failure);
  let error: unknown = null;
  try {
    await runJob({ ...request.job, progress: 'never' }, silent);
  } catch (thrown) {
    error = thrown;
  } finally {
    calls.restore();
  }
  return { directory, error, warnings, calls: calls.made, left: await openFiles(directory) };
}

type Outcome = Awaited<ReturnType<typeof play>>;

/** What a file holds; null: it does not exist. */
const contents = (name: string): string | null => (existsSync(name) ? readFileSync(name, 'latin1') : null);

/** Checks what every scene promises, whichever call failed. */
function check(scene: Scene, { directory, error, warnings, left }: Outcome, expected: readonly string[]): void {
  expect(left).toEqual([]);
  for (const [name, bytes] of Object.entries(scene.inputs)) expect(readFileSync(name).equals(bytes)).toBe(true);
  const found = scene.outputs.map((name) => contents(name));
  let said = warnings.join('\n');
  if (error === null) expect(found.every((text, i) => text === expected[i])).toBe(true);
  else {
    if (!(error instanceof GpusortError)) throw error;
    const { exitCode, message, hint = '' } = error;
    expect(exitCode).toBe(2);
    expect(`${message}${hint}`).not.toMatch(/\n|unexpected|undefined|internal error|(?:^|[ :(])E[A-Z]{3,}\b/);
    said += `${message}\n${hint}`;
    const old = scene.before === 'none' ? null : OLD;
    for (const [i, name] of scene.outputs.entries()) {
      if (found[i] === old) continue;
      // A file that is not old is complete, or partly written, and the message says so.
      const state = found[i] === expected[i] ? 'is complete' : 'is partly written';
      expect(hint).toContain(`${name} ${state}`);
    }
    // If one output is in place, the others are, or are kept.
    if (found.some((text, i) => text === expected[i]))
      for (const [i, name] of scene.outputs.entries())
        if (found[i] !== expected[i]) expect(said).toMatch(new RegExp(`${name}\\b[^]* in \\S*gpusort-`));
  }
  for (const name of [...readdirSync('.'), ...readdirSync('t').map((name) => `t/${name}`)]) {
    if (!name.includes('gpusort')) continue;
    expect(said).toContain(name);
    if (name.includes('gpusort-sorted')) expect(expected).toContain(contents(name));
    else expect(warnings.filter((warning) => warning.startsWith('cannot remove temporary file'))).toHaveLength(1);
  }
  process.chdir(home);
  rmSync(directory, { recursive: true });
}

describe.each(SCENES)('$name', (scene) => {
  it('are as promised whichever file call fails', { timeout: 300_000 }, async () => {
    const clean = await play(scene, -1, 'EIO');
    expect(clean.error).toBe(null);
    const expected = scene.outputs.map((name) => contents(name)!);
    check(scene, clean, expected);
    for (let at = NIGHTLY ? 0 : SCENES.indexOf(scene) % BY_DAY; at < clean.calls.length; at += NIGHTLY ? 1 : BY_DAY) {
      const able = FAILURES.filter((failure) => canFail(clean.calls[at], failure));
      for (const failure of NIGHTLY ? able : able.slice(at % able.length).slice(0, 1)) {
        const outcome = await play(scene, at, failure);
        try {
          check(scene, outcome, expected);
          if (failure === 'short') expect(outcome.error).toBe(null);
        } catch (cause) {
          const { error, warnings, calls } = outcome;
          const hint = error instanceof GpusortError ? error.hint : '';
          throw new Error(`${failure} at call ${at}, ${calls[at]}: ${error} ${hint}; ${warnings.join('; ')}`, {
            cause,
          });
        }
      }
    }
  });
});
