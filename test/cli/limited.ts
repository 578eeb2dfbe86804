/** Runs gpusort in a shell, for tests of limits and of memory. Outputs are compared by digest: they are large. */

import { createHash } from 'node:crypto';
import { closeSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { shell } from './run.js';

export interface Digested {
  readonly digest: string;
  readonly status: number;
  readonly stderr: string;
}

export function digested(line: string, cwd: string): Digested {
  const { stdout, stderr } = shell(`${line} | sha256sum; echo \${PIPESTATUS[0]}`, { cwd });
  const [digest, status] = stdout.split('\n');
  return { digest: digest.slice(0, 64), status: Number(status), stderr };
}

export const digestOf = (lines: readonly string[]): string => createHash('sha256').update(lines.join('')).digest('hex');

/** Expects the sorted output, or the message that memory is exhausted. */
export function expectSortedOrRefused({ digest, status, stderr }: Digested, sorted: string, label: string): void {
  if (status === 0) expect({ label, digest, stderr }).toEqual({ label, digest: sorted, stderr: '' });
  else {
    expect({ label, status }).toEqual({ label, status: 2 });
    expect(stderr, label).toMatch(/^gpusort: memory exhausted.*\n.*\n$/);
  }
}

const HOOK = fileURLToPath(new URL('../support/high-water.cjs', import.meta.url));
const LEAST_MEMORY = 2 ** 25;
/** The part of the bound that depends neither on SIZE nor on records; the second one with codec threads. */
const OTHER_BYTES = 120e6;
export const WITH_CODECS = 150e6;

/** A sort with `-S` of this many MiB. */
interface BoundedSort {
  readonly mebibytes: number;
  readonly options: string;
  readonly input: string;
  readonly piped?: boolean;
  readonly otherBytes?: number;
}

/**
 * Sorts `input`, as a file or through a pipe, and expects the digest of its output and no more memory than -S promises:
 * SIZE (at least 32 MiB) + 120 MB (150 MB with codec threads) + twice the longest record.
 */
export function expectBounded(
  { mebibytes, options, input, piped = false, otherBytes = OTHER_BYTES }: BoundedSort,
  longest: number,
  expected: string | null,
  directory: string,
): void {
  const file = join(directory, 'high-water');
  const sort = `$GPUSORT --engine=cpu -T . -S${mebibytes}M ${options}`;
  const command = `NODE_OPTIONS="--require ${HOOK}" HIGH_WATER=${file} ${sort}`;
  const { digest, ...outcome } = digested(
    piped ? `set -o pipefail; cat ${input} | ${command}` : `${command} ${input}`,
    directory,
  );
  const label = `${options} ${piped ? 'piped' : 'a file'} -S${mebibytes}M`;
  expect({ label, ...outcome }).toEqual({ label, status: 0, stderr: '' });
  if (expected !== null) expect(digest, label).toBe(expected);
  const { resident, newSpace } = JSON.parse(readFileSync(file, 'utf8')) as { resident: number; newSpace: number };
  const bound = Math.max(mebibytes * 2 ** 20, LEAST_MEMORY) + otherBytes + 2 * longest;
  expect(resident / 1e6, `${label}: megabytes`).toBeLessThanOrEqual(bound / 1e6);
  // V8 forgets the limit of its new space whenever a thread starts, so gpusort must set it again.
  if (mebibytes <= 64 && longest <= LINE_BYTES) expect(newSpace, label).toBeLessThanOrEqual(8 * 2 ** 20);
}

const LINES_PER_BLOCK = 10_000;
export const LINE_BYTES = 100;
/** Coprime to the number of lines: its multiples reach each line once. */
const STRIDE = 7_368_787;

/** Blocks of lines of 100 bytes; line i begins with `numberOf(i)`. Each block overwrites the previous one. */
function* numberedLines(count: number, numberOf: (i: number) => number): Generator<Buffer> {
  const text = 'a text that all lines have '.repeat(4).slice(0, LINE_BYTES - 1);
  const block = Buffer.alloc(LINES_PER_BLOCK * LINE_BYTES, `${text}\n`);
  for (let first = 0; first < count; first += LINES_PER_BLOCK) {
    for (let i = 0; i < LINES_PER_BLOCK; i++)
      block.write(String(numberOf(first + i)).padStart(12, '0'), i * LINE_BYTES, 'latin1');
    yield block;
  }
}

/** Writes `count` lines to a file in scattered order; returns the digest of the sorted lines. */
export function scattered(path: string, count: number): string {
  const file = openSync(path, 'w');
  for (const block of numberedLines(count, (i) => (i * STRIDE) % count)) writeSync(file, block);
  closeSync(file);
  const digest = createHash('sha256');
  for (const block of numberedLines(count, (i) => i)) digest.update(block);
  return digest.digest('hex');
}

/** Writes small files f0, f1 and so on; returns the digest of their sorted lines. */
export function manyFiles(directory: string, texts: readonly string[]): string {
  for (const [i, text] of texts.entries()) writeFileSync(join(directory, `f${i}`), text);
  return digested('sort f*', directory).digest;
}
