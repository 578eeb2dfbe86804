/** Streams for the tests of pipes, sorted by gpusort and by GNU sort. */
import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import { BINARY, environment } from '../cli/run.js';
import { random } from '../support/random.js';

export const MiB = 2 ** 20;
/** Bytes read before the plan. */
export const AHEAD = 64 * MiB;
/** Lines of `field,number,word`, exactly `bytes` bytes in all. */
export function lines(
  bytes: number,
  seed: number,
  line = (next: () => number): string =>
    `${(next() * 1e9).toString(36)},${Math.floor(next() * 1e5) - 5e4},${'w'.repeat(next() * 9)}`,
): Buffer {
  const next = random(seed);
  const block = Array.from({ length: 20_000 }, () => line(next)).join('\n');
  const text = Buffer.alloc(bytes, `${block}\n`);
  // The block repeats, but its copies begin with different letters, and the lines of each have other digits: lines that
  // are repeated more often would be counted.
  for (let at = block.length + 1, count = 0; at < bytes - 1; at += block.length + 1, count++) {
    const digits = Buffer.from(String(count % 100).padStart(2, '0'));
    for (let begin = at; begin > 0 && begin < at + block.length; begin = text.indexOf(10, begin) + 1)
      if (!text.subarray(begin, begin + 3).includes(10)) text.set(digits.subarray(0, bytes - begin - 1), begin + 1);
    if (text[at] !== 10) text[at] = 97 + (count % 26);
  }
  text[bytes - 1] = 10;
  return text;
}

const digest = (file: string): string => spawnSync('sha256sum', [file]).stdout.toString().split(' ')[0];

const quoted = (list: readonly string[]): string => list.map((option) => `'${option}'`).join(' ');

/** The command that sorts the input like GNU sort. */
export const gnuSort = (options = ''): string => `sort --parallel=2 ${options} "$0/input"`;

/** The note of --stats on an input that is divided into buckets as it is read. */
export const DISTRIBUTED = /a sample divides the input into 256 buckets/;

interface Compared {
  /** Digests of both outputs. */
  readonly found: string;
  readonly expected: string;
  /** The output of gpusort's --stats. */
  readonly stats: string;
}

/** How a stream arrives, and the command that sorts it, instead of GNU sort. */
interface Ways {
  readonly reference?: string;
  readonly source?: string;
}

/**
 * Gives this file's tests a directory, and a function that sorts `text` with gpusort, through `cat` (or another
 * `source`), and with the command `reference`.
 */
export function useStreams(): (text: Buffer, options: readonly string[], ways?: Ways) => Compared {
  let directory = '';
  beforeAll(() => {
    directory = fs.mkdtempSync(path.join(process.env.GPUSORT_TEST_TMP ?? '/tmp', 'gpusort-pipes-'));
  });
  afterAll(() => {
    fs.rmSync(directory, { recursive: true });
  });
  const run = (line: string): string => {
    const { status, stderr } = spawnSync('bash', ['--norc', '-c', `set -o pipefail; ${line}`, directory], {
      env: environment({ GPUSORT: BINARY }),
      encoding: 'latin1',
      timeout: 120_000,
    });
    expect(stderr.replace(/^Warning.*\n/gm, '')).toMatch(/^($|stage)/);
    expect(status).toBe(0);
    return stderr;
  };
  return (text, options, { reference = gnuSort(quoted(options)), source = 'cat "$0/input"' } = {}) => {
    fs.writeFileSync(path.join(directory, 'input'), text);
    const gpusort = `"$GPUSORT" --engine cpu --stats --parallel 2 ${quoted(options)}`;
    const stats = run(`${source} | ${gpusort} | cat > "$0/found"`);
    run(`(${reference}) > "$0/expected"`);
    const [found, expected] = ['found', 'expected'].map((name) => digest(path.join(directory, name)));
    return { found, expected, stats };
  };
}
