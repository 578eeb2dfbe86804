import type { IndexBuilder } from './bam-index.js';
export function tabixIndex(kind: string): IndexBuilder { throw new Error(kind); }
