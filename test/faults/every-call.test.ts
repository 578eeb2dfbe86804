/**
 * Makes each file call of whole jobs fail in turn. Afterwards the inputs must be intact, the output as promised
 * (docs/reliability.md), and one clear line must say what happened. Temporary files may remain only if they could not
 * be removed. By day, each call fails with one error, and the errors take turns; at night, with every error.
 */
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import type { SortJob } from '../../src/job.js';
import { GpusortError } from '../../src/report/errors.js';
import { showWarnings } from '../../src/report/warnings.js';
import { runJob } from '../../src/sort.js';
import { canFail, ERRORS, type Failure, failing } from '../support/faults.js';
import { job, silent } from '../support/jobs.js';
import { randomBelow } from '../support/random.js';
import { NIGHTLY } from '../support/tier.js';

const home = process.cwd();
const root = mkdtempSync(join(process.env.GPUSORT_TEST_TMP ?? tmpdir(), 'every-call-'));
afterAll(() => {
  rmSync(root, { recursive: true });
});
afterEach(() => {
  process.chdir(home);
});

const below = randomBelow(7);
const lines = (count: number): string => Array.from({ length: count }, () => `${below(1e9)}\n`).join('');
const sorted = (text: string): string => `${text.split('\n').slice(0, -1).sort().join('\n')}\n`;
const INPUTS = { a: lines(700), b: lines(500) };
const ORDERED = { a: sorted(INPUTS.a), b: sorted(INPUTS.b) };
const EXPECTED = sorted(INPUTS.a + INPUTS.b);
const OLD = 'old contents\n';

const FAILURES: readonly Failure[] = [...ERRORS, 'short'];

interface Scene {
  readonly name: string;
  readonly changes: Partial<SortJob>;
  /** The output's content before the job; null: it does not exist. */
  readonly before: string | null;
  /** The output has two hard links, so it is written in place. */
  readonly linked?: boolean;
  readonly inputs?: typeof INPUTS;
}

const CPU: Partial<SortJob> = { engine: 'cpu', parallel: 1, memoryBytes: 1 << 20 };
const SCENES: readonly Scene[] = [
  { name: 'a new file', changes: CPU, before: null },
  { name: 'a file that is replaced', changes: CPU, before: OLD },
  { name: 'a file that is synced', changes: { ...CPU, sync: true }, before: OLD },
  { name: 'a file written in place', changes: { ...CPU, sync: true }, before: OLD, linked: true },
  { name: 'a longer file written in place', changes: CPU, before: OLD.repeat(4000), linked: true },
  { name: 'spilled runs', changes: { ...CPU, chunkBytes: 2048, memoryBytes: 1 }, before: OLD },
  {
    name: 'spilled runs, compressed',
    changes: { ...CPU, chunkBytes: 8192, memoryBytes: 1, compressProgram: Buffer.from('gzip') },
    before: OLD,
  },
  {
    name: 'spilled runs in two directories, the last records',
    changes: {
      ...CPU,
      chunkBytes: 2048,
      memoryBytes: 1,
      temporaryDirectories: [Buffer.from('t'), Buffer.from('.')],
      limit: { end: 'last', count: 900 },
    },
    before: OLD,
  },
  {
    name: '-m through temporary files',
    changes: { ...CPU, mode: 'merge', batchSize: 2 },
    before: OLD,
    inputs: ORDERED,
  },
  { name: 'the last records, held back', changes: { ...CPU, limit: { end: 'last', count: 10_000 } }, before: null },
];

/** Runs a scene in a new directory. `at`: the number of the call that fails; -1: none. */
async function play(scene: Scene, at: number, failure: Failure) {
  const directory = mkdtempSync(join(root, 's-'));
  const temporary = join(directory, 't');
  mkdirSync(temporary);
  process.chdir(directory);
  const inputs = scene.inputs ?? INPUTS;
  writeFileSync('a', inputs.a);
  writeFileSync('b', inputs.b);
  if (scene.before !== null) writeFileSync('out', scene.before);
  if (scene.linked) linkSync('out', 'second');
  const warnings: string[] = [];
  showWarnings((sentence) => {
    warnings.push(sentence);
  });
  const names = ['a', 'b', ...(scene.changes.mode === 'merge' ? ['a', 'b', 'a'] : [])];
  const requested = job({
    temporaryDirectories: [Buffer.from(temporary)],
    ...scene.changes,
    inputs: names.map((name) => Buffer.from(name)),
    output: Buffer.from('out'),
  });
  const calls = failing(at, failure);
  let error: unknown = null;
  try {
    await runJob(requested, silent);
  } catch (thrown) {
    error = thrown;
  } finally {
    calls.restore();
  }
  return { directory, error, warnings, calls: calls.made, inputs };
}

/** Checks what every scene promises, whichever call failed. */
function check(
  scene: Scene,
  { directory, error, warnings, inputs }: Awaited<ReturnType<typeof play>>,
  expected: string,
): void {
  for (const name of ['a', 'b'] as const) expect(readFileSync(join(directory, name), 'latin1')).toBe(inputs[name]);
  const out = existsSync(join(directory, 'out')) ? readFileSync(join(directory, 'out'), 'latin1') : null;
  let said = warnings.join('\n');
  if (error === null) {
    expect(out === expected).toBe(true);
  } else {
    if (!(error instanceof GpusortError)) throw error;
    const { exitCode, message, hint = '' } = error;
    expect(exitCode).toBe(2);
    expect(message).not.toMatch(/\n|unexpected|undefined/);
    said += `${message}\n${hint}`;
    if (!/is complete but may not be on disk/.test(hint)) {
      const partly = /is partly written; the complete sorted output is in/.test(hint);
      expect(out === scene.before || partly).toBe(true);
    } else expect(out === expected).toBe(true);
  }
  expect(said).not.toMatch(/(?:^|[ :(])E[A-Z]{3,}\b/);
  for (const name of [
    ...readdirSync(directory),
    ...readdirSync(join(directory, 't')).map((name) => `t/${name}`),
  ].filter((name) => name.includes('gpusort'))) {
    // Messages name every file that is left: complete sorted text, or a file that could not be removed.
    expect(said).toContain(name);
    if (/gpusort-sorted/.test(name)) expect(readFileSync(resolve(directory, name), 'latin1') === expected).toBe(true);
    else expect(warnings.filter((warning) => warning.startsWith('cannot remove temporary file'))).toHaveLength(1);
  }
  rmSync(directory, { recursive: true });
}

describe.each(SCENES)('$name', (scene) => {
  it('keeps the promises of docs/reliability.md whichever file call fails', { timeout: 300_000 }, async () => {
    const clean = await play(scene, -1, 'EIO');
    expect(clean.error).toBe(null);
    const expected = readFileSync(join(clean.directory, 'out'), 'latin1');
    if (scene.changes.mode !== 'merge')
      expect(scene.changes.limit === undefined ? expected === EXPECTED : EXPECTED.endsWith(expected)).toBe(true);
    check(scene, clean, expected);
    for (let at = 0; at < clean.calls.length; at++) {
      const able = FAILURES.filter((failure) => canFail(clean.calls[at], failure));
      const turn = (at + SCENES.indexOf(scene)) % able.length;
      for (const failure of NIGHTLY ? able : able.slice(turn, turn + 1)) {
        const outcome = await play(scene, at, failure);
        const name = outcome.calls[at] ?? 'no call';
        try {
          check(scene, outcome, expected);
          // The program continues a short read or write.
          if (failure === 'short') expect(outcome.error).toBe(null);
        } catch (cause) {
          throw new Error(
            `${failure} at call ${at}, ${name}: ${String(outcome.error)} ${outcome.warnings.join('; ')}`,
            { cause },
          );
        }
      }
    }
  });
});
