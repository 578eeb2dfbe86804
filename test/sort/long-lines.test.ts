/** Lines larger than a chunk on the CPU engine. battery.gpu.test.ts has the GPU engine. */
import { sortsLongLines } from './long-lines.js';

sortsLongLines('cpu');
