/**
 * The battery on the CPU engine (matrix.ts): orders of whole records. battery.parts.test.ts has orders of parts,
 * battery.slow.test.ts large inputs, battery.gpu.test.ts the GPU engine.
 */
import { WHOLE } from './features.js';
import { battery } from './matrix.js';

battery('cpu', WHOLE, 300);
