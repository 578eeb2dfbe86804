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
      records: 3014,
      recordPasses: 1729,
      textPasses: 0,
      comparedBytes: 35.79,
      rounds: 0,
      roundPasses: 0,
      tied: 0,
      tiedPasses: 0,
      tiedScattered: 0,
      sharedBytes: 0,
    },
    'radix-refine': {
      start: 0,
      textBytes: 7.18,
      records: 5843,
      digits: 0,
      recordDigits: 730.4,
      rounds: 13.9,
      tied: 0,
      tiedDigits: 0,
      tiedPasses: 0,
      tiedScattered: 0,
      sharedBytes: 0,
    },
    'msd-radix': {
      start: 0,
      textBytes: 10.18,
      records: 5029,
      levels: 0,
      recordLevels: 0,
      rounds: 50.67,
      tied: 0,
      tiedLevels: 0,
      tiedPasses: 0,
      tiedScattered: 0,
      sharedBytes: 0,
    },
  },
};
