/**
 * gpusort against the machine's GNU sort, with random options and inputs (generate.ts). The seed is fixed, so the cases
 * are the same each day. By day two thirds of the cases run on the CPU engine as one chunk; the others in tiny chunks,
 * and with sample sort. Some run as a separate process. The nightly run has twenty times as many cases, each in every
 * way. battery.gpu.test.ts runs the GPU engine's cases (on-gpu.ts).
 */
import { describe } from 'vitest';
import { PROGRAM } from '../battery/runner.js';
import { NIGHTLY } from '../support/tier.js';
import { ALL, batches, every, tiny, ways } from './batches.js';
import { processes } from './programs.js';

/** Runs one case in this many in chunks, which takes longer. */
const EVERY_IN_CHUNKS = NIGHTLY ? 1 : 3;
/** Runs one case in this many as a separate process. */
const EVERY_PROCESS = NIGHTLY ? 25 : 50;

const WHOLE = NIGHTLY ? ALL : ALL.filter((number) => number % EVERY_IN_CHUNKS !== 0);

describe('the CPU engine, one chunk', () =>
  ways(WHOLE, () => ({ engine: 'cpu', algorithm: 'auto', chunkBytes: null })));
describe('the CPU engine, tiny chunks', () =>
  ways(every(EVERY_IN_CHUNKS), (batch) => ({ engine: 'cpu', algorithm: 'auto', chunkBytes: tiny(batch) })));
describe('the CPU engine, sample sort', () =>
  ways(every(EVERY_IN_CHUNKS), (batch) => ({ engine: 'cpu', algorithm: 'sample-sort', chunkBytes: tiny(batch + 1) })));
describe('separate processes', () =>
  batches(
    every(EVERY_PROCESS),
    () => processes(PROGRAM, 'gpusort'),
    () => 'gpusort',
  ));
