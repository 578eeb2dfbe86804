/** Orders of reads and intervals on the CPU engine, and -c. battery.gpu.test.ts has those of the GPU engine. */
import { describe } from 'vitest';
import { checks, genomics } from './cases.js';

describe('on the CPU engine', () => genomics('cpu', ['fastq', 'fasta', 'bed', 'vcf', 'gff']));
describe('-c', checks);
