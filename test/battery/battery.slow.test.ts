/** Inputs of megabytes on the CPU engine, most of which are more than one tile: threads sort and merge them. */
import { LARGE } from './features.js';
import { battery } from './matrix.js';

battery('cpu', LARGE, 45);
