/** Milliseconds for each unit of the terms in costs.ts. Written by `npm run calibrate`; do not edit. */
import type { CostTable } from './costs.js';

export const COST_TABLE: CostTable = {
  machine: 'nvidia-h200',
  date: '2026-11-21',
  constants: {
    'string-merge': {
      start: 1.214,
      records: 0.4981,
      recordPasses: 0.007931,
      textPasses: 0.2795,
      textScattered: 4.134,
      comparedBytes: 0.07954,
      refinement: 1.186,
      rounds: 1.25,
      roundPasses: 0.169,
    },
    'radix-refine': {
      start: 2.714,
      records: 0.3801,
      rounds: 2.165,
      tied: 1.98,
    },
    'msd-radix': {
      start: 0.3125,
      waits: 0.9811,
      refinement: 6.34,
      splitRounds: 4.873,
    },
    locality: {
      start: 2.755,
      textBytes: 0.003606,
      records: 0.07811,
      rounds: 1.496,
      tied: 4.081,
      levels: 0.08779,
      recordMerges: 0.04772,
    },
  },
};
