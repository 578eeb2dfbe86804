/** All faults that the tests must catch (run.mjs), by the area of the code. */
import { DIFFERENTIAL } from './faults/differential.mjs';
import { KEYS } from './faults/keys.mjs';

/**
 * @typedef {object} Fault
 * @property {string} file the file that it is planted in, in src/ or kernels/
 * @property {string} name what goes wrong, as a sentence
 * @property {string} from text that occurs once in the file
 * @property {string} to what replaces it
 * @property {string} tests the files that should catch it, as arguments of the launcher
 */

/** @type {readonly Fault[]} */
export const FAULTS = [...DIFFERENTIAL, ...KEYS];
