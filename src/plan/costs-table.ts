/**
 * What a unit of each term of costs.ts takes, in milliseconds. Written by `npm run calibrate`; do not edit.
 * MEASURED ON A GPU IN SOFTWARE, to be replaced: its proportions say little of any hardware.
 */
import type { CostTable } from './costs.js';

export const COST_TABLE: CostTable = {
  machine: 'swiftshader-device-subzero-',
  date: '2026-11-21',
  constants: {
    'string-merge': {
      start: 0,
      records: 4640,
      recordPasses: 227.7,
      textPasses: 0,
      comparedBytes: 17.24,
      rounds: 57.82,
      roundPasses: 11.56,
      tied: 2236,
      tiedPasses: 447.2,
      tiedScattered: 2253,
      sharedBytes: 729,
    },
    'radix-refine': {
      start: 11.85,
      textBytes: 21.51,
      records: 6003,
      digits: 0,
      recordDigits: 0,
      rounds: 11.2,
      tied: 1180,
      tiedGrouped: 912,
      tiedScattered: 1172,
      sharedBytes: 0,
    },
  },
};
