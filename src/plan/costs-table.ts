/**
 * What a unit of each term of costs.ts takes, in milliseconds. Written by `npm run calibrate`; do not edit.
 */
import type { CostTable } from './costs.js';

export const COST_TABLE: CostTable = {
  machine: 'none', date: '2026-11-21', constants: {},
};
