/**
 * Milliseconds for each unit of the terms in costs.ts. Written by `npm run calibrate`; do not edit.
 */
import type { CostTable } from './costs.js';

export const COST_TABLE: CostTable = {
  machine: 'nvidia-h100-80gb-hbm3',
  date: '2026-11-25',
  constants: {
    'string-merge': {
      start: 1.533,
      records: 0.529,
      recordPasses: 0,
      textPasses: 0,
      textScattered: 0.162,
      comparedBytes: 0.0032,
      refinement: 0.5081,
      rounds: 0.5081,
      roundPasses: 0.3278,
    },
    'radix-refine': {
      start: 1.467,
      records: 0.302,
      rounds: 1.88,
      tied: 0,
    },
    'msd-radix': {
      start: 0.7546,
      waits: 0.8128,
      refinement: 5.226,
      splitRounds: 1.293,
    },
    locality: {
      start: 0.6675,
      records: 0.304,
      rounds: 1.42,
      tied: 0.9357,
      textBytes: 0,
      levels: 0.03924,
      recordMerges: 0.01522,
    },
  },
};
