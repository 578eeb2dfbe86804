/**
 * Milliseconds for each unit of the terms in costs.ts. Written by `npm run calibrate`; do not edit.
 */
import type { CostTable } from './costs.js';

export const COST_TABLE: CostTable = {
  machine: 'nvidia-h100-80gb-hbm3',
  date: '2026-11-25',
  constants: {
    'string-merge': {
      start: 1.187,
      records: 0.5477,
      recordPasses: 0,
      textPasses: 2.141,
      textScattered: 4.536,
      comparedBytes: 0.02753,
      refinement: 1.044,
      rounds: 1.742,
      roundPasses: 0.1491,
    },
    'radix-refine': {
      start: 1.466,
      records: 0.2632,
      rounds: 1.935,
      tied: 0.2008,
    },
    'msd-radix': {
      start: 0.6478,
      waits: 0.891,
      refinement: 5.267,
      splitRounds: 1.58,
    },
    locality: {
      start: 0.6794,
      records: 0.2056,
      rounds: 1.034,
      tied: 2.624,
      textBytes: 0,
      levels: 0.1469,
      recordMerges: 0.0026,
    },
  },
};
