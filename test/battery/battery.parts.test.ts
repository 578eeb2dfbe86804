/** The battery on the CPU engine: keys, CSV, JSON, headers, limits, counts, duplicates and segments (matrix.ts). */
import { PARTS } from './features.js';
import { battery } from './matrix.js';

battery('cpu', PARTS, 150);
