/** All faults that the tests must catch (run.mjs), by the area of the code. */
import { BATTERY } from './faults/battery.mjs';
import { CLI } from './faults/cli.mjs';
import { CLUSTER } from './faults/cluster.mjs';
import { DIFFERENTIAL } from './faults/differential.mjs';
import { ENGINE } from './faults/engine.mjs';
import { GPU } from './faults/gpu.mjs';
import { KERNELS } from './faults/kernels.mjs';
import { KEYS } from './faults/keys.mjs';
import { KEYSORTS } from './faults/keysorts.mjs';
import { RANDOM } from './faults/random.mjs';

/**
 * @typedef {object} Fault
 * @property {string} file the file that it is injected into, in src/ or kernels/
 * @property {string} name what goes wrong, as a sentence
 * @property {string} from text that occurs once in the file
 * @property {string} to what replaces it
 * @property {string} tests the files that should catch it, as arguments of the launcher
 */

/** @type {readonly Fault[]} */
export const FAULTS = [
  ...BATTERY,
  ...CLI,
  ...CLUSTER,
  ...DIFFERENTIAL,
  ...ENGINE,
  ...GPU,
  ...KERNELS,
  ...KEYS,
  ...KEYSORTS,
  ...RANDOM,
];
