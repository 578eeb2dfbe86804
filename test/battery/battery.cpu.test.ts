/**
 * The battery on the CPU engine. What is run is decided in matrix.ts; the files are two so that both run at once.
 */
import { describe } from 'vitest';
import { battery } from './matrix.js';

describe('battery, cpu', () => battery('cpu'));
