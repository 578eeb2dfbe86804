/**
 * The battery on the GPU engine, with the software GPU of the run. What is run is decided in matrix.ts.
 */
import { describeGpu } from '../setup/gpu.js';
import { battery } from './matrix.js';

describeGpu('battery, gpu', () => battery('gpu'));
