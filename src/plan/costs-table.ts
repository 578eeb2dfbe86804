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
      records: 3996,
      recordPasses: 600.7,
      textPasses: 0,
      comparedBytes: 91.18,
      rounds: 0,
      roundPasses: 0,
      tied: 0,
      tiedPasses: 0,
      tiedScattered: 0,
      sharedBytes: 0,
    },
    'radix-refine': {
      start: 2.3,
      textBytes: 9.747,
      records: 4438,
      digits: 0.2876,
      recordDigits: 554.7,
      rounds: 36.18,
      tied: 0,
      tiedDigits: 0,
      tiedPasses: 0,
      tiedScattered: 0,
      sharedBytes: 0,
    },
    'msd-radix': {
      start: 0,
      textBytes: 0,
      records: 5404,
      levels: 0,
      recordLevels: 1629,
      rounds: 48.29,
      tied: 0,
      tiedLevels: 0,
      tiedPasses: 0,
      tiedScattered: 0,
      sharedBytes: 0,
    },
  },
};
