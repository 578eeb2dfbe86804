/** Keys through the program, on the CPU engine. battery.gpu.test.ts runs the cases of the GPU engine. */
import { describe } from 'vitest';
import { keys } from './keys-cases.js';

describe('keys with --engine cpu', () => keys('cpu'));
