/** Orders of SAM and BAM on the CPU engine. */
import { describe } from 'vitest';
import { genomics } from './cases.js';

describe('on the CPU engine', () => genomics('cpu', ['sam', 'bam']));
