/**
 * Milliseconds for each unit of the terms in costs.ts. Written by `npm run calibrate`; do not edit.
 */
import type { CostTable } from './costs.js';

export const COST_TABLE: CostTable = {
  machine: 'nvidia-h100-80gb-hbm3',
  date: '2026-11-25',
  constants: {
    'string-merge': {
      start: 1.555,
      records: 0.1586,
      recordPasses: 0.01572,
      textPasses: 0.01832,
      textScattered: 0.07044,
      comparedBytes: 0.003326,
      refinement: 0,
      rounds: 0,
      roundPasses: 0.4051,
    },
    'radix-refine': {
      start: 1.528,
      records: 0.1306,
      rounds: 1.842,
      tied: 0.2413,
    },
    'msd-radix': {
      start: 0.7133,
      waits: 0.8171,
      refinement: 5.322,
      splitRounds: 1.285,
    },
    locality: {
      start: 0.7,
      records: 0.1309,
      rounds: 1.439,
      tied: 0.5557,
      textBytes: 0,
      levels: 0.02719,
      recordMerges: 0.01355,
    },
  },
};
