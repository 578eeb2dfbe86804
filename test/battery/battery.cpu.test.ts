/**
 * The battery on the CPU engine (matrix.ts). The GPU engine has its own file, so that both run at the same time.
 */
import { describe } from 'vitest';
import { battery } from './matrix.js';

describe('the battery on the CPU engine', () => battery('cpu'));
