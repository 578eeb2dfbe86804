/** Keys through the program, on the CPU engine. The GPU engine's part is run with its other jobs (battery.gpu.test.ts). */
import { describe } from 'vitest';
import { keys } from './keys-cases.js';

describe('keys with --engine cpu', () => keys('cpu'));
