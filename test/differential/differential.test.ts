/**
 * gpusort against the machine's GNU sort: options and inputs made by chance (generate.ts), the same cases each day. Each is run on the CPU engine,
 * whole and in tiny chunks, and some by the program itself; at night twenty times as many. The GPU engine's cases are run with its
 * other jobs (on-gpu.ts, battery.gpu.test.ts).
 */
import { describe } from 'vitest';
import { PROGRAM } from '../battery/runner.js';
import { ALL, batches, every, nightly, tiny, ways } from './batches.js';
import { processes } from './programs.js';

/** Of the cases one in so many is run in chunks, which takes longer; */
const EVERY_IN_CHUNKS = nightly ? 1 : 3;
/** and by a process of its own. */
const EVERY_PROCESS = 25;

describe('cpu, whole', () => ways(ALL, () => ({ engine: 'cpu', algorithm: 'auto', chunkBytes: null })));
describe('cpu, in chunks', () => ways(every(EVERY_IN_CHUNKS), (batch) => ({ engine: 'cpu', algorithm: 'auto', chunkBytes: tiny(batch) })));
describe('cpu, in buckets', () => ways(every(EVERY_IN_CHUNKS), (batch) => ({ engine: 'cpu', algorithm: 'sample-sort', chunkBytes: tiny(batch + 1) })));
describe('processes', () => batches(every(EVERY_PROCESS), () => processes(PROGRAM, 'gpusort'), () => 'gpusort'));
