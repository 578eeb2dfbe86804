/**
 * Whole jobs on the GPU engine, and the engine with keyed lines, in one process on one device. Most jobs share dozens
 * of kernels, and a software GPU takes a fifth of a second to compile one. The imported modules define the tests.
 * @long because files of their own would compile these kernels again
 */
import { afterAll, describe, vi } from 'vitest';
import { hybridJobs } from '../engines/gpu/hybrid/jobs.js';
import { keyedLines } from '../engines/gpu/records/keyed-lines/keyed.js';
import { genomics, similarOnGpu } from '../genomics/cases.js';
import { nearSortedJobs } from '../plan/near-sorted-jobs.js';
import { describeGpu } from '../setup/gpu.js';
import { sortsLongLines } from '../sort/long-lines.js';
import { closeGpu } from '../support/one-gpu.js';
import { NIGHTLY } from '../support/tier.js';
import { verified, verifyInputs } from '../verify/cases.js';
import { LARGE, LARGER, PARTS, WHOLE } from './features.js';
import { battery } from './matrix.js';

vi.mock(import('../../src/engines/gpu/device/device.js'), async (original) => {
  const { withOneGpu } = await import('../support/one-gpu.js');
  return withOneGpu(await original());
});

describeGpu('the GPU engine', () => {
  afterAll(closeGpu);
  describe('battery', () => battery('gpu', [...WHOLE, ...PARTS, ...(NIGHTLY ? LARGE : LARGER)], 60));
  describe('keyed lines', keyedLines);
  describe('msd-radix-hybrid', hybridJobs);
  describe('inputs near their order', nearSortedJobs);
  describe('lines larger than a chunk', () => sortsLongLines('gpu'));
  describe('genomics', () => {
    genomics('gpu');
    similarOnGpu();
  });
  describe('--verify', () => {
    verifyInputs();
    verified('gpu', ['16K']);
  });
});
