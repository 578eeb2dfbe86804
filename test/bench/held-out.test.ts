/**
 * The choice for inputs that only check the calibration (tools/calibrate/main.mjs). Times of an H100 judged these
 * choices: see "Constants" in docs/history.md. A change of one of them needs times of its own.
 */
import { expect, it } from 'vitest';
import { NEIGHBORS, sampleParts } from '../../src/input/sample.js';
import type { Ordering } from '../../src/job/ordering.js';
import { estimates } from '../../src/plan/costs.js';
import { COST_TABLE } from '../../src/plan/costs-table.js';
import { statisticsOf } from '../../src/plan/statistics.js';
import { recordFinder } from '../../src/records/record-finder.js';
// @ts-expect-error: plain JavaScript, because the benchmarks run without a build of their own
import { blocksOf } from '../../tools/bench/generate.mjs';
// @ts-expect-error
import { HELD_OUT_KINDS, heldOutText } from '../../tools/bench/held-out.mjs';
// @ts-expect-error
import { NEAR_SORTED_HELD_OUT_KINDS, nearSortedText } from '../../tools/bench/near-sorted.mjs';
import { LINES } from '../support/records.js';

const BYTES = 2 << 20;
const FIXED: Ordering = {
  ...LINES,
  format: { kind: 'fixed', size: 100 },
  key: { kind: 'bytes', offset: 0, length: 10 },
  lastResort: true,
};

/** The sort chosen for 2 MiB of each kind. */
const CHOICES: Readonly<Record<string, string>> = {
  numbers: 'radix-refine',
  log: 'string-merge',
  few: 'string-merge',
  paths: 'string-merge',
  hex40: 'msd-radix',
  binary: 'string-merge',
  near20k: 'radix-refine',
  strays: 'radix-refine',
  runs: 'locality',
  reversed: 'radix-refine',
  random13: 'msd-radix',
  distinct13: 'msd-radix',
  urls60: 'string-merge',
  dna100: 'msd-radix',
  equal32: 'locality',
  random100: 'msd-radix',
  random11: 'msd-radix',
  words: 'string-merge',
  urls: 'string-merge',
  dna150: 'radix-refine',
  sorted100: 'locality',
  equal100: 'locality',
  records100: 'msd-radix',
};

function textOf(kind: string, bytes: number): Buffer {
  if (HELD_OUT_KINDS.includes(kind)) return heldOutText(kind, bytes, 5);
  if (NEAR_SORTED_HELD_OUT_KINDS.includes(kind)) return nearSortedText(kind, bytes, 5);
  return Buffer.concat(Array.from(blocksOf(kind, { bytes, seed: 77 }), ({ block }) => Buffer.from(block)));
}

function chosen(kind: string, bytes: number): string {
  const ordering = kind === 'records100' ? FIXED : { ...LINES, lastResort: true };
  const text = textOf(kind, bytes);
  const sample = statisticsOf(sampleParts([text], recordFinder(ordering.format), NEIGHBORS), ordering)!;
  const records =
    kind === 'records100' ? text.length / 100 : text.reduce((count, byte) => count + Number(byte === 10), 0);
  return estimates({ sample, records }, COST_TABLE)[0].algorithm;
}

it.each(Object.entries(CHOICES))('for %s, the planner chooses %s', (kind, choice) => {
  expect(chosen(kind, BYTES)).toBe(choice);
});
