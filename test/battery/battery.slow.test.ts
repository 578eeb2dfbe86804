/** Inputs of megabytes on the CPU engine, most of them larger than one tile: threads sort and merge them. */
import { LARGE } from './features.js';
import { battery } from './matrix.js';

battery('cpu', LARGE, 45);
