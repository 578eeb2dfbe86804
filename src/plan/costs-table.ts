/**
 * What a unit of each term of costs.ts takes, in milliseconds. Written by `npm run calibrate`; do not edit.
 */
import type { CostTable } from './costs.js';

export const COST_TABLE: CostTable = {
  machine: 'nvidia-h200',
  date: '2026-11-21',
  constants: {
    'string-merge': {
      start: 1.152,
      records: 0.4589,
      recordPasses: 0,
      textPasses: 2.691,
      comparedBytes: 0.07133,
      rounds: 3.521,
      roundPasses: 0,
      tied: 0,
      tiedPasses: 0,
      tiedScattered: 0,
      sharedBytes: 0,
    },
    'radix-refine': {
      start: 2.259,
      textBytes: 0.001045,
      records: 0,
      digits: 0.07285,
      recordDigits: 0.02661,
      rounds: 1.927,
      tied: 0.4366,
      tiedDigits: 0,
      tiedPasses: 0.1147,
      tiedScattered: 0.4077,
      sharedBytes: 0,
    },
    'msd-radix': {
      start: 1.242,
      textBytes: 0.0003163,
      records: 0.09521,
      levels: 0,
      recordLevels: 0.03839,
      rounds: 5.358,
      tied: 0,
      tiedLevels: 0,
      tiedPasses: 15.24,
      tiedScattered: 0,
      sharedBytes: 0,
    },
  },
};
